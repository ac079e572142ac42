// Counts guesses at a password before they are looked at.
import {
  blockedUntil,
  failedAgain,
  type SignInFailures,
  takenBack,
} from '../../core/members/member-limits.ts';
import {
  clearSignInFailures,
  endGuessUnderWay,
  findSignInFailures,
  saveGuessUnderWay,
  saveSignInFailures,
} from '../../storage/members/guesses/sign-in-failure.ts';
import type { Tx } from '../../storage/store.ts';

/** Where the guesses at one password are counted, and how many are looked at before they wait (A6). */
export interface GuessCounter {
  /** As `hashEmail` makes them. */
  readonly key: string;
  /** null is no limit. */
  readonly allowed: number | null;
  /** Whether this guess is counted and looked at all the same: it comes from a browser that the member knows. */
  readonly passes: boolean;
}

/** Each counter before a guess was counted, and after it. */
export type CountedGuess = readonly {
  readonly key: string;
  readonly before: SignInFailures | null;
  readonly counted: SignInFailures;
}[];

export type BegunGuess =
  | { readonly kind: 'counted'; readonly guess: CountedGuess }
  /** The counter that lets no more in, and until when (ms). */
  | { readonly kind: 'blocked'; readonly key: string; readonly until: number };

/**
 * Counts a guess at a password as a failure before anything of it is looked at. Its hash takes its time, and in
 * that time hundreds more could be under way: none of them finds a place that is not counted (F1). A right
 * guess clears its counters in the transaction of what it lets in.
 */
export async function beginGuess(
  tx: Tx,
  tenantId: string,
  counters: readonly GuessCounter[],
  now: number,
): Promise<BegunGuess> {
  const guess: CountedGuess[number][] = [];
  for (const { key, allowed, passes } of counters) {
    const before = await findSignInFailures(tx, tenantId, key);
    const until = passes ? 0 : blockedUntil(before, now, allowed);
    if (until > now) return { kind: 'blocked', key, until };
    guess.push({ key, before, counted: failedAgain(before, now) });
  }
  for (const { key, counted } of guess) await saveGuessUnderWay(tx, tenantId, key, counted);
  return { kind: 'counted', guess };
}

/**
 * Keeps a guess counted that was judged and wrong. Until then it is one of those that a start takes back, if the
 * process dies: so this comes before the answer.
 */
export async function keepGuess(tx: Tx, tenantId: string, guess: CountedGuess): Promise<void> {
  for (const { key } of guess) await endGuessUnderWay(tx, tenantId, key);
}

/** Takes a guess back that was counted, and not looked at. */
export async function takeGuessBack(tx: Tx, tenantId: string, guess: CountedGuess): Promise<void> {
  for (const { key, before, counted } of guess) {
    const stored = await findSignInFailures(tx, tenantId, key);
    const left = takenBack(before, counted, stored);
    if (left !== null) await saveSignInFailures(tx, tenantId, key, left);
    else if (stored !== null) await clearSignInFailures(tx, tenantId, key);
    await endGuessUnderWay(tx, tenantId, key);
  }
}
