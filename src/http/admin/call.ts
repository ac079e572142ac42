/** Calls of operations over HTTP, by the admin API and the portal: how often, and with what of the service. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { countingWindow } from '../../core/limits.ts';
import { deniedCallsPerMinute } from '../../core/operators/limits.ts';
import { type Actor, permit } from '../../core/operators/permission.ts';
import { actorOf, type Call } from '../../operations/admin/call.ts';
import { type FileAnswer, mediaTypeOf, type Operation } from '../../operations/admin/operation.ts';
import { partsOf, runOperation } from '../../operations/admin/run.ts';
import { OperationRefused } from '../../operations/refusal.ts';
import type { Counted } from '../../storage/memory/rate-limit.ts';
import { type Deps, operationDeps } from '../deps.ts';

/** A caller who was denied too much, or calls too often what costs much, calls nothing for a while. */
export class TooManyCalls extends Error {
  override readonly name = 'TooManyCalls';
  readonly limit: 'costly_calls' | 'denied_calls';
  readonly counted: Counted;
  /** Seconds until they may call again. */
  readonly retryAfter: number;

  constructor(limit: TooManyCalls['limit'], actor: Actor, retryAfter: number) {
    super(limit);
    this.limit = limit;
    this.counted = countedCaller(actor, deniedKey(actor));
    this.retryAfter = retryAfter;
  }
}

/**
 * Calls an operation. Each denial leaves a line in the audit, so denied calls are counted: they must not fill the
 * disk, whichever face they come through. Operations that cost much are counted too, all of them together; the
 * operator of the machine has other ways to slow it down.
 *
 * @param isDenial whether a refusal counts as a denied call
 * @throws OperationRefused, TooManyCalls, or what `call.demand` throws
 */
export async function callOperation(
  call: Call,
  deps: Deps,
  isDenial: (refused: OperationRefused) => boolean,
): Promise<object> {
  const { operation, actor } = call;
  const { shared } = deps.rateLimiter;
  const { minute } = countingWindow;
  const denied = await shared.look(deniedKey(actor), deniedCallsPerMinute, minute);
  if (denied !== null) throw new TooManyCalls('denied_calls', actor, denied);
  const most = actor.kind === 'operator' ? null : (operation.callsPerMinute ?? null);
  const wait = await shared.take(`admin costly ${callerOf(actor)}`, most, minute);
  if (wait !== null) throw new TooManyCalls('costly_calls', actor, wait);
  try {
    return await runOperation(call, deps.store, operationDeps(deps));
  } catch (error) {
    if (error instanceof OperationRefused && isDenial(error)) {
      // Others may have been denied since the look: of many at once no more leave a line than are allowed.
      const since = await shared.take(deniedKey(actor), deniedCallsPerMinute, minute);
      if (since !== null) throw new TooManyCalls('denied_calls', actor, since);
    }
    throw error;
  }
}

const deniedKey = (actor: Actor) => `admin denied ${callerOf(actor)}`;

/** A caller as a limit counts them. */
export function countedCaller(actor: Actor, key: string): Counted {
  if (actor.kind === 'admin') return { key, memberId: actor.memberId };
  const tenantId = actor.kind === 'operator' ? null : actor.tenantId;
  const clientId = actor.kind === 'client' ? { clientId: actor.clientId } : {};
  // The caller with a token for every tenant is noted at the tenant of its request.
  const at = tenantId === null ? {} : { tenantId };
  return { key, memberId: null, caller: { ...at, ...actorOf(actor), ...clientId } };
}

/** Whom calls are counted for: the token, the client, the administrator, or the machine itself. */
export function callerOf(actor: Actor): string {
  if (actor.kind === 'operator') return actor.kind;
  if (actor.kind === 'client') return `client ${actor.tenantId} ${actor.clientId}`;
  return actor.kind === 'token' ? actor.tokenId : actor.memberId;
}

/** Whether a caller may do something at all; whether to this very tenant, running it says. */
export function mayCall({ actor }: Pick<Call, 'actor'>, { permission, reach }: Operation): boolean {
  return permit(actor, { permission, reach, tenantId: null }) === 'granted';
}

/**
 * Sends a file whole. One part is read ahead of what the network takes. Where it cannot go on, the connection breaks
 * off: that is how HTTP says that an answer is not whole (RFC 9112 §8).
 */
export function sendFileAnswer(
  reply: FastifyReply,
  answer: FileAnswer,
  call: Call,
  deps: Deps,
): FastifyReply {
  reply.type(mediaTypeOf(call.operation, call.input));
  if (answer.more === undefined) return reply.send(answer.text);
  // For HEAD nothing more is read: only the head is sent, and it is the same.
  const parts = reply.request.method === 'HEAD' ? [] : partsOf(answer, call, deps.store, operationDeps(deps));
  return reply.send(Readable.from(parts));
}
