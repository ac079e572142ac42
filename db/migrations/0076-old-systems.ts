import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * The system that a tenant's members come from and that may be asked for those who come later, the addresses that moved in
 * so, files that are sent before they are read, and answers to consents that came with a file.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  // Text compares by its bytes on both engines: see 0032.
  const text = isPostgres ? sql`text collate "C"` : 'text';
  const number = isPostgres ? 'bigint' : 'integer';
  const bytes = isPostgres ? 'bytea' : 'blob';
  await db.schema.alterTable('tenants').addColumn('oldSystemUrl', text).execute();
  await db.schema
    .createTable('oldSystems')
    .addColumn('tenantId', text, (column) => column.primaryKey().references('tenants.id'))
    .addColumn('secret', bytes)
    .addColumn('failures', number, (column) => column.notNull())
    .addColumn('failedAt', number)
    .addColumn('failure', text)
    .addColumn('restsUntil', number, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('movedAddresses')
    .addColumn('tenantId', text, (column) => column.notNull().references('tenants.id'))
    .addColumn('addressHash', text, (column) => column.notNull())
    .addColumn('movedAt', number, (column) => column.notNull())
    .addPrimaryKeyConstraint('movedAddresses_pkey', ['tenantId', 'addressHash'])
    .execute();
  await db.schema
    .alterTable('imports')
    .addColumn('work', text, (column) => column.notNull().defaultTo('none'))
    .execute();
  await db.schema.alterTable('imports').addColumn('trial', text).execute();
  await db.schema
    .createTable('importParts')
    .addColumn('importId', text, (column) => column.notNull().references('imports.id'))
    .addColumn('start', number, (column) => column.notNull())
    .addColumn('sealed', bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint('importParts_pkey', ['importId', 'start'])
    .execute();
  for (const statement of isPostgres ? ofPostgres : ofSqlite) await sql.raw(statement).execute(db);
}

const sources = `('account', 'api', 'checkout', 'import', 'sign_up')`;

const ofPostgres = [
  'alter table "consentChanges" drop constraint "consentChanges_source_check"',
  `alter table "consentChanges" add constraint "consentChanges_source_check" check (source in ${sources})`,
];

const columns = 'id, tenantId, memberId, consentId, status, name, description, source, clientId, changedAt';

/** A check cannot be changed there; a table to which no other refers is made anew. */
const ofSqlite = [
  `create table newConsentChanges (
    id integer primary key,
    tenantId text not null,
    memberId text not null references members (id),
    consentId text not null,
    status text not null check (status in ('accepted', 'withdrawn')),
    name text not null,
    description text not null,
    source text not null check (source in ${sources}),
    clientId text,
    changedAt integer not null,
    foreign key (tenantId, consentId) references consents (tenantId, id)
  ) strict`,
  `insert into newConsentChanges (${columns}) select ${columns} from consentChanges`,
  'drop table consentChanges',
  'alter table newConsentChanges rename to consentChanges',
  'create index consentChangesByMember on consentChanges (memberId)',
  'create index consentChangesByConsent on consentChanges (memberId, consentId)',
  'create index consentChangesByTenant on consentChanges (tenantId, status, changedAt)',
  'create index consentChangesByAnswer on consentChanges (tenantId, consentId, status, changedAt)',
];
