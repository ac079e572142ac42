import SQLite from 'better-sqlite3';

/** What oidc-provider stores: it calls this a payload, and looks into it alone. */
export type Payload = Readonly<Record<string, unknown>> & {
  readonly grantId?: string;
  readonly userCode?: string;
  readonly uid?: string;
};

/** The models that are stored; each has a table of its own. */
export const models = [
  'AccessToken',
  'AuthorizationCode',
  'DeviceCode',
  'Grant',
  'Interaction',
  'RefreshToken',
  'ReplayDetection',
  'Session',
] as const;

/** The models that end with their grant. */
const grantable: ReadonlySet<string> = new Set([
  'AccessToken',
  'AuthorizationCode',
  'DeviceCode',
  'RefreshToken',
]);

/** Opens the peer's database: the same durability as ours, and its tables if the file is new. */
export function openPeerDatabase(path: string): SQLite.Database {
  const database = new SQLite(path);
  database.pragma('journal_mode = wal');
  // Set at each opening, since better-sqlite3 falls back to NORMAL: an answer must be on the disk.
  database.pragma('synchronous = full');
  if (database.pragma('synchronous', { simple: true }) !== 2) throw new Error('synchronous is not FULL');
  for (const model of models) {
    database.exec(`create table if not exists "${model}" (
      id text not null primary key,
      payload text not null,
      grantId text,
      key text,
      consumedAt integer,
      expiresAt integer
    ) strict`);
    if (grantable.has(model)) {
      database.exec(`create index if not exists "${model}ByGrant" on "${model}" (grantId)`);
    }
  }
  for (const model of ['Session', 'DeviceCode']) {
    database.exec(`create unique index if not exists "${model}ByKey" on "${model}" (key)`);
  }
  database.exec(
    'create table if not exists accounts (id text not null primary key, claims text not null) strict',
  );
  return database;
}

/** What oidc-provider asks of its storage for a model (its docs, "Adapter"). */
interface Adapter {
  find(id: string): Promise<object | undefined>;
  findByUid(uid: string): Promise<object | undefined>;
  findByUserCode(userCode: string): Promise<object | undefined>;
  upsert(id: string, payload: Payload, expiresIn: number | undefined): Promise<void>;
  consume(id: string): Promise<void>;
  destroy(id: string): Promise<void>;
  revokeByGrantId(grantId: string): Promise<void>;
}

/** Where the peer stores what it has. */
export interface Models {
  adapter(model: string): Adapter;
  /** The claims of an account, as JSON. */
  claimsOf(id: string): Promise<string | undefined>;
}

/** One prepared statement a call, one commit a write. */
export function sqliteModels(database: SQLite.Database): Models {
  const account = database.prepare<[string], { claims: string }>('select claims from accounts where id = ?');
  const adapter = (model: string): Adapter => {
    const table = `"${model}"`;
    const found = 'select payload, consumedAt from';
    const byId = database.prepare<[string], Row>(`${found} ${table} where id = ?`);
    const byKey = database.prepare<[string], Row>(`${found} ${table} where key = ?`);
    const write = database.prepare(
      `insert into ${table} (id, payload, grantId, key, expiresAt) values (?, ?, ?, ?, ?)
       on conflict (id) do update set payload = excluded.payload, expiresAt = excluded.expiresAt,
         grantId = excluded.grantId, key = excluded.key`,
    );
    const consume = database.prepare(`update ${table} set consumedAt = ? where id = ?`);
    const destroy = database.prepare(`delete from ${table} where id = ?`);
    const destroyAll = database.prepare(`delete from ${table} where grantId = ?`);
    return {
      find: async (id) => payloadOf(byId.get(id)),
      findByUid: async (uid) => payloadOf(byKey.get(uid)),
      findByUserCode: async (userCode) => payloadOf(byKey.get(userCode)),
      upsert: async (id, payload, expiresIn) => {
        const { grantId = null, uid, userCode = null } = payload;
        const key = model === 'Session' ? (uid ?? null) : userCode;
        const expiresAt = expiresIn === undefined ? null : seconds() + expiresIn;
        write.run(id, JSON.stringify(payload), grantId, key, expiresAt);
      },
      consume: async (id) => {
        consume.run(seconds(), id);
      },
      destroy: async (id) => {
        destroy.run(id);
      },
      revokeByGrantId: async (grantId) => {
        destroyAll.run(grantId);
      },
    };
  };
  return { adapter, claimsOf: async (id) => account.get(id)?.claims };
}

export interface Row {
  readonly payload: string;
  readonly consumedAt: number | null;
}

export function payloadOf(row: Row | undefined): object | undefined {
  if (row === undefined) return undefined;
  const payload = JSON.parse(row.payload) as object;
  return row.consumedAt === null ? payload : { ...payload, consumed: row.consumedAt };
}

export const seconds = () => Math.floor(Date.now() / 1_000);
