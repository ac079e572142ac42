// Counts failed client authentications and failed grants.
import type { FastifyRequest } from 'fastify';
import type { Client } from '../../../core/client.ts';
import type { ErrorCode, Refusal } from '../../../core/decision.ts';
import { countedKeys, countingWindow } from '../../../core/limits.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import { createAgedMap } from '../../../storage/memory/aged-map.ts';
import { type RateLimiter, takeIn } from '../../../storage/memory/rate-limit.ts';
import type { Tx } from '../../../storage/store.ts';
import { addressKey } from '../../address.ts';
import type { Deps } from '../../deps.ts';
import { refusedByLimit } from '../../limits/limit-reached.ts';

const { minute } = countingWindow;

/** Counts the failed client authentications of an address (security, Defaults). */
export interface FailedClients {
  /**
   * Whether an address has failed as often as the tenant allows. It is asked at every authentication by a
   * secret, and nearly always answered by one look-up.
   *
   * @returns null if it has not, else the seconds until it may try again
   */
  waitOf(tenant: OpenTenant, address: string): number | null;
  /** Counts one failure. @returns null while they are allowed, else the seconds until they are again */
  count(tx: Tx, tenant: OpenTenant, address: string): number | null;
}

/** @param most how many addresses are remembered at once: an attacker with many must not fill the memory */
export function createFailedClients(rateLimiter: RateLimiter, most = countedKeys): FailedClients {
  /** The addresses that reached the limit of a tenant, the newest last; what holds now the limiter knows. */
  const reached = createAgedMap<true>(most);
  const look = (tenant: OpenTenant, key: string) => {
    const { failedClientAuthenticationsPerAddressAndMinute: limit } = tenant.limits;
    return rateLimiter.look(`client ${tenant.id} ${key}`, limit, minute);
  };
  return {
    waitOf(tenant, address) {
      if (reached.size === 0) return null;
      const key = addressKey(address);
      return reached.get(key) === true ? look(tenant, key) : null;
    },
    count(tx, tenant, address) {
      const key = addressKey(address);
      const { failedClientAuthenticationsPerAddressAndMinute: limit } = tenant.limits;
      const wait = takeIn(tx, rateLimiter, `client ${tenant.id} ${key}`, limit, minute);
      if (look(tenant, key) !== null) reached.set(key, true);
      return wait;
    },
  };
}

/** How a device's own code ends, which is no guess: a hotel's TVs all come from one address. */
const ends: ReadonlySet<ErrorCode> = new Set(['access_denied', 'expired_token']);

/**
 * Counts a failed grant of a client from an address (security, Defaults). Successes are not counted, and none
 * is refused: a sender of garbage through a client's own server must not keep its members out. Nor is what
 * ended something: a reused token ends its sign-in however many came before it.
 *
 * @param changed whether the refusal has changed anything
 * @returns null while failures are allowed, else the refusal that takes the place of `refused`
 */
export function countFailedGrant(
  request: FastifyRequest,
  { clientId }: Client,
  refused: Refusal,
  changed: boolean,
  { rateLimiter }: Pick<Deps, 'rateLimiter'>,
): Refusal | null {
  if (ends.has(refused.error)) return null;
  const { id, limits } = request.tenant;
  const key = `grant ${id} ${clientId} ${addressKey(request.address)}`;
  const wait = rateLimiter.take(key, limits.failedGrantsPerClientAddressAndMinute, minute);
  return wait === null || changed ? null : refusedByLimit(request, 'grants', wait, key);
}
