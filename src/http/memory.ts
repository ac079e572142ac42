// What the running service remembers between requests.

import { rightSecretsKept } from '../core/limits.ts';
import { type AgedMap, createAgedMap } from '../storage/memory/aged-map.ts';
import { createPendingCodes, type PendingCodes } from '../storage/memory/pending-codes.ts';
import { createPollPace, type PollPace } from '../storage/memory/poll-pace.ts';
import { createRateLimiter, type RateLimiter } from '../storage/memory/rate-limit.ts';
import type { Clock } from '../system/clock.ts';
import { addressKey } from './address.ts';
import { createFailedClients, type FailedClients } from './oidc/clients/failures.ts';
import { createVerifiedTokens, type VerifiedTokens } from './oidc/verified-tokens.ts';

/** What a running service remembers beside its database. A restart forgets it, which does no harm. */
export interface Memory {
  readonly pollPace: PollPace;
  readonly pendingCodes: PendingCodes;
  readonly verifiedTokens: VerifiedTokens;
  readonly rateLimiter: RateLimiter;
  readonly failedClients: FailedClients;
  /** The secrets of links and of the admin API that were right lately, by kind and hash. */
  readonly rightSecrets: AgedMap<true>;
}

/** The memory of a service that has just started. */
export function createMemory(clock: Clock): Memory {
  const rateLimiter = createRateLimiter(clock);
  return {
    pollPace: createPollPace(),
    pendingCodes: createPendingCodes(clock, addressKey),
    verifiedTokens: createVerifiedTokens(),
    rateLimiter,
    failedClients: createFailedClients(rateLimiter),
    rightSecrets: createAgedMap(rightSecretsKept),
  };
}
