import { beforeEach, describe, expect, it } from 'vitest';
import { deletionCoolingOff } from '../../../src/core/limits.ts';
import { defineConsent } from '../../../src/operations/access/consent.ts';
import { deleteMember, dueMembers } from '../../../src/operations/member/member.ts';
import { insertCheckout, listCheckouts } from '../../../src/storage/access/checkout.ts';
import { insertConsentChange, listConsentChanges } from '../../../src/storage/access/consent.ts';
import { insertInvoice, listInvoices } from '../../../src/storage/access/invoice.ts';
import { listSubscriptions } from '../../../src/storage/access/subscription.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import {
  approvedCodes,
  expectEndedSignIn,
  phoneOf,
  poll,
  setLimits,
  tenantOf,
  textOf,
} from '../../support/device.ts';
import { hosts, passwords } from '../../support/fixtures.ts';
import { linkIn } from '../../support/mails/outbox.ts';
import { type AccountVisitor, accountOf, expectDone, expectLeadsTo } from '../../support/members/account.ts';
import {
  checkoutRecord,
  consentChangeRecord,
  consentRecord,
  invoiceRecord,
} from '../../support/records/access-records.ts';
import { claimsOf, expectBadToken, profile } from '../../support/tokens.ts';
import { useFreshService } from '../../support/use-service.ts';
import { field, type Tokens, tokensFor, visitor } from '../../support/visitor.ts';

const service = useFreshService({ data: 'security' });
let browser: AccountVisitor;
let tokens: Tokens;

beforeEach(async () => {
  browser = await accountOf(service, hosts.a);
  tokens = await tokensFor(service, hosts.a, {}, browser);
});

const currentPassword = passwords[hosts.a]['u1@example.test'];
const ask = () => browser.submit('/account/delete', { currentPassword });
const day = 24 * 60 * 60 * 1_000;

const signsIn = async (email = 'u1@example.test') => {
  const stranger = visitor(service, hosts.a);
  const page = await stranger.send(String((await stranger.send('/sign-in')).headers.location));
  return stranger.signIn(page, email, currentPassword);
};

const isSignedIn = async (account: AccountVisitor) => (await account.send('/account')).status === 200;

/** Holds the member to being gone, for every door. */
const expectGone = async () => {
  expect(await isSignedIn(browser)).toBe(false);
  await expectEndedSignIn(service, hosts.a, tokens);
  expectBadToken(await profile(service, hosts.a, tokens.access_token));
  expect((await signsIn()).status).toBe(422);
};

const memberRow = async () => {
  const { sub } = claimsOf(tokens.access_token);
  return service.store.transaction((tx) =>
    tx.selectFrom('members').selectAll().where('id', '=', String(sub)).executeTakeFirstOrThrow(),
  );
};

describe('asking for deletion', () => {
  it('pages 18: says when, by page and by mail, and everything works until then', async () => {
    expect(textOf(await browser.send('/account/delete'))).toContain('deleted 14 days after you confirm');
    expectLeadsTo(await ask(), '/account');
    expect(textOf(await browser.send('/account'))).toContain(
      'Your account will be deleted on January 29, 2026.',
    );
    await service.delivered();
    const mail = service.outbox.last('u1@example.test');
    expect(mail.name).toBe('deletionRequested');
    expect(mail.text).toContain('January 29, 2026');
    expect(linkIn(mail)).toBe('https://a.test/account');
    service.clock.advance(deletionCoolingOff - day);
    expect((await signsIn()).status).toBe(303);
    expect((await profile(service, hosts.a, (await tokensFor(service, hosts.a)).access_token)).status).toBe(
      200,
    );
  });

  it('pages 18: how long it takes is the tenant’s to say', async () => {
    await setLimits(service, hosts.a, { deletionCoolingOff: 2 * day });
    expect(textOf(await browser.send('/account/delete'))).toContain('deleted 2 days after you confirm');
    await ask();
    expect(textOf(await browser.send('/account'))).toContain('deleted on January 17, 2026.');
  });

  it('asking twice does not put it off, and mails once', async () => {
    const token = field(await browser.send('/account/delete'), 'token');
    await ask();
    const { deletionDueAt } = await memberRow();
    service.clock.advance(day);
    expectLeadsTo(await browser.send('/account/delete', { body: { token, currentPassword } }), '/account');
    expect((await memberRow()).deletionDueAt).toBe(deletionDueAt);
    await service.delivered();
    expect(service.outbox.sent.filter(({ name }) => name === 'deletionRequested')).toHaveLength(1);
  });

  it('pages 18: one button keeps the account after all, and a mail says so', async () => {
    await ask();
    const token = field(await browser.send('/account'), 'token');
    const kept = await browser.send('/account/keep', { body: { token } });
    expectDone(kept, '/account', 'kept');
    expect(textOf(await browser.send('/account'))).toContain('Your account will not be deleted.');
    await service.delivered();
    expect(service.outbox.sent.map(({ name }) => name)).toContain('deletionCancelled');
    service.clock.advance(deletionCoolingOff);
    expect((await signsIn()).status).toBe(303);
  });

  it('U14: keeping takes the token too', async () => {
    await ask();
    expect((await browser.send('/account/keep', { body: {} })).status).toBe(403);
    expect((await memberRow()).deletionDueAt).not.toBeNull();
  });
});

