import { sql } from 'kysely';
import type { Store } from '../../../src/storage/store.ts';

/** How much a tenant has behind it. */
export interface Years {
  /** Those of a tenant before have other ids: where its own begin. */
  readonly first?: number;
  readonly members: number;
  /** Events of the audit, spread over two years. */
  readonly events: number;
}

const day = 86_400_000;
const span = 730 * day;

/** A UUID whose first bits are a time, as ours are. */
const idAt = (at: string) =>
  `substr(printf('%012x', ${at}), 1, 8) || '-' || substr(printf('%012x', ${at}), 9, 4) || '-7000-8000-' || printf('%012x', i)`;

const firstNames = ['Ada', 'Bo', 'Cy', 'Dee', 'Eli', 'Fay', 'Gro', 'Hal', 'Ida', 'Jo', 'Kim', 'Liv', 'Max'];
const lastNames = ['Berg', 'Dahl', 'Holt', 'Lund', 'Moe', 'Nilsen', 'Ness', 'Ruud', 'Strand', 'Vik', 'Aas'];
const oneOf = (values: readonly string[], index: string) =>
  `case (${index}) % ${values.length} ${values.map((value, at) => `when ${at} then '${value}'`).join(' ')} end`;

/**
 * Gives a tenant members who came over two years, what they bought and signed in with, and the audit of all that: by
 * one statement each, so that a million rows take seconds. More happens by day than by night, and more each month.
 *
 * @param clientId of a client that has TVs
 * @param until when the two years end (ms)
 */
export async function fillYears(
  store: Store,
  of: { readonly tenantId: string; readonly clientId: string; readonly packageId: number },
  { members, events, first = 0 }: Years,
  until: number,
): Promise<void> {
  const { tenantId, clientId, packageId } = of;
  const begin = until - span;
  const at = (count: number) => `(${begin} + cast(i * ${span / count} as integer))`;
  const [came, happened] = [at(members), at(events)];
  const member = `(select id from yearMembers where i = ${first} + i % ${members})`;
  const statements = [
    `create temp table yearMembers as ${upTo(members)} select ${first} + i as i, '' as id, ${came} as at from numbers`,
    `update yearMembers set id = ${idAt('at')}`,
    'create unique index temp.yearMembersByNumber on yearMembers (i)',
    `insert into members (id, tenantId, userId, memberNumber, email, normalisedEmail, emailVerified, passwordHash,
       fullName, nickName, phone, phoneVerified, userType, status, createdAt, updatedAt)
     select id, '${tenantId}', 900000 + i, 9000000 + i, 'm' || i || '@years.test', 'm' || i || '@years.test', 1, '',
       ${oneOf(firstNames, 'i')} || ' ' || ${oneOf(lastNames, 'i / 13')}, '', '', 0, 'member', 'active', at, at
     from yearMembers`,
    `insert into memberWords (tenantId, word, memberId)
     select '${tenantId}', lower(${oneOf(firstNames, 'i')}), id from yearMembers
     union all select '${tenantId}', lower(${oneOf(lastNames, 'i / 13')}), id from yearMembers`,
    `insert into subscriptions (id, tenantId, memberId, packageId, state, createdAt, activatedAt, expiresAt, customPropertyValues)
     select 1000 + i, '${tenantId}', id, ${packageId}, 'active', at, at, at + ((i % 24) + 1) * ${30 * day}, '{}'
     from yearMembers where i % 2 = 0`,
    `insert into checkouts (id, tenantId, memberId, packageId, state, payment, price, currency, periodUnit, periodCount,
       createdAt, expiresAt, closedAt, subscriptionId)
     select ${idAt('at')}, '${tenantId}', id, ${packageId}, 'completed', 'invoice', 14900, 'NOK', 'month', 1, at, at, at, 1000 + i
     from yearMembers where i % 2 = 0`,
    `insert into invoices (id, tenantId, number, memberId, subscriptionId, packageName, amount, currency, addressee,
       issuedAt, dueAt, paidAt)
     select ${idAt('at')}, '${tenantId}', 1000 + i, id, 1000 + i, 'Gold', 14900, 'NOK',
       '{"line1":"1 Street","city":"Oslo","postCode":"0155","postOffice":"Oslo","country":"NO","name":null,"email":null}',
       at, at + ${14 * day}, case when i % 100 = 0 then null else at + ${3 * day} end
     from yearMembers where i % 2 = 0`,
    `insert into sessions (id, tenantId, memberId, kind, secretHash, state, authenticatedAt, createdAt, lastUsedAt,
       userAgent, ipAddress)
     select ${idAt('at + 1')}, '${tenantId}', id, 'member', 'years ' || i, 'active', at, at, ${until},
       'Mozilla/5.0 (X11; Linux x86_64) Chrome/130.0.0.0 Safari/537.36', '2001:db8::' || (i % 1000) from yearMembers`,
    `insert into signIns (id, tenantId, clientId, memberId, sessionId, state, scope, generation, authenticatedAt,
       createdAt, rotatedAt)
     select ${idAt('at + 2')}, '${tenantId}', '${clientId}', id, ${idAt('at + 1')}, 'active', 'openid offline_access', 1,
       at, at, ${until} from yearMembers`,
    `insert into deviceCodes (id, tenantId, clientId, hash, userCodeHash, scope, deviceName, deviceModel, ipAddress, state,
       interval, createdAt, expiresAt, memberId, sessionId, authenticatedAt, signInId)
     select ${idAt('at + 3')}, '${tenantId}', '${clientId}', 'years ' || i, 'years ' || i, 'openid', 'Living room',
       'Telly 9', '2001:db8::' || (i % 1000), 'used', 5000, at, at + 900000, id, ${idAt('at + 1')}, at, ${idAt('at + 2')}
     from yearMembers where i % 3 = 0`,
    `insert into auditEvents (at, tenantId, event, actorKind, actorId, target, clientId, address, result, reason)
     ${upTo(events)}
     select ${happened}, '${tenantId}',
       case when i % 50 = 0 then 'device_approved' when i % 50 = 1 then 'device_redeemed' when i % 97 = 2 then 'checkout_completed'
         when i % 20 = 3 then 'sign_in_refused' when i % 2 = 0 then 'sign_in' else 'code_issued' end,
       case when i % 20 = 3 then 'nobody' else 'member' end,
       case when i % 20 = 3 then null else ${member} end,
       ${member}, '${clientId}', '2001:db8::' || (i % 1000),
       case when i % 20 = 3 then 'refused' else 'done' end,
       case when i % 20 = 3 then 'the password is wrong' else null end
     from numbers`,
    'drop table yearMembers',
  ];
  await store.transaction(async (tx) => {
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });
}

/** The numbers from 0 on. */
const upTo = (count: number) =>
  `with recursive numbers (i) as (select 0 union all select i + 1 from numbers where i < ${count - 1})`;
