// What oidc-provider stores in PostgreSQL: the same tables as in SQLite, and the same calls.
import { join } from 'node:path';
import pg from 'pg';
import {
  type Models,
  models,
  openPeerDatabase,
  type Payload,
  payloadOf,
  type Row,
  seconds,
} from './adapter.ts';

/** As many connections as a process of ours has. */
const connections = 10;

/** oidc-provider's adapter on a pool: one prepared statement a call, one commit a write. */
export function openPostgresModels(url: string): Models {
  const pool = new pg.Pool({ connectionString: url, max: connections });
  const ask = async (name: string, text: string, values: readonly unknown[]) =>
    (await pool.query<Row>({ name, text, values: [...values] })).rows[0];
  return {
    adapter: (model) => {
      const table = `"${model}"`;
      const found = `select payload, "consumedAt" from ${table} where`;
      return {
        find: async (id) => payloadOf(await ask(`find ${model}`, `${found} id = $1`, [id])),
        findByUid: async (uid) => payloadOf(await ask(`key ${model}`, `${found} key = $1`, [uid])),
        findByUserCode: async (code) => payloadOf(await ask(`key ${model}`, `${found} key = $1`, [code])),
        upsert: async (id, payload: Payload, expiresIn) => {
          const { grantId = null, uid, userCode = null } = payload;
          const key = model === 'Session' ? (uid ?? null) : userCode;
          const expiresAt = expiresIn === undefined ? null : seconds() + expiresIn;
          await ask(
            `upsert ${model}`,
            `insert into ${table} (id, payload, "grantId", key, "expiresAt") values ($1, $2, $3, $4, $5)
             on conflict (id) do update set payload = excluded.payload, "expiresAt" = excluded."expiresAt",
               "grantId" = excluded."grantId", key = excluded.key`,
            [id, JSON.stringify(payload), grantId, key, expiresAt],
          );
        },
        consume: async (id) => {
          const text = `update ${table} set "consumedAt" = $1 where id = $2`;
          await ask(`consume ${model}`, text, [seconds(), id]);
        },
        destroy: async (id) => {
          await ask(`destroy ${model}`, `delete from ${table} where id = $1`, [id]);
        },
        revokeByGrantId: async (grantId) => {
          await ask(`revoke ${model}`, `delete from ${table} where "grantId" = $1`, [grantId]);
        },
      };
    },
    claimsOf: async (id) => {
      const text = 'select claims from accounts where id = $1';
      const { rows } = await pool.query<{ claims: string }>({ name: 'claims', text, values: [id] });
      return rows[0]?.claims;
    },
  };
}

/** Rows of one statement. */
const rowsAtOnce = 1_000;

/** Copies what a folder holds into an empty database. */
export async function moveToPostgres(folder: string, url: string): Promise<void> {
  const sqlite = openPeerDatabase(join(folder, 'peer.db'));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const schema = sqlite
      .prepare<[], { text: string }>(
        'select sql as text from sqlite_schema where sql is not null order by type desc',
      )
      .all();
    for (const { text } of schema) await client.query(inPostgres(text));
    for (const table of [...models, 'accounts']) {
      const rows = sqlite.prepare<[], Record<string, unknown>>(`select * from "${table}"`).all();
      for (let first = 0; first < rows.length; first += rowsAtOnce) {
        const part = JSON.stringify(rows.slice(first, first + rowsAtOnce));
        const from = `json_populate_recordset(null::"${table}", $1)`;
        await client.query(`insert into "${table}" select * from ${from}`, [part]);
      }
      await client.query(`analyze "${table}"`);
    }
  } finally {
    await client.end();
    sqlite.close();
  }
}

/** The same statement in PostgreSQL's words. */
const inPostgres = (text: string) =>
  text.replace(/\) strict$/, ')').replaceAll(/\b(grantId|consumedAt|expiresAt)\b/g, '"$1"');
