import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { apps, refreshAs, revoke } from '../../../../test/support/tokens.ts';
import { type Case, type Outcome, violations } from '../../case.ts';
import { expectStatus, newFamily, next, nextOf } from '../../clients/client.ts';
import { deviceClient } from '../../clients/device.ts';
import { webClient } from '../../clients/web.ts';
import type { Ledger } from '../../ledger.ts';
import { newSite, type RunningSite, removeSite, run } from '../../site.ts';
import { readTrace } from '../../trace.ts';

const calls = 'pwrite64,pwritev,fsync,fdatasync,read,recvfrom,write,writev,sendto,sendmsg';
/** Changes in a row, and families refreshed at once, so that many share a commit. */
const inARow = 20;
const atOnce = 64;

const noLedger: Ledger = { intent: () => {}, ack: () => {}, acks: () => 0, close: () => {} };

async function changeMuch(running: RunningSite): Promise<void> {
  const { service, host } = running;
  let token: string | null = await newFamily(running);
  for (let count = 0; count < inARow && token !== null; count += 1) token = await next(running, token);
  expectStatus(await revoke(service, host, { client_id: 'spa', token: String(token) }), 200, 'a revocation');
  const [web, device] = [webClient('web'), deviceClient('device')];
  for (let count = 0; count < 5; count += 1) {
    await web.act(running, noLedger);
    await device.act(running, noLedger);
  }
  const tokens: string[] = [];
  for (let count = 0; count < atOnce / 4; count += 1) tokens.push(await newFamily(running));
  for (let count = 0; count < 4; count += 1) {
    const answers = await Promise.all(tokens.map((old) => refreshAs(service, host, apps.spa, old)));
    for (const [index, answer] of answers.entries()) tokens[index] = String(nextOf(answer));
  }
}

/** Traces one start of the service, and what it does for clients. */
async function traceStart(running: RunningSite, path: string) {
  await changeMuch(running);
  await running.stop();
  const lines: string[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) lines.push(line);
  return readTrace(lines, (request) => /^POST \/(?:api\/oidc\/|device\/approve|sign-in)/.test(request));
}

async function runTrace(): Promise<Outcome> {
  const found = violations();
  const traces = mkdtempSync(join(tmpdir(), 'memberdoor-trace-'));
  const site = await newSite();
  const notes: string[] = [];
  // better-sqlite3 falls back to synchronous=NORMAL when it opens a file that is in WAL mode already.
  for (const start of ['first', 'second']) {
    const path = join(traces, start);
    const under = ['strace', '-D', '-f', '-y', '-s', '80', '-e', `trace=${calls}`, '-o', path];
    const { answers, commits, violations: bad } = await traceStart(await run(site, { under }), path);
    for (const text of bad) found.add(`${start} start: ${text}`);
    found.unless(answers > 100, `${start} start: the trace shows nothing`);
    found.unless(commits < answers, `${start} start: no commit was shared`);
    notes.push(`${start} start: ${answers} answers after ${commits} commits`);
  }
  removeSite(site);
  rmSync(traces, { recursive: true });
  return { rounds: 2, violations: found.all, note: notes.join('; ') };
}

export const fsyncTrace: Case = {
  id: 'Z3',
  title: 'strace: the log is synchronised before each answer that changed something',
  needs: ['strace'],
  run: runTrace,
};
