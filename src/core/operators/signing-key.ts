// When a signing key signs, is published, and is retired.
import { keyKeptAfter, keyLifetime, keyPublishedBefore } from '../limits.ts';
import type { SigningAlgorithm } from '../tenant.ts';

/** When a key of a tenant signs, and whether it is published. Times are ms since the epoch. */
export interface KeyTimes {
  readonly kid: string;
  readonly algorithm: SigningAlgorithm;
  /** It is published before this time and signs from then on. */
  readonly activeFrom: number;
  /** From when on nothing it signed is accepted. */
  readonly retiredAt: number | null;
}

/** What a key is for at a moment. A key that signs no more is published until it is retired (M16). */
export type KeyStanding = 'next' | 'signing' | 'published' | 'retired';

/** @param keys every key of the tenant */
export function keyStanding(key: KeyTimes, keys: readonly KeyTimes[], now: number): KeyStanding {
  if (key.retiredAt !== null) return 'retired';
  if (key.activeFrom > now) return 'next';
  return successorsOf(key, keys).some(({ activeFrom }) => activeFrom <= now) ? 'published' : 'signing';
}

/**
 * Until when a token that a key signed can be accepted: the longest life of one that was signed at the last
 * moment. null while the key signs or is yet to sign.
 */
export function lastTokenEnds(key: KeyTimes, keys: readonly KeyTimes[], now: number): number | null {
  const begun = successorsOf(key, keys)
    .map(({ activeFrom }) => activeFrom)
    .filter((activeFrom) => activeFrom <= now);
  return begun.length === 0 ? null : Math.min(...begun) + keyKeptAfter;
}

/** The keys that take the place of one: the same algorithm, not retired, and sign from a later moment on. */
function successorsOf(key: KeyTimes, keys: readonly KeyTimes[]): readonly KeyTimes[] {
  return keys.filter(
    ({ kid, algorithm, activeFrom, retiredAt }) =>
      algorithm === key.algorithm &&
      retiredAt === null &&
      (activeFrom > key.activeFrom || (activeFrom === key.activeFrom && kid > key.kid)),
  );
}

/** What is due with the keys of a tenant: algorithms that need a next key, and keys that can be retired. */
interface DueKeys {
  readonly next: readonly SigningAlgorithm[];
  readonly retired: readonly string[];
}

/** Looks after the keys of a tenant: each signs for 90 days, the next one is published a day before. */
export function dueKeys(keys: readonly KeyTimes[], now: number): DueKeys {
  const standing = keys.map((key) => ({ ...key, standing: keyStanding(key, keys, now) }));
  const signing = standing.filter((key) => key.standing === 'signing');
  const hasNext = (algorithm: SigningAlgorithm) =>
    standing.some((key) => key.standing === 'next' && key.algorithm === algorithm);
  return {
    next: signing
      .filter(({ activeFrom }) => now >= activeFrom + keyLifetime - keyPublishedBefore)
      .map(({ algorithm }) => algorithm)
      .filter((algorithm) => !hasNext(algorithm)),
    retired: standing
      .filter((key) => key.standing === 'published')
      .filter((key) => now >= (lastTokenEnds(key, keys, now) ?? Number.POSITIVE_INFINITY))
      .map(({ kid }) => kid),
  };
}
