/**
 * Challenges for passkeys: random, for one purpose, in one browser, for some minutes. They are not stored: each travels with
 * its page, sealed, and its id is used up with what was signed, in one transaction (WebAuthn §13.4.3).
 */
import { challengeLifetime } from '../../core/members/limits.ts';
import { seal, unseal } from '../../secrets/seal.ts';
import { useOnce } from '../../storage/grants/used-id.ts';
import type { Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/**
 * What is signed: a sign-in, that a member who is signed in is still there, or a new passkey. `confirmed` is signed by
 * none: it says that a member has proven that, and may make one.
 */
export type ChallengePurpose = 'sign-in' | 'confirm' | 'confirmed' | 'create';

/** For what a challenge is, and for whom. */
export interface ChallengeFor {
  readonly purpose: ChallengePurpose;
  /** The session that it is for; null where there is none yet. */
  readonly sessionId: string | null;
}

/** An open challenge. */
export interface Challenge extends ChallengeFor {
  readonly id: string;
  /** ms */
  readonly at: number;
}

/** Makes a challenge. @param browser the value of the browser's cookie */
export function makeChallenge(
  { tokenKey }: Pick<OpenTenant, 'tokenKey'>,
  browser: string,
  about: ChallengeFor,
  { random, clock }: { readonly random: Pick<Random, 'secret'>; readonly clock: Clock },
): string {
  const challenge: Challenge = { ...about, id: random.secret(), at: clock() };
  return seal(tokenKey, 'passkey', browser, challenge);
}

/** Opens a challenge that was signed: one of this browser, for this. @returns what is wrong with any other */
export function openChallenge(
  { tokenKey }: Pick<OpenTenant, 'tokenKey'>,
  browser: string,
  text: string,
  { purpose, sessionId }: ChallengeFor,
  now: number,
): Challenge | 'foreign' | 'stale' {
  const unsealed = unseal(tokenKey, 'passkey', browser, text);
  if (unsealed.kind !== 'opened') return 'foreign';
  const challenge = unsealed.value as Challenge;
  if (challenge.purpose !== purpose || challenge.sessionId !== sessionId) return 'foreign';
  return now < challenge.at + challengeLifetime ? challenge : 'stale';
}

/** Uses a challenge up. @returns whether it is used for the first time */
export function useUpChallenge(tx: Tx, tenantId: string, { id, at }: Challenge): Promise<boolean> {
  const expiresAt = at + challengeLifetime;
  return useOnce(tx, { tenantId, purpose: 'passkey', issuer: 'challenge', id, expiresAt });
}
