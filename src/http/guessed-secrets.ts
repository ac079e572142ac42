// Remembers which secrets were right, and who failed to guess one: what is known of a secret that a request brings.
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../core/hash.ts';
import { countedKeys, countingWindow, rightSecretsKept } from '../core/limits.ts';
import { clockTolerance } from '../core/operators/limits.ts';
import type { OpenTenant } from '../operations/tenant/open-tenants.ts';
import { createAgedMap } from '../storage/memory/aged-map.ts';
import { type Counters, lookIn, takeIn } from '../storage/memory/rate-limit.ts';
import { connectionOf } from '../storage/prepared.ts';
import { tellBan } from '../storage/shared/bans.ts';
import type { Tx } from '../storage/store.ts';
import type { Clock } from '../system/clock.ts';
import { addressKey } from './address.ts';

const { minute, day } = countingWindow;

/**
 * The secrets of links and of the admin API that were right lately, by kind and hash.
 *
 * @param shared where the processes of one database tell one another; null where there is one process
 */
export function createRightSecrets(clock: Clock, shared: Counters | null) {
  /** With the time until which the other processes know it as well (ms). */
  const known = createAgedMap<number>(rightSecretsKept);
  const markOf = (secret: string) => `right ${secret}`;
  return {
    has: (secret: string) => known.get(secret) !== undefined,
    /** Whether it was right at another process, in the last day. */
    async hasElsewhere(secret: string): Promise<boolean> {
      return shared !== null && (await shared.look(markOf(secret), 1, day)) !== null;
    },
    async add(secret: string): Promise<void> {
      const now = clock();
      const toldUntil = known.get(secret) ?? 0;
      const isTold = shared === null || now < toldUntil;
      if (!isTold) await shared.take(markOf(secret), 1, day);
      known.set(secret, isTold ? toldUntil : now + day);
    },
    async delete(secret: string): Promise<void> {
      if (known.get(secret) === undefined) return;
      known.delete(secret);
      await shared?.giveBack(markOf(secret), day);
    },
  };
}

export type RightSecrets = ReturnType<typeof createRightSecrets>;

/** A secret that a request brings to be looked up, such as a link's. */
interface GuessedSecret {
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
 * Looks up what a secret opens, within the limit of wrong ones from an address: of any number at once, no more are
 * told right from wrong than are allowed (F1). Where several processes count, others may reach the limit while this
 * one looks: then nothing is told of what it found.
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
  { rateLimiter, rightSecrets }: { readonly rateLimiter: Counters; readonly rightSecrets: RightSecrets },
  find: () => Promise<T | null>,
): Promise<LookedUp<T>> {
  const key = `${kind} ${addressKey(request.address)}`;
  const secret = `${kind} ${hash}`;
  const reached = async () => {
    const wait = rightSecrets.has(secret) ? null : await lookIn(tx, rateLimiter, key, limit, minute);
    return wait === null || (await rightSecrets.hasElsewhere(secret)) ? null : wait;
  };
  const before = await reached();
  if (before !== null) return { kind: 'too-many', retryAfter: before };
  const found = await find();
  const since = found === null ? await takeIn(tx, rateLimiter, key, limit, minute) : await reached();
  if (since !== null) return { kind: 'too-many', retryAfter: since };
  if (found === null) await rightSecrets.delete(secret);
  else await rightSecrets.add(secret);
  return { kind: 'looked-at', found };
}

/**
 * Counts the failed client authentications of an address (security, Defaults), of so many addresses at most.
 *
 * @param autocommit where other processes are told of an address that is kept out; null where there are none
 */
export function createFailedClients(
  rateLimiter: Counters,
  clock: Clock,
  autocommit: Tx | null,
  most = countedKeys,
) {
  const isShared = autocommit !== null;
  let toldUntil = 0;
  /** Tells other processes in steps of a minute: where many addresses are kept out, few of them are told of. */
  const tell = async (tx: Tx) => {
    const until = Math.ceil(clock() / minute + 1) * minute;
    if (autocommit === null || until <= Math.max(toldUntil, connectionOf(tx).bannedUntil)) return;
    await tellBan(autocommit, until);
    toldUntil = until;
  };
  /** The addresses that reached the limit of a tenant here, the newest last; what holds now the limiter knows. */
  const reached = createAgedMap<true>(most);
  /** The secrets that were right here: they are no guesses. */
  const right = createAgedMap<true>(rightSecretsKept);
  const counted = ({ id, limits }: OpenTenant, key: string) =>
    [`client ${id} ${key}`, limits.failedClientAuthenticationsPerAddressAndMinute, minute] as const;
  return {
    /** Null, or the seconds until an address that failed too often may try again: nearly always one look-up. */
    async waitOf(tx: Tx, tenant: OpenTenant, address: string): Promise<number | null> {
      if (isShared) {
        const mayBeBanned = clock() < connectionOf(tx).bannedUntil + clockTolerance;
        return mayBeBanned ? lookIn(tx, rateLimiter, ...counted(tenant, addressKey(address))) : null;
      }
      if (reached.size === 0) return null;
      const key = addressKey(address);
      return reached.get(key) === true ? lookIn(tx, rateLimiter, ...counted(tenant, key)) : null;
    },
    /**
     * Takes note of a secret that is right. Another process may have counted the last failure that is allowed
     * since `waitOf`: then nothing is told of it.
     *
     * @returns null, or the seconds until the address may try again
     */
    async noteRight(
      tx: Tx,
      tenant: OpenTenant,
      address: string,
      { clientId, secret }: { readonly clientId: string; readonly secret: string },
    ): Promise<number | null> {
      if (!isShared) return null;
      const whose = `${tenant.id} ${clientId} ${sha256(secret)}`;
      if (right.get(whose) === true) return null;
      const wait = await lookIn(tx, rateLimiter, ...counted(tenant, addressKey(address)));
      if (wait === null) right.set(whose, true);
      return wait;
    },
    /** Counts one failure. @returns null while they are allowed, else the seconds until they are again */
    async count(tx: Tx, tenant: OpenTenant, address: string): Promise<number | null> {
      const key = addressKey(address);
      const failures = counted(tenant, key);
      const wait = await takeIn(tx, rateLimiter, ...failures);
      if ((await rateLimiter.look(...failures)) === null) return wait;
      if (isShared) await tell(tx);
      else reached.set(key, true);
      return wait;
    },
  };
}
