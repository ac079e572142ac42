// Reads and sets cookies.

import type {} from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../core/client.ts';
import { browserCookieLifetime, languageCookieLifetime, sessionLife } from '../core/limits.ts';
import { doneCookieLifetime } from '../core/operators/limits.ts';
import type { SessionKind } from '../core/session.ts';
import type { Random } from '../system/random.ts';
import { pathOf } from './address.ts';
import { isUndone } from './pages/head-request.ts';

/**
 * The cookies of the pages: `session` holds the secret of the member's session, `admin` that of the portal's,
 * `browser` a random value that binds forms to the browser they were made for, `done` what was just done, for the page
 * that follows, `language` the one that was chosen in this browser, `offered` that a passkey was
 * offered in it, `reader` that the app which led here last offers no
 * sign-up. On https they carry `__Host-` and Secure; a development tenant on http cannot (security, Defaults; W3).
 */
type CookieName = 'session' | 'admin' | 'browser' | 'done' | 'language' | 'offered' | 'reader';

/** The cookie of each kind of session: neither is ever taken for the other (A17). */
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

/** The value that a browser without one is given with an answer: one value, however many forms a page has. */
const given = new WeakMap<FastifyRequest, string>();

/** The value that names this browser, given to it now if it has none. */
export function ensureBrowserCookie(reply: FastifyReply, random: Random): string {
  const { request } = reply;
  const known = browserCookie(request) || given.get(request);
  if (known !== undefined && known !== '') return known;
  const value = random.secret();
  given.set(request, value);
  reply.setCookie(nameOf(request, 'browser'), value, {
    ...attributes(request),
    maxAge: browserCookieLifetime / 1_000,
  });
  return value;
}

/** Leads on to a page of ours that says what was done: once, and not because its address says so (pages 20). */
export function redirectAfter(reply: FastifyReply, page: string, what: string): FastifyReply {
  const lifetime = { ...attributes(reply.request), maxAge: doneCookieLifetime / 1_000 };
  return reply
    .setCookie(nameOf(reply.request, 'done'), `${what} ${page.split('?')[0]}`, lifetime)
    .redirect(page, 303);
}

/** What was done before this page; null if nothing was, or it has been said. */
export function takeDone(reply: FastifyReply): string | null {
  const { request } = reply;
  const name = nameOf(request, 'done');
  const [what = '', page] = request.cookies[name]?.split(' ') ?? [];
  if (page !== pathOf(request)) return null;
  if (!isUndone(request)) reply.clearCookie(name, attributes(request));
  return what;
}

/**
 * The language that was chosen in this browser. While the service is set up there is no tenant, and none is kept; and what
 * is answered before cookies are read, as while the service drains, has none.
 */
export function languageCookie(request: FastifyRequest): string | undefined {
  const { tenant, cookies } = request as Partial<Pick<FastifyRequest, 'tenant' | 'cookies'>>;
  return tenant && cookies?.[nameOf(request, 'language')];
}

/** Keeps a language that was chosen. @param tag null for that of the browser itself */
export function keepLanguage(reply: FastifyReply, tag: string | null): void {
  const { request } = reply;
  const name = nameOf(request, 'language');
  const lifetime = { ...attributes(request), maxAge: languageCookieLifetime / 1_000 };
  if (tag === null) reply.clearCookie(name, attributes(request));
  else reply.setCookie(name, tag, lifetime);
}

/**
 * Remembers whether the app that leads here may sell: a store may forbid that, and then no page of ours does it for the
 * app, wherever its member goes on to from there (pages 12).
 */
export function noteApp(reply: FastifyReply, { signupDisabled }: Pick<Client, 'signupDisabled'>): void {
  const { request } = reply;
  if (isUndone(request) || signupDisabled === isFromReader(request)) return;
  const name = nameOf(request, 'reader');
  const lifetime = { ...attributes(request), maxAge: sessionLife.member.absolute / 1_000 };
  if (signupDisabled) reply.setCookie(name, '1', lifetime);
  else reply.clearCookie(name, attributes(request));
}

/** Remembers that a passkey was offered in this browser, and answered: it is not offered there again. */
export function noteOffered(reply: FastifyReply): void {
  const lifetime = { ...attributes(reply.request), maxAge: browserCookieLifetime / 1_000 };
  reply.setCookie(nameOf(reply.request, 'offered'), '1', lifetime);
}

export function wasOffered(request: FastifyRequest): boolean {
  return request.cookies[nameOf(request, 'offered')] !== undefined;
}

/** Whether the app that led this browser here last may not sell. */
export function isFromReader(request: FastifyRequest): boolean {
  return request.cookies[nameOf(request, 'reader')] !== undefined;
}
