// The operations on consents, and on who agreed to what, when, and to which words (GDPR art. 7 (1)).

import { type Consent, consentOf } from '../../../core/access/consent.ts';
import { accessIdPattern } from '../../../core/access/content-channel.ts';
import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import { packageTextLength } from '../../../core/access/limits.ts';
import { listLook } from '../../../core/operators/limits.ts';
import {
  findConsents,
  listConsentAnswers,
  listEveryConsent,
  listLastConsentChanges,
  lookAtConsentAnswers,
} from '../../../storage/access/consent.ts';
import { answerConsents, defineConsent } from '../../access/consent.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { keyedList, listWithFile, momentFields, nextNumber, sortField, withMs } from '../list.ts';
import { memberField, memberFor, memberIdField } from '../members/member.ts';
import type { Operation } from '../operation.ts';
import { isNotYet } from '../portal-face.ts';

export const consentIdField = s.named(
  'ConsentId',
  s.held(s.text('The id of the consent: small letters, digits and hyphens', 'newsletter'), {
    pattern: accessIdPattern.source,
  }),
);
/** What is said of a consent. */
export const consentFields = {
  name: s.held(s.text('What members agree to', 'Newsletter'), s.nameRule(packageTextLength.name)),
  description: s.held(
    s.text('What members read below the name', 'A mail every Friday with what is new.'),
    s.linesRule(packageTextLength.description),
  ),
  atSignUp: s.flag('Whether it is asked for at sign-up'),
  atCheckout: s.flag('Whether it is asked for at checkout'),
} as const;

const consentSchema = s.resource('ConsentDefinition', 'A consent', {
  id: consentIdField,
  ...consentFields,
  retiredAt: s.timeOrNull('From when on it is not asked for any more', null),
});

function consentAnswer({ tenantId: _, retiredAt, ...consent }: Consent) {
  return { ...consent, retiredAt: isoTimeOrNull(retiredAt) };
}

const listed = onTenant(
  keyedList({
    name: 'consents.list',
    summary: 'List the consents that a tenant asks for, or ever asked for',
    permission: 'access:read',
    route: 'GET /consents',
    title: 'Consents',
    lead: 'What members are asked to agree to.',
    columns: ['name', 'id', 'atSignUp', 'atCheckout', 'retiredAt'],
    entry: { field: 'consentId', key: 'id' },
    of: 'consents',
    page: 'A page of consents, by id',
    schema: consentSchema,
    read: async ({ tx, tenant }, page) => (await listEveryConsent(tx, tenant.id, page)).map(consentAnswer),
  }),
);

const defined = onTenant({
  name: 'consents.define',
  summary: 'Define a consent, or change the one of that id; answers keep the words they answered',
  portal: { page: 'consents.list', reads: 'consents.list' },
  permission: 'access:write',
  route: 'PUT /consents/{consentId}',
  fields: { consentId: consentIdField, name: consentFields.name },
  optional: {
    description: { ...consentFields.description, default: '' },
    atSignUp: { ...consentFields.atSignUp, default: false },
    atCheckout: { ...consentFields.atCheckout, default: false },
  },
  output: consentSchema,
  run: async ({ tx, tenant }, { consentId: id, name, description, atSignUp, atCheckout }) => {
    const said = { id, name: name.trim(), description, atSignUp, atCheckout };
    const consent = { ...said, tenantId: tenant.id, retiredAt: null };
    await defineConsent(tx, consent);
    return consentAnswer(consent);
  },
});

const retired = onTenant({
  name: 'consents.retire',
  summary: 'Ask for a consent no more; what was answered is kept',
  portal: { page: 'consents.list', reads: 'consents.list', ends: 'forGood', fits: isNotYet('retiredAt') },
  permission: 'access:write',
  route: 'DELETE /consents/{consentId}',
  fields: { consentId: consentIdField },
  output: consentSchema,
  run: async ({ tx, tenant, now }, { consentId }) => {
    const known = (await listEveryConsent(tx, tenant.id)).find(({ id }) => id === consentId);
    if (known === undefined) throw unknown('consent');
    const consent = { ...known, retiredAt: known.retiredAt ?? now };
    await defineConsent(tx, consent);
    return consentAnswer(consent);
  },
});

