// Finds and begins the session of a browser.
import type { FastifyRequest } from 'fastify';
import { sha256 } from '../core/hash.ts';
import type { Member } from '../core/members/member.ts';
import { type Session, type SessionKind, useSession } from '../core/session.ts';
import { type SessionDeps, type StartedSession, startSession } from '../operations/session/session.ts';
import type { Guesser } from '../operations/sign-in/credentials.ts';
import { apply } from '../storage/apply.ts';
import { findMember } from '../storage/members/member.ts';
import { findSessionBySecret } from '../storage/session.ts';
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

/** Who guesses a password with this request. */
export const guesserOf = (request: FastifyRequest): Guesser => ({
  browser: sha256(browserCookie(request)),
  share: shareOf(request),
});

/** Begins a session in the browser of this request (`startSession`). */
export async function beginSessionHere(
  tx: Tx,
  request: FastifyRequest,
  member: Member,
  newHash: string | null,
  deps: SessionDeps,
  kind: SessionKind = 'member',
): Promise<StartedSession> {
  const current = await currentSession(tx, request, deps.clock(), kind);
  const browser = {
    hash: sha256(browserCookie(request)),
    userAgent: request.headers['user-agent'] ?? '',
    ipAddress: request.address,
    language: requestLanguage(request, [], member.locale),
    session: current?.session ?? null,
  };
  return startSession(tx, request.tenant, { member, newHash, kind }, browser, deps);
}
