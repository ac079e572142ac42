import { type Kysely, sql } from 'kysely';

/**
 * The columns and indexes that 0003 and 0004 were given after the first data folders had been made with them:
 * those folders have neither, and a page cannot show a logo that is not even null.
 */
const columns = [
  { table: 'tenants', column: 'logo' },
  { table: 'clients', column: 'logo' },
] as const;

const indexes = [
  'create index if not exists emailProofsByMember on emailProofs (memberId, purpose)',
  'create index if not exists authorizationCodesByMember on authorizationCodes (memberId, state)',
  'create index if not exists consentChangesByConsent on consentChanges (memberId, consentId)',
  'create index if not exists checkoutsByExpiry on checkouts (state, expiresAt)',
  'create index if not exists checkoutsByPaymentAndExpiry on checkouts (payment, state, expiresAt)',
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const { table, column } of columns) {
    const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = ${column}`.execute(db);
    if (rows.length === 0)
      await sql`alter table ${sql.table(table)} add column ${sql.ref(column)} text`.execute(db);
  }
  for (const statement of indexes) await sql.raw(statement).execute(db);
}
