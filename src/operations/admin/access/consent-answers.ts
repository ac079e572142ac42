/** Who agreed to what, when, and to which words: listed, narrowed and exported (GDPR art. 7 (1)). */
import type { ConsentStatus } from '../../../core/access/consent.ts';
import { isoTime } from '../../../core/access/iso-time.ts';
import {
  exactly,
  flag,
  list,
  oneOf,
  resource,
  text,
  textOrNull,
  time,
  wholeNumber,
} from '../../../json-schema.ts';
import {
  type ConsentAnswer,
  type ConsentAnswerFilter,
  listConsentAnswers,
} from '../../../storage/access/consent-answer.ts';
import { type Fields, onTenant } from '../define.ts';
import { limitField, pageOf } from '../fields.ts';
import { linesFile, linesMediaType, linesSchema, mostLinesField } from '../lines-file.ts';
import { memberField, memberIdField } from '../members/member-answer.ts';
import type { Operation } from '../operation.ts';
import { consentIdField } from './consents.ts';

const answerIdField = wholeNumber('The number of the answer', 4_711);
export const statusField = oneOf('ConsentStatus', 'What was answered', ['accepted', 'withdrawn']);
const holdsField = flag('Whether it is the member’s last answer to the consent');

const answerSchema = resource('ConsentRecord', 'An answer to a consent', {
  id: answerIdField,
  changedAt: time('When it was given'),
  memberId: memberIdField,
  email: textOrNull('The address of the member; null once the member was deleted', 'ada.nilsen@example.com'),
  consentId: consentIdField,
  status: statusField,
  holds: holdsField,
  name: text('What was agreed to, in the words of that day', 'Newsletter'),
  description: text('What stood below it that day', 'A mail every Friday with what is new.'),
  source: oneOf('ConsentSource', 'Where it was given', ['account', 'api', 'checkout', 'sign_up']),
  clientId: textOrNull('The client whose token was used; null on our own pages', null),
});

function answerOf({ id, changedAt, memberId, email, consentId, status, holds, ...said }: ConsentAnswer) {
  const { name, description, source, clientId } = said;
  const words = { name, description, source, clientId };
  return { id, changedAt: isoTime(changedAt), memberId, email, consentId, status, holds, ...words };
}

/** What narrows the answers, and where they go on. */
interface FilterInput {
  readonly consentId?: string;
  readonly memberId?: string;
  readonly status?: ConsentStatus;
  readonly holds?: boolean;
  readonly from?: string;
  readonly until?: string;
  readonly before?: number;
}

const filterFields: Fields = {
  consentId: consentIdField,
  memberId: memberField,
  status: statusField,
  holds: {
    ...holdsField,
    description: 'Only last answers of members, which hold, or only those before them',
  },
  from: time('From this moment on', '2026-01-01T00:00:00.000Z'),
  until: time('Before this moment', '2036-01-01T00:00:00.000Z'),
  before: { ...answerIdField, description: 'The number of the last answer of the page before' },
};

function filterOf({
  from,
  until,
  consentId,
  memberId,
  status,
  holds,
  before,
}: FilterInput): ConsentAnswerFilter {
  return {
    ...(consentId === undefined ? {} : { consentId }),
    ...(memberId === undefined ? {} : { memberId }),
    ...(status === undefined ? {} : { status }),
    ...(holds === undefined ? {} : { holds }),
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
    ...(before === undefined ? {} : { before }),
  };
}

const listed = onTenant<FilterInput & { readonly limit: number }>({
  name: 'consentAnswers.list',
  summary: 'List who agreed to what and who took it back, when and to which words, the newest first',
  portal: {
    list: {
      title: 'Consent answers',
      columns: ['changedAt', 'email', 'memberId', 'consentId', 'status', 'holds', 'name', 'source'],
      lead: 'Who agreed to what and who took it back, with the words of that day, newest first.',
    },
  },
  permission: 'members:read',
  method: 'GET',
  path: '/consent-answers',
  optional: { ...filterFields, limit: limitField },
  output: exactly('A page of answers, newest first', {
    answers: list('Answers', answerSchema),
    next: {
      ...wholeNumber('What the next page takes as `before`; null on the last one', 4_711),
      type: ['integer', 'null'],
    },
  }),
  run: async ({ tx, tenant }, { limit, ...input }) => {
    const found = await listConsentAnswers(tx, tenant.id, filterOf(input), limit + 1);
    const { page, last } = pageOf(found, limit);
    return { answers: page.map(answerOf), next: last?.id ?? null };
  },
});

const exported = onTenant<FilterInput & { readonly limit?: number }>({
  name: 'consentAnswers.export',
  summary: 'Write who agreed to what, when and to which words to a file, one JSON object a line',
  portal: { page: 'consentAnswers.list' },
  permission: 'members:read',
  method: 'GET',
  path: '/consent-answers/export',
  optional: { ...filterFields, limit: mostLinesField },
  output: linesSchema,
  mediaType: linesMediaType,
  run: async ({ tx, tenant }, { limit, ...input }) =>
    linesFile<ConsentAnswer>(tx, {
      read: (own, behind, atMost) => {
        const filter = filterOf(behind === null ? input : { ...input, before: behind.id });
        return listConsentAnswers(own, tenant.id, filter, atMost);
      },
      lineOf: answerOf,
      most: limit,
    }),
});

export const consentAnswerOperations: readonly Operation[] = [listed, exported];
