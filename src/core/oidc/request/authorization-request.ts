// Reads and checks an authorization request.
import type { Client } from '../../client.ts';
import { isRefusal, type Refusal, refusal } from '../../decision.ts';
import type { ErrorCode, OwnRule } from '../../refusals/rule.ts';
import type { Api } from '../api.ts';
import { findRedirectUri } from '../client/redirect-uri.ts';
import { isThumbprint } from '../dpop.ts';
import { parameterLength, stateReadAsJson } from '../limits.ts';
import type { Scope } from '../scope.ts';
import { type RequestedClaims, readClaims } from './claims-parameter.ts';
import { isCodeChallenge } from './pkce.ts';
import { type Audiences, noTarget, type Resources, readAsked } from './resource.ts';
import { type ResponseMode, responseModeOf } from './response-mode.ts';

/** The parameters that are read; others are ignored (decision 11, RFC 6749 §3.1). */
export const authorizationParameters = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'prompt',
  'max_age',
  'login_hint',
  'id_token_hint',
  'ui_locales',
  'claims',
  'acr_values',
  'request',
  'request_uri',
  'dpop_jkt',
  'resource',
] as const;
export type AuthorizationParameter = (typeof authorizationParameters)[number];

/** The parameters as sent: one non-empty value a name – of `resource` all of them, with spaces between –, and the names that came more than once. */
export interface SentParameters {
  readonly values: Readonly<Partial<Record<AuthorizationParameter, string>>>;
  readonly repeated: readonly AuthorizationParameter[];
  /** Whether the client pushed them itself, so that no browser could change or read them (RFC 9126). */
  readonly pushed?: boolean;
  /** Whether the client signed them, in a request object (RFC 9101). */
  readonly signed?: boolean;
  /** Why they are answered by nothing else: the request object that they came with is refused. */
  readonly refused?: Refusal;
}

/** Where an answer goes and how: everything after the redirect_uri was found good goes there. */
export interface AnswerTarget {
  readonly redirectUri: string;
  readonly responseMode: 'query' | 'form_post';
  /** Where the client asked for a signed answer: by what, and for whom (JARM §2.1). */
  readonly signed?: Pick<Client, 'clientId' | 'idTokenAlgorithm'>;
  /** Byte for byte as it came (decision 12). */
  readonly state: string | undefined;
}

/** A valid authorization request. */
export interface AuthorizationRequest {
  readonly target: AnswerTarget;
  readonly scope: Scope;
  readonly resources: Resources;
  /** Those of the resources that are APIs of the tenant. */
  readonly apis: readonly Api[];
  readonly nonce: string | null;
  readonly codeChallenge: string;
  /** Thumbprint of the key that the code will be bound to (RFC 9449 §10); null for none. */
  readonly dpopJkt: string | null;
  readonly prompts: ReadonlySet<string>;
  /** Seconds, or null. */
  readonly maxAge: number | null;
  /** `state` or `prompt` asks for registration, and the client allows it (contract 6, decision 12). */
  readonly asksForSignUp: boolean;
  /** Single claims that it asks for; null where its client may ask for none (interop 55). */
  readonly claims: RequestedClaims | null;
}

/** Why a request is shown to the person in front of it instead of being sent back (decision 6, 7). */
export type PageReason = Extract<
  OwnRule,
  | 'client_unknown'
  | 'client_missing'
  | 'redirect_uri_unregistered'
  | 'redirect_uri_missing'
  | 'redirect_uri_repeated'
  | 'request_uri_unknown'
>;

export type ReadRequest =
  | { readonly kind: 'request'; readonly request: AuthorizationRequest }
  | { readonly kind: 'page'; readonly reason: PageReason }
  | {
      readonly kind: 'error';
      readonly target: AnswerTarget;
      readonly error: ErrorCode;
      readonly description: string;
      /** Where that is more exact than the error. */
      readonly rule?: OwnRule;
    };

