import { exactly, list, type NamedSchema, oneOf, reference, text, timeOrNull } from '../../../json-schema.ts';

const status = oneOf('What the member says to it. Whoever never answered has not accepted.', [
  'accepted',
  'withdrawn',
]);

const consent: NamedSchema = {
  $id: 'Consent',
  ...exactly('Something the tenant asks its members to agree to, and the answer of this member.', {
    id: text('The consent.', 'newsletter'),
    name: text('Name of the consent.', 'Newsletter'),
    description: text('What the member agrees to.', 'A mail every Friday with what is new.'),
    status,
    changedAt: timeOrNull('When the member last changed the answer (UTC); null if there was none.'),
  }),
};

const consents: NamedSchema = {
  $id: 'Consents',
  ...exactly('The consents of a member.', {
    consents: list('Every consent that the tenant asks for, by id.', reference('Consent')),
  }),
};

const consentAnswer: NamedSchema = {
  $id: 'ConsentAnswer',
  ...exactly('The answer to one consent.', { status }),
};

const consentAnswers: NamedSchema = {
  $id: 'ConsentAnswers',
  ...exactly('The answers to several consents, each of them once.', {
    consents: {
      ...list(
        'The answers.',
        exactly('The answer to one consent.', { id: text('The consent.', 'newsletter'), status }),
      ),
      minItems: 1,
    },
  }),
};

/** The schemas of consents. */
export const consentSchemas: readonly NamedSchema[] = [consent, consents, consentAnswer, consentAnswers];
