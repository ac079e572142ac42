// The client of a request: what it sent to say who it is, whether that is so, and what it was refused.
import type { FastifyRequest } from 'fastify';
import type { Client } from '../../../core/client.ts';
import {
  type Because,
  type Decision,
  isRefusal,
  type Refusal,
  refusal,
  ruleOf,
} from '../../../core/decision.ts';
import { countingWindow } from '../../../core/limits.ts';
import {
  authenticateClient,
  type ClientCredentials,
} from '../../../core/oidc/client/client-authentication.ts';
import type { AuditEvent, RefusalEvent } from '../../../core/operators/audit-event.ts';
import type { ErrorCode } from '../../../core/refusals/rule.ts';
import { allowedClient, isUnverified } from '../../../core/registration/unverified-client.ts';
import type { Write } from '../../../core/write.ts';
import { findClient } from '../../../storage/clients/client.ts';
import { takeIn } from '../../../storage/memory/rate-limit.ts';
import { actingAs } from '../../../storage/operators/audited.ts';
import type { Awaitable } from '../../../storage/prepared.ts';
import type { TransactionKind, Tx } from '../../../storage/store.ts';
import { addressKey } from '../../address.ts';
import { protocolError } from '../../answers.ts';
import { noteRefusal, sourceOf } from '../../audit.ts';
import type { Deps } from '../../deps.ts';
import { refusedByLimit } from '../../limit-reached.ts';
import { obeyingChanges } from '../../tenant.ts';
import { assertionIn, type ClientFields, isFirstUse, judgeAssertionOf } from './client-assertion.ts';

/** How the client of a request is met. */
interface AsClient {
  readonly secretIsOptional?: boolean;
  readonly kind?: TransactionKind;
}

/**
 * Runs work in a transaction, as the client of the request if it is who it says it is: what changes is its doing.
 * A failure is written down, with its client_id only if a client has it: people paste secrets into the wrong field.
 *
 * From an address that failed too often no secret is looked at. A client that sends none goes on: TVs do, and the
 * next one may be in the room beside an attacker.
 *
 * @returns what the work returned, or why the client is refused
 */
export async function asClient<T>(
  request: FastifyRequest,
  credentials: ClientCredentials,
  deps: Deps,
  work: (tx: Tx, client: Client) => Promise<T>,
  { secretIsOptional = false, kind = 'transaction' }: AsClient = {},
): Promise<T | Refusal> {
  const { clientId: named, secret, assertion } = credentials;
  const judged =
    assertion === undefined ? null : await judgeAssertionOf(request, { clientId: named, assertion }, deps);
  // An assertion is used up by what it guards.
  const run = deps.store[judged === null ? kind : 'transaction'];
  const done = await obeyingChanges(request, deps.tenants, run, async (tx) => {
    const { tenant, address } = request;
    const { failedClients } = deps;
    const isGuess = secret !== null || assertion !== undefined;
    const wait = !isGuess ? null : await failedClients.waitOf(tx, tenant, address);
    if (wait !== null) return { wait };
    const found = allowedClient(await findClient(tx, tenant.id, named), tenant);
    const tooOften = await takeUnverified(tx, request, found, deps);
    if (tooOften !== null) return { tooOften };
    const proven = authenticateClient(found, credentials, secretIsOptional, judged);
    const isReplay = judged?.ok === true && !isRefusal(proven) && !(await isFirstUse(tx, proven, judged));
    const client = isReplay ? replayed : proven;
    if (isRefusal(client)) {
      const clientId = found?.clientId ?? null;
      return { wait: await failedClients.count(tx, tenant, address), refused: client, clientId };
    }
    const { clientId } = client;
    const late =
      secret === null ? null : await failedClients.noteRight(tx, tenant, address, { clientId, secret });
    if (late !== null) return { wait: late };
    request.caller = { tenant, clientId };
    const by = { actorKind: 'client', actorId: clientId, clientId } as const;
    const own = actingAs(tx, () => ({ ...sourceOf(request, deps), ...by }));
    return { result: await work(own, client) };
  });
  if ('result' in done) return done.result;
  if ('tooOften' in done) return refusedByLimit(request, 'unverified_clients', done.tooOften);
  if (done.wait !== null) return refusedByLimit(request, 'client_authentications', done.wait);
  const { refused, clientId } = done;
  const why = { rule: ruleOf(refused), reason: refused.description };
  noteRefusal(request, { event: 'client_authentication_failed', clientId, target: clientId, ...why });
  return refused;
}

const replayed = refusal(
  'invalid_client',
  'the client_assertion was used before',
  'client_assertion_refused',
);

/**
 * Counts a request of an unverified client from an address: no operator looked at what such a client does, and there may
 * be any number of them (decision 50). Others are not counted.
 *
 * @returns the seconds that it has to wait; null where it is allowed
 */