/**
 * Reads an authorization request (contract, "GET /api/oidc/auth"; decisions 6 to 13).
 *
 * Until client and redirect_uri are known to be good, what is wrong is shown on a page and nothing is
 * redirected; from then on every error goes back to the redirect_uri.
 *
 * @param client the client of the request's client_id on this tenant, or null
 * @param audiences what `resource` may name; left out where it was not sent, or only the target matters
 */
export function readAuthorizationRequest(
  given: SentParameters,
  client: Client | null,
  audiences: Audiences = noTarget.audiences,
): ReadRequest {
  const sent = readOf(given, client);
  const { values, repeated } = sent;
  if (values.client_id === undefined) return { kind: 'page', reason: 'client_missing' };
  if (client === null || repeated.includes('client_id')) return { kind: 'page', reason: 'client_unknown' };
  if (repeated.includes('redirect_uri')) return { kind: 'page', reason: 'redirect_uri_repeated' };
  const redirectUri = redirectUriOf(values.redirect_uri, client);
  if (redirectUri === null) {
    const reason = values.redirect_uri === undefined ? 'redirect_uri_missing' : 'redirect_uri_unregistered';
    return { kind: 'page', reason };
  }
  const mode = responseModeOf(values.response_mode, redirectUri, client);
  const { clientId, idTokenAlgorithm } = client;
  const target: AnswerTarget = {
    redirectUri,
    responseMode: mode?.by ?? 'query',
    ...(mode?.isSigned === true ? { signed: { clientId, idTokenAlgorithm } } : {}),
    state: repeated.includes('state') ? undefined : values.state,
  };
  const problem = wayProblem(sent, client) ?? problemOf(sent, mode, audiences);
  if (problem !== null) return { ...problem, kind: 'error', target };
  const asked = readAsked(values.scope ?? '', values.resource, client, audiences);
  const refused = isRefusal(asked) ? asked : openIdProblem(values);
  if (refused !== null || isRefusal(asked))
    return { ...(refused ?? asked), kind: 'error', target } as ReadRequest;
  const claims = claimsOf(values, client);
  if (claims === 'malformed') {
    return {
      ...refusal('invalid_request', 'claims must be a JSON object as OpenID Connect Core 5.5 has it'),
      kind: 'error',
      target,
    };
  }
  const prompts = new Set(values.prompt?.split(' '));
  return {
    kind: 'request',
    request: {
      target,
      scope: asked.scope,
      resources: asked.resources,
      apis: asked.apis,
      nonce: values.nonce ?? null,
      codeChallenge: values.code_challenge ?? '',
      dpopJkt: values.dpop_jkt ?? null,
      prompts,
      maxAge: values.max_age === undefined ? null : Number(values.max_age),
      asksForSignUp: !client.signupDisabled && (prompts.has('create') || stateAsksForSignUp(values.state)),
      claims,
    },
  };
}

/** The parameters of extensions: a client that may not use one has them ignored, whatever they say. */
const extensions: readonly {
  readonly names: readonly AuthorizationParameter[];
  readonly isOn: (client: Client) => boolean;
}[] = [
  { names: ['claims', 'acr_values'], isOn: ({ claimsParameter }) => claimsParameter },
  { names: ['dpop_jkt'], isOn: ({ dpop }) => dpop !== 'off' },
];

/** What is read of a request, without the extensions that its client may not use. */
export function readOf(sent: SentParameters, client: Client | null): SentParameters {
  const ignored = extensions.filter(({ isOn }) => client === null || !isOn(client));
  const names = ignored.flatMap((extension) => extension.names);
  const isAsked = sent.repeated.length > 0 || names.some((name) => sent.values[name] !== undefined);
  if (!isAsked) return sent;
  const isRead = (name: string) => !names.includes(name as AuthorizationParameter);
  const values = Object.fromEntries(Object.entries(sent.values).filter(([name]) => isRead(name)));
  return { ...sent, values, repeated: sent.repeated.filter(isRead) };
}

function claimsOf(
  { claims, acr_values: acrValues }: SentParameters['values'],
  { claimsParameter }: Client,
): AuthorizationRequest['claims'] | 'malformed' {
  if (!claimsParameter || (claims === undefined && acrValues === undefined)) return null;
  return readClaims(claims, acrValues);
}

