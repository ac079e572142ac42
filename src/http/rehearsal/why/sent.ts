// What the wire log has of a request, for those who ask why it was refused.
import type { SentRequest } from '../../../core/refusals/sent.ts';
import type { Endpoint } from '../../../core/rehearsal/endpoint.ts';
import type { WireEntry } from '../../../core/rehearsal/wire.ts';

/** What scripts of registered origins may read; of the rest all may read it, or none. */
const scriptable: ReadonlySet<Endpoint> = new Set([
  'device',
  'member_api',
  'par',
  'revocation',
  'token',
  'userinfo',
]);

/** @param issuer of its tenant, whose own pages read what they like */
export function sentIn(entry: WireEntry, issuer: string): SentRequest {
  const { at, client: clientId, request, answer, refusal } = entry;
  const { method, path, parameters, headers } = request;
  return {
    at,
    method,
    path,
    parameters,
    headers,
    clientId,
    status: answer.status,
    isReadable: isReadable(entry, issuer),
    refusal,
  };
}

function isReadable({ endpoint, request, answer }: WireEntry, issuer: string): boolean | null {
  const { origin } = request.headers;
  if (origin === undefined || origin === issuer || !scriptable.has(endpoint)) return null;
  return answer.headers['access-control-allow-origin'] !== undefined;
}
