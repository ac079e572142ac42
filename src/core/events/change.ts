// Which events a change means: complete, since a new write does not compile before it stands here.
import type { Checkout } from '../access/checkout.ts';
import type { Invoice } from '../access/invoice.ts';
import type { Seat } from '../access/seats/seat.ts';
import type { Subscription, SubscriptionWrite } from '../access/subscription.ts';
import type { DeviceCode } from '../grants/device-code.ts';
import type { SignIn, SignInWrite } from '../grants/sign-in.ts';
import type { Member } from '../members/member.ts';
import type { Passkey } from '../members/passkey.ts';
import type { LinkedAccount } from '../providers/linked-account.ts';
import type { Session } from '../session.ts';
import type { Write } from '../write.ts';
import type { EventFacts, EventType } from './event.ts';

/** The tenant and the member that something belongs to. */
type Owned = Readonly<{ tenantId: string; memberId: string }>;

type EndOfSignIn = Extract<SignInWrite, { write: 'endSignIn' }>;

/** The owner of a sign-in that ends; the write itself names only the id. */
export interface SignInOwner extends Pick<SignIn, 'tenantId' | 'clientId' | 'memberId'> {
  /** The TV that it was of; null where a browser began it. */
  readonly deviceId: string | null;
}

/** A change that is no write of the core's: the storage makes it, and says so here. */
type PlainChange =
  | { readonly write: 'insertMember'; readonly member: Member }
  | { readonly write: 'updateMember'; readonly before: Member; readonly after: Member }
  | { readonly write: 'changePassword'; readonly of: Owned; readonly isRemoved: boolean }
  | { readonly write: 'eraseMember'; readonly of: Owned }
  | { readonly write: 'insertPasskey' | 'deletePasskey'; readonly passkey: Pick<Passkey, 'id'> & Owned }
  | { readonly write: 'saveSecondFactor' | 'deleteSecondFactor'; readonly of: Owned }
  | {
      readonly write: 'insertLinkedAccount' | 'deleteLinkedAccount';
      readonly account: Pick<LinkedAccount, 'provider'> & Owned;
    }
  | {
      readonly write: 'updateCustomPropertyValues';
      readonly subscription: Pick<Subscription, 'subscriptionId'> & Owned;
    }
  | { readonly write: 'markInvoicePaid'; readonly invoice: Invoice }
  | { readonly write: 'restoreTenant'; readonly tenantId: string };

/** A write of the core, with its owner. */
export type WriteOf = Exclude<Write, EndOfSignIn> | (EndOfSignIn & { readonly of: SignInOwner });

/** Anything that is written, as far as events are told of it. */
export type Change = WriteOf | PlainChange;

