// Reads a PostgreSQL database as the doctor looks at it, without bringing it to another version.
import { Kysely, PostgresDialect, sql } from 'kysely';
import { StartupError } from '../../system/startup-error.ts';
import type { DatabaseFacts, DoubleFacts } from '../facts.ts';
import type { Database } from '../schema.ts';
import { openPool, processName } from './client.ts';

/** What the doctor needs to know of a database. */
export interface PostgresFacts extends DatabaseFacts {
  /** Such as `18.1`. */
  readonly version: string;
  /** What recognises the master key; null where there is no service yet. */
  readonly keyCheck: string | null;
}

/**
 * @param url `postgres://user:password@host:port/database`
 * @throws StartupError in one line, without the password
 */
export async function readPostgres(url: string): Promise<PostgresFacts> {
  const pool = openPool(url, { application_name: `${processName} doctor` });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  const textOf = async (query: string) =>
    (await sql.raw<{ readonly text: string }>(query).execute(db)).rows.map(({ text }) => text);
  try {
    const [version = ''] = await textOf(`select current_setting('server_version') as text`);
    const schema = await textOf('select name as text from kysely_migration order by name');
    const newest = await db
      .selectFrom('auditEvents')
      .select(({ fn }) => fn.max('at').as('at'))
      .executeTakeFirst();
    const service = await db.selectFrom('service').select('keyCheck').executeTakeFirst();
    return {
      version,
      keyCheck: service?.keyCheck ?? null,
      schema,
      newestEventAt: newest?.at ?? null,
      tenants: await db
        .selectFrom('tenants')
        .select(['issuer', 'host', 'disabledAt'])
        .orderBy('issuer')
        .execute(),
      doubles: [...(await listDoubles(db, 'products')), ...(await listDoubles(db, 'packages'))],
    };
  } catch (error) {
    throw new StartupError(`The database cannot be read: ${(error as Error).message}.`);
  } finally {
    await pool.end();
  }
}

async function listDoubles(db: Kysely<Database>, noun: DoubleFacts['noun']): Promise<readonly DoubleFacts[]> {
  const rows = await db
    .selectFrom(noun)
    .innerJoin('tenants', 'tenants.id', `${noun}.tenantId`)
    .select([
      'tenants.host',
      `${noun}.name`,
      sql<string>`string_agg(${sql.ref(`${noun}.id`)}::text, ',')`.as('ids'),
    ])
    .groupBy(['tenants.host', `${noun}.name`])
    .having(({ fn }) => fn.countAll(), '>', 1)
    .orderBy('tenants.host')
    .orderBy(`${noun}.name`)
    .execute();
  return rows.map(({ host, name, ids }) => ({ host, noun, name, ids: ids.split(',').map(Number) }));
}
