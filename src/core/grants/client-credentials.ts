// Decides what a client gets in its own name, without a member (RFC 6749 §4.4; interop 60 and 61).
import type { Client } from '../client.ts';
import { type Decision, isRefusal, type Refusal, refusal, ruleOf } from '../decision.ts';
import type { Api } from '../oidc/api.ts';
import { chooseService, type Target } from '../oidc/request/resource.ts';
import type { Scope } from '../oidc/scope.ts';
import { type Permission, permissionsIn } from '../operators/permission.ts';

/** A token that a client gets for itself; it is signed after the commit. */
export interface ServiceGrant {
  readonly kind: 'service';
  readonly client: Client;
  /** null for APIs of our own: the admin API, and what the member API tells of members. */
  readonly api: Api | null;
  readonly scope: Scope;
  /** Thumbprint of the key that the token is bound to; null for none. */
  readonly jkt: string | null;
  /** ms */
  readonly issuedAt: number;
}

/** A request for such a token, after its client was authenticated. */
export interface ServiceCommand {
  readonly client: Client;
  readonly scope: string | undefined;
  readonly target: Target;
  readonly jkt: string | null;
  readonly now: number;
}

const refused = (answer: Refusal): Decision<Refusal, never> => ({
  answer,
  writes: [],
  because: { event: 'token_request_refused', rule: ruleOf(answer), reason: answer.description },
});

/**
 * Decides a request of a client for itself. It gets an access token for one API, and nothing of a member: `openid` and
 * `offline_access` are no scopes here. Where it names no API, the token is for ours, and its scopes are permissions.
 *
 * @returns the token to sign, or `unauthorized_client`, `invalid_target` or `invalid_scope`
 */
export function grantService(command: ServiceCommand): Decision<ServiceGrant | Refusal, never> {
  const { client, target, jkt, now } = command;
  if (!client.clientCredentials || client.type === 'public') {
    return refused(refusal('unauthorized_client', 'this client gets no tokens for itself'));
  }
  const api = chooseService(client, target);
  if (api !== null && isRefusal(api)) return refused(api);
  const { serviceScopes } = client;
  const allowed =
    api === null
      ? permissionsIn(serviceScopes)
      : serviceScopes.filter((one) => Object.hasOwn(api.scopes, one));
  // Blank is as good as absent (decision 11).
  const asked = [...new Set(command.scope?.split(' ').filter((one) => one !== ''))];
  const granted = asked.length === 0 ? allowed : asked;
  if (granted.length === 0 || granted.some((one) => !allowed.some((scope) => scope === one))) {
    return refused(refusal('invalid_scope', 'scope must be what this client may ask for at the API'));
  }
  return {
    answer: { kind: 'service', client, api, scope: granted.join(' '), jkt, issuedAt: now },
    writes: [],
  };
}

const seconds = (ms: number) => Math.floor(ms / 1_000);

/**
 * The claims of such a token: its subject is the client (RFC 9068 §2.2), and it has neither `sid` nor `auth_time`, which
 * each token of a member has.
 *
 * @param audience of our own APIs
 * @param tokensFrom as for `accessTokenClaims`
 */
export function serviceTokenClaims(
  { client, api, scope, jkt, issuedAt }: ServiceGrant,
  issuer: string,
  audience: string,
  tokenId: string,
  tokensFrom: number,
) {
  return {
    iss: issuer,
    sub: client.clientId,
    aud: api?.identifier ?? audience,
    client_id: client.clientId,
    scope,
    jti: tokenId,
    iat: Math.max(seconds(issuedAt), Math.ceil(tokensFrom / 1_000)),
    exp: seconds(issuedAt) + client.accessTokenSeconds,
    ...(jkt === null ? {} : { cnf: { jkt } }),
  };
}

/** What a token says that a client got in its own name for our own APIs. */
export interface ServiceToken {
  readonly clientId: string;
  readonly scope: Scope;
}

/**
 * Tells such a token from a member's, which has the same audience: its subject is its client, and no session stands
 * behind it.
 *
 * @param claims of an access token that was verified, its audience too
 * @returns null for any other token
 */
export function readServiceToken(claims: Readonly<Record<string, unknown>>): ServiceToken | null {
  const { sub, client_id: clientId, scope, sid, auth_time: authTime } = claims;
  if (typeof clientId !== 'string' || typeof scope !== 'string' || sub !== clientId) return null;
  return sid === undefined && authTime === undefined ? { clientId, scope } : null;
}

/**
 * What such a token may do now: the permissions among its scopes that its client still has.
 *
 * @param client as it is registered now; null for none, or one that is disabled
 * @returns null where the client gets no such tokens any more: then this one has stopped working
 */
export function servicePermissions(
  { scope }: ServiceToken,
  client: Pick<Client, 'clientCredentials' | 'type' | 'serviceScopes'> | null,
): readonly Permission[] | null {
  if (client === null || !client.clientCredentials || client.type === 'public') return null;
  const asked = new Set(scope.split(' '));
  return permissionsIn(client.serviceScopes).filter((permission) => asked.has(permission));
}
