import { describe, expect, it } from 'vitest';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { insertCheckout } from '../../../src/storage/access/checkout.ts';
import { insertConsentChange } from '../../../src/storage/access/consent.ts';
import { insertInvoice } from '../../../src/storage/access/invoice.ts';
import { codesFor, phoneOf, pollTokens, tenantOf } from '../../support/device.ts';
import { hosts, passwords } from '../../support/fixtures.ts';
import { accountOf } from '../../support/members/account.ts';
import {
  checkoutRecord,
  consentChangeRecord,
  consentRecord,
  invoiceRecord,
} from '../../support/records/access-records.ts';
import { apps } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, codeFor, field, pkce, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

const url = '/account/data';
const currentPassword = passwords[hosts.a]['u1@example.test'];

describe('my data', () => {
  it('pages 18: a file has the details, subscriptions, sign-ins, sessions and consents of the member', async () => {
    const phone = await phoneOf(service, hosts.a);
    const codes = await codesFor(service, hosts.a, apps.pub1, { device_name: 'Den', device_model: 'T9' });
    await phone.approve(codes.user_code);
    await pollTokens(service, hosts.a, codes.device_code);
    const third = authorizationParameters('third', 'https://third.test/cb', pkce());
    const asked = await phone.authorize(third);
    await phone.send('/consent', { body: { flow: field(asked, 'flow'), action: 'allow' } });

    const browser = await accountOf(service, hosts.a);
    const answer = await browser.submit(url, { currentPassword });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['content-disposition']).toBe('attachment; filename="my-data.json"');
    expect(answer.headers['cache-control']).toBe('no-store');
    const time = expect.stringMatching(/^2026-01-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const session = {
      browser: expect.any(String),
      ipAddress: '127.0.0.1',
      begunWith: ['pwd'],
      createdAt: time,
      authenticatedAt: time,
      lastUsedAt: time,
    };
    expect(answer.json()).toEqual({
      exportedAt: time,
      details: {
        id: expect.any(String),
        userId: 101,
        memberNumber: 9_001,
        userType: 'member',
        email: 'u1@example.test',
        emailVerified: true,
        externalId: null,
        fullName: 'Member 1',
        nickName: 'M1',
        phone: '+4790000001',
        phoneVerified: true,
        avatar: 'https://example.test/1.png',
        language: 'en',
        address: {
          line1: 'Street 1',
          city: 'Oslo',
          postCode: '0010',
          postOffice: 'OSLO',
          country: 'NO',
          name: 'Recipient 1',
          email: 'post1@example.test',
        },
        createdAt: time,
        updatedAt: time,
        deletionDueAt: null,
      },
      seats: [],
      seatsGiven: [],
      checkouts: [],
      invoices: [],
      agreements: [],
      subscriptions: [
        expect.objectContaining({
          packageName: 'Gold',
          customPropertyValues: { seats: 2, code: 'x', since: '2026-01-01T00:00:00.000Z' },
        }),
      ],
      signIns: [
        {
          app: 'Public One',
          name: null,
          deviceName: 'Den',
          deviceModel: 'T9',
          ipAddress: '127.0.0.1',
          scope: 'openid offline_access',
          firstUsedAt: time,
          lastUsedAt: time,
        },
      ],
      sessions: [session, session],
      linkedAccounts: [],
      passkeys: [],
      secondFactor: null,
      events: expect.arrayContaining([
        { event: 'session.started', at: time },
        { event: 'device.approved', at: time },
      ]),
      consents: [{ app: 'Third Party', scope: 'openid offline_access', grantedAt: time }],
    });
  });

  it('pages 18: orders, invoices and answers to consents are in it, and those of the member alone', async () => {
    const { id: tenantId } = tenantOf(service, hosts.a);
    await service.store.transaction(async (tx) => {
      await defineConsent(tx, consentRecord({ tenantId }));
      const held = await tx
        .selectFrom('subscriptions')
        .selectAll()
        .where('tenantId', '=', tenantId)
        .execute();
      for (const [index, { memberId, id: subscriptionId, packageId }] of held.entries()) {
        const [id, number, reference] = [`record-${index}`, 70 + index, `article ${index}`];
        const owned = { tenantId, memberId, subscriptionId };
        await insertCheckout(tx, checkoutRecord({ ...owned, id, packageId, reference }));
        await insertInvoice(tx, invoiceRecord({ ...owned, id, number }));
        await insertConsentChange(tx, consentChangeRecord({ tenantId, memberId, name: `words ${index}` }));
      }
      expect(held).toHaveLength(2);
    });
    const browser = await accountOf(service, hosts.a);
    expect((await browser.submit(url, { currentPassword })).json()).toMatchObject({
      checkouts: [{ reference: 'article 0' }],
      invoices: [{ number: 70 }],
      agreements: [{ name: 'words 0' }],
    });
  });

  it('W9: it has no hash and no secret in it, and nothing of another member', async () => {
    const other = visitor(service, hosts.a);
    await codeFor(other, 'pub1', 'https://pub1.test/cb', {}, 'u2@example.test');
    const browser = await accountOf(service, hosts.a);
    const { text } = await browser.submit(url, { currentPassword });
    const rows = await service.store.transaction(async (tx) => [
      ...(await tx.selectFrom('sessions').select('secretHash as secret').execute()),
      ...(await tx.selectFrom('members').select('passwordHash as secret').execute()),
    ]);
    for (const secret of [...rows.map((row) => row.secret), ...browser.cookies.values(), 'u2@', 'Member 2']) {
      expect(text).not.toContain(secret);
    }
  });
});
