// Watches the requests of development tenants and their answers, and writes them into the wire log.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isoTime } from '../../../core/access/iso-time.ts';
import { isErrorCode } from '../../../core/refusals/rule.ts';
import type { Endpoint } from '../../../core/rehearsal/endpoint.ts';
import type { FaultKind } from '../../../core/rehearsal/fault.ts';
import { wireParts, wireRead } from '../../../core/rehearsal/limits.ts';
import {
  claimsOf,
  hidden,
  type Mask,
  namedClient,
  shortened,
  tokenNames,
  told,
  type WireValues,
  withoutSecrets,
} from '../../../core/rehearsal/masking.ts';
import type { WireEntry } from '../../../core/rehearsal/wire.ts';
import { pathOf } from '../../address.ts';
import type { Deps } from '../../deps.ts';
import { bodyForm, queryOf } from '../../form.ts';
import { basicClientId } from '../../oidc/client/client-authentication.ts';
import { referenceHeader } from '../../request-log.ts';
import type { WireLog } from './recorder.ts';

/** What was asked, by the pattern of its address. */
const endpointOfRoute: Readonly<Record<string, Endpoint>> = {
  '/.well-known/oauth-authorization-server': 'discovery',
  '/.well-known/openid-configuration': 'discovery',
  '/api/oidc/.well-known/openid-configuration': 'discovery',
  '/api/oidc/auth': 'authorization',
  '/api/oidc/device/auth': 'device',
  '/api/oidc/introspect': 'introspection',
  '/api/oidc/jwks': 'keys',
  '/api/oidc/me': 'userinfo',
  '/api/oidc/par': 'par',
  '/api/oidc/session/end': 'logout',
  '/api/oidc/token': 'token',
  '/api/oidc/token/revocation': 'revocation',
};

/** What is no client's and no member's: the operators', the room's own, and what pages are made of. */
const unwatched =
  /^\/(?:admin|api\/v1\/(?:admin|openapi\.json)|assets|brand|favicon\.ico|internal|language|livez|outbox|readyz|rehearsal|setup)(?:\/|$)/;

/** What a request asks; null for what is not watched. */
export function endpointOf({ routeOptions, url }: FastifyRequest): Endpoint | null {
  const route = routeOptions.url;
  if (route === undefined) return url.startsWith('/api/') ? 'unknown' : null;
  const known = endpointOfRoute[route];
  if (known !== undefined) return known;
  if (unwatched.test(route)) return null;
  if (route.startsWith('/api/oidc/register')) return 'registration';
  return route.startsWith('/api/v1/members') ? 'member_api' : 'page';
}

/** A request that is under way. */
interface UnderWay {
  readonly endpoint: Endpoint;
  readonly came: number;
  readonly at: number;
  fault: FaultKind | null;
  isLost: boolean;
  /** The client whose answer it is, where that is known by what it has. */
  client: string | null;
  hungUp: WireEntry['hungUp'];
  /** The session of the browser that asks for a logout, and whether it has ended. */
  session: { readonly id: string; readonly hasEnded: boolean } | null;
}

const nothingYet = { fault: null, isLost: false, client: null, hungUp: null, session: null } as const;

const underWay = new WeakMap<FastifyRequest, UnderWay>();

/** Notes what is seen of a request, or done to its answer, elsewhere. */
export function note(
  request: FastifyRequest,
  what: Partial<Omit<UnderWay, 'endpoint' | 'came' | 'at'>>,
): void {
  const seen = underWay.get(request);
  if (seen !== undefined) Object.assign(seen, what);
}

/** Notes what the room does to the answer of a request. */
export const noteFault = (request: FastifyRequest, fault: FaultKind, isLost = false): void =>
  note(request, { fault, isLost });

/** What every answer of a development tenant tells the time by, which its clock may have been moved to. */
const timeHeader = 'memberdoor-time';

/** To be called when the tenant of a request is known, and before what forgets why it was refused. */
export function watchWire(app: FastifyInstance, wire: WireLog, { clock }: Pick<Deps, 'clock'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const endpoint = request.tenant?.development === true ? endpointOf(request) : null;
    if (endpoint !== null) {
      const seen = { endpoint, came: wire.come(), at: clock(), ...nothingYet };
      underWay.set(request, seen);
      reply.raw.once('close', () => {
        if (underWay.get(request) === seen) note(request, { hungUp: { came: wire.come(), at: clock() } });
      });
    }
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.tenant?.development === true) reply.header(timeHeader, isoTime(clock()));
    const seen = underWay.get(request);
    if (seen !== undefined) {
      underWay.delete(request);
      wire.leave(request.tenant.id, entryOf(reply, payload, seen, wire.mask, clock()));
    }
    done();
  });
}

function entryOf(
  reply: FastifyReply,
  payload: unknown,
  { endpoint, came, at, fault, isLost, client, hungUp, session }: UnderWay,
  mask: Mask,
  now: number,
): Omit<WireEntry, 'id'> {
  const { request } = reply;
  const isPage = endpoint === 'page';
  const said = saidBy(reply, payload);
  return {
    came,
    at,
    answeredAt: now,
    client: client ?? clientOf(request),
    found: client !== null || request.caller !== undefined,
    endpoint,
    request: {
      method: request.method,
      path: isPage ? (request.routeOptions.url ?? '') : shortened(withoutSecrets(pathOf(request))),
      headers: isPage ? {} : sentHeaders(request, mask),
      parameters: isPage ? {} : mask.values(sentValues(request)),
    },
    answer: {
      status: reply.statusCode,
      headers: answeredHeaders(reply, mask),
      body: bodyOf(said, mask),
      claims: claimsIn(said, mask),
    },
    reference: request.id,
    took: Math.round(reply.elapsedTime),
    refusal: refusalOf(reply, said),
    fault,
    lost: isLost || hungUp !== null,
    hungUp,
    ended: session?.hasEnded === true ? session.id : null,
  };
}

