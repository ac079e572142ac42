// What a handler may use.

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ServiceConfig } from '../config.ts';
import { sha256 } from '../core/hash.ts';
import { verifiedTokens } from '../core/limits.ts';
import type { SentRequest } from '../core/refusals/sent.ts';
import type { PaymentMethod } from '../operations/access/payment.ts';
import type { OperationDeps } from '../operations/admin/operation.ts';
import { createKeySets } from '../operations/client/published-keys.ts';
import type { EventWaiting } from '../operations/events/waiting.ts';
import type { Mailer } from '../operations/mail/mailer.ts';
import type { Outbox } from '../operations/mail/outbox.ts';
import { createAskingPlaces } from '../operations/moving-in/asking-places.ts';
import { createProviderDocuments } from '../operations/providers/documents.ts';
import { createDocuments } from '../operations/registration/document.ts';
import type { PlaceOf } from '../operations/session/geolocation.ts';
import type { OpenTenant, Tenants } from '../operations/tenant/open-tenants.ts';
import type { Passwords } from '../secrets/password.ts';
import type { Vault } from '../secrets/vault.ts';
import { createAgedMap } from '../storage/memory/aged-map.ts';
import { createCallsUnderWay } from '../storage/memory/calls-under-way.ts';
import { createLostAnswers } from '../storage/memory/lost-answers.ts';
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
    ServiceConfig,
    'apiAlgorithm' | 'apiAudience' | 'apiHost' | 'dataFolder' | 'issuer' | 'trustedProxies'
  >;
  readonly store: Store;
  readonly tenants: Tenants;
  readonly vault: Vault;
  readonly passwords: Passwords;
  /** Queues a mail in the transaction that causes it. */
  readonly mails: Pick<Mailer, 'queue' | 'retry'>;
  /** Lets readers of events wait for them. */
  readonly events: Pick<EventWaiting, 'waitFor'>;
  /** Calls addresses of others (decision 48): never in a transaction. */
  readonly outbound: Outbound;
  /** How packages can be paid. */
  readonly payments: readonly PaymentMethod[];
  /** Where mails are put instead of being sent; null where they are sent. */
  readonly outbox: Outbox | null;
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
  /** What a development start has besides; null in production. */
  readonly rehearsal: Rehearsal | null;
  /** Whether this start printed the link that makes the first administrator: it is answered on any host. */
  readonly setupOffered: boolean;
}

/**
 * The rehearsal room, as the rest of the service knows it: nothing but `main.ts` loads its code, and only in development.
 */
export interface Rehearsal {
  /** The clock and the randomness of the whole service: both go as the system's do until a developer says otherwise. */
  readonly clock: Clock;
  readonly random: Random;
  /** Makes what is remembered between requests so that the room can let it be forgotten. */
  remembering(create: () => Memory): Memory;
  /** Keeps what there is after the start. To be called when the app is made, and before it answers. */
  begin(): Promise<void>;
  /** Is told how to do at once what the service does by itself in the background while so many ms pass. */
  attend(catchUp: (passed: number) => Promise<void>): void;
  /** Looks at every request and its answer. To be called when it is known how a request's tenant is found. */
  watch(app: FastifyInstance, deps: Deps): void;
  /** Where the sign-in page leads to members who sign in without a password; null where it does not. @param flow sealed */
  membersPage(request: FastifyRequest, flow: string): string | null;
  /** What is known of how a client keeps the rules; null for those who may not use the room, and where there is none. */
  cardOf(request: FastifyRequest, tenant: OpenTenant, clientId: string): CardSum | null;
  /** What it remembers of a request, by its reference. */
  readonly sentUnder: (tenantId: string, reference: string) => SentRequest | null;
  /** Serves what it has of its own. */
  serve(site: FastifyInstance, deps: Deps): void;
}

/** How many of the rules for clients one was seen to keep and to break, of how many, and the page that says which. */
export interface CardSum {
  readonly kept: number;
  readonly broken: number;
  readonly all: number;
  readonly href: string;
}

/** What the operations use of the service. The clock is read once: an operation happens at one moment. */
export function operationDeps({ clock, ...deps }: Deps): OperationDeps {
  const { vault, passwords, random, mails, tenants, events, callsUnderWay, backedUpAt, placeOf } = deps;
  const { rehearsal, rateLimiter } = deps;
  const room = rehearsal === null ? {} : { sentUnder: rehearsal.sentUnder };
  const given = { vault, passwords, random, mails, tenants, events, callsUnderWay, backedUpAt, placeOf };
  return { ...given, ...room, mailCounters: rateLimiter.members, now: clock() };
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
    lostAnswers: createLostAnswers(),
    documents: createDocuments(),
    keySets: createKeySets(),
    providerDocuments: createProviderDocuments(),
    rateLimiter,
    askingPlaces: createAskingPlaces(),
    failedClients: createFailedClients(rateLimiter, clock, autocommit),
    rightSecrets: createRightSecrets(clock, isShared ? rateLimiter : null),
    callsUnderWay: createCallsUnderWay(isShared ? rateLimiter.shared : null),
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