/**
 * Whether `state` is a JSON object whose own key `action` is exactly "signup". Nothing else of it is read,
 * and it is not read at all above 2 KB (decision 12).
 */
export function stateAsksForSignUp(state: string | undefined): boolean {
  if (state === undefined || state.length > stateReadAsJson) return false;
  try {
    // A key named __proto__ is one like any other to JSON.parse: nothing is inherited through it.
    const value: { readonly action?: unknown } | null = JSON.parse(state);
    return value?.action === 'signup';
  } catch {
    return false;
  }
}

/** A client that must push or sign its requests gets an answer to no other (RFC 9126 §5, RFC 9101 §10.5). */
function wayProblem({ pushed, signed, refused }: SentParameters, client: Client): Refusal | null {
  if (client.pushedRequests === 'required' && pushed !== true) {
    return refusal('invalid_request', 'this client must push its requests');
  }
  if (refused !== undefined) return refused;
  return client.requestObjects === 'required' && signed !== true
    ? refusal('invalid_request', 'this client must sign its requests')
    : null;
}

function problemOf(
  { values, repeated }: SentParameters,
  mode: ResponseMode | null,
  { apis }: Audiences,
): Refusal | null {
  if (repeated.length > 0) return refusal('invalid_request', `${repeated[0]} was sent more than once`);
  if (values.request !== undefined) {
    return refusal('request_not_supported', 'send the parameters themselves, not a request object');
  }
  if (values.request_uri !== undefined) {
    return refusal('request_uri_not_supported', 'send the parameters themselves, not a request_uri');
  }
  for (const name of authorizationParameters) {
    // A tenant without APIs ignores it (`readAsked`).
    if (name === 'resource' && apis.length === 0) continue;
    if ((values[name]?.length ?? 0) > longest(name)) return refusal('invalid_request', `${name} is too long`);
  }
  return responseProblem(values, mode) ?? pkceProblem(values);
}

function responseProblem(values: SentParameters['values'], mode: ResponseMode | null): Refusal | null {
  if (values.response_type === undefined) return refusal('invalid_request', 'response_type is missing');
  if (values.response_type !== 'code') {
    return refusal('unsupported_response_type', 'only response_type code is supported');
  }
  return mode === null
    ? refusal('invalid_request', 'response_mode must be query, or form_post to an http address')
    : null;
}

function pkceProblem(values: SentParameters['values']): Refusal | null {
  if (values.code_challenge === undefined) {
    return refusal(
      'invalid_request',
      'code_challenge is missing: PKCE is mandatory',
      'code_challenge_missing',
    );
  }
  if (values.code_challenge_method !== 'S256') {
    return refusal('invalid_request', 'code_challenge_method must be S256', 'code_challenge_method');
  }
  if (!isCodeChallenge(values.code_challenge)) {
    return refusal('invalid_request', 'code_challenge must be 43 base64url characters');
  }
  if (values.dpop_jkt !== undefined && !isThumbprint(values.dpop_jkt)) {
    return refusal('invalid_request', 'dpop_jkt must be 43 base64url characters');
  }
  return null;
}

function openIdProblem(values: SentParameters['values']): Refusal | null {
  if (values.prompt?.split(' ').includes('none') && values.prompt !== 'none') {
    return refusal('invalid_request', 'prompt none cannot be combined');
  }
  if (values.max_age !== undefined && !/^\d{1,9}$/.test(values.max_age)) {
    return refusal('invalid_request', 'max_age must be a whole number of seconds');
  }
  return null;
}

function redirectUriOf(requested: string | undefined, client: Client): string | null {
  if (requested !== undefined) return findRedirectUri(client.redirectUris, requested);
  return client.redirectUris.length === 1 ? (client.redirectUris[0] ?? null) : null;
}

function longest(name: AuthorizationParameter): number {
  if (name === 'state') return parameterLength.state;
  if (name === 'nonce') return parameterLength.nonce;
  if (name === 'id_token_hint') return parameterLength.idTokenHint;
  return parameterLength.other;
}
