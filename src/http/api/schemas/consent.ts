// The schemas of consents.
import { exactly, list, named, text, timeOrNull } from '../../../json-schema.ts';
import { statusField } from '../../../operations/admin/access/consent-answers.ts';

const consentIdField = named('ConsentId', text('The consent.', 'newsletter'));
const status = {
  ...statusField,
  description: 'What the member says to it; a member who never answered has not accepted.',
};

export const consentSchema = named(
  'Consent',
  exactly('Something the tenant asks its members to agree to, and the answer of this member.', {
    id: consentIdField,
    name: text('Name of the consent.', 'Newsletter'),
    description: text('What the member agrees to.', 'A mail every Friday with what is new.'),
    status,
    changedAt: timeOrNull('When the member last changed the answer (UTC); null if there was none.'),
  }),
);

export const consentsSchema = named(
  'Consents',
  exactly('The consents of a member.', {
    consents: list('Every consent that the tenant asks for, by id.', consentSchema),
  }),
);

export const consentAnswerSchema = named('ConsentAnswer', exactly('The answer to one consent.', { status }));

export const consentAnswersSchema = named(
  'ConsentAnswers',
  exactly('The answers to several consents, each of them once.', {
    consents: {
      ...list('The answers.', exactly('The answer to one consent.', { id: consentIdField, status })),
      minItems: 1,
    },
  }),
);
