// An event of the audit as a line of a page: a sentence whose names lead to their pages, and from where it came.

import { say } from '../../../../text/portal.ts';
import { mayCall } from '../../call.ts';
import { addressOf, operationNamed } from '../addresses.ts';
import type { LinePart } from '../values.ts';
import type { Visit } from '../visitor.ts';
import { type Sentence, type SentencePart, sentenceOf, type ToldEvent } from './sentences.ts';

/** An event with when and from where it was, as lists and pages of one thing answer it. */
export interface HappenedEvent extends ToldEvent {
  readonly at: string;
  readonly address: string | null;
}

export interface EventLine {
  readonly tag: Sentence['tag'];
  readonly parts: readonly LinePart[];
  readonly from: string;
}

/** An event as one line. @param tenant the host of the one that it happened on */
export function eventLine(visit: Visit, tenant: string, event: HappenedEvent): EventLine {
  const { tag, parts } = sentenceOf(event);
  return {
    tag,
    parts: parts.map((part) =>
      'text' in part ? part : { name: part.name, href: pageOf(visit, tenant, part) },
    ),
    from: fromWhere(visit, event),
  };
}

/** The page of what a sentence names. */
function pageOf(visit: Visit, tenant: string, part: Extract<SentencePart, { readonly name: string }>) {
  if (part.of === 'thing' || part.id === null) return null;
  const operation = operationNamed(visit, part.of === 'member' ? 'members.read' : 'clients.read');
  if (operation === null || !mayCall(visit, operation)) return null;
  return addressOf(operation, { tenant, memberId: part.id, clientId: part.id });
}

/** The face that an operator used; of everyone else the place, or the address where no place is known. */
function fromWhere({ deps }: Visit, { actorKind, address }: HappenedEvent): string {
  if (actorKind !== 'member' && actorKind !== 'nobody') return say(`face.${actorKind}`);
  if (address === null || address === '') return '';
  return deps.placeOf(address, 'en') ?? address.replace(/^::ffff:(?=\d+\.)/, '');
}
