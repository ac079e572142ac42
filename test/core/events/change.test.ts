import { describe, expect, it } from 'vitest';
import type { Seat } from '../../../src/core/access/seats/seat.ts';
import { type Change, eventsOf } from '../../../src/core/events/change.ts';
import { type EventFacts, eventPayload, eventTypes } from '../../../src/core/events/event.ts';
import type { Member } from '../../../src/core/members/member.ts';
import {
  checkoutRecord,
  consentChangeRecord,
  invoiceRecord,
  seatRecord,
  subscriptionRecord,
} from '../../support/records/access-records.ts';
import { deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { eventRecord } from '../../support/records/event-records.ts';
import {
  memberRecord,
  now,
  passkeyRecord,
  sessionRecord,
  signInRecord,
} from '../../support/records/records.ts';

const of = { tenantId: 'tenant-a', memberId: 'member-1' } as const;
const account = { ...of, provider: 'google' } as const;
const subscription = subscriptionRecord();
const waiting = { activatedAt: null, expiresAt: null } as const;
const signIn = signInRecord();
const end = { write: 'endSignIn', id: signIn.id, reason: 'signed_out', at: now } as const;
const owner = { ...of, clientId: 'client-1', deviceId: null } as const;

const member = (changes: Partial<Member>, before: Partial<Member> = {}): Change => ({
  write: 'updateMember',
  before: memberRecord(before),
  after: memberRecord({ ...before, ...changes, updatedAt: now + 1 }),
});
const device = (
  from: 'pending' | 'approved',
  state: 'approved' | 'denied' | 'withdrawn' | 'used',
): Change => ({
  write: 'moveDeviceCode',
  from,
  code: deviceCodeRecord({ state, memberId: 'member-1' }),
});
const session = (changes: Parameters<typeof sessionRecord>[0]): Change => ({
  write: 'moveSession',
  id: sessionRecord().id,
  from: 'active',
  session: sessionRecord(changes),
});
type Move = Extract<Change, { write: 'moveSubscription' }>;
const moved = (from: Move['from'], by: Move['by'], changes: Partial<Move['subscription']>): Change => ({
  write: 'moveSubscription',
  from,
  by,
  subscription: subscriptionRecord(changes),
});
const movedSeat = (changes: Partial<Seat>): Change => ({
  write: 'moveSeat',
  from: 'invited',
  seat: seatRecord(changes),
});
const checkout = (state: 'completed' | 'cancelled' | 'expired'): Change => ({
  write: 'moveCheckout',
  from: 'open',
  checkout: checkoutRecord({ state }),
});

const cases: readonly (readonly [string, Change, readonly EventFacts['type'][]])[] = [
  ['a member is stored', { write: 'insertMember', member: memberRecord() }, ['member.created']],
  ['details change', member({ fullName: 'Other', phone: '+4712345678' }), ['member.updated']],
  ['nothing but the time of change', member({}), []],
  [
    'an address is proven',
    member({ emailVerified: true }, { emailVerified: false }),
    ['member.updated', 'member.email_verified'],
  ],
  [
    'another address is proven',
    member({ email: 'new@example.test', emailVerified: true }, { emailVerified: true }),
    ['member.updated', 'member.email_verified'],
  ],
  ['a member is disabled', member({ status: 'disabled' }), ['member.disabled']],
  ['a member is enabled', member({ status: 'active' }, { status: 'disabled' }), ['member.enabled']],
  ['a deletion is asked for', member({ deletionDueAt: now + 1 }), ['member.deletion_asked']],
  [
    'a deletion is taken back',
    member({ deletionDueAt: null }, { deletionDueAt: now + 1 }),
    ['member.deletion_cancelled'],
  ],
  ['a member is erased', { write: 'eraseMember', of }, ['member.deleted']],
  ['another password', { write: 'changePassword', of, isRemoved: false }, ['member.password_changed']],
  ['no password any more', { write: 'changePassword', of, isRemoved: true }, ['member.password_removed']],
  ['a passkey is added', { write: 'insertPasskey', passkey: passkeyRecord() }, ['passkey.added']],
  ['a passkey is removed', { write: 'deletePasskey', passkey: passkeyRecord() }, ['passkey.removed']],
  ['two-step sign-in is on', { write: 'saveSecondFactor', of }, ['second_factor.enabled']],
  ['two-step sign-in is off', { write: 'deleteSecondFactor', of }, ['second_factor.disabled']],
  ['an account is linked', { write: 'insertLinkedAccount', account }, ['account.linked']],
  ['an account is unlinked', { write: 'deleteLinkedAccount', account }, ['account.unlinked']],
  ['a session begins', { write: 'insertSession', session: sessionRecord() }, ['session.started']],
  ['one of the portal', { write: 'insertSession', session: sessionRecord({ kind: 'admin' }) }, []],
  ['a session is used', session({ lastUsedAt: now, authenticatedAt: now - 1 }), []],
  ['a session begins anew', session({ lastUsedAt: now, authenticatedAt: now }), ['session.renewed']],
  ['a session ends', session({ state: 'ended' }), ['session.ended']],
  ['a session is too old', session({ state: 'expired' }), ['session.ended']],
  ['an app signs in', { write: 'insertSignIn', signIn }, ['sign_in.started']],
  ['an app is signed out', { ...end, of: owner }, ['sign_in.ended']],
  ['a TV is signed out', { ...end, of: { ...owner, deviceId: 'tv' } }, ['sign_in.ended', 'device.revoked']],
  ['a refresh', { write: 'rotateSignIn', id: signIn.id, from: 1, to: 2, at: now }, []],
  ['a key of refresh tokens', { write: 'bindSignIn', id: signIn.id, dpopJkt: 'key' }, []],
  ['a TV asks', { write: 'insertDeviceCode', code: deviceCodeRecord() }, []],
  ['a TV is approved', device('pending', 'approved'), ['device.approved']],
  ['a TV is rejected', device('pending', 'denied'), ['device.rejected']],
  ['a TV gets its tokens', device('approved', 'used'), []],
  ['an approval is taken back', device('approved', 'withdrawn'), ['device.revoked']],
  ['an approval by who is gone', device('approved', 'denied'), ['device.revoked']],
  [
    'an app is allowed',
    {
      write: 'saveScopeConsent',
      consent: { ...of, clientId: 'client-1', scope: 'openid', resources: '', grantedAt: now },
    },
    ['app.allowed'],
  ],
  ['a consent', { write: 'insertConsentChange', change: consentChangeRecord() }, ['consent.changed']],
  ['a checkout', { write: 'insertCheckout', checkout: checkoutRecord() }, ['checkout.started']],
  ['it is completed', checkout('completed'), ['checkout.completed']],
  ['it is left', checkout('cancelled'), ['checkout.cancelled']],
  ['its time is over', checkout('expired'), []],
  [
    'a subscription whose time has come',
    { write: 'insertSubscription', subscription },
    ['subscription.created', 'subscription.activated'],
  ],
  [
    'one that waits',
    { write: 'insertSubscription', subscription: subscriptionRecord({ state: 'pending', ...waiting }) },
    ['subscription.created'],
  ],
  [
    'one that was over before it came',
    { write: 'insertSubscription', subscription: subscriptionRecord({ state: 'expired' }) },
    ['subscription.created'],
  ],
  ['its time comes', moved('pending', 'look', { state: 'active' }), ['subscription.activated']],
  [
    'its time came and went',
    moved('pending', 'look', { state: 'expired' }),
    ['subscription.activated', 'subscription.ended'],
  ],
  ['it is paid', moved('pending', 'activate', { state: 'active' }), ['subscription.activated']],
  ['it is renewed', moved('active', 'renew', { state: 'active' }), ['subscription.renewed']],
  [
    'it is renewed when its time has just come',
    moved('pending', 'renew', { state: 'active' }),
    ['subscription.activated', 'subscription.renewed'],
  ],
  ['it is cancelled', moved('active', 'cancel', { state: 'cancelled' }), ['subscription.cancelled']],
  [
    'it is cancelled when its time has just come',
    moved('pending', 'cancel', { state: 'cancelled' }),
    ['subscription.activated', 'subscription.cancelled'],
  ],
  ['that is taken back', moved('cancelled', 'resume', { state: 'active' }), ['subscription.resumed']],
  ['its time is over', moved('cancelled', 'look', { state: 'expired' }), ['subscription.ended']],
  ['a renewal that is too late', moved('active', 'renew', { state: 'expired' }), ['subscription.ended']],
  ['it is ended', moved('active', 'end', { state: 'ended', endedAt: now }), ['subscription.ended']],
  [
    'it is ended before its day',
    moved('pending', 'end', { state: 'ended', activatedAt: now + 1, endedAt: now }),
    ['subscription.ended'],
  ],
  [
    'it is ended unpaid',
    moved('pending', 'cancel', { state: 'ended', ...waiting, endedAt: now }),
    ['subscription.ended'],
  ],
  ['it is noted of', { write: 'updateCustomPropertyValues', subscription }, ['subscription.updated']],
  ['an invitation', { write: 'insertSeat', seat: seatRecord() }, ['seat.invited']],
  ['a seat', movedSeat({ state: 'taken', memberId: 'member-1', takenAt: now }), ['seat.taken']],
  ['its end', movedSeat({ state: 'ended', endedAt: now, endedBy: 'holder' }), ['seat.ended']],
  ['an invoice', { write: 'insertInvoice', invoice: invoiceRecord() }, ['invoice.created']],
  ['it is paid', { write: 'markInvoicePaid', invoice: invoiceRecord() }, ['invoice.paid']],
  ['a backup is restored', { write: 'restoreTenant', tenantId: 'tenant-a' }, ['tenant.restored']],
];

describe('the events of a change (decision 49)', () => {
  it.each(cases)('%s', (_what, change, types) => {
    expect(eventsOf(change).map(({ type }) => type)).toEqual(types);
  });

  it('include every type that is promised', () => {
    const told = new Set(cases.flatMap(([, , types]) => types));
    expect(eventTypes.filter((type) => !told.has(type))).toEqual([]);
  });

  it('name the member, the thing and the fields that changed, and no value of any', () => {
    expect(
      eventsOf(member({ fullName: 'Other', address: { ...memberRecord().address, city: 'Oslo' } })),
    ).toEqual([
      {
        tenantId: 'tenant-a',
        type: 'member.updated',
        memberId: 'member-1',
        changed: ['fullName', 'address'],
      },
    ]);
    const said = JSON.stringify(cases.map(([, change]) => eventsOf(change)));
    const { email, fullName, phone } = memberRecord();
    const { userAgent, ipAddress, secretHash } = sessionRecord();
    const secrets = [email, fullName, phone, userAgent, ipAddress, secretHash, 'Other', '+4712345678'];
    expect(secrets.filter((text) => said.includes(text))).toEqual([]);
  });
});

describe('an event as it is told', () => {
  it('calls things by their names, and numbers are numbers', () => {
    const facts = { subject: '41', detail: '7' } as const;
    expect(eventPayload(eventRecord({ type: 'subscription.renewed', ...facts }))).toEqual({
      id: '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a11',
      number: 7,
      type: 'subscription.renewed',
      timestamp: '2026-01-15T12:00:00.000Z',
      tenantId: 'tenant-a',
      data: { memberId: 'member-1', subscriptionId: 41, packageId: 7 },
    });
    expect(eventPayload(eventRecord({ type: 'member.updated', changed: ['email'] })).data).toEqual({
      memberId: 'member-1',
      changed: ['email'],
    });
  });
});