export function takeUnverified(
  tx: Tx,
  { tenant, address }: FastifyRequest,
  client: Client | null,
  { rateLimiter }: Pick<Deps, 'rateLimiter'>,
): Awaitable<number | null> {
  if (client === null || !isUnverified(client)) return null;
  const key = `unverified ${tenant.id} ${client.clientId} ${addressKey(address)}`;
  const limit = tenant.limits.requestsPerUnverifiedClientAddressAndMinute;
  return takeIn(tx, rateLimiter, key, limit, countingWindow.minute);
}

/** How a device's own code ends, which is no guess: a hotel's TVs all come from one address. */
const ends: ReadonlySet<ErrorCode> = new Set(['access_denied', 'expired_token']);

/** What a client asked for, decided and committed. */
interface Decided extends Pick<Decision<never, Write>, 'writes' | 'because'> {
  readonly client: Client;
  /** What the audit has of it already. */
  readonly written: readonly AuditEvent[];
}

/**
 * Counts a refused grant of a client from an address (security, Defaults), and writes down why, unless what the refusal
 * changed says so already. Successes are not counted, and none is refused: a sender of garbage through a client's own
 * server must not keep its members out. Nor is what ended something: a reused token ends its sign-in however many
 * came before it.
 *
 * @returns what is answered: the limit's refusal beyond the limit
 */
export async function refuseGrant(
  request: FastifyRequest,
  refused: Refusal,
  { client, writes, because, written }: Decided,
  { rateLimiter }: Deps,
): Promise<Refusal> {
  // A client that has to wait was refused nothing.
  if (because === undefined) return refused;
  request.because = because;
  if (!ends.has(refused.error)) {
    const { id, limits } = request.tenant;
    const key = `grant ${id} ${client.clientId} ${addressKey(request.address)}`;
    const wait = await rateLimiter.take(
      key,
      limits.failedGrantsPerClientAddressAndMinute,
      countingWindow.minute,
    );
    if (wait !== null && writes.length === 0) return refusedByLimit(request, 'grants', wait, key);
  }
  if (!written.some(({ result }) => result === 'refused')) noteRefusedClient(request, client, because);
  return refused;
}

/** Writes down what a client was refused, and why. */
export function noteRefusedClient(
  request: FastifyRequest,
  { clientId }: Client,
  { reuse: _, ...because }: Because,
): void {
  noteRefusal(request, { ...because, actorKind: 'client', actorId: clientId, clientId });
}

/** The same of what was refused in no other words than those of the answer. */
export const becauseOf = (event: RefusalEvent, refused: Refusal): Because => ({
  event,
  rule: ruleOf(refused),
  reason: refused.description,
});

/**
 * What a request brought to authenticate its client: Basic, a secret or an assertion in the body, or nothing (RFC 6749
 * §2.3.1, RFC 7521 §4.2; decision 15).
 *
 * @throws ProtocolError `invalid_request` for two methods at once, two ids, or none
 */
export function clientCredentials(request: FastifyRequest, body: ClientFields): ClientCredentials {
  const { authorization } = request.headers;
  // Where no client may sign one it is a parameter that is not known (decision 11).
  const signed = request.tenant.assertionAlgorithms.length === 0 ? null : assertionIn(body);
  if (signed !== null) {
    if (authorization === undefined) return { method: 'assertion', secret: null, ...signed };
    throw protocolError('invalid_request', 'the client authenticates twice, in the header and in the body');
  }
  if (authorization === undefined) {
    if (body.client_id === undefined) throw protocolError('invalid_request', 'client_id is missing');
    const secret = body.client_secret ?? null;
    return { method: secret === null ? 'none' : 'post', clientId: body.client_id, secret };
  }
  const basic = parseBasic(authorization);
  if (basic === null) throw protocolError('invalid_client', 'the Authorization header is not Basic');
  if (body.client_secret !== undefined) {
    throw protocolError('invalid_request', 'the client authenticates twice, in the header and in the body');
  }
  if (body.client_id !== undefined && body.client_id !== basic.clientId) {
    throw protocolError('invalid_request', 'header and body name different clients');
  }
  return { method: 'basic', ...basic };
}

/** The client that a header names, right or wrong; null if it is not Basic. */
export const basicClientId = (header: string): string | null => parseBasic(header)?.clientId ?? null;

/** Basic credentials, form-decoded; taken raw where that fails. An empty password is no secret (decision 15). */
function parseBasic(header: string): { clientId: string; secret: string | null } | null {
  const match = /^basic +([A-Za-z0-9+/_-]+={0,2})$/i.exec(header);
  if (match === null) return null;
  const text = Buffer.from(String(match[1]), 'base64').toString('utf8');
  const at = text.indexOf(':');
  if (at <= 0) return null;
  const secret = formDecode(text.slice(at + 1));
  return { clientId: formDecode(text.slice(0, at)), secret: secret === '' ? null : secret };
}

function formDecode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
