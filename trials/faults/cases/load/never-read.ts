import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { residentMegabytes } from '../../../../test/support/process/started.ts';
import { quantile } from '../../../soak/figures.ts';
import { type Case, type Outcome, type Violations, violations } from '../../case.ts';
import { newSite, type RunningSite, removeSite, run } from '../../site.ts';

/** Requests whose answers are never read (security, F9). */
const flood = { connections: 100, requests: 20_000, time: 20_000 } as const;
/** MB above before, ms of the others' p99 (with other work on the machine, so many times as without), ms until back. */
const most = { memory: 100, others: 300, slack: 3, back: 60_000, left: 60 } as const;

const discovery = '/.well-known/openid-configuration';
const kinds = { discovery, keys: '/api/oidc/jwks', 'a 404': '/nothing-here', 'a page': '/recover' } as const;

/**
 * How long others wait for discovery, for so many ms. They ask every few ms, whether the one before was answered or not:
 * a stop of a second is met by all who come in it.
 *
 * @returns the 99th of a hundred, in ms
 */
async function othersWait({ http, host }: RunningSite, ms: number, each = () => {}): Promise<number> {
  const times: Promise<number>[] = [];
  for (const until = performance.now() + ms; performance.now() < until; await wait(20)) {
    const begun = performance.now();
    times.push(http(host, discovery).then(() => performance.now() - begun));
    each();
  }
  return quantile(await Promise.all(times), 0.99);
}

async function floodWith(path: string, running: RunningSite, found: Violations): Promise<string> {
  const { started, port, host, http } = running;
  // What a first thousand of them takes is no flood's.
  for (let asked = 0; asked < 40; asked += 1) {
    await Promise.all(Array.from({ length: 50 }, () => http(host, path)));
  }
  const usual = await othersWait(running, 3_000);
  const before = residentMegabytes(started.pid);
  let highest = before;
  const requests = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(flood.requests));
  const sockets: Socket[] = Array.from({ length: flood.connections }, () => {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
    socket.pause();
    socket.write(requests);
    return socket;
  });
  const p99 = await othersWait(running, flood.time, () => {
    highest = Math.max(highest, residentMegabytes(started.pid));
  });
  const over = performance.now();
  for (const socket of sockets) socket.destroy();
  while (residentMegabytes(started.pid) > before + most.left && performance.now() - over < most.back) {
    await wait(100);
  }
  const left = residentMegabytes(started.pid) - before;
  found.unless(highest - before <= most.memory, `${path}: ${highest - before} MB above before`);
  found.unless(
    p99 <= Math.max(most.others, most.slack * usual),
    `${path}: others wait ${Math.round(p99)} ms`,
  );
  found.unless(left <= most.left, `${path}: ${left} MB are left after a minute`);
  const figures = `others' p99 ${Math.round(p99)} ms (${Math.round(usual)} without)`;
  return `+${highest - before} MB on ${before}, left ${left} MB, ${figures}`;
}

async function runNeverRead(): Promise<Outcome> {
  const found = violations();
  const site = await newSite();
  const running = await run(site);
  const notes: string[] = [];
  for (const [kind, path] of Object.entries(kinds)) {
    notes.push(`${kind}: ${await floodWith(path, running, found)}`);
  }
  await running.kill();
  removeSite(site);
  return { rounds: notes.length, violations: found.all, note: notes.join('; ') };
}

export const neverRead: Case = {
  id: 'F9',
  title: '100 connections send 20,000 requests each and read no answer',
  needs: [],
  run: runNeverRead,
};
