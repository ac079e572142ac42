import type { FastifyRequest } from 'fastify';
import { sha256 } from '../core/hash.ts';
import type { Member } from '../core/members/member.ts';
import { type Session, type SessionKind, useSession } from '../core/session.ts';
import { apply } from '../storage/apply.ts';
import { findMember } from '../storage/members/member.ts';
import { findSessionBySecret } from '../storage/session.ts';
import type { Tx } from '../storage/store.ts';
import { sessionCookie } from './cookies.ts';

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
