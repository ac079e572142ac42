import type { FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import type { Member } from '../../core/members/member.ts';
import { hashEmail } from '../../core/members/sign-in-limit.ts';
import { beginSession, type Session, type SessionKind } from '../../core/session.ts';
import { apply } from '../../storage/apply.ts';
import { hasKnownBrowser, isKnownBrowser, saveKnownBrowser } from '../../storage/members/known-browser.ts';
import { updatePasswordHash } from '../../storage/members/member.ts';
import { clearSignInFailures } from '../../storage/members/sign-in-failure.ts';
import type { Tx } from '../../storage/store.ts';
import { browserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { requestLanguage } from '../pages/language.ts';
import { currentSession } from '../session.ts';
import { browserName } from './browser-name.ts';
import { noticeUrl } from './notice.ts';
import { seenAt } from './seen-at.ts';

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
  kind: SessionKind = 'member',
): Promise<StartedSession> {
  const now = deps.clock();
  const secret = deps.random.secret();
  const current = await currentSession(tx, request, now, kind);
  const { session, writes } = beginSession(
    current?.session ?? null,
    {
      id: deps.random.id(now),
      tenantId: request.tenant.id,
      memberId: member.id,
      kind,
      secretHash: sha256(secret),
      userAgent: (request.headers['user-agent'] ?? '').slice(0, userAgentLength),
      ipAddress: request.address,
    },
    now,
  );
  await apply(tx, writes);
  if (newHash !== null) await updatePasswordHash(tx, member.id, newHash);
  await clearSignInFailures(tx, request.tenant.id, hashEmail(member.email));
  const browser = sha256(browserCookie(request));
  const isNew = !(await isKnownBrowser(tx, member.id, browser)) && (await hasKnownBrowser(tx, member.id));
  if (isNew) await mailNewBrowser(tx, request, member, session, deps);
  await saveKnownBrowser(tx, member.id, browser, now);
  return { session, secret };
}

/** Tells a member of a browser that was not used before; the first one of all is no news. */
function mailNewBrowser(
  tx: Tx,
  request: FastifyRequest,
  member: Member,
  session: Session,
  deps: Deps,
): Promise<void> {
  const language = requestLanguage(request, [member.locale]);
  const { place, address } = seenAt({ language, deps }, session.ipAddress);
  const at = session.authenticatedAt;
  return deps.mails.queue(tx, request.tenant, {
    name: 'newBrowser',
    to: member.email,
    language: language.tag,
    values: {
      fullName: member.fullName,
      browser: browserName(session.userAgent, language),
      place: place ?? address,
      time: at,
    },
    link: noticeUrl(request.tenant, { memberId: member.id, at, what: { sessionId: session.id } }),
  });
}