export const statusField = s.oneOf('ConsentStatus', 'What was answered', ['accepted', 'withdrawn']);

const answered = onTenant({
  name: 'consents.answer',
  summary: 'Note what a member answered to a consent elsewhere, such as in a newsletter tool',
  permission: 'members:write',
  portal: {
    page: 'members.read',
    reads: 'members.read',
    choices: { consentId: 'consents.list' },
    label: 'Note a consent',
    done: 'The answer is noted.',
  },
  route: 'PUT /members/{memberId}/consents',
  fields: { memberId: memberField, consentId: consentIdField, status: statusField },
  output: s.resource('ConsentOfMember', 'A consent, and the last answer of the member', {
    memberId: memberIdField,
    id: consentIdField,
    name: consentFields.name,
    description: consentFields.description,
    status: statusField,
    changedAt: s.timeOrNull('When it was last answered otherwise than before'),
  }),
  run: async (context, { memberId, consentId, status }) => {
    const { tx, tenant, actor, now } = context;
    const member = await memberFor(context, memberId);
    const [consent] = await findConsents(tx, tenant.id, [consentId]);
    if (consent === undefined) throw unknown('consent');
    const clientId = actor.kind === 'client' ? actor.clientId : null;
    const answerer = { memberId: member.id, source: 'api', clientId, changedAt: now } as const;
    await answerConsents(tx, tenant.id, new Map([[consentId, status]]), answerer);
    const last = await listLastConsentChanges(tx, member, [consentId]);
    return { memberId: member.id, ...consentOf(consent, last) };
  },
});

export const consentOperations: readonly Operation[] = [listed, defined, retired, answered];

const answerIdField = s.wholeNumber('The number of the answer', 4_711);
const holdsField = s.flag('Whether it is the member’s last answer to the consent');

const answerSchema = s.resource('ConsentRecord', 'An answer to a consent', {
  id: answerIdField,
  changedAt: s.time('When it was given'),
  memberId: memberIdField,
  email: s.textOrNull(
    'The address of the member; null once the member was deleted',
    'ada.nilsen@example.com',
  ),
  memberName: s.textOrNull('The name of the member; null once the member was deleted', 'Ada Nilsen'),
  consentId: consentIdField,
  status: statusField,
  holds: holdsField,
  name: s.text('What was agreed to, in the words of that day', 'Newsletter'),
  description: s.text('What stood below it that day', 'A mail every Friday with what is new.'),
  source: s.oneOf('ConsentSource', 'Where it was given', ['account', 'api', 'checkout', 'import', 'sign_up']),
  clientId: s.textOrNull('The client whose token was used; null on our own pages', null),
});

const answers = listWithFile({
  name: 'consentAnswers.list',
  summary: 'List who agreed to what and who took it back, when and to which words, the newest first',
  permission: 'members:read',
  route: 'GET /consent-answers',
  title: 'Consent answers',
  lead: 'Who agreed to what and who took it back, with the words of that day, newest first.',
  columns: ['changedAt', 'memberId', 'consentId', 'status', 'holds', 'name', 'source'],
  of: 'answers',
  page: 'A page of answers, newest first',
  schema: answerSchema,
  next: nextNumber(4_711),
  narrowing: {
    consentId: consentIdField,
    memberId: memberField,
    status: statusField,
    holds: {
      ...holdsField,
      description: 'Only last answers of members, which hold, or only those before them',
    },
    ...momentFields,
    sort: sortField('-changedAt', 'changedAt'),
    before: { ...answerIdField, description: 'The number of the last answer of the page before' },
  },
  read: ({ tx, tenant }, filter, limit) => listConsentAnswers(tx, tenant.id, withMs(filter), limit),
  look: ({ tx, tenant }, filter, limit) =>
    lookAtConsentAnswers(tx, tenant.id, withMs(filter), limit, listLook),
  answer: (answer) => s.pick(answerSchema, { ...answer, changedAt: isoTime(answer.changedAt) }),
  key: 'id',
  file: {
    name: 'consentAnswers.export',
    summary: 'Write who agreed to what, when and to which words to a file, one a line',
  },
});

export const consentAnswerOperations: readonly Operation[] = [onTenant(answers.list), onTenant(answers.file)];
