// Notes malformed requests of known clients in the audit.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ruleOf } from '../../core/decision.ts';
import { countingWindow } from '../../core/limits.ts';
import type { RefusalEvent } from '../../core/operators/audit-event.ts';
import { auditedRefusals } from '../../core/operators/limits.ts';
import type { Rule } from '../../core/refusals/rule.ts';
import { findClient } from '../../storage/clients/client.ts';
import { ProtocolError, protocolErrorHandler } from '../answers.ts';
import { noteRefusal, type RefusalFacts } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { bodyForm, parseForm } from '../form.ts';
import { basicClientId } from './client/client-authentication.ts';

/** A body of another type than a form's: nothing of it is used but the client that it names. */
interface OtherBody {
  readonly claimedId: string | null;
}

const isOther = (body: unknown): body is OtherBody =>
  typeof body === 'object' && body !== null && 'claimedId' in body;

/**
 * Writes down what came malformed to an endpoint, so that its sender's reference is found, and what says to be of a client
 * on its page too. Nothing is authenticated here, and any sender can name a client, so beyond the bound of an address there
 * is one for each client, and one as high for all that names none of a tenant.
 */
export function auditMalformed(app: FastifyInstance, event: RefusalEvent, deps: Deps): void {
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_request: unknown, body: string) => {
    return { claimedId: clientIn(body) } satisfies OtherBody;
  });
  app.setErrorHandler(async (error: FastifyError, request, reply): Promise<FastifyReply> => {
    const why = whyOf(error);
    if (why !== null) await noteMalformed(request, { event, ...why }, deps);
    return protocolErrorHandler(error, request, reply);
  });
}

/** What is wrong, in words of ours; null for what is no fault of the request. */
function whyOf(error: FastifyError): { readonly rule: Rule; readonly reason: string } | null {
  if (error instanceof ProtocolError) {
    return { rule: ruleOf(error.refusal), reason: error.refusal.description };
  }
  const { statusCode = 500 } = error;
  if (statusCode >= 500) return null;
  const reason = statusCode === 413 ? 'the body is too large' : 'the body cannot be read';
  return { rule: 'invalid_request', reason };
}

async function noteMalformed(
  request: FastifyRequest,
  facts: RefusalFacts,
  { store, rateLimiter }: Deps,
): Promise<void> {
  const { id: tenantId } = request.tenant;
  const named = namedClient(request);
  try {
    const client = named === null ? null : await store.transaction((tx) => findClient(tx, tenantId, named));
    const clientId = client?.clientId ?? null;
    const key = `malformed ${tenantId} ${clientId}`;
    if ((await rateLimiter.shared.take(key, auditedRefusals, countingWindow.minute)) !== null) return;
    noteRefusal(request, { ...facts, clientId, target: clientId });
  } catch (error) {
    // The answer is the same whether this can be written or not.
    request.log.error({ err: error }, 'a malformed request cannot be written to the audit now');
  }
}

/** The client that a request says to be of, whatever else is wrong with it; null if it says none, or two. */
function namedClient(request: FastifyRequest): string | null {
  const { headers, body } = request;
  const said = [
    headers.authorization === undefined ? null : basicClientId(headers.authorization),
    isOther(body) ? body.claimedId : null,
    ...(bodyForm(request)?.get('client_id') ?? []),
  ].filter((clientId) => clientId !== null && clientId !== '');
  const [clientId = null] = said;
  return said.every((other) => other === clientId) ? clientId : null;
}

/** The `client_id` of JSON, or of a form that says to be something else. */
function clientIn(body: string): string | null {
  const [formClientId = null] = parseForm(body)?.get('client_id') ?? [];
  if (formClientId !== null) return formClientId;
  try {
    const { client_id: clientId } = JSON.parse(body) as { readonly client_id?: unknown };
    return typeof clientId === 'string' ? clientId : null;
  } catch {
    return null;
  }
}
