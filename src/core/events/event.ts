// The events that a business is told of: what they are called, and what each says.
import { isoTime } from '../access/iso-time.ts';

/** What one type of event tells. */
export interface EventKind {
  /** What happened, for those who choose types and for the document. */
  readonly words: string;
  /** What the id of the thing is called, where it is about more than a member. */
  readonly subject?: string;
  /** What the second of its facts is called: another id, or a word such as a reason. */
  readonly detail?: string;
}

const ofSubscription = { subject: 'subscriptionId', detail: 'packageId' } as const;
const ofCheckout = { subject: 'checkoutId', detail: 'packageId' } as const;
const ofSeat = { subject: 'seatId', detail: 'subscriptionId' } as const;
const ofInvoice = { subject: 'invoiceNumber', detail: 'subscriptionId' } as const;

/** Every type of event. A new one is added here, and where `eventsOf` says when it happens. */
export const eventKinds = {
  'member.created': { words: 'A member signed up, or an operator added one' },
  'member.updated': { words: 'The details of a member changed: `changed` names the fields' },
  'member.email_verified': { words: 'A member verified their email address' },
  'member.password_changed': { words: 'The password of a member changed' },
  'member.password_removed': { words: 'The password of a member was removed: they sign in without one' },
  'member.disabled': { words: 'A member was disabled, and cannot sign in' },
  'member.enabled': { words: 'A disabled member can sign in again' },
  'member.deletion_asked': {
    words: 'A member asked for their account to be deleted, and can still cancel that',
  },
  'member.deletion_cancelled': { words: 'A member cancelled the deletion of their account' },
  'member.deleted': { words: 'A member was deleted' },
  'passkey.added': { words: 'A member added a passkey', subject: 'passkeyId' },
  'passkey.removed': { words: 'A passkey of a member was removed', subject: 'passkeyId' },
  'second_factor.enabled': { words: 'A member turned on two-step sign-in' },
  'second_factor.disabled': { words: 'Two-step sign-in of a member was turned off' },
  'account.linked': { words: 'A member linked an account of another provider', subject: 'provider' },
  'account.unlinked': { words: 'A linked account of a member was removed', subject: 'provider' },
  'session.started': { words: 'A member signed in with a browser', subject: 'sessionId' },
  'session.renewed': {
    words: 'A member signed in again in the same browser',
    subject: 'sessionId',
  },
  'session.ended': {
    words: 'A browser was signed out, or its session expired',
    subject: 'sessionId',
    detail: 'reason',
  },
  'sign_in.started': { words: 'An app or a TV was signed in', subject: 'signInId' },
  'sign_in.ended': {
    words: 'An app or a TV was signed out, or its sign-in expired',
    subject: 'signInId',
    detail: 'reason',
  },
  'device.approved': { words: 'A member approved a TV', subject: 'deviceId' },
  'device.rejected': { words: 'A member rejected a TV', subject: 'deviceId' },
  'device.revoked': {
    words: 'An approved TV was signed out, or its approval was withdrawn',
    subject: 'deviceId',
    detail: 'reason',
  },
  'app.allowed': { words: 'A member allowed a third-party app to use their data' },
  'consent.changed': { words: 'A member answered a consent', subject: 'consentId', detail: 'status' },
  'checkout.started': { words: 'A member started a checkout', ...ofCheckout },
  'checkout.completed': { words: 'A member completed a checkout', ...ofCheckout },
  'checkout.cancelled': { words: 'A member cancelled a checkout', ...ofCheckout },
  'subscription.created': { words: 'A member got a subscription', ...ofSubscription },
  'subscription.activated': { words: 'A subscription started to give access', ...ofSubscription },
  'subscription.renewed': { words: 'A subscription was renewed for another period', ...ofSubscription },
  'subscription.cancelled': {
    words: 'A subscription was cancelled: it runs until its end date',
    ...ofSubscription,
  },
  'subscription.resumed': { words: 'A cancelled subscription was resumed', ...ofSubscription },
  'subscription.updated': {
    words: 'An operator changed the properties of a subscription',
    subject: 'subscriptionId',
  },
  'subscription.ended': { words: 'A subscription ended, and gives no more access', ...ofSubscription },
  'seat.invited': {
    words: 'An email address was invited to a seat of a subscription',
    ...ofSeat,
  },
  'seat.taken': { words: 'A member took a seat of a subscription', ...ofSeat },
  'seat.ended': {
    words: 'A seat was given up or taken away, its invitation was withdrawn, or its subscription ended',
    ...ofSeat,
  },
  'invoice.created': { words: 'A member was sent an invoice', ...ofInvoice },
  'invoice.paid': { words: 'An invoice was paid', ...ofInvoice },
  'tenant.restored': {
    words: 'A backup was restored: later changes are undone, everyone is signed out, and event numbers skip',
  },
} as const satisfies Readonly<Record<string, EventKind>>;

export type EventType = keyof typeof eventKinds;

export const eventTypes = Object.keys(eventKinds) as readonly EventType[];

/** What happened, without when. Ids and names of fields alone: never a secret, and of a person nothing else. */
export interface EventFacts {
  readonly tenantId: string;
  readonly type: EventType;
  /** Whom it is about: her events are told in their order. */
  readonly memberId: string | null;
  /** The id of the thing; its kind says what it is called. */
  readonly subject?: string;
  readonly clientId?: string | null;
  readonly detail?: string;
  /** The names of the fields that changed. */
  readonly changed?: readonly string[];
}

/** An event as it is told. */
export interface ToldEvent {
  readonly tenantId: string;
  /** Counts up within the tenant, without a gap. */
  readonly number: number;
  /** UUIDv7: the same each time it is told. */
  readonly id: string;
  readonly at: number;
  readonly type: EventType;
  readonly memberId: string | null;
  readonly subject: string | null;
  readonly clientId: string | null;
  readonly detail: string | null;
  readonly changed: readonly string[] | null;
}

/** Whether a fact of an event is a number: ids that are numbers everywhere else too. */
export const isNumber = (name: string): boolean =>
  ['invoiceNumber', 'packageId', 'subscriptionId'].includes(name);

const inData = (name: string, text: string) => (isNumber(name) ? Number(text) : text);

/** An event as every way tells it. */
export function eventPayload(event: ToldEvent) {
  const { id, number, type, at, tenantId } = event;
  return { id, number, type, timestamp: isoTime(at), tenantId, data: eventData(event) };
}

function eventData({ type, memberId, subject, clientId, detail, changed }: ToldEvent) {
  const kind: EventKind = eventKinds[type];
  const named = [
    [kind.subject, subject],
    ['clientId', clientId],
    [kind.detail, detail],
  ] as const;
  return {
    ...(memberId === null ? {} : { memberId }),
    ...Object.fromEntries(
      named.flatMap(([name, text]) =>
        name === undefined || text === null ? [] : [[name, inData(name, text)]],
      ),
    ),
    ...(changed === null ? {} : { changed }),
  };
}
