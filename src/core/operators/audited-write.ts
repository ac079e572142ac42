// Which event of the audit a write means.
import type { Checkout } from '../access/checkout.ts';
import type { Seat } from '../access/seats/seat.ts';
import type { Subscription, SubscriptionState } from '../access/subscription.ts';
import type { WriteOf } from '../events/change.ts';
import type { DeviceCode } from '../grants/device-code.ts';
import type { SignInEnd } from '../grants/sign-in.ts';
import type { EmailProof } from '../members/email-proof.ts';
import type { Session } from '../session.ts';
import { wayOf } from '../strength.ts';
import { type AuditEvent, type AuditFacts, aboutMember, auditEvent, type Source } from './audit-event.ts';
import { reasonOfMove } from './subscription-move.ts';

/** What a write means, with the member whose account it is about: that is the actor where the source names none. */
export interface Meaning extends Omit<AuditFacts, 'memberId'> {
  readonly memberId?: string | null;
}

/** The event of a write, by its source; what a member's browser does, its member does. */
export function eventOfWrite(source: Source, { memberId = null, ...facts }: Meaning): AuditEvent {
  const isMember = source.actorKind === 'nobody' && memberId !== null;
  const by = isMember ? ({ ...source, actorKind: 'member', actorId: memberId } as const) : source;
  return aboutMember(auditEvent(by, facts), memberId);
}

/**
 * The event that a change of state means (security, Defaults: audit), or null where it means none. A new
 * write does not compile before it stands here.
 */
export function meaningOf(write: WriteOf): Meaning | null {
  switch (write.write) {
    case 'insertAuthorizationCode': {
      const { tenantId, clientId, memberId, sessionId } = write.code;
      return { event: 'code_issued', tenantId, clientId, memberId, target: sessionId };
    }
    case 'moveAuthorizationCode':
      return write.to === 'used'
        ? { event: 'code_redeemed', target: write.signInId }
        : { event: 'code_refused', result: 'refused', reason: 'everything that was begun with it ended' };
    case 'insertSignIn':
      // It begins where a code is redeemed, and that is told of.
      return null;
    case 'rotateSignIn':
      return { event: 'token_refreshed', target: write.id };
    case 'bindSignIn':
      // It comes with the rotation.
      return null;
    case 'endSignIn': {
      const { deviceId: _, ...owner } = write.of;
      return { ...owner, ...endings[write.reason], target: write.id };
    }
    case 'insertDeviceCode': {
      const { tenantId, clientId, id } = write.code;
      return { event: 'device_code_issued', tenantId, clientId, target: id };
    }
    case 'moveDeviceCode':
      return meaningOfDevice(write.from, write.code);
    case 'insertSession':
      return sessionBegun(write.session, null);
    case 'moveSession':
      return meaningOfSession(write.session);
    case 'insertEmailProof':
      return { event: `${write.proof.purpose}_asked`, ...aboutProof(write.proof) };
    case 'moveEmailProof':
      return meaningOfProof(write.from, write.proof);
    case 'saveScopeConsent': {
      const { tenantId, memberId, clientId, scope } = write.consent;
      const reason = `allowed the app: ${scope}`;
      return { event: 'consent_changed', tenantId, memberId, target: memberId, clientId, reason };
    }
    case 'insertSubscription':
      return meaningOfSubscription(null, write.subscription);
    case 'moveSubscription':
      return meaningOfSubscription(write.from, write.subscription);
    case 'insertSeat':
    case 'moveSeat':
      return meaningOfSeat(write.seat);
    case 'insertConsentChange': {
      const { tenantId, memberId, clientId, consentId, status } = write.change;
      const reason = `${consentId}: ${status}`;
      return { event: 'consent_changed', tenantId, memberId, target: memberId, clientId, reason };
    }
    case 'insertCheckout':
      return meaningOfCheckout('checkout_begun', write.checkout);
    case 'moveCheckout':
      return meaningOfMovedCheckout(write.checkout);
    case 'insertPushedRequest':
    case 'takePushedRequest':
      // What comes of it is told of: a code, or why there is none.
      return null;
    case 'insertInvoice':
      // It comes with the subscription of a checkout, which is told of.
      return null;
  }
}

