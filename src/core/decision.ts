/** What a function of the core decides: an answer, and what to write beside it. */
import type { AuditEventName } from './operators/audit-event.ts';

/** The error codes of the protocol endpoints (RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5, RFC 8707 §2, Core §3.1.2.6, RFC 9449 §5, §8). */
export type ErrorCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'consent_required'
  | 'expired_token'
  | 'interaction_required'
  | 'invalid_client'
  | 'invalid_dpop_proof'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_request_object'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_software_statement'
  | 'invalid_token'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'server_error'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unmet_authentication_requirements'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'use_dpop_nonce';

/** An expected "no". It is a value, not an exception, because writes may have to commit beside it. */
export interface Refusal {
  readonly kind: 'refusal';
  readonly error: ErrorCode;
  /** Names the problem in printable ASCII without `"` and `\` (RFC 6749 §5.2); never echoes the input. */
  readonly description: string;
}

export function refusal(error: ErrorCode, description: string): Refusal {
  return { kind: 'refusal', error, description };
}

export function isRefusal(value: object): value is Refusal {
  return 'kind' in value && value.kind === 'refusal';
}

/**
 * Why nothing was given, in words for an operator: the audit has them. The client is told less (RFC 6749 §5.2),
 * since what it sent may have been stolen.
 */
export interface Because {
  readonly event: AuditEventName;
  readonly reason: string;
  /** What it was about, such as a sign-in's id; null or left out where nothing is known. */
  readonly target?: string | null;
}

/** What the core decided: the answer to give, and what to write in the same transaction. */
export interface Decision<Answer, Write> {
  readonly answer: Answer;
  readonly writes: readonly Write[];
  /** Only where the answer is a "no" that is written down. */
  readonly because?: Because;
}
