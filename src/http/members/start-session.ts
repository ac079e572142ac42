import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import type { Member } from '../../core/members/member.ts';
import { beginSession, type Session } from '../../core/session.ts';
import { apply } from '../../storage/apply.ts';
import { updatePasswordHash } from '../../storage/member.ts';
import { saveKnownBrowser } from '../../storage/members/known-browser.ts';
import { clearSignInFailures } from '../../storage/members/sign-in-failure.ts';
import type { Tx } from '../../storage/store.ts';
import { browserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { currentSession } from '../session.ts';
import { hashEmail } from './credentials.ts';

const userAgentLength = 256;

/** A session that began; the secret goes into the browser's cookie after the commit. */
export interface StartedSession {
  readonly session: Session;
  readonly secret: string;
}

/**
 * Begins the session of a member whose credentials were right, or renews the one this browser has: the first
 * write of a whole flow.
 */
export async function startSession(
  tx: Tx,
  request: FastifyRequest,
  member: Member,
  newHash: string | null,
  deps: Deps,
): Promise<StartedSession> {
  const now = deps.clock();
  const secret = deps.random.secret();
  const current = await currentSession(tx, request, now);
  const { session, writes } = beginSession(
    current?.session ?? null,
    {
      id: deps.random.id(now),
      tenantId: request.tenant.id,
      memberId: member.id,
      secretHash: sha256(secret),
      userAgent: (request.headers['user-agent'] ?? '').slice(0, userAgentLength),
      ipAddress: request.ip,
    },
    now,
  );
  await apply(tx, writes);
  if (newHash !== null) await updatePasswordHash(tx, member.id, newHash);
  await clearSignInFailures(tx, request.tenant.id, hashEmail(member.email));
  const browser = sha256(browserCookie(request));
  await saveKnownBrowser(tx, member.id, browser, now);
  return { session, secret };
}
