import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ledgerRound } from '../../../trials/faults/cases/process/ledger-loop.ts';
import { checkRotation, killDuring } from '../../../trials/faults/cases/process/rotation.ts';
import { newFamily, next } from '../../../trials/faults/clients/client.ts';
import { consentClient } from '../../../trials/faults/clients/consent.ts';
import { deviceClient } from '../../../trials/faults/clients/device.ts';
import { refresher } from '../../../trials/faults/clients/refresher.ts';
import { revoker } from '../../../trials/faults/clients/revoker.ts';
import { webClient } from '../../../trials/faults/clients/web.ts';
import { openLedger } from '../../../trials/faults/ledger.ts';
import { newSite, type RunningSite, removeSite, run } from '../../../trials/faults/site.ts';
import { readTrace } from '../../../trials/faults/trace.ts';
import { workedMilliseconds } from '../../support/process/started.ts';

// A short form of `npm run test:faults`, on one data folder.
describe('a service that is killed', () => {
  let running: RunningSite;

  beforeAll(async () => {
    running = await run(await newSite());
  });
  afterAll(async () => {
    await running.kill();
    removeSite(running);
  });

  it('Z1: has done all that it acknowledged, and nothing by half', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'memberdoor-ledgers-'));
    const clients = [refresher, webClient, deviceClient, revoker, consentClient].map((make) =>
      make(make.name),
    );
    const ledgers = clients.map(({ name }) => openLedger(join(folder, name)));
    const { next: again, problems } = await ledgerRound(running, clients, ledgers, 150);
    running = again;
    expect(problems).toEqual([]);
    expect(ledgers.reduce((sum, ledger) => sum + ledger.acks(), 0)).toBeGreaterThan(0);
    for (const ledger of ledgers) ledger.close();
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['within a refresh leaves one of both tokens, or neither where no answer came', 4],
    ['at the first answer to a refresh leaves the new token of each that was answered', 'answered'],
  ] as const)('Z2: %s', async (_what, when) => {
    const tokens = await Promise.all(Array.from({ length: 4 }, () => newFamily(running)));
    const rotations = await killDuring(running, tokens, when);
    if (when === 'answered') expect(rotations.some(({ answered }) => answered !== null)).toBe(true);
    running = await run(running);
    const problems: string[] = [];
    for (const [index, rotation] of rotations.entries()) {
      await checkRotation(running, rotation, when === 4 && index % 2 === 0, (text) => problems.push(text));
    }
    expect(problems).toEqual([]);
  });

  it('Z1: does not count guesses for the member that it never judged', async () => {
    await running.kill();
    const file = join(running.folder, 'memberdoor.db');
    const rows = 'select emailHash, failures, underWay from signInFailures where emailHash in (?, ?)';
    const dying = new SQLite(file);
    const insert = dying.prepare(
      'insert into signInFailures (tenantId, emailHash, failures, lastFailedAt, underWay) select id, ?, 5, ?, ? from tenants limit 1',
    );
    insert.run('all begun', Date.now(), 5);
    insert.run('some judged', Date.now(), 2);
    dying.close();
    running = await run(running);
    const living = new SQLite(file, { readonly: true });
    expect(living.prepare(rows).all('all begun', 'some judged')).toEqual([
      { emailHash: 'some judged', failures: 3, underWay: 0 },
    ]);
    living.close();
  });

  it('Z21: with a log beside its file is ready after less than 5 s of work, and its first answer is right', async () => {
    const token = await newFamily(running);
    await running.kill();
    expect(statSync(join(running.folder, 'memberdoor.db-wal')).size).toBeGreaterThan(0);
    running = await run(running);
    expect(workedMilliseconds(running.started.pid)).toBeLessThan(5_000);
    expect(await next(running, token)).not.toBeNull();
  });
});

describe('Z3: a trace of system calls', () => {
  const wal = '/data/memberdoor.db-wal';
  const read = `1 read(9<socket:[7]>, "POST /api/oidc/token HTTP/1.1\\r\\n"..., 65536) = 300`;
  const answer = `1 write(9<socket:[7]>, "HTTP/1.1 200 OK\\r\\n"..., 900) = 900`;
  const write = `1 pwrite64(5<${wal}>, "..."..., 4096, 32) = 4096`;
  const sync = `1 fdatasync(5<${wal}>) = 0`;
  const begun = `2 fdatasync(7<${wal}> <unfinished ...>`;
  const ended = '2 <... fdatasync resumed>) = 0';
  const failed = '2 <... fdatasync resumed>) = -1 EIO (Input/output error)';
  const verdictOf = (...lines: string[]) => readTrace(lines, (request) => request.startsWith('POST '));

  it('is good where the log is written and synchronised between a request and its answer', () => {
    expect(verdictOf(read, write, write, sync, answer)).toEqual({ answers: 1, commits: 1, violations: [] });
  });

  it.each([
    ['that is not synchronised', [read, write, answer, sync], 'left with a log that was not synchronised'],
    ['that failed to be', [read, write, `1 fdatasync(5<${wal}>) = -1 EIO`, answer], 'was not synchronised'],
    ['that another connection wrote', [write, sync, read, answer], 'left before its commit'],
    ['that is written too late', [read, answer, write, sync], 'left before its commit'],
    ['that is just being synchronised', [read, write, begun, answer, ended], 'was not synchronised'],
    [
      'that another thread failed to synchronise',
      [read, write, begun, failed, answer],
      'was not synchronised',
    ],
    ['that is written meanwhile', [read, write, begun, write, ended, answer], 'written while it was'],
  ])('finds an answer that leaves with a log %s', (_what, lines, problem) => {
    const { violations } = verdictOf(...lines);
    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(problem);
  });

  it('F13: is good where another thread synchronises it, and the next commit is written before the answer', () => {
    const lines = [read, write, begun, ended, write, answer];
    expect(verdictOf(...lines)).toEqual({ answers: 1, commits: 1, violations: [] });
  });

  it('asks nothing of answers to requests that change nothing', () => {
    const reading = read.replace('POST /api/oidc/token', 'GET /api/oidc/jwks');
    expect(verdictOf(reading, answer)).toEqual({ answers: 0, commits: 0, violations: [] });
  });
});
