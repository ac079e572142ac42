/** Checks what a passkey signed: at the sign-in, as a second factor, and where a page asks once more who it is. */

import { countingWindow } from '../../core/limits.ts';
import type { Signed } from '../../core/members/passkey.ts';
import { factorsOfPasskey, type Passkey, passkeyDomain, usePasskey } from '../../core/members/passkey.ts';
import { type Assertion, checkAssertion, readAssertion, userHandleOf } from '../../secrets/passkey.ts';
import { findMemberWithPassword } from '../../storage/members/member.ts';
import { findPasskeyByCredential, updatePasskey } from '../../storage/members/passkey.ts';
import type { Counters } from '../../storage/memory/rate-limit.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import { auditDeed } from '../audit/audit.ts';
import type { TooManyGuesses } from '../sign-in/credentials.ts';
import { type Proven, standingOf } from '../sign-in/enter.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { type Challenge, type ChallengeFor, openChallenge, useUpChallenge } from './challenge.ts';

/** What a page sends that a passkey signed. */
export interface Presented {
  /** As the page's script wrote it. */
  readonly text: string;
  /** The value of the browser's cookie. */
  readonly browser: string;
  /** As addresses are counted. */
  readonly address: string;
  readonly about: ChallengeFor;
  /** The member that it must be; null where the passkey names the member. */
  readonly memberId: string | null;
}

/** A signature that is right. It lets its member in once (`takePasskey`). */
export interface RightPasskey {
  readonly kind: 'right';
  readonly passkey: Passkey;
  readonly signed: Signed;
  readonly challenge: Challenge;
}

export type CheckedPasskey =
  | RightPasskey
  /** The account of the passkey and the reason are for the audit alone. */
  | { readonly kind: 'wrong'; readonly memberId: string | null; readonly reason: string }
  /** The page was open for too long. */
  | { readonly kind: 'stale' }
  | TooManyGuesses;

export interface AssertionDeps {
  readonly store: Pick<Store, 'transaction'>;
  readonly rateLimiter: Counters;
  readonly clock: Clock;
}

/**
 * Checks a signature, outside of any transaction, since it takes its time. It is counted for the address that it comes
 * from before it is looked at, and no longer once it was right (F1). An unknown passkey takes as long as a known one, and
 * is refused with the same words.
 */
export async function checkPasskey(
  tenant: OpenTenant,
  presented: Presented,
  { store, rateLimiter, clock }: AssertionDeps,
): Promise<CheckedPasskey> {
  const { text, browser, address, about, memberId } = presented;
  const domain = passkeyDomain(tenant);
  const sent = readAssertion(text);
  if (domain === null || sent === null) return wrong(memberId, 'it is no signature of a passkey');
  const challenge = openChallenge(tenant, browser, sent.client.challenge, about, clock());
  if (challenge === 'stale') return { kind: 'stale' };
  if (challenge === 'foreign') return wrong(memberId, 'the challenge is not one of this page');
  const { failedSignInsPerAddressAndMinute: limit } = tenant.limits;
  const limitKey = { key: `passkey ${tenant.id} ${address}`, memberId };
  const retryAfter = await rateLimiter.take(limitKey.key, limit, countingWindow.minute);
  if (retryAfter !== null) return { kind: 'too-many', retryAfter, limitKey };
  const passkey = await store.transaction((tx) => findPasskeyByCredential(tx, tenant.id, sent.credentialId));
  const signed = await checkAssertion(sent, passkey, { origin: tenant.issuer, domain });
  const reason =
    passkey === null || typeof signed === 'string' ? String(signed) : whyNotHers(passkey, sent, memberId);
  if (reason !== null || passkey === null || typeof signed === 'string') {
    await store.transaction((tx) => useUpChallenge(tx, tenant.id, challenge));
    return wrong(passkey?.memberId ?? null, String(reason));
  }
  await rateLimiter.giveBack(limitKey.key, countingWindow.minute);
  return { kind: 'right', passkey, signed, challenge };
}

const wrong = (memberId: string | null, reason: string) => ({ kind: 'wrong', memberId, reason }) as const;

/** Whose it is must be said where nothing else says it, and be true (§7.2, step 6). */
function whyNotHers(passkey: Passkey, { userHandle }: Assertion, memberId: string | null): string | null {
  if (memberId !== null && memberId !== passkey.memberId) return 'it is the passkey of another member';
  if (userHandle === null) return memberId === null ? 'it does not say whose it is' : null;
  return userHandle === userHandleOf(passkey.memberId) ? null : 'it says that it is of another member';
}

/** Where a passkey is used, and when. */
export interface Use {
  readonly userAgent: string;
  readonly ipAddress: string;
  readonly now: number;
}

/**
 * Takes a signature that is right, once, in the transaction of what it is for: of any number at once on one challenge one
 * is the first. The passkey is looked up anew: it may have been used, or removed, meanwhile.
 *
 * @returns what was proven, or in words for the audit why it is refused: that must commit, too
 */
export async function takePasskey(
  tx: Tx,
  { id: tenantId }: Pick<OpenTenant, 'id'>,
  { passkey: { credentialId, publicKey, memberId }, signed, challenge }: RightPasskey,
  { now, ...from }: Use,
): Promise<Proven | string> {
  if (!(await useUpChallenge(tx, tenantId, challenge))) return 'the challenge was used before';
  const passkey = await findPasskeyByCredential(tx, tenantId, credentialId);
  const found = await findMemberWithPassword(tx, tenantId, memberId);
  const isSame = passkey?.publicKey === publicKey && passkey.memberId === memberId;
  if (!isSame || found === null) return 'the passkey was removed meanwhile';
  const used = usePasskey(passkey, signed, from, now);
  if ('refused' in used) {
    const reason = refusals[used.refused];
    await auditDeed(tx, {
      event: 'passkey_refused',
      result: 'refused',
      target: passkey.id,
      actorKind: 'nobody',
      memberId,
      reason,
    });
    return reason;
  }
  await updatePasskey(tx, used.passkey);
  return { memberId, factors: factorsOfPasskey(passkey), standing: standingOf(found) };
}

const refusals = {
  counter_went_back: 'its counter did not go on: two devices may have the same passkey',
  kind_changed: 'it was of one device and is of several now, or the other way round',
} as const;
