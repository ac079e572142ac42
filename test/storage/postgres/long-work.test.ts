import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { postgresTimes } from '../../../src/core/operators/store-limits.ts';
import { endSignInsOfClient } from '../../../src/storage/grants/sign-in.ts';
import { eraseMember } from '../../../src/storage/members/erase.ts';
import { endEverything } from '../../../src/storage/operators/restore.ts';
import { readPostgres } from '../../../src/storage/postgres/facts.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { mayTakeLong } from '../../../src/storage/prepared.ts';
import { StorageUnavailable, type Tx } from '../../../src/storage/store.ts';
import { type Sweep, sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { memberRecord, now, signInRecord } from '../../support/records/records.ts';
import { gated, may } from '../../support/run/gated.ts';
import { ample, ask } from '../../support/run/test-store.ts';

const { clientId, tenantId } = signInRecord();
const sleep = (ms: number) => sql`select pg_sleep(${ms / 1_000})`;

describe('work that may take long', () => {
  it('is ended by no time of a request, and the transaction after it is', async () => {
    const { store } = await gated({ statement: 50 });
    const long = store.transaction(async (tx) => {
      await mayTakeLong(tx);
      await sleep(200).execute(tx);
    });
    await expect(long).resolves.toBeUndefined();
    await expect(store.transaction((tx) => sleep(60_000).execute(tx))).rejects.toBeInstanceOf(
      StorageUnavailable,
    );
  });

  it('is given up at last, where the database says nothing any more', async () => {
    const { hold, store, comes } = await gated({ longAnswer: postgresTimes.longAnswer });
    const long = store.transaction(async (tx) => {
      await mayTakeLong(tx);
      hold();
      await sleep(0).execute(tx);
    });
    expect(await comes()).toEqual([600_000]);
    await expect(long).rejects.toBeInstanceOf(StorageUnavailable);
  });

  it.each([
    ['the sign-ins of a client', (tx: Tx) => endSignInsOfClient(tx, { tenantId, clientId }, 'revoked', now)],
    ['everything that was issued before a restore', (tx: Tx) => endEverything(tx, now)],
    ['what tells who a member was', (tx: Tx) => eraseMember(tx, memberRecord(), now)],
  ])('is to end %s', async (_what, work) => {
    const { store } = await gated();
    await store.transaction(async (tx) => {
      await work(tx);
      const { rows } = await sql<{
        limit: string;
      }>`select current_setting('statement_timeout') as limit`.execute(tx);
      expect(rows).toEqual([{ limit: '0' }]);
    });
  });

  it('is a sweep, each bite of it', async () => {
    const { store } = await gated();
    const limits: unknown[] = [];
    const sweep: Sweep = {
      rows: 'none',
      bite: async (tx) => {
        limits.push((await sql`select current_setting('statement_timeout') as limit`.execute(tx)).rows[0]);
        return { deleted: 0, next: null };
      },
    };
    await sweepThrough(store, sweep);
    expect(limits).toEqual([{ limit: '0' }]);
  });

  it('is a migration, and what a doctor reads', async () => {
    const url = `${process.env.TEST_POSTGRES}`;
    await ask(url, 'create database slow');
    const store = await openPostgres(`${url}/slow`, may, { times: { ...ample, statement: 1 } });
    await store.close();
    expect((await readPostgres(`${url}/slow`)).schema.length).toBeGreaterThan(3);
  });
});
