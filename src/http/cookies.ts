import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { browserCookieLifetime, sessionLife } from '../core/limits.ts';
import type { SessionKind } from '../core/session.ts';
import type { Random } from '../random.ts';
import { isUndone } from './pages/head.ts';

/**
 * The cookies of the pages: `session` holds the secret of the member's session, `admin` that of the portal's,
 * `browser` a random value that binds forms to the browser they were made for. On https they carry `__Host-`
 * and Secure; a development tenant on http cannot (security, Defaults; W3).
 */
type CookieName = 'session' | 'admin' | 'browser';

/** Which cookie holds the secret of which sessions: neither is ever taken for the other (A17). */
const cookieOf = { member: 'session', admin: 'admin' } as const satisfies Record<SessionKind, CookieName>;

function nameOf(request: FastifyRequest, name: CookieName): string {
  return isSecure(request) ? `__Host-memberdoor-${name}` : `memberdoor-${name}`;
}

const isSecure = ({ tenant }: FastifyRequest) => tenant.issuer.startsWith('https:');

const attributes = (request: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request) }) as const;

/** No other site leads into the portal with its cookie (W3). */
const attributesOf = (request: FastifyRequest, kind: SessionKind) =>
  kind === 'admin' ? ({ ...attributes(request), sameSite: 'strict' } as const) : attributes(request);

/** The secret of the browser's session of a kind, if it sent one. */
export function sessionCookie(request: FastifyRequest, kind: SessionKind = 'member'): string | undefined {
  return request.cookies[nameOf(request, cookieOf[kind])];
}

export function setSessionCookie(reply: FastifyReply, secret: string, kind: SessionKind = 'member'): void {
  const { request } = reply;
  if (isUndone(request)) return;
  reply.setCookie(nameOf(request, cookieOf[kind]), secret, {
    ...attributesOf(request, kind),
    maxAge: sessionLife[kind].absolute / 1_000,
  });
}

export function clearSessionCookie(reply: FastifyReply, kind: SessionKind = 'member'): void {
  const { request } = reply;
  if (isUndone(request)) return;
  reply.clearCookie(nameOf(request, cookieOf[kind]), attributesOf(request, kind));
}

/** The value that names this browser; empty if it has none, which no seal is bound to. */
export function browserCookie(request: FastifyRequest): string {
  return request.cookies[nameOf(request, 'browser')] ?? '';
}

/** The value that names this browser, given to it now if it has none. */
export function ensureBrowserCookie(reply: FastifyReply, random: Random): string {
  const { request } = reply;
  const known = browserCookie(request);
  if (known !== '') return known;
  const value = random.secret();
  reply.setCookie(nameOf(request, 'browser'), value, {
    ...attributes(request),
    maxAge: browserCookieLifetime / 1_000,
  });
  return value;
}
