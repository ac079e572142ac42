// The account page of browsers.
import type { Session } from '../../../core/session.ts';
import { browserName, seenAt } from '../../../operations/session/notice.ts';
import { livingSessions, signOutSession, signOutSessions } from '../../../operations/session/session.ts';
import { findSession } from '../../../storage/grants/session.ts';
import type { Tx } from '../../../storage/store.ts';
import { clearSessionCookie } from '../../cookies.ts';
import { pageForm } from '../../form.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendProblem } from '../../pages/problem.ts';
import { browserIcon } from '../facts.ts';
import { accountsWords } from '../providers/linked-accounts.ts';
import { agoOf, dayOf } from '../times.ts';
import {
  type AccountPage,
  accountPart,
  listLinks,
  redirectDone,
  sendAccountPage,
  type Visit,
} from './page.ts';
import { passkeysInShort } from './passkeys/list.ts';
import { passwordWords } from './password.ts';
import { twoStepRow } from './two-step/two-step.ts';

const url = '/account/sessions';

/**
 * GET and POST /account/sessions: the browsers that the member is signed in with (pages 17). An administrator
 * finds those of the portal too, named as such: a stranger in one of them would be worse than in any other.
 */
export const sessionsPage: AccountPage = { url, show, submit };

async function show(tx: Tx, visit: Visit): Promise<Answer> {
  const { session: own, member, deps } = visit;
  const now = deps.clock();
  const { page, next } = await livingSessions(tx, member, accountPart(visit), now, own);
  const links = listLinks(visit, url, next);
  // This browser stands at the head of the list, wherever its turn would be.
  const first = links.newest === null ? [own] : [];
  const browsers = [...first, ...page.toSorted((a, b) => b.lastUsedAt - a.lastUsedAt)].map((session) =>
    browserRow(visit, session, now),
  );
  const hasOthers = page.length > 0 || next !== null || links.newest !== null;
  const password = await passwordWords(tx, visit);
  const twoStep = await twoStepRow(tx, visit);
  const passkeys = await passkeysInShort(tx, visit);
  const accounts = await accountsWords(tx, visit);
  return () =>
    sendAccountPage(visit, {
      template: 'sessions',
      title: 'account.sessions.title',
      data: { browsers, links, hasOthers, password, twoStep, accounts, ...passkeys },
    });
}

function browserRow(visit: Visit, session: Session, now: number) {
  const { session: own, language } = visit;
  const { id, kind, userAgent, ipAddress, createdAt, lastUsedAt } = session;
  const isOwn = id === own.id;
  const { place, address } = seenAt(visit, ipAddress);
  const first = language.t('account.sessions.since', { date: dayOf(createdAt, language) });
  return {
    id,
    isOwn,
    drawing: browserIcon(userAgent),
    name: browserName(userAgent, language),
    about: [
      isOwn ? language.t('account.sessions.own') : null,
      kind === 'admin' ? language.t('account.sessions.portal') : null,
      place ?? address,
      // The time of use is written once an hour, but this browser is used right now.
      agoOf(isOwn ? now : lastUsedAt, now, language),
      first,
    ].filter((part) => part !== null),
  };
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
  const name = browserName(found.userAgent, language);
  return () => {
    if (id === own.id) clearSessionCookie(reply);
    return redirectDone(visit, url, 'signedOut', { name });
  };
}