/** The events that a change means, in their order; none where no one outside need know. */
export function eventsOf(change: Change): readonly EventFacts[] {
  switch (change.write) {
    case 'insertMember':
      return [about(change.member.tenantId, 'member.created', change.member.id)];
    case 'updateMember':
      return eventsOfMember(change.before, change.after);
    case 'changePassword':
      return [ofMember(change.isRemoved ? 'member.password_removed' : 'member.password_changed', change.of)];
    case 'eraseMember':
      return [ofMember('member.deleted', change.of)];
    case 'insertPasskey':
      return [{ ...ofMember('passkey.added', change.passkey), subject: change.passkey.id }];
    case 'deletePasskey':
      return [{ ...ofMember('passkey.removed', change.passkey), subject: change.passkey.id }];
    case 'saveSecondFactor':
      return [ofMember('second_factor.enabled', change.of)];
    case 'deleteSecondFactor':
      return [ofMember('second_factor.disabled', change.of)];
    case 'insertLinkedAccount':
      return [{ ...ofMember('account.linked', change.account), subject: change.account.provider }];
    case 'deleteLinkedAccount':
      return [{ ...ofMember('account.unlinked', change.account), subject: change.account.provider }];
    case 'insertSession':
      return eventsOfSession('session.started', change.session);
    case 'moveSession':
      return eventsOfMovedSession(change.session);
    case 'insertSignIn': {
      const { id, clientId } = change.signIn;
      return [{ ...ofMember('sign_in.started', change.signIn), subject: id, clientId }];
    }
    case 'endSignIn':
      return eventsOfEnd(change.id, change.reason, change.of);
    case 'moveDeviceCode':
      return eventsOfDevice(change.from, change.code);
    case 'saveScopeConsent':
      return [{ ...ofMember('app.allowed', change.consent), clientId: change.consent.clientId }];
    case 'insertConsentChange': {
      const { consentId, status, clientId } = change.change;
      return [
        { ...ofMember('consent.changed', change.change), subject: consentId, detail: status, clientId },
      ];
    }
    case 'insertCheckout':
      return [ofCheckout('checkout.started', change.checkout)];
    case 'moveCheckout':
      return eventsOfMovedCheckout(change.checkout);
    case 'insertSubscription': {
      const begun = ofSubscription('subscription.created', change.subscription);
      return change.subscription.state === 'active' ? [begun, { ...begun, type: activated }] : [begun];
    }
    case 'moveSubscription':
      return eventsOfMovedSubscription(change);
    case 'updateCustomPropertyValues': {
      const { subscriptionId } = change.subscription;
      const facts = {
        ...ofMember('subscription.updated', change.subscription),
        subject: `${subscriptionId}`,
      };
      return [{ ...facts, changed: ['customPropertyValues'] }];
    }
    case 'insertSeat':
      // A seat that is taken without an invitation makes no event of one.
      return [ofSeat(change.seat.state === 'taken' ? 'seat.taken' : 'seat.invited', change.seat)];
    case 'moveSeat':
      return eventsOfMovedSeat(change.seat);
    case 'insertInvoice':
      return [ofInvoice('invoice.created', change.invoice)];
    case 'markInvoicePaid':
      return [ofInvoice('invoice.paid', change.invoice)];
    case 'restoreTenant':
      return [about(change.tenantId, 'tenant.restored', null)];
    // On the way to something: what comes of it is told. A refresh changes nothing that others see.
    case 'insertAuthorizationCode':
    case 'moveAuthorizationCode':
    case 'rotateSignIn':
    case 'bindSignIn':
    case 'insertDeviceCode':
    case 'insertEmailProof':
    case 'moveEmailProof':
    case 'insertPushedRequest':
    case 'takePushedRequest':
      return [];
  }
}

const activated = 'subscription.activated';

function about(tenantId: string, type: EventType, memberId: string | null): EventFacts {
  return { tenantId, type, memberId };
}

const ofMember = (type: EventType, { tenantId, memberId }: Owned) => about(tenantId, type, memberId);

/** What each field of a member is called in events; null where another event tells of it, or none. */
const memberFields: Readonly<Record<keyof Member, string | null>> = {
  id: null,
  tenantId: null,
  userId: 'userId',
  memberNumber: 'memberNumber',
  externalId: 'externalId',
  email: 'email',
  emailVerified: 'emailVerified',
  fullName: 'fullName',
  nickName: 'nickName',
  phone: 'phone',
  phoneVerified: 'phoneVerified',
  avatar: 'avatar',
  locale: 'language',
  userType: 'userType',
  status: null,
  address: 'address',
  createdAt: null,
  updatedAt: null,
  deletionDueAt: null,
};

function eventsOfMember(before: Member, after: Member): readonly EventFacts[] {
  const changed = (Object.keys(memberFields) as (keyof Member)[]).flatMap((field) => {
    const name = memberFields[field];
    return name === null || isSame(before[field], after[field]) ? [] : [name];
  });
  const tell = (type: EventType, isSo: boolean) => (isSo ? [about(after.tenantId, type, after.id)] : []);
  const [was, is] = [before.deletionDueAt, after.deletionDueAt];
  return [
    ...tell('member.updated', changed.length > 0).map((facts) => ({ ...facts, changed })),
    ...tell(
      'member.email_verified',
      after.emailVerified && !(before.emailVerified && isSame(before.email, after.email)),
    ),
    ...tell('member.disabled', before.status === 'active' && after.status === 'disabled'),
    ...tell('member.enabled', before.status === 'disabled' && after.status === 'active'),
    ...tell('member.deletion_asked', was === null && is !== null),
    ...tell('member.deletion_cancelled', was !== null && is === null),
  ];
}

/** The fields are texts, numbers and flags, and one postal address. */
const isSame = (one: Member[keyof Member], other: Member[keyof Member]) =>
  JSON.stringify(one) === JSON.stringify(other);

