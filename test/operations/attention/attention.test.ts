import { describe, expect, it } from 'vitest';
import { keyLifetime } from '../../../src/core/limits.ts';
import { notableEvents } from '../../../src/core/operators/audit-event.ts';
import { attention as limits, whatHappened } from '../../../src/core/operators/figures/limits.ts';
import { type AttentionContext, attentionOf } from '../../../src/operations/attention/attention.ts';
import { eventNames } from '../../../src/operations/audit/event-names.ts';
import { insertInvoice } from '../../../src/storage/access/invoice.ts';
import { insertPackage } from '../../../src/storage/access/package.ts';
import { insertSubscription } from '../../../src/storage/access/subscription.ts';
import { insertDeviceCode } from '../../../src/storage/grants/device-code.ts';
import { hastenMails, insertMail, mailFailed } from '../../../src/storage/members/mail.ts';
import { insertAuditEvent } from '../../../src/storage/operators/audit-event.ts';
import { listNewestOf } from '../../../src/storage/operators/audit-list.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { insertSigningKey } from '../../../src/storage/tenant.ts';
import { invoiceRecord, packageFacts, storedSubscription } from '../../support/records/access-records.ts';
import { deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { day, hour, now, tenantRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const actor = { kind: 'operator' } as const;
const found = (store: Store, more: Partial<AttentionContext> = {}) =>
  store.transaction((tx) =>
    attentionOf({
      tx,
      tenant: tenantRecord('a', { oldSystemUrl: null }),
      actor,
      now,
      backedUpAt: null,
      ...more,
    }),
  );

/** A subscription that invoices can be for. */
async function insertOwed(tx: Tx): Promise<void> {
  const packageId = await insertPackage(tx, 'tenant-a', packageFacts(), []);
  await insertSubscription(tx, storedSubscription({ packageId }));
}

describe('what needs attention', () => {
  it('is empty when all is well', async () => {
    expect(await found(await storeWithMember())).toEqual([]);
  });

  it('is what members owe, in each currency, with those who have owed it longest', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      await insertOwed(tx);
      const owed = { paidAt: null, dueAt: now - day };
      for (const [number, amount, currency] of [
        [1, 100, 'NOK'],
        [2, 200, 'NOK'],
        [3, 50, 'EUR'],
      ] as const) {
        const price = { amount, currency };
        await insertInvoice(tx, invoiceRecord({ ...owed, id: `invoice-${number}`, number, price }));
      }
      await insertInvoice(tx, invoiceRecord({ id: 'young', number: 4, paidAt: null, dueAt: now + 1 }));
    });
    const [overdue] = await found(store);
    expect(overdue).toMatchObject({ code: 'invoices_overdue', level: 'bad', count: 3, at: now - day });
    expect(overdue?.names).toHaveLength(1);
    expect(overdue?.amounts.toSorted((a, b) => a.amount - b.amount)).toEqual([
      { amount: 50, currency: 'EUR' },
      { amount: 300, currency: 'NOK' },
    ]);
  });

  it('is mails that were refused, until they are sent again, and TVs that poll too fast', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      const mail = { tenantId: 'tenant-a', name: 'reset', message: Buffer.from('x'), recipientHash: 'hash' };
      for (const error of ['450 later', '550 never']) {
        await insertMail(tx, mail, now);
        const { id } = await tx
          .selectFrom('mails')
          .select('id')
          .orderBy('id', 'desc')
          .executeTakeFirstOrThrow();
        await mailFailed(tx, id, { attempts: 1, error, retryAt: now + hour + id });
      }
      for (let code = 1; code <= limits.polling.least; code += 1) {
        const own = { id: `code-${code}`, hash: `code-${code}`, interval: 10_000, expiresAt: now + 1 };
        await insertDeviceCode(tx, deviceCodeRecord(own));
      }
    });
    expect(await found(store)).toMatchObject([
      { code: 'mails_refused', count: 2, detail: '550 never' },
      { code: 'client_polls_fast', count: 3, clientId: 'client-1', names: ['Client One'] },
    ]);
    const hastened = await store.transaction((tx) => hastenMails(tx, 'tenant-a', now, now + hour / 2));
    expect(hastened).toBe(2);
  });

  it('is a key that got no successor, a disabled tenant, and a backup that is missing or old', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) =>
      insertSigningKey(tx, {
        kid: 'old',
        tenantId: 'tenant-a',
        algorithm: 'ES256',
        publicJwk: '{}',
        privateKey: Buffer.from(''),
        createdAt: 0,
        activeFrom: now - keyLifetime - limits.key,
        retiredAt: null,
      }),
    );
    const tenant = tenantRecord('a', { disabledAt: now, oldSystemUrl: null });
    expect(await found(store, { tenant, backedUpAt: 0 })).toMatchObject([
      { code: 'tenant_disabled', at: now },
      { code: 'key_overdue', count: 1 },
      { code: 'backup_missing' },
    ]);
    const backups = async (backedUpAt: number) => (await found(store, { backedUpAt })).at(-1)?.code;
    expect(await backups(now - limits.backup - 1)).toBe('backup_old');
    expect(await backups(now - limits.backup)).toBe('backup_made');
  });
});

it('what happened last is of the kinds that tell something, with what its ids are called', async () => {
  const store = await storeWithMember();
  const by = {
    tenantId: 'tenant-a',
    actorKind: 'member',
    actorId: 'member-1',
    clientId: 'client-1',
  } as const;
  const event = { ...by, target: null, address: null, result: 'done', reason: null } as const;
  const names = await store.transaction(async (tx) => {
    await insertAuditEvent(tx, { ...event, at: now, event: 'sign_up' });
    await insertAuditEvent(tx, { ...event, at: now + 1, event: 'sign_in' });
    await insertAuditEvent(tx, { ...event, at: now + 2, event: 'device_approved', target: 'client-1' });
    const events = await listNewestOf(tx, 'tenant-a', notableEvents, whatHappened);
    expect(events.map((one) => one.event)).toEqual(['device_approved', 'sign_up']);
    expect(await listNewestOf(tx, 'tenant-a', notableEvents, { looked: 1, told: 9 })).toHaveLength(1);
    return eventNames(tx, events, actor);
  });
  expect(names).toMatchObject([
    { target: 'Client One', client: 'Client One' },
    { target: null, client: 'Client One' },
  ]);
});
