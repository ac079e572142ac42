import type { Checkout, CheckoutState } from './access/checkout.ts';
import type { ConsentChange } from './access/consent.ts';
import type { Invoice } from './access/invoice.ts';
import type { Subscription, SubscriptionState } from './access/subscription.ts';
import type { AuthorizationCode } from './authorization-code.ts';
import type { DeviceCode, DeviceCodeState } from './device-code.ts';
import type { EmailProof, EmailProofState } from './members/email-proof.ts';
import type { ScopeConsent } from './oidc/scope-consent.ts';
import type { Session } from './session.ts';
import type { SignIn, SignInEnd } from './sign-in.ts';

/** The error codes of the protocol endpoints (RFC 6749 §4.1.2.1 and §5.2, RFC 8628 §3.5, Core §3.1.2.6). */
export type ErrorCode =
  | 'access_denied'
  | 'authorization_pending'
  | 'consent_required'
  | 'expired_token'
  | 'interaction_required'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'login_required'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'server_error'
  | 'slow_down'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

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

/** One row to change. `apply()` in the storage has one case for each. */
export type Write =
  | { readonly write: 'insertAuthorizationCode'; readonly code: AuthorizationCode }
  | {
      readonly write: 'moveAuthorizationCode';
      readonly hash: string;
      readonly from: string;
      readonly to: string;
      readonly signInId: string | null;
    }
  | { readonly write: 'insertSignIn'; readonly signIn: SignIn }
  | {
      readonly write: 'rotateSignIn';
      readonly id: string;
      readonly from: number;
      readonly to: number;
      readonly at: number;
    }
  | { readonly write: 'endSignIn'; readonly id: string; readonly reason: SignInEnd; readonly at: number }
  | { readonly write: 'insertDeviceCode'; readonly code: DeviceCode }
  | { readonly write: 'moveDeviceCode'; readonly from: DeviceCodeState; readonly code: DeviceCode }
  | { readonly write: 'insertSession'; readonly session: Session }
  | { readonly write: 'moveSession'; readonly id: string; readonly from: string; readonly session: Session }
  | { readonly write: 'insertEmailProof'; readonly proof: EmailProof }
  | { readonly write: 'moveEmailProof'; readonly from: EmailProofState; readonly proof: EmailProof }
  | { readonly write: 'saveScopeConsent'; readonly consent: ScopeConsent }
  | { readonly write: 'insertSubscription'; readonly subscription: Subscription }
  | {
      readonly write: 'moveSubscription';
      readonly from: SubscriptionState;
      readonly subscription: Subscription;
    }
  | { readonly write: 'insertConsentChange'; readonly change: ConsentChange }
  | { readonly write: 'insertCheckout'; readonly checkout: Checkout }
  | { readonly write: 'moveCheckout'; readonly from: CheckoutState; readonly checkout: Checkout }
  | { readonly write: 'insertInvoice'; readonly invoice: Invoice };

/** What the core decided: the answer to give, and what to write in the same transaction. */
export interface Decision<Answer> {
  readonly answer: Answer;
  readonly writes: readonly Write[];
}
