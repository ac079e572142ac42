// Looks up secrets that could be guessed, within the limit of wrong ones from an address.
import type { FastifyRequest } from 'fastify';
import { countingWindow } from '../../core/limits.ts';
import { takeIn } from '../../storage/memory/rate-limit.ts';
import type { Tx } from '../../storage/store.ts';
import { addressKey } from '../address.ts';
import type { Deps } from '../deps.ts';

/** A secret that a request brings to be looked up, such as a link's. */
export interface GuessedSecret {
  /** What it opens, and on which tenant if on one: its wrong ones are counted together. */
  readonly kind: string;
  /** Its SHA-256. */
  readonly hash: string;
  /** Wrong ones a minute from one address. */
  readonly limit: number;
}

export type LookedUp<T> =
  | { readonly kind: 'looked-at'; readonly found: T | null }
  /** Seconds until one may be tried again. */
  | { readonly kind: 'too-many'; readonly retryAfter: number };

/**
 * Looks up what a secret opens, within the limit of wrong ones from an address. The look and the count are one
 * step of one transaction, so that of any number at once no more are looked at than are allowed (F1).
 *
 * One that was right goes on being looked at: guesses from the same address lock no client out of a secret that is
 * in use (promise 7).
 *
 * @param find looks it up; null for a wrong one
 */
export async function lookUpSecret<T>(
  tx: Tx,
  request: FastifyRequest,
  { kind, hash, limit }: GuessedSecret,
  { rateLimiter, rightSecrets }: Pick<Deps, 'rateLimiter' | 'rightSecrets'>,
  find: () => Promise<T | null>,
): Promise<LookedUp<T>> {
  const key = `${kind} ${addressKey(request.address)}`;
  const right = `${kind} ${hash}`;
  const { minute } = countingWindow;
  const wait = rightSecrets.get(right) === true ? null : rateLimiter.look(key, limit, minute);
  if (wait !== null) return { kind: 'too-many', retryAfter: wait };
  const found = await find();
  if (found !== null) rightSecrets.set(right, true);
  else {
    rightSecrets.delete(right);
    takeIn(tx, rateLimiter, key, limit, minute);
  }
  return { kind: 'looked-at', found };
}
