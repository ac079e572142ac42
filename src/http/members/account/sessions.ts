import type { FastifyInstance, FastifyReply } from 'fastify';
import { endSession, type Session } from '../../../core/session.ts';
import { auditDeed } from '../../../operations/audit/audit.ts';
import { livingSessions } from '../../../operations/session/session.ts';
import { apply } from '../../../storage/apply.ts';
import { findSession, listActiveSessions } from '../../../storage/session.ts';
import type { Tx } from '../../../storage/store.ts';
import { clearSessionCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { sendProblem } from '../../pages/problem.ts';
import { actIn } from '../../session.ts';
import { browserName } from '../browser-name.ts';
import { seenAt } from '../seen-at.ts';
import { accountPart, listLinks } from './list.ts';
import { accountPage, redirectDone, sendAccountPage, type Visit } from './page.ts';
import { agoOf, dayOf } from './times.ts';

const url = '/account/sessions';

/**
 * GET and POST /account/sessions: the browsers that the member is signed in with (pages 17). An administrator
 * finds those of the portal too, named as such: a stranger in one of them would be worse than in any other.
 */
export function sessionsPage(app: FastifyInstance, deps: Deps): void {
  accountPage(app, deps, url, { show, submit });
}

async function show(visit: Visit): Promise<FastifyReply> {
  const { session: own, member, language, deps } = visit;
  const { t, tag } = language;
  const now = deps.clock();
  const { page, next } = await deps.store.transaction((tx) =>
    livingSessions(tx, member, accountPart(visit), now, own),
  );
  const links = listLinks(visit, url, next);
  // This browser stands at the head of the list, wherever its turn would be.
  const first = links.newest === null ? [own] : [];
  const browsers = [...first, ...page.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)].map((session) => {
    const { place, address } = seenAt(visit, session.ipAddress);
    const facts = [
      ['account.firstUsed', dayOf(session.createdAt, tag)],
      // The time of use is written once an hour, but this browser is used right now.
      ['account.lastUsed', agoOf(session.id === own.id ? now : session.lastUsedAt, now, tag)],
      ['device.approve.place', place],
      ['device.approve.address', address],
    ] as const;
    return {
      id: session.id,
      isOwn: session.id === own.id,
      isPortal: session.kind === 'admin',
      name: browserName(session.userAgent, language),
      facts: facts.flatMap(([label, value]) => (value ? [{ label: t(label), value }] : [])),
    };
  });
  return sendAccountPage(visit, {
    template: 'sessions',
    title: 'account.sessions.title',
    data: { browsers, links, hasOthers: page.length > 0 || next !== null || links.newest !== null },
  });
}

async function submit(visit: Visit): Promise<FastifyReply> {
  const { request, reply, session: own } = visit;
  const { session: id = '', action } = pageForm(request, ['session', 'action']);
  if (action === 'sign-out-others') {
    await actIn(visit, async (tx, { member }) => {
      for (const session of await listActiveSessions(tx, member.id)) {
        if (session.id !== own.id) await end(tx, session);
      }
    });
    return redirectDone(visit, url, 'otherSessions');
  }
  const isFound = await actIn(visit, async (tx, { member }) => {
    const found = await findSession(tx, member.tenantId, id);
    if (found?.memberId !== member.id) return false;
    await end(tx, found);
    return true;
  });
  if (!isFound) return sendProblem(reply, 'notFound', { language: visit.language });
  if (id === own.id) clearSessionCookie(reply);
  return redirectDone(visit, url, 'signedOut');
}

/** The end of a portal's session is told by whoever ends it: its write alone means none (`meaningOf`). */
async function end(tx: Tx, session: Session): Promise<void> {
  const writes = endSession(session);
  await apply(tx, writes);
  if (session.kind !== 'admin' || writes.length === 0) return;
  const { memberId, id: target } = session;
  await auditDeed(tx, { event: 'session_ended', memberId, target, reason: 'of the portal' });
}
