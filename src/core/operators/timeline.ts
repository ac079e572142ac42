// What happened to a member, as an operator reads it: which events belong together, and which to which part of it.
import type { AuditEvent, AuditEventName } from './audit-event.ts';

/** The parts of a time line that can be looked at alone. */
export const timelineParts = ['sign_ins', 'mail', 'money'] as const;
export type TimelinePart = (typeof timelineParts)[number];

/** What an operator did belongs to each part whose things it changed. */
const acted: AuditEventName = 'admin_acted';

/** The events of a part; none for the part of mails. */
const eventsOf: Readonly<Record<Exclude<TimelinePart, 'mail'>, readonly AuditEventName[]>> = {
  sign_ins: [
    'sign_in',
    'sign_in_asked',
    'sign_in_refused',
    'sign_up',
    'member_moved_in',
    'password_changed',
    'password_removed',
    'password_reset_asked',
    'email_change_asked',
    'email_changed',
    'passkey_added',
    'passkey_changed',
    'passkey_removed',
    'passkey_refused',
    'second_factor_on',
    'second_factor_off',
    'second_factor_reset',
    'recovery_code_used',
    'recovery_codes_renewed',
    'session_ended',
    'sign_in_ended',
    'signed_out',
    'authorization_refused',
    'code_issued',
    'code_refused',
    'code_reused',
    'refresh_refused',
    'refresh_reused',
    'token_revoked',
    'device_code_entered',
    'device_code_wrong',
    'device_approved',
    'device_rejected',
    'device_code_withdrawn',
    'device_code_reused',
    'device_reported',
    'limit_reached',
    'page_refused',
    'admin_signed_in',
    'admin_sign_in_refused',
    acted,
  ],
  money: [
    'checkout_begun',
    'checkout_completed',
    'checkout_cancelled',
    'payment_refused',
    'subscription_changed',
    'seat_taken',
    'seat_ended',
    'seat_ways_changed',
    acted,
  ],
};

/** The nouns whose operations change what is paid for. */
const moneyNouns = /^(?:subscriptions|groups|seats|invoices|checkouts)\./;

/** The events that a part is looked for among; undefined where it is all of them, null where it has none. */
export function eventsOfPart(part: TimelinePart | undefined): readonly AuditEventName[] | null | undefined {
  if (part === undefined) return undefined;
  return part === 'mail' ? null : eventsOf[part];
}

/** Whether an event that was found belongs to a part. */
export function isOfPart(
  { event, operation = '' }: Pick<AuditEvent, 'event' | 'operation'>,
  part?: TimelinePart,
): boolean {
  if (part === undefined || event !== acted) return true;
  return moneyNouns.test(operation) === (part === 'money');
}

/** What tells entries apart. */
type Told = Pick<AuditEvent, 'event' | 'result' | 'reason' | 'target' | 'actorKind' | 'actorId'>;

/** The pages behind the first that tell of a limit say the same as that. */
const kindOf = ({ event }: Told): AuditEventName => (event === 'page_refused' ? 'limit_reached' : event);

/** Whether two events that follow one another are told as one: of what comes again and again, the count is enough. */
export function isAlike(one: Told, other: Told): boolean {
  const isRefused = one.result === 'refused';
  return (
    one.result === other.result &&
    (isRefused || isSeenAgain(one, other)) &&
    kindOf(one) === kindOf(other) &&
    one.reason === other.reason &&
    one.actorKind === other.actorKind &&
    one.actorId === other.actorId
  );
}

/** A page that shows the code of a TV may be opened more than once. */
const isSeenAgain = (one: Told, other: Told): boolean =>
  one.event === 'device_code_entered' && one.target === other.target;

/** What someone does, and what is written of it besides: both tell of one thing. */
const deeds: ReadonlySet<AuditEventName> = new Set([acted, 'checkout_completed']);
const besides: ReadonlySet<AuditEventName> = new Set([
  'subscription_changed',
  'seat_invited',
  'seat_taken',
  'seat_ended',
  'password_reset_asked',
]);

/** An event, as far as it says what it is part of. */
type Part = Pick<AuditEvent, 'event' | 'result' | 'at' | 'actorKind' | 'actorId'>;

/** Whether an event does what others may be written of besides. */
export const isDeed = ({ event, result }: Part): boolean => result === 'done' && deeds.has(event);

/** Whether an event was written of a deed besides: at its moment, and of the same actor. */
export function isPartOf(deed: Part, other: Part): boolean {
  return (
    isDeed(deed) &&
    besides.has(other.event) &&
    deed.at === other.at &&
    deed.actorKind === other.actorKind &&
    deed.actorId === other.actorId
  );
}
