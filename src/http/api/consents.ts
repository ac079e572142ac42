// The member API's routes for consents.
import { type ConsentOfMember, type ConsentStatus, consentOf } from '../../core/access/consent.ts';
import { answerConsents, giveBackConsentAnswer, takeConsentAnswer } from '../../operations/access/consent.ts';
import { statusField } from '../../operations/admin/access/consents.ts';
import { exactly, list, named, resource, text, timeOrNull } from '../../operations/json-schema.ts';
import { listConsents, listLastConsentChanges } from '../../storage/access/consent.ts';
import type { RateLimiter } from '../../storage/memory/rate-limit.ts';
import type { Tx } from '../../storage/store.ts';
import { type ApiAnswer, type ApiRoute, type Call, isFirstParty, profileUrl } from './route.ts';

const consentIdField = named('ConsentId', text('The consent.', 'newsletter'));
const status = {
  ...statusField,
  description: 'What the member says to it; a member who never answered has not accepted.',
};

const consentSchema = resource(
  'Consent',
  'Something the tenant asks its members to agree to, and the answer of this member.',
  {
    id: consentIdField,
    name: text('Name of the consent.', 'Newsletter'),
    description: text('What the member agrees to.', 'A mail every Friday with what is new.'),
    status,
    changedAt: timeOrNull('When the member last changed the answer (UTC); null if there was none.'),
  },
);

const consentsSchema = resource('Consents', 'The consents of a member.', {
  consents: list('Every consent that the tenant asks for, by id.', consentSchema),
});

const consentAnswerSchema = resource('ConsentAnswer', 'The answer to one consent.', { status });

const consentAnswersSchema = resource(
  'ConsentAnswers',
  'The answers to several consents, each of them once.',
  {
    consents: {
      ...list('The answers.', exactly('The answer to one consent.', { id: consentIdField, status })),
      minItems: 1,
    },
  },
);

const url = `${profileUrl}/consents`;
const oneUrl = `${url}/:consentId`;
const params = exactly('', { consentId: text('The consent.', 'newsletter') });

const unknown: ApiAnswer = { status: 404, description: 'there is no such consent' };

/**
 * The consents that the tenant asks for, with the member's answers (decisions 5 and 39). No scope gives them to a
 * third party's client: it sees none (decision 41).
 */
async function consentsOf(tx: Tx, call: Call): Promise<readonly ConsentOfMember[]> {
  if (!(await isFirstParty(tx, call))) return [];
  const { tenant, member } = call;
  const changes = await listLastConsentChanges(tx, member);
  return (await listConsents(tx, tenant.id)).map((consent) => consentOf(consent, changes));
}

async function oneConsent(tx: Tx, call: Call): Promise<ApiAnswer> {
  const { consentId } = call.params as { readonly consentId: string };
  const found = (await consentsOf(tx, call)).find(({ id }) => id === consentId);
  return found === undefined ? unknown : { status: 200, body: found };
}

/** Records answers, all of them or none. @returns null if they were recorded, else why they were not */
async function answer(
  tx: Tx,
  call: Call,
  answers: ReadonlyMap<string, ConsentStatus>,
): Promise<ApiAnswer | null> {
  const { tenant, member, clientId, now } = call;
  if (!(await isFirstParty(tx, call))) {
    return { status: 403, description: 'only the clients of the tenant itself may answer for a member' };
  }
  const known = new Set((await listConsents(tx, tenant.id)).map(({ id }) => id));
  if ([...answers.keys()].some((id) => !known.has(id))) return unknown;
  const answerer = { memberId: member.id, source: 'api', clientId, changedAt: now } as const;
  await answerConsents(tx, tenant.id, answers, answerer);
  return null;
}

/**
 * Holds the routes that answer consents to what a member may do in a minute and in a day. What was refused
 * is not counted: the app of a third party must not use it up.
 */
export function limitAnswers(route: ApiRoute, limiter: RateLimiter): ApiRoute {
  if (route.tag !== 'consents' || route.method !== 'PUT') return route;
  return {
    ...route,
    handle: async (tx, call, found) => {
      const { id: memberId } = call.member;
      const retryAfter = await takeConsentAnswer(tx, limiter, memberId);
      if (retryAfter !== null) return { status: 429, retryAfter, memberId };
      const answered = await route.handle(tx, call, found);
      if (answered.status !== 200) await giveBackConsentAnswer(tx, limiter, memberId);
      return answered;
    },
  };
}

const whatIsRead =
  "that the tenant asks its members to agree to, and what this member says to it. A third party's client sees none of it.";
const whatPutDoes =
  'Only the clients of the tenant itself may do it. The same answer again changes nothing; each change is kept with its time, its client and the words it was an answer to.';

/** GET and PUT /api/v1/members/profile/consents, and one of them below it (decisions 5 and 39). */
export const consentRoutes: readonly ApiRoute[] = [
  {
    method: 'GET',
    url,
    operationId: 'listConsents',
    tag: 'consents',
    summary: 'The consents of the member',
    description: `Everything ${whatIsRead}`,
    answer: consentsSchema,
    refusals: [],
    handle: async (tx, call) => ({ status: 200, body: { consents: await consentsOf(tx, call) } }),
  },
  {
    method: 'PUT',
    url,
    operationId: 'answerConsents',
    tag: 'consents',
    summary: 'Answer several consents',
    description: `Records several answers, all of them or none; the consents that are not named stay as they are. ${whatPutDoes}`,
    body: consentAnswersSchema,
    answer: consentsSchema,
    refusals: [400, 403, 404, 413, 415],
    handle: async (tx, call) => {
      const { consents } = call.body as {
        readonly consents: readonly { id: string; status: ConsentStatus }[];
      };
      const answers = new Map(consents.map(({ id, status }) => [id, status]));
      if (answers.size < consents.length) {
        return { status: 400, description: 'a consent was answered more than once' };
      }
      const refused = await answer(tx, call, answers);
      return refused ?? { status: 200, body: { consents: await consentsOf(tx, call) } };
    },
  },
  {
    method: 'GET',
    url: oneUrl,
    operationId: 'getConsent',
    tag: 'consents',
    summary: 'One consent of the member',
    description: `Something ${whatIsRead}`,
    params,
    answer: consentSchema,
    refusals: [404],
    handle: oneConsent,
  },
  {
    method: 'PUT',
    url: oneUrl,
    operationId: 'answerConsent',
    tag: 'consents',
    summary: 'Answer one consent',
    description: `Records an answer. ${whatPutDoes}`,
    params,
    body: consentAnswerSchema,
    answer: consentSchema,
    refusals: [400, 403, 404, 413, 415],
    handle: async (tx, call) => {
      const { consentId } = call.params as { readonly consentId: string };
      const { status } = call.body as { readonly status: ConsentStatus };
      return (await answer(tx, call, new Map([[consentId, status]]))) ?? oneConsent(tx, call);
    },
  },
];
