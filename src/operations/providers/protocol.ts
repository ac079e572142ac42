// Speaks OpenID Connect with other providers: openid-client does the protocol, and dials through the one client for calls.
import type { Configuration, CustomFetch } from 'openid-client';
import {
  claimsProblem,
  type ForeignClaims,
  type ForeignIdentity,
  foreignIdentity,
} from '../../core/providers/foreign-identity.ts';
import { answersByForm, type IdentityProvider } from '../../core/providers/identity-provider.ts';
import { providerDocuments as limits } from '../../core/providers/limits.ts';
import type { Vault } from '../../secrets/vault.ts';
import { type Clock, systemClock } from '../../system/clock.ts';
import type { OutboundFailure } from '../../system/outbound/call.ts';
import type { Outbound } from '../../system/outbound/outbound.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';
import { authenticationAt } from './client-secret.ts';
import { documentAt, type ProviderDocument, type ProviderDocuments } from './documents.ts';

export interface ProviderDeps {
  readonly outbound: Outbound;
  readonly clock: Clock;
  readonly vault: Vault;
  readonly providerDocuments: ProviderDocuments;
}

/** One way to a provider and back. */
export interface Journey {
  readonly redirectUri: string;
  /** The sealed way, as it is sent and comes back. */
  readonly sealed: string;
  readonly nonce: string;
  /** The PKCE verifier. */
  readonly verifier: string;
}

/** What a provider sent a member back with. */
export type ForeignAnswer = Readonly<Partial<Record<'code' | 'iss', string>>>;

/** What a provider gave for a code. */
export interface Redeemed {
  readonly identity: ForeignIdentity;
  /** The tokens that came, as JSON. */
  readonly tokens: string;
}

/** What was asked of a provider, or in our own words why nothing came of it: for operators, since its own are anyone's. */
export type Asked<Value> =
  | { readonly kind: 'answered'; readonly value: Value }
  | { readonly kind: 'failed'; readonly reason: string };

/** Loaded with the first member who goes to a provider: few services have one. */
const library = () => import('openid-client');

/**
 * Where a member's browser goes at a provider. Never in a transaction.
 *
 * @param more what else the request says, such as the language
 */
export function addressAt(
  tenant: OpenTenant,
  provider: IdentityProvider,
  { verifier, ...journey }: Journey,
  more: Readonly<Record<string, string>>,
  deps: ProviderDeps,
): Promise<Asked<URL>> {
  return asking(async () => {
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await library();
    const { configuration } = await open(tenant, provider, deps);
    return buildAuthorizationUrl(configuration, {
      ...more,
      redirect_uri: journey.redirectUri,
      scope: provider.scopes.join(' '),
      state: journey.sealed,
      nonce: journey.nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(answersByForm(provider) ? { response_mode: 'form_post' } : {}),
    });
  });
}

/**
 * Redeems the code that a member came back with: `state`, `iss`, PKCE, the id_token's signature, issuer, audience, nonce
 * and times are the library's to check, and what it leaves out is ours. Never in a transaction.
 *
 * @param name what the answer says beside it (`nameOfUser`)
 */
export function redeem(
  tenant: OpenTenant,
  provider: IdentityProvider,
  journey: Journey,
  { code, iss }: ForeignAnswer,
  name: string | null,
  deps: ProviderDeps,
): Promise<Asked<Redeemed>> {
  return asking(async () => {
    const { authorizationCodeGrant, enableNonRepudiationChecks, getJwksCache, setJwksCache } =
      await library();
    const { configuration, document } = await open(tenant, provider, deps);
    // Its answers come over TLS, and their signatures are checked all the same: a proxy of the provider's may be lax.
    enableNonRepudiationChecks(configuration);
    if (document.keys !== undefined) setJwksCache(configuration, document.keys as never);
    const back = new URL(journey.redirectUri);
    back.searchParams.set('state', journey.sealed);
    if (code !== undefined) back.searchParams.set('code', code);
    if (iss !== undefined) back.searchParams.set('iss', iss);
    const tokens = await authorizationCodeGrant(configuration, back, {
      expectedState: journey.sealed,
      expectedNonce: journey.nonce,
      pkceCodeVerifier: journey.verifier,
      idTokenExpected: true,
    });
    const keys = getJwksCache(configuration);
    if (keys !== undefined) document.keys = keys;
    const claims = tokens.claims() as ForeignClaims;
    const wrong = claimsProblem(claims, provider.clientId, deps.clock());
    if (wrong !== null) throw new ProviderFailed(`its id_token is not taken: ${wrong}`);
    const whole = await withUserInfo(configuration, claims, tokens.access_token);
    return { identity: foreignIdentity(whole, name), tokens: JSON.stringify(tokens) };
  });
}

