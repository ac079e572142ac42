// Runs transactions in the name of a request's sender, and logs their events.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isoTime } from '../core/access/iso-time.ts';
import type { Because } from '../core/decision.ts';
import { countingWindow } from '../core/limits.ts';
import {
  type AuditEvent,
  type AuditFacts,
  auditEvent,
  type RefusalEvent,
  type RequestFacts,
  type Source,
} from '../core/operators/audit-event.ts';
import { auditedRefusals, auditedTenantRefusals } from '../core/operators/limits.ts';
import type { Log } from '../log/log.ts';
import { browserWords, nameBrowser } from '../operations/session/notice.ts';
import type { RateLimiter } from '../storage/memory/rate-limit.ts';
import { insertAuditEvent } from '../storage/operators/audit-event.ts';
import { actingAs, auditedStore, type Numbers, type Woken } from '../storage/operators/audited.ts';
import type { Store, TransactionKind, Tx } from '../storage/store.ts';
import { addressKey } from './address.ts';
import type { Deps } from './deps.ts';
import { createFirstOfWindow, limitWords, surfaceOf } from './limit-reached.ts';
import { isUndone, undone } from './pages/head-request.ts';
import { obeyingChanges } from './tenant.ts';
import { countEvent } from './upkeep/metrics.ts';

/** What is said of a refusal. */
export type RefusalFacts = AuditFacts & { readonly event: RefusalEvent };

declare module 'fastify' {
  interface FastifyRequest {
    /** What this request was refused, until its answer leaves. */
    refusals: readonly RefusalFacts[] | undefined;
    /** What its page says went wrong: told where nothing else tells why it was refused. */
    refusedPage: RefusalFacts | undefined;
    /** Why a grant was refused; what it changed may say so in the audit by itself. */
    because: Pick<Because, 'rule' | 'reason'> | undefined;
  }
}

/** The sender of a request: not known yet, but for the address and the tenant. */
export function sourceOf(
  request: Pick<FastifyRequest, 'address' | 'tenant' | 'id' | 'headers'>,
  { clock }: Pick<Deps, 'clock'>,
): Source {
  return {
    tenantId: request.tenant?.id ?? null,
    actorKind: 'nobody',
    actorId: null,
    clientId: null,
    address: request.address,
    at: clock(),
    request: () => factsOf(request),
  };
}

/** What an operator finds a refused request by, and what it came with. */
function factsOf({ id, headers }: Pick<FastifyRequest, 'id' | 'headers'>): RequestFacts {
  const browser = nameBrowser(headers['user-agent'] ?? '');
  return { reference: id, ...(browser === null ? {} : { browser: browserWords(browser) }) };
}

/** Runs work in a transaction whose changes are done in the name of the request's sender; a HEAD changes nothing. */
export function transactionOf<T>(
  request: FastifyRequest,
  deps: Pick<Deps, 'clock' | 'store' | 'tenants'>,
  work: (tx: Tx) => Promise<T>,
  kind: TransactionKind = 'transaction',
): Promise<T> {
  const run: Store['transaction'] = isUndone(request)
    ? (asked) => undone(deps.store, asked)
    : deps.store[kind];
  return obeyingChanges(request, deps.tenants, run, (tx) =>
    work(actingAs(tx, () => sourceOf(request, deps))),
  );
}

/** The store for an operation that has several transactions: each is done in the name of the request's sender. */
export const storeOf = (
  request: FastifyRequest,
  deps: Pick<Deps, 'clock' | 'store' | 'tenants'>,
): Pick<Store, 'transaction'> => ({ transaction: (work) => transactionOf(request, deps, work) });

/** One JSON line an event, beside its row; of what changed it names the fields alone, since a log is never erased. */
export function logAuditEvent(log: Log, { changes, ...event }: AuditEvent): void {
  const changed = changes === undefined ? {} : { changed: changes.map(({ field }) => field) };
  log.info({ audit: { ...event, at: isoTime(event.at), ...changed } }, 'audit');
}

/**
 * The store as the running service uses it, through every face: what happens in it is logged after its
 * commit, and counted. The start of the service makes it, once.
 *
 * @param wake sends what `apply` left in a queue
 * @param numbers numbers events as they are written; null where several processes write them
 */
export function withAuditLog(
  store: Store,
  { clock, tenants, metrics }: Pick<Deps, 'clock' | 'tenants' | 'metrics'>,
  log: () => Log,
  wake: (queue: Woken) => void,
  numbers: Numbers | null,
): Store {
  const tell = (event: AuditEvent) => {
    logAuditEvent(log(), event);
    if (metrics !== null) countEvent(event, tenants, metrics);
  };
  return auditedStore(store, clock, tell, wake, numbers);
}

