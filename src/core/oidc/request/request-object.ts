// Authorization requests that a client signs: request objects by value (RFC 9101).
import type { Client } from '../../client.ts';
import { type Refusal, refusal } from '../../decision.ts';
import { requestObjectLife } from '../limits.ts';
import {
  type AuthorizationParameter,
  authorizationParameters,
  type SentParameters,
} from './authorization-request.ts';

type Claims = Readonly<Record<string, unknown>>;

/** What the header of a request object may say of its type; none, or that of any JWT, since many clients do (RFC 9101 §10.8). */
export const requestObjectTypes = ['oauth-authz-req+jwt', 'jwt', null] as const;

/** The settings that decide whose request object is right. */
export type RequestObjectKeys = Pick<Client, 'requestObjects' | 'jwks' | 'jwksUri' | 'signingAlgorithms'>;

/** Names the reason, without anything of what was sent (RFC 9101 §6.2). */
export const refusedObject = (reason: string): Refusal =>
  refusal('invalid_request_object', `the request object is refused: ${reason}`);

/** Whether a client's settings are those that a request object was verified by. */
export function hasObjectKeysOf(client: RequestObjectKeys, judged: RequestObjectKeys): boolean {
  return (
    client.requestObjects === judged.requestObjects &&
    client.jwks === judged.jwks &&
    client.jwksUri === judged.jwksUri &&
    client.signingAlgorithms.join() === judged.signingAlgorithms.join()
  );
}

/**
 * Reads the claims of a request object whose signature is right (RFC 9101 §4, §6; interop 56). It says of itself whose it
 * is, for whom, and for how long: an hour at most. One that could pass for a client assertion is refused (§10.8).
 *
 * @param now ms
 * @returns the parameters in it, or why it is refused
 */
export function readRequestObject(
  claims: Claims,
  { clientId, issuer, now }: { readonly clientId: string; readonly issuer: string; readonly now: number },
): SentParameters['values'] | string {
  const { iss, sub, aud } = claims;
  if (iss !== clientId) return 'its iss is not the client_id';
  if (claims.client_id !== clientId) return 'its client_id is another';
  if (sub === clientId) return 'its sub is the client_id, as that of a client assertion is';
  const audience: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!audience.includes(issuer)) return 'its aud is not the issuer';
  if ('request' in claims || 'request_uri' in claims) return 'it has a request or a request_uri in it';
  return timeProblem(claims, now) ?? parametersIn(claims);
}

function timeProblem({ exp, nbf, iat }: Claims, now: number): string | null {
  if (exp === undefined) return 'it has no exp';
  const begins = nbf ?? iat;
  if (begins === undefined) return 'it has neither nbf nor iat';
  const times = [exp, begins, iat ?? begins];
  if (!times.every((time) => typeof time === 'number' && Number.isFinite(time))) {
    return 'one of its times is no number';
  }
  const [end = 0, begin = 0, made = 0] = times.map((time) => Number(time) * 1_000);
  if (now >= end) return 'it has expired';
  if (Math.max(begin, made) > now + requestObjectLife.ahead) return 'it is of a time that lies ahead';
  return end - begin > requestObjectLife.most ? 'its exp is more than 60 minutes after its nbf' : null;
}

/** A parameter is a text; some are numbers or structures in JSON, which their address form would spell out (RFC 9101 §4). */
function parametersIn(claims: Claims): SentParameters['values'] | string {
  const values: Partial<Record<AuthorizationParameter, string>> = {};
  for (const name of authorizationParameters) {
    const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
    if (claim === undefined || claim === '') continue;
    const value = textOf(name, claim);
    if (value === null) return `its ${name} is of another type`;
    values[name] = value;
  }
  return values;
}

function textOf(name: AuthorizationParameter, claim: unknown): string | null {
  if (typeof claim === 'string') return claim;
  if (name === 'max_age' && typeof claim === 'number') return String(claim);
  if (name === 'claims' && typeof claim === 'object' && claim !== null) return JSON.stringify(claim);
  // All that it names, as they come from an address.
  const isList = Array.isArray(claim) && claim.every((one) => typeof one === 'string' && one !== '');
  return name === 'resource' && isList && claim.length > 0 ? claim.join(' ') : null;
}

/**
 * What a refused request object leaves of a request: where its error goes. That must be registered wherever it is named, so
 * it is taken from beside the object, and where nothing stands there from what it says itself.
 */
export function refusedRequest(
  { values, repeated }: SentParameters,
  unverified: Claims,
  refused: Refusal,
): SentParameters {
  const beside = { ...values };
  for (const name of ['redirect_uri', 'response_mode', 'state'] as const) {
    const claim = unverified[name];
    if (beside[name] === undefined && typeof claim === 'string' && claim !== '') beside[name] = claim;
  }
  return { values: beside, repeated, refused };
}
