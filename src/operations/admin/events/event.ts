// How operations answer an event.
import {
  type EventKind,
  type EventType,
  eventKinds,
  eventTypes,
  isNumber,
} from '../../../core/events/event.ts';
import * as s from '../../json-schema.ts';

const eventTypeField = {
  ...s.oneOf('EventType', 'What happened', eventTypes),
  enumMeans: Object.fromEntries(eventTypes.map((type) => [type, eventKinds[type].words])),
};

/** What a list of types is, for those who choose from all. */
export const eventTypesField = s.someOfTexts<EventType>(
  'Which types of events; all of them where it is left out',
  eventTypeField,
  'member.created',
  'subscription.ended',
);

const memberIdField = s.text('The member', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a01');

/** What may stand in the data of an event: each type has some of it. */
const dataFields = {
  memberId: memberIdField,
  ...Object.fromEntries(
    (Object.values(eventKinds) as readonly EventKind[]).flatMap(({ subject, detail }) =>
      [subject, detail].flatMap((name) => (name === undefined ? [] : [[name, dataField(name)]])),
    ),
  ),
  clientId: s.text('The client', 'example-app'),
  changed: s.texts('The names of the fields that changed', 'email', 'emailVerified'),
};

function dataField(name: string): s.Schema {
  if (isNumber(name)) return s.wholeNumber(dataWords(name), 41);
  return s.text(dataWords(name), name === 'reason' ? 'signed_out' : '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a04');
}

function dataWords(name: string): string {
  if (name === 'reason') return 'Why';
  if (name === 'status') return 'What the member answered: accepted or withdrawn';
  return name === 'provider' ? 'The key of the provider' : 'Its id';
}

export const eventSchema = s.resource('Event', 'An event', {
  id: s.text('UUIDv7: the same each time it is told', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a11'),
  number: s.wholeNumber('Counts up within the tenant', 4_711),
  type: eventTypeField,
  timestamp: s.time('When it happened'),
  tenantId: s.text('The tenant', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a00'),
  data: s.someOf('Whom and what it is about: ids, and the names of fields', dataFields),
});