describe('a member whose deletion is due', () => {
  it('A14, T19: is gone at that moment, with no job run: session, tokens, sign-in', async () => {
    await ask();
    const { deletionDueAt } = await memberRow();
    service.clock.set(Number(deletionDueAt) - 60_000);
    expect(await isSignedIn(browser)).toBe(true);
    service.clock.set(Number(deletionDueAt));
    await expectGone();
  });

  it('T19: a TV that was approved before and polls after gets no tokens', async () => {
    await setLimits(service, hosts.a, { deletionCoolingOff: 60_000 });
    const codes = await approvedCodes(service, await phoneOf(service, hosts.a));
    await ask();
    service.clock.advance(60_000);
    expect((await poll(service, hosts.a, codes.device_code)).json().error).toBe('access_denied');
  });

  it('gets no link for a new password', async () => {
    await ask();
    service.clock.advance(deletionCoolingOff);
    const stranger = visitor(service, hosts.a);
    const page = await stranger.send('/recover');
    await stranger.send('/recover', { body: { flow: field(page, 'flow'), email: 'u1@example.test' } });
    await service.delivered();
    expect(service.outbox.sent.map(({ name }) => name)).not.toContain('passwordReset');
  });

  it('is erased by the next sweep: nothing personal is left, but the id and the numbers', async () => {
    const before = await memberRow();
    await ask();
    service.clock.advance(deletionCoolingOff);
    expect(await sweepThrough(service.store, dueMembers(service.clock.now()))).toBe(1);
    expect(await sweepThrough(service.store, dueMembers(service.clock.now()))).toBe(0);
    const after = await memberRow();
    expect(after).toMatchObject({
      id: before.id,
      userId: before.userId,
      memberNumber: before.memberNumber,
      email: '',
      passwordHash: '',
      fullName: '',
      nickName: '',
      phone: '',
      avatar: null,
      addressLine1: null,
      addressName: null,
      addressEmail: null,
    });
    expect(JSON.stringify(after)).not.toContain('u1@example.test');
    const left = await service.store.transaction(async (tx) => [
      await tx.selectFrom('sessions').selectAll().where('memberId', '=', before.id).execute(),
      await tx.selectFrom('knownBrowsers').selectAll().where('memberId', '=', before.id).execute(),
      await tx.selectFrom('emailProofs').selectAll().where('memberId', '=', before.id).execute(),
    ]);
    expect(left.flat()).toEqual([expect.objectContaining({ state: 'ended', userAgent: '', ipAddress: '' })]);
    await expectGone();
    expect((await signsIn(`deleted ${before.id}`)).status).toBe(422);
  });

  it('leaves orders, invoices and answers for the books, without what names the member or was read', async () => {
    const { id: memberId, tenantId } = await memberRow();
    const invoice = invoiceRecord({ tenantId, memberId, subscriptionId: 1, paidAt: null });
    const answer = consentChangeRecord({ tenantId, memberId });
    const rows = () =>
      service.store.transaction(async (tx) => ({
        subscriptions: await listSubscriptions(tx, memberId),
        checkouts: await listCheckouts(tx, memberId),
        invoices: await listInvoices(tx, memberId),
        answers: await listConsentChanges(tx, memberId),
      }));
    const [held] = (await rows()).subscriptions;
    await service.store.transaction(async (tx) => {
      const { subscriptionId = 0, packageId = 0 } = held ?? {};
      await defineConsent(tx, consentRecord({ tenantId }));
      await insertConsentChange(tx, answer);
      await insertCheckout(tx, checkoutRecord({ tenantId, memberId, packageId, subscriptionId }));
      await insertInvoice(tx, { ...invoice, subscriptionId });
    });
    const before = await rows();
    await service.store.transaction((tx) => deleteMember(tx, tenantId, memberId, service.clock.now()));
    expect(await rows()).toEqual({
      subscriptions: [{ ...held, customPropertyValues: {} }],
      checkouts: [
        { ...before.checkouts[0], reference: null, onCheckoutCompletedUrl: null, callBackUrl: null },
      ],
      invoices: before.invoices,
      answers: [answer],
    });
    expect(before.checkouts[0]?.reference).toBe('article/42');
    expect(before.invoices[0]?.addressee.name).toBe(invoice.addressee.name);
  });

  it('X1: no other member is touched by it', async () => {
    const others = [await accountOf(service, hosts.a, 'u2@example.test'), await accountOf(service, hosts.b)];
    await setLimits(service, hosts.a, { deletionCoolingOff: 60_000 });
    await ask();
    service.clock.advance(60_000);
    await sweepThrough(service.store, dueMembers(service.clock.now()));
    for (const other of others) expect(await isSignedIn(other)).toBe(true);
  });
});

describe('a member who is deleted at once', () => {
  it('A14, T19: sessions end at the next request, refresh answers invalid_grant', async () => {
    const { id } = tenantOf(service, hosts.a);
    const { id: memberId } = await memberRow();
    const isDone = await service.store.transaction((tx) =>
      deleteMember(tx, id, memberId, service.clock.now()),
    );
    expect(isDone).toBe(true);
    await expectGone();
  });

  it.each(['unknown', 'of another tenant'])('%s: nothing happens, and it says so', async (who) => {
    const { id: memberId } = await memberRow();
    const { id } = tenantOf(service, hosts.b);
    const isDone = await service.store.transaction((tx) =>
      deleteMember(tx, id, who === 'unknown' ? who : memberId, service.clock.now()),
    );
    expect(isDone).toBe(false);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
