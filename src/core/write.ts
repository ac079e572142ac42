/** Everything that can be written: the one place above the nouns that knows them all. */
import type { CheckoutWrite } from './access/checkout.ts';
import type { ConsentWrite } from './access/consent.ts';
import type { InvoiceWrite } from './access/invoice.ts';
import type { SeatWrite } from './access/seats/seat.ts';
import type { SubscriptionWrite } from './access/subscription.ts';
import type { AuthorizationCodeWrite } from './grants/authorization-code.ts';
import type { DeviceCodeWrite } from './grants/device-code.ts';
import type { SignInWrite } from './grants/sign-in.ts';
import type { EmailProofWrite } from './members/email-proof.ts';
import type { PushedRequestWrite } from './oidc/request/pushed-request.ts';
import type { ScopeConsentWrite } from './oidc/scope-consent.ts';
import type { SessionWrite } from './session.ts';

/** One row to change. `apply()` in the storage has one case for each. */
export type Write =
  | AuthorizationCodeWrite
  | CheckoutWrite
  | ConsentWrite
  | DeviceCodeWrite
  | EmailProofWrite
  | InvoiceWrite
  | PushedRequestWrite
  | ScopeConsentWrite
  | SeatWrite
  | SessionWrite
  | SignInWrite
  | SubscriptionWrite;