/**
 * Remembers why a request is refused: where nothing changes, this is all that is left of it. It is said after the
 * transaction, which may run twice.
 */
export function noteRefusal(request: FastifyRequest, facts: RefusalFacts): void {
  request.refusals = [...(request.refusals ?? []), { result: 'refused', ...facts }];
}

/** Remembers what a page says went wrong, so that it is found by the reference that the page shows. */
export function notePage(request: FastifyRequest, facts: RefusalFacts): void {
  request.refusedPage = facts;
}

/**
 * Writes down what was refused before the answer leaves; of a limit, the first refusal in each of its windows.
 * A stranger could fill the disk with it, so of each kind so many a minute are kept from one address, and of one
 * tenant, and one line says that there were more. An answer does not fail because this cannot be written.
 *
 * @returns what does so for an app
 */
export function auditRefusals(deps: Deps): (app: FastifyInstance) => void {
  const isFirst = createFirstOfWindow(deps.clock);
  return (app) => {
    app.decorateRequest('refusals');
    app.decorateRequest('refusedPage');
    app.decorateRequest('because');
    app.decorateRequest('reachedLimit');
    app.addHook('onSend', (request, reply, _payload, done) => {
      if (isUndone(request)) return done();
      const { reachedLimit } = request;
      if (reachedLimit !== undefined) {
        request.reachedLimit = undefined;
        deps.metrics?.limit(request.tenant?.host ?? 'none', reachedLimit.name, surfaceOf(request));
        const reason = limitWords(reachedLimit.name);
        const { caller, memberId: target } = reachedLimit;
        if (isFirst(caller?.tenantId ?? request.tenant?.id ?? null, reachedLimit)) {
          const rule = 'temporarily_unavailable';
          noteRefusal(request, { event: 'limit_reached', target, rule, reason, ...caller });
        }
      }
      const { refusedPage } = request;
      if (refusedPage !== undefined && request.refusals === undefined) noteRefusal(request, refusedPage);
      const { refusals = [] } = request;
      // Nearly every answer: it goes on at once.
      if (refusals.length === 0 || reply.statusCode > 500) return done();
      request.refusals = undefined;
      request.refusedPage = undefined;
      void auditRefused(request, refusals, deps).then(() => done());
    });
  };
}

/** Writes down what of a request's refusals is within the bounds. */
export async function auditRefused(
  request: Pick<FastifyRequest, 'address' | 'tenant' | 'id' | 'headers' | 'log'>,
  refusals: readonly AuditFacts[],
  deps: Pick<Deps, 'clock' | 'rateLimiter' | 'store'>,
): Promise<void> {
  try {
    const kept: AuditFacts[] = [];
    for (const facts of refusals) kept.push(...(await bounded(deps.rateLimiter, request, facts)));
    if (kept.length === 0) return;
    await deps.store.transaction(async (tx) => {
      for (const facts of kept) await insertAuditEvent(tx, auditEvent(sourceOf(request, deps), facts));
    });
  } catch (error) {
    request.log.error({ err: error }, 'a refusal cannot be written to the audit now');
  }
}

/**
 * The refusal, or once a minute that there are too many of its kind, or nothing. That there are too many from one
 * address counts for the tenant too: of many addresses it alone would fill the disk.
 */
async function bounded(
  rateLimiter: RateLimiter,
  { address, tenant }: Pick<FastifyRequest, 'address' | 'tenant'>,
  facts: AuditFacts,
): Promise<readonly AuditFacts[]> {
  const { tenantId = tenant?.id ?? null } = facts;
  const bounds = [
    { counters: rateLimiter, of: addressKey(address), most: auditedRefusals, words: 'from one address' },
    {
      counters: rateLimiter.shared,
      of: `tenant ${tenantId}`,
      most: auditedTenantRefusals,
      words: 'of one tenant',
    },
  ];
  let kept: AuditFacts = { ...facts, tenantId };
  for (const { counters, of, most, words } of bounds) {
    const { event } = kept;
    const key = `audit ${event} ${of}`;
    if ((await counters.take(key, most, countingWindow.minute)) === null) continue;
    if ((await counters.take(`${key} more`, 1, countingWindow.minute)) !== null) return [];
    const reason = `${event}: more than ${most} a minute ${words}; the others are not written down`;
    kept = { event: 'limit_reached', tenantId, result: 'refused', reason };
  }
  return [kept];
}
