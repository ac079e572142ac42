// The rows of other providers, and of the accounts that members have there.
import type { IdentityProvider } from '../../core/providers/identity-provider.ts';
import type { LinkedAccount } from '../../core/providers/linked-account.ts';
import type { Stored } from '../stored.ts';

export type IdentityProviderRow = Stored<IdentityProvider, 'scopes', 'trustsVerifiedEmail' | 'keepTokens'>;

export interface LinkedAccountRow extends LinkedAccount {
  /** What the provider gave at the last sign-in, where the operator has it kept: encrypted under the master key. */
  tokens: Buffer | null;
}
