// The events of the audit, and their actors.
import type { Rule } from '../refusals/rule.ts';
import type { SignInWay } from '../strength.ts';
import type { Permission } from './permission.ts';

/** Everything that is worth knowing afterwards (security, Defaults: audit). A new one is added here. */
export const auditEventNames = [
  'sign_in',
  'sign_in_refused',
  'sign_in_asked',
  'sign_up_asked',
  'sign_up',
  'member_moved_in',
  'password_changed',
  'password_removed',
  'password_reset_asked',
  'email_change_asked',
  'email_changed',
  'account_linked',
  'account_unlinked',
  'member_changed',
  'second_factor_on',
  'second_factor_off',
  'second_factor_reset',
  'recovery_code_used',
  'recovery_codes_renewed',
  'member_deletion_asked',
  'member_deletion_cancelled',
  'member_deleted',
  'passkey_added',
  'passkey_changed',
  'passkey_removed',
  'passkey_refused',
  'session_ended',
  'sign_in_ended',
  'signed_out',
  'authorization_refused',
  'code_issued',
  'code_redeemed',
  'code_refused',
  'code_reused',
  'token_request_refused',
  'token_refreshed',
  'service_token_issued',
  'refresh_refused',
  'refresh_reused',
  'token_revoked',
  'device_code_issued',
  'device_code_refused',
  'device_code_entered',
  'device_code_wrong',
  'device_approved',
  'device_rejected',
  'device_code_withdrawn',
  'device_redeemed',
  'device_code_reused',
  'device_reported',
  'client_authentication_failed',
  'client_registered',
  'registration_refused',
  'form_refused',
  'page_refused',
  'api_denied',
  'consent_changed',
  'checkout_begun',
  'checkout_completed',
  'checkout_cancelled',
  'return_address_refused',
  'payment_refused',
  'subscription_changed',
  'seat_invited',
  'seat_taken',
  'seat_ended',
  'seat_ways_changed',
  'limit_reached',
  'admin_signed_in',
  'admin_sign_in_refused',
  'admin_denied',
  'admin_acted',
  'key_rotated',
  'master_key_lost',
  'service_restored',
  'service_started',
  'service_stopped',
] as const;

export type AuditEventName = (typeof auditEventNames)[number];

/** Those that tell of what was refused. */
export type RefusalEvent = Extract<
  AuditEventName,
  | 'admin_denied'
  | 'admin_sign_in_refused'
  | 'api_denied'
  | 'authorization_refused'
  | 'client_authentication_failed'
  | 'code_refused'
  | 'code_reused'
  | 'device_code_refused'
  | 'device_code_reused'
  | 'device_code_wrong'
  | 'form_refused'
  | 'limit_reached'
  | 'page_refused'
  | 'passkey_refused'
  | 'payment_refused'
  | 'refresh_refused'
  | 'refresh_reused'
  | 'registration_refused'
  | 'return_address_refused'
  | 'sign_in_refused'
  | 'token_request_refused'
>;

/**
 * What an operator wants to hear of first: what people decided, bought and changed, and what was refused that should
 * not happen; not what TVs, apps and browsers do all day.
 */
export const notableEvents: readonly AuditEventName[] = [
  'sign_up',
  'member_moved_in',
  'password_changed',
  'password_removed',
  'email_changed',
  'second_factor_on',
  'second_factor_off',
  'second_factor_reset',
  'recovery_code_used',
  'account_linked',
  'account_unlinked',
  'member_deletion_asked',
  'member_deleted',
  'passkey_added',
  'passkey_removed',
  'passkey_refused',
  'code_reused',
  'refresh_reused',
  'device_approved',
  'device_rejected',
  'device_code_reused',
  'device_reported',
  'client_registered',
  'checkout_completed',
  'payment_refused',
  'limit_reached',
  'admin_signed_in',
  'admin_sign_in_refused',
  'admin_denied',
  'admin_acted',
  'key_rotated',
  'master_key_lost',
  'service_restored',
];

/** Who did it: a member, a client, an administrator, a token, an operator, the service, or unknown (`nobody`). */
type AuditActorKind = 'member' | 'client' | 'admin' | 'token' | 'operator' | 'service' | 'nobody';

/** Why guesses at a password are refused, as the audit has it: what tells of them asks for the very words. */
export const wrongPassword = {
  atSignIn: 'the password is wrong',
  asCurrent: 'the current password is wrong',
} as const;

/** Why a guess at a second factor is refused. */
export const wrongSecondFactor = 'the code of the second step is wrong';

/** A field that became another; values as a terminal shows them. */
export interface FieldChange {
  readonly field: string;
  /** null if it was not there, or is not told. */
  readonly from: string | null;
  readonly to: string;
  /** What reads the two values, where they are data of a member; left out where the audit alone does. */
  readonly readWith?: Permission;
}

/** One security event: one row and one JSON line. It never holds a secret. */
export interface AuditEvent {
  /** ms since the epoch */
  readonly at: number;
  /** null for what concerns the whole service */
  readonly tenantId: string | null;
  readonly event: AuditEventName;
  readonly actorKind: AuditActorKind;
  /** The member's id, the client_id, the token's id, or the user of the system who ran a command. */
  readonly actorId: string | null;
  /** What it was done to, such as a member's id, a client_id, a sign-in's id. */
  readonly target: string | null;
  readonly clientId: string | null;
  /** The address it came from. */
  readonly address: string | null;
  readonly result: 'done' | 'refused';
  /** In words, for an operator; null where the event says it all. */
  readonly reason: string | null;
  /** What a change changed; left out where nothing did. Of a secret it says no more than that. */
  readonly changes?: readonly FieldChange[];
  /** The operation of the table that did it, or was denied; left out if it was none of them. */
  readonly operation?: string;
  /** The member whose account it is about, where neither who did it nor what it was done to says so. */
  readonly memberId?: string;
  /** For a sign-in, the way it was done; left out otherwise. */
  readonly way?: SignInWay;
  /** For a refused request, the rule that refused it; left out where the event says it all. */
  readonly rule?: Rule;
  /** For a refused request, the reference that its page or answer shows (pages 8). */
  readonly reference?: string;
  /** For a refused request, the browser as it names itself, such as "Chrome on Android". */
  readonly browser?: string;
}

/** What is kept of a request that is refused. */
export type RequestFacts = Pick<AuditEvent, 'reference' | 'browser'>;

/** The actor, the time and the address: made once for a request, an operation or a job. */
export interface Source
  extends Pick<AuditEvent, 'at' | 'tenantId' | 'actorKind' | 'actorId' | 'clientId' | 'address'> {
  /** Called for refusals only, since it takes time. */
  readonly request?: () => RequestFacts;
}

/** What is said of an event beside its source; what is left out is the source's. */
export type AuditFacts = Pick<AuditEvent, 'event'> & Partial<Omit<AuditEvent, 'event' | 'at' | 'address'>>;

/** The service by itself, for its jobs. */
export function serviceSource(at: number): Source {
  return { at, tenantId: null, actorKind: 'service', actorId: null, clientId: null, address: null };
}

/** An event as it is written: what the facts leave out is the source's. */
export function auditEvent({ request, ...source }: Source, facts: AuditFacts): AuditEvent {
  const event = { ...source, target: null, result: 'done', reason: null, ...facts } as const;
  return event.result === 'refused' && request !== undefined ? { ...event, ...request() } : event;
}

/** An event that is about the account of a member. */
export function aboutMember(event: AuditEvent, memberId: string | null): AuditEvent {
  const isSaid = memberId === null || [event.actorId, event.target].includes(memberId);
  return isSaid ? event : { ...event, memberId };
}
