// Authorization requests that a client pushes before it sends a browser (RFC 9126).
import type { Client } from '../../client.ts';
import { type Refusal, refusal } from '../../decision.ts';
import { mustNameRedirectUri } from '../client/profile.ts';
import { authorizationRequestLength, pushedRequestLifetime } from '../limits.ts';
import { type PageReason, readAuthorizationRequest, type SentParameters } from './authorization-request.ts';
import type { Audiences } from './resource.ts';

/** What stands before the reference in the `request_uri` of a pushed request (RFC 9126 §2.2). */
const scheme = 'urn:ietf:params:oauth:request_uri:';

/** A pushed request, until a browser brings its reference. */
export interface PushedRequest {
  /** SHA-256 of the reference. */
  readonly hash: string;
  readonly tenantId: string;
  readonly clientId: string;
  /** The parameters, encrypted under a key that is made of the reference: what is stored tells nothing of them. */
  readonly sealed: string;
  /** ms since the epoch */
  readonly expiresAt: number;
}

export type PushedRequestWrite =
  | { readonly write: 'insertPushedRequest'; readonly request: PushedRequest }
  | { readonly write: 'takePushedRequest'; readonly hash: string };

/** The `request_uri` of a reference. */
export const requestUriOf = (reference: string): string => `${scheme}${reference}`;

/** The reference in a `request_uri` of ours; null for any other. */
export function referenceIn(requestUri: string | undefined): string | null {
  return requestUri?.startsWith(scheme) === true ? requestUri.slice(scheme.length) : null;
}

/** A pushed request as it is kept. @param now ms */
export function issuePushedRequest(facts: Omit<PushedRequest, 'expiresAt'>, now: number): PushedRequest {
  return { ...facts, expiresAt: now + pushedRequestLifetime };
}

/** Why a pushed request would get no code, but for a page (decision 6). */
const words: Readonly<Record<PageReason, string>> = {
  client_missing: 'client_id is missing',
  client_unknown: 'the client is not known',
  redirect_uri_missing: 'redirect_uri is missing',
  redirect_uri_repeated: 'redirect_uri was sent more than once',
  redirect_uri_unregistered: 'the redirect_uri is not registered',
  request_uri_unknown: 'the request_uri is not known',
};

/**
 * Judges what an authenticated client pushes, as the authorization endpoint would judge it from a browser
 * (RFC 9126 §2.1, §2.3; interop 48).
 *
 * @returns why it is refused, or null
 */
export function pushProblem(sent: SentParameters, client: Client, audiences: Audiences): Refusal | null {
  const { values, refused } = sent;
  if (client.pushedRequests === 'off') {
    return refusal('unauthorized_client', 'this client may not push its requests');
  }
  if (values.request_uri !== undefined) {
    return refusal('invalid_request', 'request_uri must not be pushed: push the parameters themselves');
  }
  if (refused !== undefined) return refused;
  if (values.redirect_uri === undefined && mustNameRedirectUri(client)) {
    return refusal('invalid_request', words.redirect_uri_missing, 'redirect_uri_missing');
  }
  const length = Object.entries(values).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (length > authorizationRequestLength) return refusal('invalid_request', 'the request is too long');
  const read = readAuthorizationRequest({ ...sent, pushed: true }, client, audiences);
  if (read.kind === 'page') return refusal('invalid_request', words[read.reason], read.reason);
  return read.kind === 'error' ? refusal(read.error, read.description, read.rule) : null;
}

/**
 * Whether a browser may begin with a pushed request: it is there, for this client, and not too old. It is taken then,
 * so that none begins with it again (RFC 9126 §4, §7.3; FAPI 2.0 Security Profile §5.3.2.2).
 *
 * @param now ms
 */
export function isPushedBy(
  request: PushedRequest | null,
  { tenantId, clientId }: Pick<Client, 'tenantId' | 'clientId'>,
  now: number,
): request is PushedRequest {
  return request?.tenantId === tenantId && request.clientId === clientId && now < request.expiresAt;
}
