import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Consent, ConsentChange } from '../../../../core/access/consent.ts';
import { answerConsents } from '../../../../operations/access/consent.ts';
import { listConsentChanges, listConsents } from '../../../../storage/access/consent.ts';
import { listClients } from '../../../../storage/client.ts';
import type { Deps } from '../../../deps.ts';
import { type ConsentBox, readConsents } from '../../access/consent-form.ts';
import { accountPage, redirectDone, sendAccountPage, type Visit } from '../page.ts';
import { dayOf } from '../times.ts';

const url = '/account/consents';

/** GET and POST /account/consents: what the tenant asks for, and every answer so far (pages 18; decision 39). */
export function consentsPage(app: FastifyInstance, deps: Deps): void {
  accountPage(app, deps, url, { show, submit });
}

async function show(visit: Visit): Promise<FastifyReply> {
  const { member, deps } = visit;
  const { consents, changes, clients } = await deps.store.transaction(async (tx) => ({
    consents: await listConsents(tx, member.tenantId),
    changes: await listConsentChanges(tx, member.id),
    clients: await listClients(tx, member.tenantId),
  }));
  const nameOf = (id: string | null) => clients.find(({ clientId }) => clientId === id)?.name ?? id ?? '';
  return sendAccountPage(visit, {
    template: 'consents',
    title: 'account.consents.title',
    data: {
      consents: consents.map((consent) => boxOf(visit, consent, changes)),
      history: changes.toReversed().map((change) => ({
        name: change.name,
        answer: answerOf(visit, change),
        where: whereOf(visit, change, nameOf),
      })),
    },
  });
}

function boxOf(visit: Visit, consent: Consent, changes: readonly ConsentChange[]): ConsentBox {
  const last = changes.findLast(({ consentId }) => consentId === consent.id);
  return {
    ...consent,
    isTicked: last?.status === 'accepted',
    note: noteOf(visit, consent, last),
  };
}

/** What is said of a consent: the last answer, and whether it was to other words, which saving would change. */
function noteOf(visit: Visit, consent: Consent, last: ConsentChange | undefined): string {
  const { t, tag } = visit.language;
  if (last === undefined) return t('account.consents.never');
  const isToSameWords = last.name === consent.name && last.description === consent.description;
  if (isToSameWords || last.status === 'withdrawn') return answerOf(visit, last);
  return t('account.consents.changed', { date: dayOf(last.changedAt, tag) });
}

/** What was answered, and when. */
function answerOf({ language }: Visit, { status, changedAt }: ConsentChange): string {
  return language.t(`account.consents.${status}`, { date: dayOf(changedAt, language.tag) });
}

/** Where an answer was given: on one of our pages, or in an app. */
function whereOf(
  { language }: Visit,
  { source, clientId }: ConsentChange,
  nameOf: (clientId: string | null) => string,
): string {
  return source === 'api' ? nameOf(clientId) : language.t(`account.consents.source.${source}`);
}

async function submit(visit: Visit): Promise<FastifyReply> {
  const { request, member, deps } = visit;
  const { id: memberId, tenantId } = member;
  await deps.store.transaction(async (tx) => {
    const answers = readConsents(request, await listConsents(tx, tenantId));
    const answerer = { memberId, source: 'account', clientId: null, changedAt: deps.clock() } as const;
    await answerConsents(tx, tenantId, answers, answerer);
  });
  return redirectDone(visit, url, 'consents');
}
