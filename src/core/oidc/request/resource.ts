// Which APIs a client asks tokens for (RFC 8707; interop 54), and which one a token is for.
import type { Client } from '../../client.ts';
import { type Refusal, refusal } from '../../decision.ts';
import { apiLimits } from '../../limits.ts';
import { permissionsIn } from '../../operators/permission.ts';
import { isUnverified } from '../../registration/unverified-client.ts';
import type { Api } from '../api.ts';
import { knownScopes, partOf, readScope, type Scope, scopeIncludes } from '../scope.ts';

/**
 * What was granted: identifiers joined by single spaces, each once, in the order of the request. Empty where none was
 * named: then tokens are for the member API, as for every client.
 */
export type Resources = string;

/** How a list of resources names the member API. No API of a tenant is called so (`isApiIdentifier`). */
const memberApi = 'urn:memberdoor:api';

/** What tokens of a tenant can be for. */
export interface Audiences {
  /** The address of the member API, which is its name as a resource (RFC 9728 §2). */
  readonly own: string;
  /** The tenant's APIs, as they are now. */
  readonly apis: readonly Api[];
}

/** What a token request says of the audience, and what it is judged by. */
export interface Target {
  /** As `Asked`; undefined where it names none. */
  readonly resource: string | undefined;
  readonly audiences: Audiences;
}

/** Where no request and no grant names an API, none has to be looked for. */
export const noTarget: Target = { resource: undefined, audiences: { own: memberApi, apis: [] } };

/** What a client asks for, read: the scope, and the APIs that it is for. */
export interface Asked {
  readonly scope: Scope;
  readonly resources: Resources;
  /** Those of the resources that are APIs of the tenant. */
  readonly apis: readonly Api[];
}

const wrongTarget = refusal('invalid_target', 'resource must be an API that this client may ask for');

/** The API that a client names; null for the member API, undefined for none that it may ask for. */
function named(text: string, client: Client, { own, apis }: Audiences): Api | null | undefined {
  if (text === own || text === memberApi) return null;
  const api = apis.find(({ identifier }) => identifier === text);
  const isOpen = api?.unverifiedClients === true && isUnverified(client);
  return isOpen || client.apis.includes(text) ? api : undefined;
}

/**
 * Reads the scope and the resources of a request (RFC 8707 §2; decisions 10 and 53).
 *
 * A request without `openid` is for APIs alone, and asks for a scope of each. So does a third party's client always:
 * the member reads what it wants there.
 *
 * @param resource the values that were sent, with spaces between; undefined for none
 * @returns `invalid_target` or `invalid_scope` where it cannot be granted
 */
export function readAsked(
  scope: string,
  resource: string | undefined,
  client: Client,
  audiences: Audiences,
): Asked | Refusal {
  // A tenant without APIs ignores it, as every parameter that it does not know (interop 7).
  const sent = audiences.apis.length === 0 ? undefined : resource;
  const texts = [...new Set(sent?.split(' ') ?? [])];
  if (texts.length > apiLimits.atOnce) return refusal('invalid_target', 'resource was sent too often');
  const found = texts.map((text) => named(text, client, audiences));
  if (found.includes(undefined)) return wrongTarget;
  const apis = found.filter((api) => api !== null && api !== undefined);
  const resources = [...new Set(found.map((api) => api?.identifier ?? memberApi))].join(' ');
  const asked = readScope(scope, apis.flatMap(scopesOf));
  const hasOneOfEach = apis.every((api) => scopesOf(api).some((one) => asked.split(' ').includes(one)));
  if (scopeIncludes(asked, 'openid')) {
    return client.thirdParty && !hasOneOfEach ? scopeMissing : { scope: asked, resources, apis };
  }
  if (apis.length === 0 || apis.length < found.length) {
    return refusal('invalid_scope', 'scope must include openid', 'openid_missing');
  }
  if (!hasOneOfEach) return scopeMissing;
  // What is known of the member is told to those alone who know who the member is.
  const plain = asked.split(' ').filter((one) => one === 'offline_access' || !known.has(one));
  return { scope: plain.join(' '), resources, apis };
}

const scopeMissing = refusal('invalid_scope', 'scope must include one of each API that resource names');

const scopesOf = ({ scopes }: Api): readonly string[] => Object.keys(scopes);
const known: ReadonlySet<string> = new Set(knownScopes);

/** What a token is for: one of the tenant's APIs, or the member API. */
export interface Audience {
  readonly kind: 'audience';
  /** null for the member API */
  readonly api: Api | null;
}

/**
 * Chooses what a token is for: the one that the token request names of those that were granted, or the first of them.
 * One token has one audience, so that no API can use it at another (RFC 8707 §3). An API that the tenant or the client
 * has no more gets none.
 *
 * @returns it, or `invalid_target`, which changes nothing
 */
export function chooseAudience(
  granted: Resources,
  client: Client,
  { resource: asked, audiences }: Target = noTarget,
): Audience | Refusal {
  const isIgnored = asked === undefined || audiences.apis.length === 0;
  if (granted === '' && isIgnored) return { kind: 'audience', api: null };
  const all = granted === '' ? [memberApi] : granted.split(' ');
  if (asked?.includes(' ')) return refusal('invalid_target', 'a token is for one API: send one resource');
  const api = named(asked ?? all[0] ?? '', client, audiences);
  if (api === undefined || !all.includes(api?.identifier ?? memberApi)) return wrongTarget;
  return { kind: 'audience', api };
}

/**
 * Chooses the API that a client asks a token of its own for.
 *
 * @returns null for our own, where it names none and has a permission there
 */
export function chooseService(client: Client, { resource, audiences }: Target): Api | null | Refusal {
  if (resource === undefined) {
    const isOurs = permissionsIn(client.serviceScopes).length > 0;
    return isOurs ? null : refusal('invalid_target', 'resource is missing: it names the API');
  }
  return named(resource, client, audiences) ?? wrongTarget;
}

/**
 * The scope of an access token: of all that was granted what is of its API. `openid` and `offline_access` stand in each,
 * since they say how it came about. Empty where a refresh took all of it away.
 */
export function scopeAt(scope: Scope, api: Api | null): Scope {
  return partOf(scope, api === null ? known : new Set(['openid', 'offline_access', ...scopesOf(api)]));
}

/** Whether every resource of `narrower` is in `wider`; the member API is in each. */
export function resourcesCover(wider: Resources, narrower: Resources): boolean {
  const all = wider.split(' ');
  return narrower.split(' ').every((one) => one === '' || one === memberApi || all.includes(one));
}