/** An id_token may leave out what UserInfo says; both must agree on the subject (Core §5.3.2). */
async function withUserInfo(
  configuration: Configuration,
  claims: ForeignClaims,
  accessToken: string,
): Promise<ForeignClaims> {
  const { fetchUserInfo } = await library();
  const isThere = configuration.serverMetadata().userinfo_endpoint !== undefined;
  if (claims.email !== undefined || !isThere) return claims;
  const more = await fetchUserInfo(configuration, accessToken, String(claims.sub));
  return { ...more, ...claims };
}

/** A provider as the library knows it: what it says of itself is remembered, all else is made anew each time. */
async function open(
  tenant: OpenTenant,
  provider: IdentityProvider,
  deps: ProviderDeps,
): Promise<{ readonly configuration: Configuration; readonly document: ProviderDocument }> {
  const { allowInsecureRequests, clockSkew, customFetch, discovery } = await library();
  const { development } = tenant;
  const dial = dialling(development, deps.outbound);
  let document: ProviderDocument | null = null;
  const fetchKnown: CustomFetch = async (url, options) => {
    if (!url.endsWith('/.well-known/openid-configuration')) return dial(url, options);
    const place = `${development} ${provider.preset} ${url}`;
    document = await documentAt(deps.providerDocuments, place, deps.clock(), async () =>
      completed(provider, await textOf(await dial(url, options))),
    );
    return new Response(document.text, { headers: { 'content-type': 'application/json' } });
  };
  // The library asks the system for the time, which is ours wherever it is not a test's.
  const ahead = Math.round((deps.clock() - systemClock()) / 1_000);
  const configuration = await discovery(
    new URL(provider.issuer),
    provider.clientId,
    { [clockSkew]: ahead },
    await authenticationAt(provider, deps),
    { [customFetch]: fetchKnown, execute: development ? [allowInsecureRequests] : [] },
  );
  if (document === null) throw new ProviderFailed('it was asked for no document');
  return { configuration, document };
}

async function textOf(response: Response): Promise<string> {
  const text = await response.text();
  if (response.status === 200 && text.length <= limits.length) return text;
  throw new ProviderFailed(`its discovery document does not come (status ${response.status})`);
}

/** Facebook's document leaves out where codes are redeemed (Facebook Login, "OIDC Token with Manual Flow"). */
function completed({ preset }: IdentityProvider, text: string): string {
  if (preset !== 'facebook') return text;
  const more = {
    token_endpoint: 'https://graph.facebook.com/oauth/access_token',
    token_endpoint_auth_methods_supported: ['client_secret_post'],
  };
  return JSON.stringify({ ...more, ...Object(JSON.parse(text)) });
}

/** What the library calls for each request. */
function dialling(development: boolean, outbound: Outbound): CustomFetch {
  return async (url, { method, headers, body }) => {
    const { accept = '*/*', ...others } = headers;
    const result = await outbound.send({
      url,
      method: method === 'POST' ? 'POST' : 'GET',
      headers: others,
      accept,
      development,
      ...(body === null || body === undefined ? {} : { body: String(body) }),
    });
    if (result.kind === 'failed') throw new ProviderFailed(`it cannot be called: ${failures[result.reason]}`);
    const type = result.headers['content-type'];
    return new Response(result.body, {
      status: result.status,
      headers: type === undefined ? {} : { 'content-type': type },
    });
  };
}

const failures: Readonly<Record<OutboundFailure, string>> = {
  address: 'its address is none that we call, or leads where we do not dial',
  busy: 'too many calls to it are under way',
  connection: 'no connection, or one that broke off',
  encoding: 'its answer came packed',
  redirect: 'it leads elsewhere',
  resolution: 'its name is not known',
  size: 'its answer is too long',
  time: 'it took too long',
  tls: 'its certificate is wrong',
};

/** Nothing came of a call; its message is our own words. */
class ProviderFailed extends Error {
  override readonly name = 'ProviderFailed';
}

async function asking<Value>(ask: () => Promise<Value>): Promise<Asked<Value>> {
  try {
    return { kind: 'answered', value: await ask() };
  } catch (error) {
    return { kind: 'failed', reason: reasonOf(error) };
  }
}

/** Why, without a word of the provider's but for a code of the standard. */
function reasonOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof ProviderFailed) return one.message;
    const { error: said } = one as { readonly error?: unknown };
    if (typeof said === 'string') {
      return `it answered with ${/^[a-z_]{1,40}$/.test(said) ? said : 'an error of its own'}`;
    }
  }
  const { code } = Object(error) as { readonly code?: unknown };
  return `its answer is not right: ${typeof code === 'string' ? code : 'it cannot be read'}`;
}
