import type { FastifyRequest } from 'fastify';
import { sha256 } from '../core/hash.ts';
import type { Member } from '../core/members/member.ts';
import { type Session, type SessionKind, useSession } from '../core/session.ts';
import { apply } from '../storage/apply.ts';
import { findMember } from '../storage/members/member.ts';
import { findSessionBySecret } from '../storage/session.ts';
import type { Tx } from '../storage/store.ts';
import { transactionOf } from './audit.ts';
import { sessionCookie } from './cookies.ts';
import type { Deps } from './deps.ts';

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

/** Whoever acts in a session, from which request. */
export interface ActingVisit extends Pick<CurrentSession, 'session'> {
  readonly request: FastifyRequest;
  readonly deps: Pick<Deps, 'clock' | 'store'>;
}

/**
 * Does what a form asks for in the transaction that makes sure of its session: between the look at it and the
 * action a member may have signed out elsewhere, or been disabled or deleted (design, rule 19; F4).
 *
 * @param work is given the session and the member as they are now
 * @throws SessionOver
 */
export function actIn<T>(
  { request, deps, session }: ActingVisit,
  work: (tx: Tx, current: CurrentSession) => Promise<T>,
): Promise<T> {
  return transactionOf(request, deps, async (tx) => {
    const current = await currentSession(tx, request, deps.clock(), session.kind);
    if (current?.session.id !== session.id) throw new SessionOver();
    return work(tx, current);
  });
}
