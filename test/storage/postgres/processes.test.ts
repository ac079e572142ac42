import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findClient, insertClient, updateClient } from '../../../src/storage/clients/client.ts';
import { openPostgres } from '../../../src/storage/postgres/open.ts';
import { connectionOf } from '../../../src/storage/prepared.ts';
import { StorageUnavailable, type Store } from '../../../src/storage/store.ts';
import { makeAuthority } from '../../support/proxy/certificate.ts';
import { clientRecord, tenantRecord } from '../../support/records/records.ts';
import { insertRecords } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { type PostgresServer, startPostgres } from '../../support/run/postgres-server.ts';
import { ask } from '../../support/run/test-store.ts';
import { freePort } from '../../support/service.ts';

let server: PostgresServer;
let opened: Store[] = [];

/** The store of one process of a service. */
async function open(mayInitialise = true, database = 'postgres'): Promise<Store> {
  const store = await openPostgres(`${server.url}/${database}`, { initialise: mayInitialise, migrate: true });
  opened.push(store);
  return store;
}

beforeAll(async () => {
  server = await startPostgres(await freePort());
});
afterAll(() => server.stop());

describe('two processes on one database', () => {
  let [one, other]: Store[] = [];
  beforeAll(async () => {
    [one, other] = await Promise.all([open(), open()]);
    await one?.transaction(insertRecords);
  });
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    opened = [];
  });
  const both = () => [one as Store, other as Store] as const;
  const { tenantId, clientId } = clientRecord();
  const find = (store: Store) => store.transaction((tx) => findClient(tx, tenantId, clientId));

  it('decision 51: begin together on an empty database, and one makes its tables', async () => {
    for (const store of both()) expect(await find(store)).not.toBeNull();
  });

  it('decision 51: a client that one disables is refused by the other at once', async () => {
    const [first, second] = both();
    const client = await find(second);
    if (client === null) throw new Error('no client');
    expect(await find(second)).toBe(client);
    await first.transaction((tx) => updateClient(tx, { ...client, disabledAt: 1 }));
    expect(await find(second)).toBeNull();
    await second.transaction((tx) => updateClient(tx, { ...client, disabledAt: null }));
    expect(await find(first)).toEqual(client);
  });

  it('decision 51: what a transaction changed that failed, no other believes', async () => {
    const [first] = both();
    const client = await find(first);
    if (client === null) throw new Error('no client');
    const failing = first.transaction(async (tx) => {
      await updateClient(tx, { ...client, name: 'never' });
      await findClient(tx, tenantId, clientId);
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    for (const store of both()) expect((await find(store))?.name).toBe(client.name);
  });

  it('Z3: what did not reach the database is no success, even if the work overlooked why', async () => {
    const [first] = both();
    const client = await find(first);
    if (client === null) throw new Error('no client');
    const overlooking = first.transaction(async (tx) => {
      await updateClient(tx, { ...client, name: 'never' });
      await insertClient(tx, client, 1).catch(() => {});
    });
    await expect(overlooking).rejects.toThrow('duplicate key value');
    expect((await find(first))?.name).toBe(client.name);
  });

  it('F1: 200 that count at once through two processes are all counted', async () => {
    const { id } = tenantRecord('a');
    const countIn = (store: Store) =>
      store.transaction(async (tx) => {
        const row = await tx
          .selectFrom('tenants')
          .select('passwordLength')
          .where('id', '=', id)
          .executeTakeFirstOrThrow();
        const next = row.passwordLength === 64 ? 8 : row.passwordLength + 1;
        await tx.updateTable('tenants').set({ passwordLength: next }).where('id', '=', id).execute();
      });
    const [first, second] = both();
    const before = await first.transaction((tx) =>
      tx.selectFrom('tenants').select('passwordLength').where('id', '=', id).executeTakeFirstOrThrow(),
    );
    await Promise.all(Array.from({ length: 200 }, (_, index) => countIn(index % 2 === 0 ? first : second)));
    const after = await first.transaction((tx) =>
      tx.selectFrom('tenants').select('passwordLength').where('id', '=', id).executeTakeFirstOrThrow(),
    );
    expect((after.passwordLength - 8 + 57) % 57).toBe((before.passwordLength - 8 + 200) % 57);
  });
});