/** The client that was found, or the one that the request says to be of. */
export function clientOf(request: FastifyRequest): string | null {
  if (request.caller !== undefined) return request.caller.clientId;
  const { authorization } = request.headers;
  const named =
    (authorization === undefined ? null : basicClientId(authorization)) ??
    bodyForm(request)?.get('client_id')?.[0] ??
    queryOf(request)?.get('client_id')?.[0] ??
    null;
  return named === null ? null : namedClient(named);
}

/** The headers of a request that a client decides on. */
const toldHeaders = ['accept', 'content-type', 'if-none-match', 'origin', 'user-agent'] as const;

function sentHeaders({ headers }: FastifyRequest, mask: Mask): WireValues {
  const sent = toldHeaders.flatMap((name) => {
    const value = headers[name];
    if (value === undefined) return [];
    // An entity tag is as long as a secret, and none.
    return [[name, name === 'if-none-match' ? shortened(value) : told(value)] as const];
  });
  const { authorization, dpop } = headers;
  return {
    ...Object.fromEntries(sent),
    ...(authorization === undefined ? {} : { authorization: mask.authorization(authorization) }),
    ...(dpop === undefined ? {} : { dpop: mask.mark('proof', String(dpop)) }),
  };
}

/** The fields of the query and the body: the body is a form, or JSON where clients register. */
function* sentValues(request: FastifyRequest): Generator<readonly [string, readonly string[]]> {
  yield* queryOf(request) ?? [];
  const { body } = request;
  if (body instanceof Map) yield* body as Map<string, readonly string[]>;
  // What was read out of another type was not sent by these names.
  else if (
    isJson(request.headers['content-type']) &&
    typeof body === 'object' &&
    body !== null &&
    !Buffer.isBuffer(body)
  ) {
    for (const [name, value] of Object.entries(body)) yield [name, [value].flat().map(String)];
  }
}

const answerHeaders = [
  'access-control-allow-origin',
  'allow',
  'cache-control',
  'content-type',
  'dpop-nonce',
  timeHeader,
  referenceHeader,
  'retry-after',
  'www-authenticate',
] as const;

function answeredHeaders(reply: FastifyReply, mask: Mask): WireValues {
  const told = answerHeaders.flatMap((name) => {
    const value = reply.getHeader(name);
    return value === undefined ? [] : [[name, shortened(String(value))] as const];
  });
  const location = reply.getHeader('location');
  return {
    ...Object.fromEntries(told),
    ...(location === undefined ? {} : { location: mask.location(String(location)) }),
  };
}

const isJson = (type: unknown): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(String(type ?? ''));

/** What an answer of JSON says; null of any other. */
function saidBy(reply: FastifyReply, payload: unknown): unknown {
  if (!isJson(reply.getHeader('content-type')) || typeof payload !== 'string' || payload.length > wireRead)
    return null;
  try {
    return JSON.parse(payload);
  } catch {
    return null;
  }
}

/** A body as text; a long one is cut. */
function bodyOf(said: unknown, mask: Mask): unknown {
  const masked = mask.body(said);
  const text = JSON.stringify(masked);
  return text.length <= wireParts.body ? masked : shortened(text, wireParts.body);
}

function claimsIn(said: unknown, mask: Mask): Readonly<Record<string, unknown>> {
  if (typeof said !== 'object' || said === null) return {};
  const tokens = tokenNames.flatMap((name) => {
    const token = (said as Readonly<Record<string, unknown>>)[name];
    const claims = typeof token === 'string' ? mask.body(claimsOf(token)) : null;
    if (claims === null) return [];
    return [[name, JSON.stringify(claims).length <= wireParts.claims ? claims : hidden] as const];
  });
  return Object.fromEntries(tokens);
}

/** The error of the answer, in its JSON or in the address that it leads to, and why. */
function refusalOf(reply: FastifyReply, said: unknown): WireEntry['refusal'] {
  const { refusals = [], refusedPage, because } = reply.request;
  const noted = [...refusals, ...(refusedPage === undefined ? [] : [refusedPage])].find(
    ({ reason }) => reason !== undefined && reason !== null,
  );
  const answered = errorIn(said) ?? errorInLocation(String(reply.getHeader('location') ?? ''));
  if (answered === null && noted === undefined) return null;
  const { error, description } = answered ?? { error: String(reply.statusCode), description: '' };
  const { reason, rule = isErrorCode(error) ? error : null } = because ?? noted ?? {};
  return { error, because: reason ?? description, rule };
}

interface SaidError {
  readonly error: string;
  readonly description: string;
}

function errorIn(said: unknown): SaidError | null {
  if (typeof said !== 'object' || said === null || !('error' in said)) return null;
  const { error, error_description: description = '' } = said as Readonly<Record<string, unknown>>;
  return { error: String(error), description: String(description) };
}

function errorInLocation(address: string): SaidError | null {
  const parameters = new URLSearchParams(/[?#](.*)$/s.exec(address)?.[1] ?? '');
  const error = parameters.get('error');
  return error === null ? null : { error, description: parameters.get('error_description') ?? '' };
}