/** What happens at the portal is an administrator's doing. */
function eventsOfSession(type: EventType, session: Session, reason?: string): readonly EventFacts[] {
  if (session.kind === 'admin') return [];
  const facts = { ...ofMember(type, session), subject: session.id };
  return [reason === undefined ? facts : { ...facts, detail: reason }];
}

function eventsOfMovedSession(session: Session): readonly EventFacts[] {
  switch (session.state) {
    case 'active':
      // The two times are the same only after a new sign-in; otherwise the session was merely used.
      return session.authenticatedAt === session.lastUsedAt
        ? eventsOfSession('session.renewed', session)
        : [];
    case 'ended':
      return eventsOfSession('session.ended', session, 'signed_out');
    case 'expired':
      return eventsOfSession('session.ended', session, 'expired');
  }
}

function eventsOfEnd(id: string, reason: string, { deviceId, ...owner }: SignInOwner): readonly EventFacts[] {
  const facts = { clientId: owner.clientId, detail: reason };
  const ended = { ...ofMember('sign_in.ended', owner), ...facts, subject: id };
  if (deviceId === null) return [ended];
  return [ended, { ...ofMember('device.revoked', owner), ...facts, subject: deviceId }];
}

function eventsOfDevice(from: DeviceCode['state'], code: DeviceCode): readonly EventFacts[] {
  const { id: subject, tenantId, clientId, memberId } = code;
  const tell = (type: EventType) => [{ ...about(tenantId, type, memberId), subject, clientId }];
  const takenBack = (detail: string) => tell('device.revoked').map((facts) => ({ ...facts, detail }));
  if (code.state === from) return [];
  if (from === 'approved' && code.state === 'withdrawn') return takenBack('signed_out');
  if (from === 'approved' && code.state === 'denied') return takenBack('member_inactive');
  if (code.state === 'approved') return tell('device.approved');
  return code.state === 'denied' ? tell('device.rejected') : [];
}

function ofCheckout(type: EventType, { id, packageId, ...owner }: Checkout): EventFacts {
  return { ...ofMember(type, owner), subject: id, detail: `${packageId}` };
}

function eventsOfMovedCheckout(checkout: Checkout): readonly EventFacts[] {
  if (checkout.state === 'completed') return [ofCheckout('checkout.completed', checkout)];
  return checkout.state === 'cancelled' ? [ofCheckout('checkout.cancelled', checkout)] : [];
}

function ofSubscription(type: EventType, { subscriptionId, packageId, ...owner }: Subscription): EventFacts {
  return { ...ofMember(type, owner), subject: `${subscriptionId}`, detail: `${packageId}` };
}

/**
 * What became of a subscription: its time came and went by the clock, whenever that was written, and then something
 * was done to it.
 */
function eventsOfMovedSubscription({
  from,
  by,
  subscription,
}: Extract<SubscriptionWrite, { write: 'moveSubscription' }>): readonly EventFacts[] {
  const { state, activatedAt, endedAt } = subscription;
  const hasBegun = activatedAt !== null && (endedAt === null || activatedAt <= endedAt);
  const types: EventType[] = [];
  if (from === 'pending' && state !== 'pending' && hasBegun) types.push(activated);
  if (state === 'active' && by === 'renew') types.push('subscription.renewed');
  if (state === 'active' && from === 'cancelled') types.push('subscription.resumed');
  if (state === 'cancelled' && from !== 'cancelled') types.push('subscription.cancelled');
  if (state === 'expired' || state === 'ended') types.push('subscription.ended');
  return types.map((type) => ofSubscription(type, subscription));
}

function ofSeat(type: EventType, { tenantId, memberId, id, subscriptionId }: Seat): EventFacts {
  return { tenantId, type, memberId, subject: id, detail: `${subscriptionId}` };
}

function eventsOfMovedSeat(seat: Seat): readonly EventFacts[] {
  switch (seat.state) {
    case 'invited':
      return [ofSeat('seat.invited', seat)];
    case 'taken':
      return [ofSeat('seat.taken', seat)];
    case 'ended':
      return [ofSeat('seat.ended', seat)];
    case 'expired':
      return [];
  }
}

function ofInvoice(type: EventType, { number, subscriptionId, ...owner }: Invoice): EventFacts {
  return { ...ofMember(type, owner), subject: `${number}`, detail: `${subscriptionId}` };
}
