// What a handler may use.

import type { Config } from '../config.ts';
import { sha256 } from '../core/hash.ts';
import { verifiedTokens } from '../core/limits.ts';
import type { PaymentMethod } from '../operations/access/payment.ts';
import { createKeySets } from '../operations/client/published-keys.ts';
import type { Mailer } from '../operations/mail/mailer.ts';
import { createProviderDocuments } from '../operations/providers/documents.ts';
import { createDocuments } from '../operations/registration/document.ts';
import type { PlaceOf } from '../operations/session/geolocation.ts';
import type { OpenTenant, Tenants } from '../operations/tenant/open-tenants.ts';
import type { Passwords } from '../secrets/password.ts';
import type { Vault } from '../secrets/vault.ts';
import { createAgedMap } from '../storage/memory/aged-map.ts';
import { createPendingCodes } from '../storage/memory/pending-codes.ts';
import { createPollPace } from '../storage/memory/poll-pace.ts';
import { createRateLimiter, type RateLimiter } from '../storage/memory/rate-limit.ts';
import { createSharedRateLimiter } from '../storage/shared/counters.ts';
import { createSharedPollPace } from '../storage/shared/poll-pace.ts';
import type { Store } from '../storage/store.ts';
import type { Clock, Schedule } from '../system/clock.ts';
import type { Outbound } from '../system/outbound/outbound.ts';
import type { Random } from '../system/random.ts';
import { addressKey } from './address.ts';
import { createFailedClients, createRightSecrets } from './guessed-secrets.ts';
import type { Metrics } from './upkeep/metrics.ts';

/** Everything a handler may use; handed to each plugin by name. */
export interface Deps extends Memory {
  readonly config: Pick<
    Config,
    'apiAlgorithm' | 'apiAudience' | 'apiHost' | 'dataFolder' | 'issuer' | 'trustedProxies'
  >;
  readonly store: Store;
  readonly tenants: Tenants;
  readonly vault: Vault;
  readonly passwords: Passwords;
  /** Queues a mail in the transaction that causes it. */
  readonly mails: Pick<Mailer, 'queue' | 'retry'>;
  /** Calls addresses of others (decision 48): never in a transaction. */
  readonly outbound: Outbound;
  /** How packages can be paid. */
  readonly payments: readonly PaymentMethod[];
  /** The folder that mails are written to instead of being sent; null where they are sent. */
  readonly outboxFolder: string | null;
  /** When it was backed up last (ms); 0 if never, null where that is not looked after here. */
  readonly backedUpAt: () => number | null;
  readonly clock: Clock;
  readonly random: Random;
  /** The place of an address, in a language; null if it is not known, or no database is configured. */
  readonly placeOf: PlaceOf;
  /** Waits for ms: what slows down guessing. */
  readonly pause: (ms: number) => Promise<void>;
  /** null where they are not asked for. */
  readonly metrics: Metrics | null;
  /** Whether this start printed the link that makes the first administrator: it is answered on any host. */
  readonly setupOffered: boolean;
}

/**
 * What a running service remembers between requests. A restart forgets what is in memory, which does no harm; where
 * several processes have the database open, `docs/scale.md` says what of it they share.
 */
export type Memory = Readonly<ReturnType<typeof createMemory>>;

/** The memory of a service that has just started. */
export function createMemory(clock: Clock, { autocommit }: Pick<Store, 'autocommit'>, schedule: Schedule) {
  const rateLimiter: RateLimiter =
    autocommit === null ? createRateLimiter(clock) : createSharedRateLimiter(autocommit, clock);
  const isShared = autocommit !== null;
  return {
    pollPace: autocommit === null ? createPollPace() : createSharedPollPace(autocommit, schedule),
    pendingCodes: createPendingCodes(clock, { isShared }, addressKey),
    verifiedTokens: createVerifiedTokens(),
    documents: createDocuments(),
    keySets: createKeySets(),
    providerDocuments: createProviderDocuments(),
    rateLimiter,
    failedClients: createFailedClients(rateLimiter, clock, autocommit),
    rightSecrets: createRightSecrets(clock, isShared ? rateLimiter : null),
  };
}

/** An access token that was found good. */
export interface Bearer {
  readonly tenant: OpenTenant;
  readonly memberId: string;
  readonly sessionId: string;
  readonly clientId: string;
  readonly scope: string;
  /** The claims that UserInfo answers beyond those of the scope; left out where there are none (interop 55). */
  readonly claims?: readonly string[];
  /** Thumbprint of the key that it is bound to; left out where it is a bearer token (RFC 9449 §6.1). */
  readonly jkt?: string;
}

/**
 * Access tokens whose signature and claims were found good, until they expire: a token comes with every call
 * of an app, and verifying it costs more than all that is asked with it. What may change meanwhile, the member
 * and the session, is asked live each time. Kept by hash; beyond so many, the one that was verified first is forgotten.
 */
export function createVerifiedTokens(most = verifiedTokens) {
  const known = createAgedMap<{ readonly bearer: Bearer; readonly expiresAt: number }>(most);
  return {
    /** What the token says, or null if it has to be verified. @param tenantOf who may be meant here, by its issuer */
    find(token: string, tenantOf: (issuer: string) => OpenTenant | null, now: number): Bearer | null {
      const hash = sha256(token);
      const verified = known.get(hash);
      if (verified === undefined) return null;
      const { bearer, expiresAt } = verified;
      // A change of the tenant, such as a key that was retired, makes a new object of it.
      if (now < expiresAt && tenantOf(bearer.tenant.issuer) === bearer.tenant) return bearer;
      known.delete(hash);
      return null;
    },
    /** @param expiresAt ms; and expired ones are let go, one at a time */
    keep(token: string, bearer: Bearer, expiresAt: number, now: number): void {
      known.set(sha256(token), { bearer, expiresAt });
      const oldest = known.oldest();
      if (oldest !== undefined && oldest[1].expiresAt <= now) known.delete(oldest[0]);
    },
  };
}
