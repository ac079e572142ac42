import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Codes by mail to sign in with: proofs of addresses have one purpose more, and a tenant says whether it has them; those that
 * are there do not before their operators want it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  await db.schema
    .alterTable('tenants')
    .addColumn('emailCodes', text, (column) => column.notNull().defaultTo('off'))
    .execute();
  for (const statement of isPostgres ? ofPostgres : ofSqlite) await sql.raw(statement).execute(db);
}

const known = `('sign_in', 'sign_up', 'password_reset', 'email_change')`;

const ofPostgres = [
  'alter table "emailProofs" drop constraint "emailProofs_purpose_check"',
  `alter table "emailProofs" add constraint "emailProofs_purpose_check" check (purpose in ${known})`,
];

const columns = `id, tenantId, purpose, state, memberId, email, linkHash, codeHash, wrongCodes, payload, createdAt, expiresAt,
    askedBy, askedFrom`;

/** A check cannot be changed there; a table to which no other refers is made anew. */
const ofSqlite = [
  `create table newEmailProofs (
    id text primary key,
    tenantId text not null references tenants (id),
    purpose text not null check (purpose in ${known}),
    state text not null check (state in ('pending', 'proven', 'finished', 'expired', 'exhausted')),
    memberId text references members (id),
    email text not null,
    linkHash text not null,
    codeHash text not null,
    wrongCodes integer not null check (wrongCodes >= 0),
    payload text not null,
    createdAt integer not null,
    expiresAt integer not null,
    askedBy text not null default '',
    askedFrom text not null default ''
  ) strict`,
  `insert into newEmailProofs (${columns}) select ${columns} from emailProofs`,
  'drop table emailProofs',
  'alter table newEmailProofs rename to emailProofs',
  'create unique index emailProofsByLink on emailProofs (linkHash)',
  'create index emailProofsByEmail on emailProofs (tenantId, email, createdAt)',
  'create index emailProofsByExpiry on emailProofs (expiresAt)',
  'create index emailProofsByMember on emailProofs (memberId, purpose)',
];
