import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apps, profile, tokensOf } from '../../../../test/support/tokens.ts';
import { visitor } from '../../../../test/support/visitor.ts';
import { buildSlowDisk } from '../../../bench/machine/slow-disk.ts';
import { type Case, type Outcome, violations } from '../../case.ts';
import { email, newFamily, next } from '../../clients/client.ts';
import { examineFile } from '../../integrity.ts';
import { newSite, type RunningSite, removeSite, run } from '../../site.ts';

/** How long an fsync takes, in ms, beside none more than the machine's own (security, F13). */
const delays = [0, 4, 20, 200] as const;
/** ms of each measurement. */
const time = 6_000;
/** Members' apps that refresh all the time, readers, and connections that come at once. */
const [refreshers, readers, newcomers] = [16, 4, 100] as const;
/** ms that a slow disk may add to a read; a machine with other work wavers by more than that alone. */
const more = { p50: 2, p99: 10 } as const;
const slack = 3;

const quantile = (times: readonly number[], part: number) =>
  times.toSorted((a, b) => a - b)[Math.floor((times.length - 1) * part)] ?? Number.NaN;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** A connection of its own, and one answer. */
async function newConnection(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET /livez HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`);
  socket.resume();
  await once(socket, 'close');
}

/** What many writers, some readers and a crowd of newcomers get of a service for a while. */
async function measure(site: RunningSite, found: ReturnType<typeof violations>) {
  const { service, host, http, port } = site;
  const { access_token: accessToken } = await tokensOf(service, host, apps.spa, { email });
  const browser = visitor(service, host);
  const families: string[] = [];
  for (let count = 0; count < refreshers; count += 1) families.push(await newFamily(site, browser));
  const until = performance.now() + time;
  const isOn = () => performance.now() < until;
  const writes: number[] = [];
  const reads: number[] = [];
  const plain: number[] = [];
  const refreshing = families.map(async (family) => {
    let token: string | null = family;
    while (isOn() && token !== null) {
      const old: string = token;
      writes.push(
        await timed(async () => {
          token = await next(site, old);
        }),
      );
    }
    found.unless(token !== null, 'a refresh was refused');
  });
  const reading = Array.from({ length: readers }, async () => {
    while (isOn()) {
      reads.push(
        await timed(async () => {
          const { status } = await profile(service, host, accessToken);
          found.unless(status === 200, `a profile was answered by ${status}`);
        }),
      );
      plain.push(await timed(() => http(host, '/.well-known/openid-configuration')));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });
  await new Promise((resolve) => setTimeout(resolve, time / 2));
  const crowd = await timed(() => Promise.all(Array.from({ length: newcomers }, () => newConnection(port))));
  await Promise.all([...refreshing, ...reading]);
  return {
    rate: (writes.length / time) * 1_000,
    write: { p50: quantile(writes, 0.5), p99: quantile(writes, 0.99) },
    read: { p50: quantile(reads, 0.5), p99: quantile(reads, 0.99) },
    plain: { p50: quantile(plain, 0.5), p99: quantile(plain, 0.99) },
    crowd,
  };
}

const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);

async function runSlow(): Promise<Outcome> {
  const found = violations();
  const tools = mkdtempSync(join(tmpdir(), 'memberdoor-slow-'));
  const library = buildSlowDisk(tools);
  if (library === null) return { rounds: 0, violations: [], note: 'skipped: no C compiler' };
  const notes: string[] = [];
  let usual: Awaited<ReturnType<typeof measure>> | null = null;
  for (const delay of delays) {
    const site = await newSite();
    const settings = { LD_PRELOAD: library, SLOW_DISK_MICROSECONDS: String(delay * 1_000) };
    const running = await run(site, { settings });
    const measured = await measure(running, found);
    usual ??= measured;
    for (const part of ['p50', 'p99'] as const) {
      const allowed = (usual.read[part] + more[part]) * slack;
      const is = measured.read[part];
      found.unless(
        is <= allowed,
        `fsync ${delay} ms: a profile takes ${ms(is)} ms (${part}), ${ms(usual.read[part])} without`,
      );
    }
    found.unless(
      measured.crowd <= (usual.crowd + 50) * slack,
      `fsync ${delay} ms: ${newcomers} new connections take ${ms(measured.crowd)} ms`,
    );
    await running.kill();
    for (const problem of examineFile(site.folder)) found.add(problem);
    removeSite(site);
    notes.push(
      `${delay} ms: ${Math.round(measured.rate)} refreshes/s (${ms(measured.write.p50)}/${ms(measured.write.p99)} ms), profile ${ms(measured.read.p50)}/${ms(measured.read.p99)}, discovery ${ms(measured.plain.p50)}/${ms(measured.plain.p99)}, ${newcomers} connections ${ms(measured.crowd)}`,
    );
  }
  rmSync(tools, { recursive: true });
  return { rounds: delays.length, violations: found.all, note: notes.join('; ') };
}

export const slowFsync: Case = {
  id: 'F13',
  title: 'a slow fsync: reads and new connections do not wait for it',
  needs: [],
  run: runSlow,
};
