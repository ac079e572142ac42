// What is said of a rule by which requests are refused.
import type { ErrorCode } from './rule.ts';

/** The settings of a client that rules look at, as the admin API calls them. */
export type ComparedSetting =
  | 'apis'
  | 'authenticationMethod'
  | 'claimsParameter'
  | 'clientCredentials'
  | 'deviceFlow'
  | 'disabledAt'
  | 'dpop'
  | 'dpopNonce'
  | 'introspection'
  | 'jwksUri'
  | 'postLogoutRedirectUris'
  | 'pushedRequests'
  | 'redirectUris'
  | 'refreshTokenAbsoluteSeconds'
  | 'refreshTokenIdleSeconds'
  | 'replayWindowSeconds'
  | 'requestObjects'
  | 'serviceScopes'
  | 'signingAlgorithms'
  | 'signupDisabled'
  | 'type'
  | 'webOrigins';

/** What is said of a rule, in sentences for those who build a client or operate the service. */
export interface Reason {
  /** The rule, as what it refuses. */
  readonly rule: string;
  /** What to do. */
  readonly mend: string;
  /** Where it is written. */
  readonly section: string;
  /** What of the client's registration it compares with. */
  readonly compares?: readonly ComparedSetting[];
}

/** The same of a rule that is more exact than an error code. */
export interface RuleReason extends Reason {
  /** The code that its client is told; null where a person is told, on a page. */
  readonly code: ErrorCode | 'insufficient_scope' | null;
  /** What is said of it to those who build clients, where that is not at its code. */
  readonly document?: string;
}
