// The account page of consents.
import type { Consent, ConsentChange } from '../../../core/access/consent.ts';
import { consentHistoryShown } from '../../../core/access/limits.ts';
import { shownName } from '../../../core/members/details.ts';
import { accountListLength } from '../../../core/members/limits.ts';
import { answerConsents, takeConsentAnswer } from '../../../operations/access/consent.ts';
import {
  findConsents,
  listConsents,
  listLastConsentChanges,
  listNewestConsentChanges,
} from '../../../storage/access/consent.ts';
import { findRegisteredClient } from '../../../storage/clients/client.ts';
import type { Tx } from '../../../storage/store.ts';
import { countedMember } from '../../limit-reached.ts';
import type { Answer } from '../../pages/guarded-page.ts';
import { sendProblem } from '../../pages/problem.ts';
import { askedConsents, type ChangedConsent, changedConsents, readConsents } from '../consent-form.ts';
import { dayOf } from '../times.ts';
import { type AccountPage, beforeIn, listLinks, redirectDone, sendAccountPage, type Visit } from './page.ts';

const url = '/account/consents';

/** GET and POST /account/consents: what the tenant asks for, and the answers so far (pages 18; decision 39). */
export const consentsPage: AccountPage = { url, show: (tx, visit) => showForm(tx, visit, []), submit };

/** @param changed what was answered in words that are not those of today: it is asked for again */
async function showForm(tx: Tx, visit: Visit, changed: readonly ChangedConsent[]): Promise<Answer> {
  const { member, language } = visit;
  const after = beforeIn(visit);
  const from = after === undefined ? {} : { after };
  const read = await listConsents(tx, member.tenantId, { ...from, limit: accountListLength + 1 });
  const ids = read.map(({ id }) => id);
  const last = await listLastConsentChanges(tx, member, ids);
  const newest = await listNewestConsentChanges(tx, member.id, consentHistoryShown);
  const names = await namesOf(tx, newest);
  const consents = read.slice(0, accountListLength);
  const next = read.length > accountListLength ? (consents.at(-1)?.id ?? null) : null;
  const nameOf = (id: string | null) => shownName(names.get(id ?? '') ?? id ?? '');
  return () =>
    sendAccountPage(visit, {
      template: 'consents',
      title: 'account.consents.title',
      problems: changed.map(({ id, name }) => ({
        field: `consent-${id}`,
        text: language.t('account.consents.error.changed', { name }),
      })),
      data: {
        links: listLinks(visit, url, next),
        consents: consents.map((consent) => {
          const change = last.find(({ consentId }) => consentId === consent.id);
          // A tick that was taken away stays away; one that was set for other words is not one for these.
          const isKept = changed.find(({ id }) => id === consent.id)?.wasTicked ?? true;
          const isTicked = change?.status === 'accepted' && isKept;
          return { ...consent, isTicked, note: noteOf(visit, consent, change) };
        }),
        history: newest.map((change) => ({
          name: change.name,
          answer: answerOf(visit, change),
          // On one of our pages, or in an app.
          where:
            change.source === 'api'
              ? nameOf(change.clientId)
              : language.t(`account.consents.source.${change.source}`),
        })),
      },
    });
}

/** The names of the apps in which answers were given, by client_id. */
async function namesOf(tx: Tx, changes: readonly ConsentChange[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const { tenantId, clientId } of changes) {
    if (clientId === null || names.has(clientId)) continue;
    names.set(clientId, (await findRegisteredClient(tx, tenantId, clientId))?.name ?? clientId);
  }
  return names;
}

/** What is said of a consent: the last answer, and whether it was to other words, which saving would change. */
function noteOf(visit: Visit, consent: Consent, last: ConsentChange | undefined): string {
  const { language } = visit;
  const { t } = language;
  if (last === undefined) return t('account.consents.never');
  const isToSameWords = last.name === consent.name && last.description === consent.description;
  if (isToSameWords || last.status === 'withdrawn') return answerOf(visit, last);
  return t('account.consents.changed', { date: dayOf(last.changedAt, language) });
}

/** What was answered, and when. */
function answerOf({ language }: Visit, { status, changedAt }: ConsentChange): string {
  return language.t(`account.consents.${status}`, { date: dayOf(changedAt, language) });
}

/** Saves the answers to what the page showed in the words of today, and asks again for the others. */
async function submit(tx: Tx, visit: Visit): Promise<Answer> {
  const { request, reply, member, language, deps } = visit;
  const wait = await takeConsentAnswer(tx, deps.rateLimiter, member.id);
  if (wait !== null) {
    const ways = [{ href: url, text: 'account.consents.title' }];
    const problem = { language, limitKey: countedMember(member.id), ways };
    return () => sendProblem(reply.header('retry-after', wait), 'tooManyAnswers', problem);
  }
  const { id: memberId, tenantId } = member;
  const consents = await findConsents(tx, tenantId, askedConsents(request));
  const answerer = { memberId, source: 'account', clientId: null, changedAt: deps.clock() } as const;
  await answerConsents(tx, tenantId, readConsents(request, consents), answerer);
  const changed = changedConsents(request, consents);
  return changed.length > 0 ? showForm(tx, visit, changed) : () => redirectDone(visit, url, 'consents');
}
