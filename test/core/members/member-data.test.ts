import { describe, expect, it } from 'vitest';
import { memberData } from '../../../src/core/members/member-data.ts';
import {
  checkoutRecord,
  consentChangeRecord,
  invoiceRecord,
  seatRecord,
  subscriptionRecord,
} from '../../support/records/access-records.ts';
import { eventRecord } from '../../support/records/event-records.ts';
import {
  clientRecord,
  memberRecord,
  now,
  passkeyRecord,
  sessionRecord,
  signInRecord,
} from '../../support/records/records.ts';

describe('the file of a member’s data (pages 18)', () => {
  const data = memberData({
    member: memberRecord({ deletionDueAt: now }),
    subscriptions: [subscriptionRecord({ cancelledAt: now - 1, endedAt: now })],
    seats: { had: [seatRecord()], given: [] },
    checkouts: [
      checkoutRecord({
        state: 'completed',
        closedAt: now,
        paymentReference: 'payment 9',
        subscriptionId: 41,
      }),
      checkoutRecord({ expiresAt: now }),
    ],
    invoices: [invoiceRecord()],
    consentChanges: [
      consentChangeRecord(),
      consentChangeRecord({ clientId: 'gone', status: 'withdrawn' }),
      consentChangeRecord({ clientId: null, source: 'sign_up' }),
    ],
    signIns: [
      {
        signIn: signInRecord({ label: 'Mine' }),
        device: { name: 'Den', model: null },
        ipAddress: '192.0.2.7',
      },
      { signIn: signInRecord({ clientId: 'gone' }), device: null, ipAddress: '192.0.2.8' },
    ],
    sessions: [sessionRecord()],
    passkeys: [passkeyRecord()],
    secondFactor: null,
    linkedAccounts: [
      {
        id: 'link-1',
        tenantId: 'tenant-a',
        memberId: 'member-1',
        provider: 'google',
        issuer: 'https://accounts.google.com',
        subject: '1101',
        email: 'ada@example.com',
        linkedAt: now - 1,
        lastUsedAt: now,
      },
    ],
    events: [
      eventRecord({ type: 'member.created', at: now - 5 }),
      eventRecord({ type: 'app.allowed', clientId: 'app' }),
    ],
    consents: [
      {
        tenantId: 'tenant-a',
        memberId: 'member-1',
        clientId: 'client-1',
        scope: 'openid email',
        resources: '',
        grantedAt: now,
      },
    ],
    clients: [clientRecord()],
    exportedAt: now,
  });

  it('names apps as people know them, and by their id where they are gone', () => {
    expect(data.signIns.map(({ app, name, deviceName }) => ({ app, name, deviceName }))).toEqual([
      { app: 'Client One', name: 'Mine', deviceName: 'Den' },
      { app: 'gone', name: null, deviceName: null },
    ]);
    expect(data.consents).toEqual([
      { app: 'Client One', scope: 'openid email', grantedAt: '2026-01-15T12:00:00.000Z' },
    ]);
  });

  it('has subscriptions with their products, and what an operator wrote of them', () => {
    expect(data.subscriptions).toEqual([
      {
        subscriptionId: 41,
        packageId: 7,
        packageName: 'Gold',
        products: [
          { id: 71, name: 'Film' },
          { id: 72, name: 'Sport' },
        ],
        createdAt: '2026-01-15T11:59:56.999Z',
        activatedAt: '2026-01-15T11:59:57.998Z',
        expiresAt: '2026-01-15T12:00:01.003Z',
        cancelledAt: '2026-01-15T11:59:59.999Z',
        endedAt: '2026-01-15T12:00:00.000Z',
        customPropertyValues: { seats: 2, code: 'x', since: '2026-01-01T00:00:00.000Z' },
      },
    ]);
  });

  it('has checkouts with the offer, where the member came from, and what became of each by now', () => {
    expect(data.checkouts).toMatchObject([{ state: 'completed' }, { state: 'expired', closedAt: null }]);
    expect(data.checkouts.slice(0, 1)).toEqual([
      {
        packageId: 7,
        state: 'completed',
        price: { amount: 19_900, currency: 'NOK' },
        period: { unit: 'month', count: 3 },
        payment: 'invoice',
        paymentReference: 'payment 9',
        reference: 'article/42',
        onCheckoutCompletedUrl: 'https://app.test/done',
        callBackUrl: 'https://app.test/back',
        createdAt: '2026-01-15T11:00:00.000Z',
        expiresAt: '2026-01-15T13:00:00.000Z',
        closedAt: '2026-01-15T12:00:00.000Z',
        subscriptionId: 41,
      },
    ]);
  });

  it('has invoices with the address they went to', () => {
    expect(data.invoices).toEqual([
      {
        number: 12,
        subscriptionId: 41,
        packageName: 'Gold',
        seats: 25,
        price: { amount: 19_900, currency: 'NOK' },
        taxName: 'VAT',
        taxPercent: 25,
        paymentReference: 'RF6812',
        payTo: {
          payee: 'Gold AS',
          account: 'NO93 8601 1117 947',
          bic: 'DNBANOKK',
          note: 'Storgata 1',
        },
        addressee: memberRecord().address,
        issuedAt: '2026-01-15T10:00:00.000Z',
        dueAt: '2026-01-29T12:00:00.000Z',
        paidAt: '2026-01-15T11:00:00.000Z',
      },
    ]);
  });

  it('has every answer to a consent, with its words, its place and its app', () => {
    const agreed = {
      name: 'Newsletter',
      description: 'A mail every Friday',
      status: 'accepted',
      source: 'api',
      app: 'Client One',
      changedAt: '2026-01-14T12:00:00.000Z',
    };
    expect(data.agreements).toEqual([
      agreed,
      { ...agreed, app: 'gone', status: 'withdrawn' },
      { ...agreed, app: null, source: 'sign_up' },
    ]);
  });

  it('tells times in ISO 8601', () => {
    expect([data.exportedAt, data.details.deletionDueAt]).toEqual(Array(2).fill('2026-01-15T12:00:00.000Z'));
    expect(data.details.createdAt).toBe('2025-11-26T12:00:00.000Z');
  });

  it('W9: has no hash, no secret and no internal id in it', () => {
    const text = JSON.stringify(data);
    for (const secret of [
      sessionRecord().secretHash,
      'secretHash',
      'passwordHash',
      'tenant-a',
      'sign-in-1',
      'checkout-1',
      'invoice-1',
    ]) {
      expect(text).not.toContain(secret);
    }
  });
});
