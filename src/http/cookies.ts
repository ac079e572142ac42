import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { browserCookieLifetime, sessionAbsolute } from '../core/limits.ts';
import type { Random } from '../random.ts';

/**
 * The cookies of the pages: `session` holds the secret of the member's session, `browser` a random value
 * that binds forms to the browser they were made for. On https they carry `__Host-` and Secure; a
 * development tenant on http cannot (security, Defaults; W3).
 */
type CookieName = 'session' | 'browser';

function nameOf(request: FastifyRequest, name: CookieName): string {
  return isSecure(request) ? `__Host-memberdoor-${name}` : `memberdoor-${name}`;
}

const isSecure = ({ tenant }: FastifyRequest) => tenant.issuer.startsWith('https:');

const attributes = (request: FastifyRequest) =>
  ({ path: '/', httpOnly: true, sameSite: 'lax', secure: isSecure(request) }) as const;

/** The secret of the browser's session, if it sent one. */
export function sessionCookie(request: FastifyRequest): string | undefined {
  return request.cookies[nameOf(request, 'session')];
}

export function setSessionCookie(reply: FastifyReply, secret: string): void {
  const { request } = reply;
  reply.setCookie(nameOf(request, 'session'), secret, {
    ...attributes(request),
    maxAge: sessionAbsolute / 1_000,
  });
}

export function clearSessionCookie(reply: FastifyReply): void {
  reply.clearCookie(nameOf(reply.request, 'session'), attributes(reply.request));
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
