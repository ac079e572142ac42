// The account page of browsers.
import { browserName } from '../../../operations/session/notice.ts';
import { livingSessions, signOutSession, signOutSessions } from '../../../operations/session/session.ts';
import { findSession } from '../../../storage/session.ts';
import type { Tx } from '../../../storage/store.ts';
import { clearSessionCookie } from '../../cookies.ts';
import { pageForm } from '../../form.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendProblem } from '../../pages/problem.ts';
import { placeFacts, shownFacts } from '../facts.ts';
import { agoOf, dayOf } from '../times.ts';
import {
  type AccountPage,
  accountPart,
  listLinks,
  redirectDone,
  sendAccountPage,
  type Visit,
} from './page.ts';

const url = '/account/sessions';

/**
 * GET and POST /account/sessions: the browsers that the member is signed in with (pages 17). An administrator
 * finds those of the portal too, named as such: a stranger in one of them would be worse than in any other.
 */
export const sessionsPage: AccountPage = { url, show, submit };

async function show(tx: Tx, visit: Visit): Promise<Answer> {
  const { session: own, member, language, deps } = visit;
  const { tag } = language;
  const now = deps.clock();
  const { page, next } = await livingSessions(tx, member, accountPart(visit), now, own);
  const links = listLinks(visit, url, next);
  // This browser stands at the head of the list, wherever its turn would be.
  const first = links.newest === null ? [own] : [];
  const browsers = [...first, ...page.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)].map((session) => {
    const facts = [
      ['account.firstUsed', dayOf(session.createdAt, tag)],
      // The time of use is written once an hour, but this browser is used right now.
      ['account.lastUsed', agoOf(session.id === own.id ? now : session.lastUsedAt, now, tag)],
      ...placeFacts(visit, session.ipAddress),
    ] as const;
    return {
      id: session.id,
      isOwn: session.id === own.id,
      isPortal: session.kind === 'admin',
      name: browserName(session.userAgent, language),
      facts: shownFacts(language, facts),
    };
  });
  const hasOthers = page.length > 0 || next !== null || links.newest !== null;
  return () =>
    sendAccountPage(visit, {
      template: 'sessions',
      title: 'account.sessions.title',
      data: { browsers, links, hasOthers },
    });
}

async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, session: own, member, language } = visit;
  const { session: id = '', action } = pageForm(request, ['session', 'action']);
  if (action === 'sign-out-others') {
    await signOutSessions(tx, member.id, own.id);
    return () => redirectDone(visit, url, 'otherSessions');
  }
  const found = await findSession(tx, member.tenantId, id);
  if (found?.memberId !== member.id) return () => sendProblem(reply, 'notFound', { language });
  await signOutSession(tx, found);
  return () => {
    if (id === own.id) clearSessionCookie(reply);
    return redirectDone(visit, url, 'signedOut');
  };
}