/** What the end of a sign-in means, by its reason; where it is a refusal, the decision says why. */
const endings: Readonly<Record<SignInEnd, AuditFacts>> = {
  client_disabled: { event: 'sign_in_ended', reason: 'its client was disabled' },
  code_reused: { event: 'code_reused', result: 'refused' },
  device_code_reused: { event: 'device_code_reused', result: 'refused' },
  expired: { event: 'refresh_refused', result: 'refused' },
  keys_lost: { event: 'sign_in_ended', reason: 'the master key was lost, and new keys were made' },
  member_inactive: { event: 'sign_in_ended', reason: 'the member may no longer sign in' },
  refresh_token_reused: { event: 'refresh_reused', result: 'refused' },
  restored: { event: 'sign_in_ended', reason: 'a backup was restored' },
  revoked: { event: 'token_revoked' },
  signed_out: { event: 'sign_in_ended', reason: 'signed out' },
  too_many: {
    event: 'sign_in_ended',
    reason: 'the client allows a member no more, and this was the oldest',
  },
};

const deviceRefused = { event: 'device_code_refused', result: 'refused' } as const;

function meaningOfDevice(from: DeviceCode['state'], code: DeviceCode): Meaning | null {
  // A slow_down: the polls come too fast, and nothing else has changed.
  if (code.state === from) return null;
  const { tenantId, clientId, memberId, id, signInId } = code;
  const facts = { tenantId, clientId, target: id };
  switch (code.state) {
    case 'approved':
      return { ...facts, event: 'device_approved', memberId };
    case 'denied':
      return from === 'pending'
        ? { ...facts, event: 'device_rejected', memberId }
        : { ...facts, ...deviceRefused, reason: 'the member may no longer sign in' };
    case 'used':
      return { ...facts, event: 'device_redeemed', target: signInId };
    case 'expired':
      return { ...facts, ...deviceRefused, reason: 'the code is too old' };
    case 'withdrawn':
      return { ...facts, event: 'device_code_withdrawn', memberId };
    case 'pending':
      throw new Error('a device code went back to pending');
  }
}

function meaningOfSession(session: Session): Meaning | null {
  switch (session.state) {
    case 'active':
      // Only a sign-in anew makes the two times one; else the session was merely used.
      return session.authenticatedAt === session.lastUsedAt ? sessionBegun(session, 'again') : null;
    case 'ended':
      return session.kind === 'admin' ? null : { ...aboutSession(session), event: 'session_ended' };
    case 'expired':
      // Its time was over before it was used.
      return null;
  }
}

/** The portal writes its own lines of sign-ins and sign-outs: what happens there is an administrator's doing. */
function sessionBegun(session: Session, reason: 'again' | null): Meaning | null {
  if (session.kind === 'admin') return null;
  return { ...aboutSession(session), event: 'sign_in', way: wayOf(session), reason };
}

const aboutSession = ({ tenantId, memberId, id }: Session) => ({ tenantId, memberId, target: id });

/** A visitor who asks for a mail need not be the member; an address is kept only as the id of its account. */
function aboutProof({ tenantId, purpose, memberId }: EmailProof) {
  const facts = { tenantId, target: memberId };
  if (purpose === 'email_change') return { ...facts, memberId };
  return { ...facts, reason: `${memberId === null ? 'no' : 'an'} account has the address` };
}

/** What it is for is told of when it is done; here is told of guessing alone. */
function meaningOfProof(from: EmailProof['state'], { state, tenantId, memberId, purpose }: EmailProof) {
  if (state !== 'exhausted' || from === 'exhausted') return null;
  const reason = `too many wrong digits (${purpose})`;
  return { event: 'limit_reached', result: 'refused', tenantId, target: memberId, reason } as const;
}

function meaningOfSubscription(
  from: SubscriptionState | null,
  { tenantId, memberId, subscriptionId, state }: Subscription,
): Meaning {
  const reason = reasonOfMove({ from, to: state });
  return { event: 'subscription_changed', tenantId, memberId, target: String(subscriptionId), reason };
}

/** An address that was invited is a person's, so the audit names the seat alone. */
function meaningOfSeat({ state, tenantId, memberId, id, subscriptionId, endedBy }: Seat): Meaning | null {
  const facts = { tenantId, memberId, target: String(subscriptionId), reason: `seat ${id}` };
  switch (state) {
    case 'invited':
      return { ...facts, event: 'seat_invited' };
    case 'taken':
      return { ...facts, event: 'seat_taken' };
    case 'ended':
      return { ...facts, event: 'seat_ended', reason: `${facts.reason}, by: ${endedBy}` };
    case 'expired':
      return null;
  }
}

function meaningOfMovedCheckout(checkout: Checkout): Meaning | null {
  switch (checkout.state) {
    case 'completed':
      return meaningOfCheckout('checkout_completed', checkout);
    case 'cancelled':
      return meaningOfCheckout('checkout_cancelled', checkout);
    case 'open':
    case 'expired':
      // Its time was over before it was used.
      return null;
  }
}

function meaningOfCheckout(event: AuditFacts['event'], { tenantId, memberId, id, packageId }: Checkout) {
  return { event, tenantId, memberId, target: id, reason: `package ${packageId}` };
}
