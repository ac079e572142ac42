// Reads what a client says of itself, when it registers (RFC 7591 §2) or in its document.
import type { Client } from '../client.ts';
import { type Refusal, refusal } from '../decision.ts';
import { nameProblem } from '../members/details.ts';
import { keySetProblem } from '../oidc/client/client-keys.ts';
import { type ForeignAlgorithm, foreignAlgorithms } from '../oidc/client/foreign-key.ts';
import { redirectUriProblem } from '../oidc/client/redirect-uri.ts';
import { registeredRedirectUris } from './limits.ts';

/** The members that count; all else is left aside: an operator alone gives more (decision 50). */
export type ClientMetadata = Pick<
  Client,
  'authenticationMethod' | 'claimedName' | 'jwks' | 'jwksUri' | 'redirectUris' | 'signingAlgorithms' | 'type'
>;

type Members = Readonly<Record<string, unknown>>;

const bad = (text: string) => refusal('invalid_client_metadata', text);

/**
 * Reads a client's description of itself (RFC 7591 §2). What cannot be had in another way is refused by name; what may be
 * replaced is: a client that asks for a secret gets none, and is told so.
 *
 * @param issuer of the tenant, whose own host no client may lead to
 * @param secrets whether a method with a secret is replaced (RFC 7591 §2), or refused, as in a document
 */
export function readMetadata(
  value: unknown,
  issuer: string,
  secrets: 'replaced' | 'refused',
): ClientMetadata | Refusal {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return bad('the metadata must be a JSON object');
  }
  const members: Members = { ...value };
  if (members.software_statement !== undefined) {
    return refusal('invalid_software_statement', 'software statements are not taken');
  }
  if (
    secrets === 'refused' &&
    (members.client_secret !== undefined || members.client_secret_expires_at !== undefined)
  ) {
    return bad('a document has no secret');
  }
  const redirectUris = readRedirectUris(members.redirect_uris, issuer);
  if ('error' in redirectUris) return redirectUris;
  const problem =
    listProblem(members, 'grant_types', 'authorization_code') ??
    listProblem(members, 'response_types', 'code');
  if (problem !== null) return problem;
  const authentication = readAuthentication(members, secrets);
  if ('error' in authentication) return authentication;
  const { client_name: name } = members;
  if (name !== undefined && typeof name !== 'string') return bad('client_name must be a text');
  const claimedName = name === undefined || nameProblem(name.trim()) !== null ? null : name.trim();
  return { ...authentication, claimedName, redirectUris };
}

function readRedirectUris(value: unknown, issuer: string): readonly string[] | Refusal {
  const refused = (text: string) => refusal('invalid_redirect_uri', text);
  if (!Array.isArray(value) || value.length === 0)
    return refused('redirect_uris must be a list with one at least');
  if (value.length > registeredRedirectUris) {
    return refused(`there are more than ${registeredRedirectUris} redirect_uris`);
  }
  for (const uri of value) {
    if (typeof uri !== 'string' || redirectUriProblem(uri) !== null) {
      return refused(
        'a redirect_uri must be https, http on a loopback address, or of an app: com.example.app:/path',
      );
    }
    if (new URL(uri).hostname.endsWith('.'))
      return refused('a redirect_uri has a dot at the end of its host');
    if (isOfService(uri, issuer)) return refused('a redirect_uri leads to this service itself');
  }
  return [...new Set<string>(value)];
}

/** Whatever its port is: cookies know none (RFC 6265 §8.5). On the developer's own machine each port is another's. */
function isOfService(uri: string, issuer: string): boolean {
  const [one, own] = [new URL(uri), new URL(issuer)];
  return one.protocol === 'https:' ? one.hostname === own.hostname : one.host === own.host;
}

/** A list may name what we do not have, as long as it names what we do. */
function listProblem(members: Members, name: string, needed: string): Refusal | null {
  const value = members[name];
  if (value === undefined) return null;
  const isList = Array.isArray(value) && value.every((one) => typeof one === 'string');
  return isList && value.includes(needed) ? null : bad(`${name} must have ${needed}`);
}

type Authentication = Omit<ClientMetadata, 'claimedName' | 'redirectUris'>;

/** The method of a client that does not prove who it is. */
const none: Authentication = {
  type: 'public',
  authenticationMethod: 'client_secret',
  jwks: null,
  jwksUri: null,
  signingAlgorithms: foreignAlgorithms,
};

const withSecret = ['client_secret_basic', 'client_secret_post', 'client_secret_jwt'];

function readAuthentication(members: Members, secrets: 'replaced' | 'refused'): Authentication | Refusal {
  const { token_endpoint_auth_method: method, jwks, jwks_uri: jwksUri } = members;
  const isPlain = method === undefined || method === 'none';
  if (isPlain || (secrets === 'replaced' && withSecret.some((one) => one === method))) {
    return none;
  }
  if (method !== 'private_key_jwt') {
    return bad('token_endpoint_auth_method must be none or private_key_jwt');
  }
  if ((jwks === undefined) === (jwksUri === undefined))
    return bad('private_key_jwt needs jwks or jwks_uri, and not both');
  const keys = jwks === undefined ? null : JSON.stringify(jwks);
  if (keys !== null && keySetProblem(keys) !== null) return bad('jwks has no public keys that are taken');
  if (jwksUri !== undefined && !isAddress(jwksUri)) return bad('jwks_uri must be an https address');
  const signingAlgorithms = readAlgorithms(members.token_endpoint_auth_signing_alg);
  if (signingAlgorithms === null) return bad('token_endpoint_auth_signing_alg is not taken');
  const given = { jwks: keys, jwksUri: jwksUri === undefined ? null : String(jwksUri), signingAlgorithms };
  return { ...given, authenticationMethod: 'private_key_jwt', type: 'confidential' };
}

function readAlgorithms(value: unknown): readonly ForeignAlgorithm[] | null {
  if (value === undefined) return foreignAlgorithms;
  const known = foreignAlgorithms.find((one) => one === value);
  return known === undefined ? null : [known];
}

function isAddress(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2_048 || !URL.canParse(value)) return false;
  const { protocol, href, username, hash } = new URL(value);
  return protocol === 'https:' && href === value && username === '' && hash === '';
}
