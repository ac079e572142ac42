// Reads the credentials that a client sent.
import type { FastifyRequest } from 'fastify';
import type { ClientCredentials } from '../../core/oidc/client-authentication.ts';
import { protocolError } from '../answers.ts';

/**
 * What a request brought to authenticate its client: Basic, the body, or neither (RFC 6749 §2.3.1;
 * decision 15).
 *
 * @throws ProtocolError `invalid_request` for two methods at once, two ids, or none
 */
export function clientCredentials(
  request: FastifyRequest,
  body: { client_id?: string; client_secret?: string },
): ClientCredentials {
  const { authorization } = request.headers;
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
