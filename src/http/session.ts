// Finds and begins the session of a browser.
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../core/hash.ts';
import type { Member } from '../core/members/member.ts';
import { type Session, type SessionKind, useSession } from '../core/session.ts';
import {
  type Browser,
  type SessionDeps,
  type StartedSession,
  startSession,
} from '../operations/session/session.ts';
import type { Admission, Guesser } from '../operations/sign-in/credentials.ts';
import { type Entered, enter, type Proven } from '../operations/sign-in/enter.ts';
import { apply } from '../storage/apply.ts';
import { findSessionBySecret } from '../storage/grants/session.ts';
import { findMember } from '../storage/members/member.ts';
import type { Tx } from '../storage/store.ts';
import { shareOf } from './address.ts';
import { browserCookie, sessionCookie } from './cookies.ts';
import { requestLanguage } from './pages/pages.ts';

/** The session of a browser that may be used, with its member. */
export interface CurrentSession {
  readonly session: Session;
  readonly member: Member;
}

/** Finds and uses the session of the request's cookie of a kind; null if there is none that lives. */
export async function currentSession(
  tx: Tx,
  request: FastifyRequest,
  now: number,
  kind: SessionKind = 'member',
): Promise<CurrentSession | null> {
  const secret = sessionCookie(request, kind);
  if (secret === undefined) return null;
  const found = await findSessionBySecret(tx, request.tenant.id, kind, sha256(secret));
  const member = found === null ? null : await findMember(tx, request.tenant.id, found.memberId);
  const { session, writes } = useSession(found, member, now);
  await apply(tx, writes);
  return session === null || member === null ? null : { session, member };
}

/** The session that a page was opened in ended before what its form asks for was done: nothing was. */
export class SessionOver extends Error {
  override readonly name = 'SessionOver';
}

/** The sender of this request, as guesses of passwords are counted. */
export const guesserOf = (request: FastifyRequest): Guesser => ({
  browser: sha256(browserCookie(request)),
  share: shareOf(request),
});

/** The browser of this request, as a session begins in it. */
async function browserHere(
  tx: Tx,
  request: FastifyRequest,
  { locale }: Member,
  kind: SessionKind,
  { clock }: SessionDeps,
): Promise<Browser> {
  const current = await currentSession(tx, request, clock(), kind);
  return {
    hash: sha256(browserCookie(request)),
    userAgent: request.headers['user-agent'] ?? '',
    ipAddress: request.address,
    language: requestLanguage(request, [], locale),
    session: current?.session ?? null,
  };
}

/** Lets a member in who proved who she is, in the browser of this request (`enter`). */
export function enterHere(
  tx: Tx,
  request: FastifyRequest,
  proven: Proven,
  deps: SessionDeps,
  { kind = 'member', admission }: { readonly kind?: SessionKind; readonly admission?: Admission } = {},
): Promise<Entered | null> {
  const browser = (member: Member) => browserHere(tx, request, member, kind, deps);
  return enter(tx, request.tenant, proven, { kind, browser, ...(admission && { admission }) }, deps);
}

/** Gives the session of a member who is let in already a new cookie, and the strength that it has. */
export async function renewSessionHere(
  tx: Tx,
  request: FastifyRequest,
  { session, member }: CurrentSession,
  deps: SessionDeps,
): Promise<StartedSession> {
  const browser = await browserHere(tx, request, member, session.kind, deps);
  return startSession(tx, request.tenant, { member, kind: session.kind, strength: session }, browser, deps);
}