describe('TLS', () => {
  const authority = makeAuthority(Date.now());
  const day = 86_400_000;
  /** Has the server show a certificate for a name. */
  const certify = async (name: string) => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o711);
    const { key, cert } = authority.issue([name], Date.now() - day, Date.now() + day);
    const files = { ssl_cert_file: cert, ssl_key_file: key };
    for (const [setting, text] of Object.entries(files)) {
      const path = join(folder, setting);
      writeFileSync(path, text, { mode: 0o600 });
      server.own(path);
      await ask(server.url, `alter system set ${setting} = '${path}'`);
    }
    await ask(server.url, 'alter system set ssl = on');
    await ask(server.url, 'select pg_reload_conf()');
  };
  const trusted = () => {
    const path = join(temporaryFolder(), 'authority.pem');
    writeFileSync(path, authority.cert);
    return path;
  };
  const address = (more: string) =>
    `${server.url.replace('127.0.0.1', 'localhost')}/postgres?sslmode=verify-full${more}`;
  const may = { initialise: false, migrate: false };
  // The files are gone after the test, and the server starts again in another.
  afterAll(() => ask(server.url, 'alter system reset all'));

  it('with verify-full is spoken with the server whose name it is, and with no other', async () => {
    await certify('localhost');
    const store = await openPostgres(address(`&sslrootcert=${trusted()}`), may);
    try {
      const asked = sql<{ ssl: boolean }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
      const { rows } = await store.transaction((tx) => asked.execute(tx));
      expect(rows).toEqual([{ ssl: true }]);
    } finally {
      await store.close();
    }
    await expect(openPostgres(address(''), may)).rejects.toThrow('The database cannot be reached');
    await certify('another.test');
    await expect(openPostgres(address(`&sslrootcert=${trusted()}`), may)).rejects.toThrow(/altnames/);
  });
});

describe('an upgrade', () => {
  it('adds a column under 20 connections that have prepared a query of its table, and each goes on', async () => {
    const [store, next] = [await open(), await open()];
    try {
      const { tenantId, clientId } = clientRecord();
      const readAtOnce = () =>
        Promise.all(
          Array.from({ length: 40 }, () =>
            store.transaction(async (tx) => {
              connectionOf(tx).memory.clear();
              return findClient(tx, tenantId, clientId);
            }),
          ),
        );
      const before = await readAtOnce();
      await next.transaction((tx) => sql`alter table clients add column "ofTheNextVersion" text`.execute(tx));
      const after = await readAtOnce();
      expect(after.map((client) => client?.clientId)).toEqual(before.map((client) => client?.clientId));
    } finally {
      await store.close();
      await next.close();
    }
  });
});

describe('a database that is gone', () => {
  it('Z7: work is refused while it is, and goes on by itself when it is back', async () => {
    const store = await open();
    try {
      const read = () =>
        store.transaction((tx) => tx.selectFrom('tenants').select('id').orderBy('id').execute());
      expect(await read()).toHaveLength(2);
      await server.kill();
      await expect(read()).rejects.toBeInstanceOf(StorageUnavailable);
      await server.start();
      expect(await read()).toHaveLength(2);
    } finally {
      await store.close();
    }
  });

  it('F18: one that cannot be reached is refused in one line without its password', async () => {
    const port = await freePort();
    const refused = openPostgres(`postgres://memberdoor:s3cret@127.0.0.1:${port}/x`, {
      initialise: true,
      migrate: true,
    });
    await expect(refused).rejects.toThrow(/^The database cannot be reached: (?!.*s3cret).+\.$/);
  });

  it('leaves no connection behind, even if nothing was asked of it', async () => {
    await (await openPostgres(`${server.url}/postgres`, { initialise: false, migrate: true })).close();
    const store = await openPostgres(`${server.url}/postgres`, { initialise: false, migrate: true });
    try {
      const others = async () => {
        const { rows } = await store.transaction((tx) =>
          sql<{ others: number }>`select count(*) as others from pg_stat_activity
            where backend_type = 'client backend' and state is not null and pid <> pg_backend_pid()`.execute(
            tx,
          ),
        );
        return rows[0]?.others;
      };
      // The server needs a moment to let go of a connection that was ended; one that was not stays for long.
      for (let looks = 0; looks < 200 && (await others()) !== 0; looks += 1);
      expect(await others()).toBe(0);
    } finally {
      await store.close();
    }
  });

  it('F18: an empty one is no service unless a service is to be begun', async () => {
    const store = await open();
    await store.transaction((tx) => tx.selectFrom('tenants').select('id').execute());
    await store.close();
    await expect(open(false, 'template1')).rejects.toThrow('The database is empty.');
  });
});
