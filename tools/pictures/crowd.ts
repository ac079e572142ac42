// Makes the tenant of the pictures as large as its figures say: what the portal counts and what it lists agree.

import { sql } from 'kysely';
import { hour } from '../../src/core/limits.ts';
import { insertInvoice } from '../../src/storage/access/invoice.ts';
import { latestFigure } from '../../src/storage/operators/figure.ts';
import type { Tx } from '../../src/storage/store.ts';
import { figureRecords } from '../../test/support/records/figure-records.ts';

/** Members with names and one subscription each, who have not paid. */
const late = ['dee@example.com', 'finn@example.com', 'gro+tv@example.com'];

/** Two months of figures, with the members and the overdue invoices that the last of them count. */
export async function fillTenant(tx: Tx, tenantId: string, now: number): Promise<void> {
  await tx.insertInto('figures').values(figureRecords(tenantId, now)).execute();
  const members = tx.selectFrom('members').where('tenantId', '=', tenantId);
  const { known } = await members
    .select((of) => of.fn.countAll<number>().as('known'))
    .executeTakeFirstOrThrow();
  const missing = ((await latestFigure(tx, tenantId, 'members')) ?? 0) - known;
  await sql`
    with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${missing})
    insert into members (id, tenantId, userId, memberNumber, email, normalisedEmail, emailVerified, passwordHash,
      fullName, nickName, phone, phoneVerified, userType, status, createdAt, updatedAt)
    select 'crowd ' || i, ${tenantId}, 900000 + i, 9000000 + i, 'm' || i || '@example.org', 'm' || i || '@example.org',
      1, '', 'Member ' || i, '', '', 0, 'member', 'active', ${now} - i, ${now} - i
    from numbers`.execute(tx);
  const owing = await tx
    .selectFrom('subscriptions')
    .innerJoin('members', 'members.id', 'subscriptions.memberId')
    .select(['subscriptions.id as subscriptionId', 'memberId', 'members.fullName as name'])
    .where('members.tenantId', '=', tenantId)
    .where('email', 'in', late)
    .orderBy('email', 'desc')
    .execute();
  for (const [index, { subscriptionId, memberId, name }] of owing.entries()) {
    await insertInvoice(tx, {
      id: `invoice ${index}`,
      tenantId,
      number: 1_001 + index,
      memberId,
      subscriptionId,
      packageName: 'Acme Everything',
      seats: null,
      price: { amount: 19_900, currency: 'NOK' },
      taxName: 'VAT',
      taxPercent: 25,
      payTo: { payee: '', account: '1503.40.12345', bic: null, note: '' },
      addressee: {
        line1: 'Storgata 1',
        city: 'Oslo',
        postCode: '0155',
        postOffice: 'Oslo',
        country: 'NO',
        name,
        email: null,
      },
      issuedAt: now - 360 * hour,
      dueAt: now - (24 - index) * hour,
      paidAt: null,
    });
  }
}
