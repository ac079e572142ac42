// The keys that clients publish themselves, as they were fetched last.
import { readKeySet } from '../../core/oidc/client/client-keys.ts';
import { publishedKeys as limits } from '../../core/oidc/limits.ts';
import { type AgedMap, createAgedMap } from '../../storage/memory/aged-map.ts';
import type { Clock } from '../../system/clock.ts';
import type { Outbound } from '../../system/outbound/outbound.ts';

/** What is known of one address. Times are ms. */
interface KeySet {
  readonly keys: readonly object[];
  /** When they came; null where they never did. */
  readonly fetchedAt: number | null;
  /** Until when they are taken without a look. */
  readonly freshUntil: number;
  /** When they were asked for last, with or without success. */
  readonly askedAt: number;
}

/** Each process has its own: another may know a key a moment sooner, or one that was taken away as long as it is fresh. */
export interface KeySets {
  readonly known: AgedMap<KeySet>;
  /** Those that are being fetched, so that many requests at once make one call. */
  readonly underWay: Map<string, Promise<KeySet>>;
}

export const createKeySets = (): KeySets => ({ known: createAgedMap(limits.most), underWay: new Map() });

interface Fetching {
  readonly keySets: KeySets;
  readonly outbound: Outbound;
  readonly clock: Clock;
}

/**
 * The keys at an address, fetched where they are not known or no longer fresh. What was fetched in the last 24 hours
 * outlives an address that fails. Never in a transaction.
 *
 * @param url what the client registered as its jwks_uri
 * @param development whether it is of a development tenant
 * @param isKeyMissing whether those that are known lack the one that is looked for
 */
export async function publishedKeysAt(
  url: string,
  development: boolean,
  { keySets, outbound, clock }: Fetching,
  isKeyMissing = false,
): Promise<readonly object[]> {
  const key = `${development} ${url}`;
  const before = keySets.known.get(key);
  const now = clock();
  const isRecent = before !== undefined && now >= before.askedAt && now < before.askedAt + limits.pace;
  const isFresh = before !== undefined && now < before.freshUntil && !isKeyMissing;
  if (before !== undefined && (isFresh || isRecent)) return keysOf(before, now);
  let fetching = keySets.underWay.get(key);
  if (fetching === undefined) {
    fetching = fetchKeys(url, development, { outbound, clock }, before).finally(() => {
      keySets.underWay.delete(key);
    });
    keySets.underWay.set(key, fetching);
  }
  const fetched = await fetching;
  keySets.known.set(key, fetched);
  return keysOf(fetched, now);
}

const keysOf = ({ keys, fetchedAt }: KeySet, now: number) =>
  fetchedAt !== null && now < fetchedAt + limits.longest ? keys : [];

async function fetchKeys(
  url: string,
  development: boolean,
  { outbound, clock }: Pick<Fetching, 'outbound' | 'clock'>,
  before: KeySet | undefined,
): Promise<KeySet> {
  const accept = 'application/jwk-set+json, application/json';
  const result = await outbound.send({ url, method: 'GET', accept, development });
  const now = clock();
  const isAnswer = result.kind === 'answer' && result.status === 200 && result.body.length <= limits.length;
  const keys = isAnswer ? readKeySet(result.body) : null;
  if (keys === null || result.kind !== 'answer') {
    return { keys: [], fetchedAt: null, freshUntil: 0, ...before, askedAt: now };
  }
  return { keys, fetchedAt: now, freshUntil: now + lifeOf(result.headers['cache-control']), askedAt: now };
}

/** How long an answer may be kept (RFC 9111 §5.2.2.1), within our bounds. ms */
export function lifeOf(
  cacheControl = '',
  { least, longest }: { readonly least: number; readonly longest: number } = limits,
): number {
  const seconds = Number(/(?:^|[\s,])max-age=(\d{1,9})/i.exec(cacheControl)?.[1] ?? 0);
  const isStored = !/\bno-(?:cache|store)\b/i.test(cacheControl);
  return Math.min(Math.max(isStored ? seconds * 1_000 : 0, least), longest);
}
