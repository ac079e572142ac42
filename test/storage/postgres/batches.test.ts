import { type Compilable, type OperationNodeSource, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findSession } from '../../../src/storage/grants/session.ts';
import { findMember, insertMember } from '../../../src/storage/members/member.ts';
import type { Statement } from '../../../src/storage/postgres/client.ts';
import { createBatches } from '../../../src/storage/postgres/transaction/batches.ts';
import { query, unplanned } from '../../../src/storage/prepared.ts';
import { anyName, builtOf } from '../../../src/storage/query-text.ts';
import type { Tx } from '../../../src/storage/store.ts';
import { memberRecord } from '../../support/records/records.ts';
import { insertRecords } from '../../support/records/store.ts';
import { openShared, sharedDatabase } from '../../support/run/test-store.ts';
import { useStarted } from '../../support/use-service.ts';

type Query = Compilable & OperationNodeSource;

const textOf = <Given>(build: (given: Given) => Query, isBatched = true) =>
  builtOf(build(anyName as Given), isBatched).text;

describe('what is asked of one snapshot in the same breath', () => {
  const store = useStarted(async () => {
    const url = await sharedDatabase();
    const { transaction, lookUp, close } = await openShared(url);
    await transaction(async (tx) => {
      await insertRecords(tx);
      const others = Array.from({ length: 40 }, (_, at) =>
        memberRecord({ id: `m${at}`, email: `m${at}@a.test` }),
      );
      for (const [at, member] of others.entries()) {
        await insertMember(tx, { ...member, memberNumber: 5_000 + at, userId: 5_000 + at }, '');
      }
    });
    return { url, transaction, lookUp, stop: close };
  });
  let client: pg.Client;
  let sent: Statement[] = [];
  const ask = (statement: Statement) => {
    sent.push(statement);
    return client.query(statement as pg.QueryConfig);
  };
  beforeAll(async () => {
    client = new pg.Client({ connectionString: store.url });
    await client.connect();
  });
  afterAll(() => client.end());
  beforeEach(() => {
    sent = [];
  });

  const byTenant = textOf(({ tenantId }: { tenantId: string }) =>
    query.selectFrom('clients').select(['clientId', 'name']).where('tenantId', '=', tenantId),
  );
  const byNumber = textOf(({ number }: { number: number }) =>
    query.selectFrom('members').select('id').where('memberNumber', '=', unplanned(number, 'bigint')),
  );

  it('is one statement for each query, and each question gets its own rows', async () => {
    const read = createBatches(ask);
    const tenants = ['tenant-b', 'tenant-a', 'none', 'tenant-a', 'it\'s {"odd"},\\'].map((id) =>
      read(byTenant, [id]),
    );
    const numbers = [5_039, 5_000, 7].map((number) => read(byNumber, [number]));
    const client1 = [{ clientId: 'client-1', name: expect.any(String) }];
    expect(await Promise.all(tenants)).toEqual([[], client1, [], client1, []]);
    expect(await Promise.all(numbers)).toEqual([[{ id: 'm39' }], [{ id: 'm0' }], []]);
    expect(sent).toHaveLength(2);
  });

  it('of a question alone is the query itself', async () => {
    const read = createBatches(ask);
    await read(byTenant, ['tenant-a']);
    await read(byTenant, ['tenant-b']);
    expect(sent.map(({ text }) => text)).toEqual([byTenant.postgres.text, byTenant.postgres.text]);
  });

  it.each<[string, unknown[]]>([
    ['of two types', ['tenant-a', 1]],
    ['of no type that a batch has', [null, null]],
    ['beyond whole numbers', [1.5, 2.5]],
  ])('is asked by each itself where the values are %s', async (_which, values) => {
    const read = createBatches(ask);
    await Promise.allSettled(values.map((value) => read(byTenant, [value])));
    expect(sent).toHaveLength(2);
  });

  it('is asked by each itself where the query is not for batches', async () => {
    const read = createBatches(ask);
    const one = textOf(
      () => query.selectFrom('clients').select('clientId').orderBy('clientId').limit(1),
      false,
    );
    expect(await Promise.all([read(one, []), read(one, [])])).toEqual([
      [{ clientId: 'client-1' }],
      [{ clientId: 'client-1' }],
    ]);
    expect(sent).toHaveLength(2);
  });

  it('fails together', async () => {
    const read = createBatches(ask);
    const broken = textOf(({ id }: { id: string }) =>
      query
        .selectFrom('clients')
        .select('nothing' as 'name')
        .where('clientId', '=', id),
    );
    const asked = await Promise.allSettled([read(broken, ['one']), read(broken, ['other'])]);
    expect(asked.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(sent).toHaveLength(1);
  });

  it('is asked so by look-ups that come together', async () => {
    const statements = (tx: Tx) =>
      sql<{ text: string }>`select statement as text from pg_prepared_statements`.execute(tx);
    const look = (id: string) => async (tx: Tx) => {
      await findMember(tx, 'tenant-a', id);
      return (await statements(tx)).rows.filter(({ text }) => text.includes('from "members"'));
    };
    const [texts] = await Promise.all(['m1', 'm2', 'm3'].map((id) => store.lookUp(look(id))));
    expect(texts).toContainEqual({ text: expect.stringContaining('unnest($1::text[],$2::text[])') });
  });

  it('is found as a transaction finds it, whatever the planner knows of the tables', async () => {
    const ids = Array.from({ length: 42 }, (_, at) => `m${at}`);
    const together = async () =>
      Promise.all(
        ids.map((id) =>
          store.lookUp(async (tx) => [
            await findMember(tx, 'tenant-a', id),
            await findSession(tx, 'tenant-a', id),
          ]),
        ),
      );
    const alone = await store.transaction(async (tx) => {
      const found: unknown[] = [];
      for (const id of ids)
        found.push([await findMember(tx, 'tenant-a', id), await findSession(tx, 'tenant-a', id)]);
      return found;
    });
    expect(await together()).toEqual(alone);
    await client.query('analyze');
    expect(await together()).toEqual(alone);
    expect(alone.filter((found) => (found as unknown[])[0] !== null)).toHaveLength(40);
  });
});
