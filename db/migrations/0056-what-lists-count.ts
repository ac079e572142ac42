import { type Kysely, sql } from 'kysely';

/**
 * How many members there are, and how many invoices wait, is counted by an index that has all that is asked of it. What
 * is rare among much is found by one that has nothing else: members who may not sign in, those who administer, and
 * events that no crowd causes.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { ref } = sql;
  await db.schema.createIndex('membersErasedOrNot').on('members').columns(['tenantId', 'erasedAt']).execute();
  await db.schema
    .createIndex('membersDisabled')
    .on('members')
    .columns(['tenantId', 'id'])
    .where(sql<boolean>`${ref('status')} = 'disabled'`)
    .execute();
  await db.schema
    .createIndex('membersInCharge')
    .on('members')
    .columns(['tenantId', 'id'])
    .where(sql<boolean>`${ref('userType')} <> 'member'`)
    .execute();
  await db.schema
    .createIndex('invoicesByDue')
    .on('invoices')
    .columns(['tenantId', 'dueAt', 'paidAt'])
    .where('paidAt', 'is', null)
    .execute();
  await db.schema
    .createIndex('auditEventsRare')
    .on('auditEvents')
    .columns(['tenantId', 'event', 'at'])
    .where(sql<boolean>`event not in (${sql.join(frequent.map((event) => sql.lit(event)))})`)
    .execute();
}

const frequent = [
  'api_denied',
  'authorization_refused',
  'client_authentication_failed',
  'code_issued',
  'code_redeemed',
  'code_refused',
  'device_code_entered',
  'device_code_issued',
  'device_code_refused',
  'device_code_wrong',
  'device_redeemed',
  'form_refused',
  'page_refused',
  'refresh_refused',
  'service_token_issued',
  'session_ended',
  'sign_in',
  'sign_in_refused',
  'signed_out',
  'token_refreshed',
  'token_request_refused',
];
