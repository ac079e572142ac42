import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Keys and id_tokens may be of PS256 and EdDSA too. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  for (const statement of isPostgres ? ofPostgres : ofSqlite) await sql.raw(statement).execute(db);
}

const known = `('ES256', 'RS256', 'PS256', 'EdDSA')`;

const ofPostgres = [
  'alter table "signingKeys" drop constraint "signingKeys_algorithm_check"',
  `alter table "signingKeys" add constraint "signingKeys_algorithm_check" check (algorithm in ${known})`,
  'alter table clients drop constraint "clients_idTokenAlgorithm_check"',
  `alter table clients add constraint "clients_idTokenAlgorithm_check"
    check ("idTokenAlgorithm" in ${known})`,
];

/** A check cannot be changed there; a table to which no other refers is made anew, a column takes another's place. */
const ofSqlite = [
  `create table newSigningKeys (
    kid text primary key,
    tenantId text not null references tenants (id),
    algorithm text not null check (algorithm in ${known}),
    publicJwk text not null,
    privateKey blob not null,
    createdAt integer not null,
    activeFrom integer not null,
    retiredAt integer
  ) strict`,
  `insert into newSigningKeys
    select kid, tenantId, algorithm, publicJwk, privateKey, createdAt, activeFrom, retiredAt from signingKeys`,
  'drop table signingKeys',
  'alter table newSigningKeys rename to signingKeys',
  'create index signingKeysByTenant on signingKeys (tenantId)',

  `alter table clients add column newIdTokenAlgorithm text not null default 'RS256'
    check (newIdTokenAlgorithm in ${known})`,
  'update clients set newIdTokenAlgorithm = idTokenAlgorithm',
  'alter table clients drop column idTokenAlgorithm',
  'alter table clients rename column newIdTokenAlgorithm to idTokenAlgorithm',
];
