// An event of the audit as a sentence: who did what to whom, with names that may lead to a page.
import type { AuditEventName, FieldChange } from '../../../../core/operators/audit-event.ts';
import { type EventNames, nounOf } from '../../../../operations/audit/event-names.ts';
import { say, sayIfKnown } from '../../../../text/portal.ts';
import { moneyText } from './amounts.ts';
import { labelOf } from './labels.ts';
import { subscriptionDeed } from './subscriptions.ts';

/** An event as `audit.list` and `members.read` answer it. */
export interface ToldEvent {
  readonly event: AuditEventName;
  readonly actorKind: string;
  readonly actorId: string | null;
  readonly target: string | null;
  readonly clientId: string | null;
  readonly result: 'done' | 'refused';
  readonly reason: string | null;
  readonly operation: string | null;
  readonly changes: readonly FieldChange[];
  readonly names: EventNames;
}

/** A piece of a sentence: words, or a name. A member and a client have a page, by their id. */
export type SentencePart =
  | { readonly text: string }
  | { readonly name: string; readonly of: 'member' | 'client' | 'thing'; readonly id: string | null };

/** A sentence, which may begin with a word that says that something was refused or ended. */
export interface Sentence {
  readonly tag: { readonly text: string; readonly isBad: boolean } | null;
  readonly parts: readonly SentencePart[];
}

/** What ended a sign-in. */
const endings: ReadonlySet<AuditEventName> = new Set([
  'sign_in_ended',
  'code_reused',
  'refresh_reused',
  'device_code_reused',
]);

/** Events whose reason tells more; that of a refusal or an end always does. */
const explained: ReadonlySet<AuditEventName> = new Set([
  'consent_changed',
  'subscription_changed',
  'key_rotated',
]);

/** An event in words, without names that its reader may not know or that are gone. */
export function sentenceOf(event: ToldEvent): Sentence {
  const isEnd = endings.has(event.event);
  const isBad = event.result === 'refused' && !isEnd;
  const tag = isEnd ? say('event.tag.ended') : isBad ? say('event.tag.refused') : null;
  const isActed = event.event === 'admin_acted';
  const deed = subscriptionText(event);
  const said = deed ?? (isActed ? actedText(event) : say(`event.${event.event}`, placesOf(event)));
  const reason = tag !== null || explained.has(event.event) ? event.reason : null;
  const more = deed !== null ? null : isActed ? changesText(toldChanges(event)) : reason;
  const text = more === null || more === '' ? said : say('event.because', { said, more });
  return { tag: tag === null ? null : { text: tag, isBad }, parts: partsOf(text, namesIn(event)) };
}

/** What became of a subscription, where the event says it. */
function subscriptionText(event: ToldEvent): string | null {
  const deed = subscriptionDeed(event);
  return deed === null ? null : say(`event.subscription.${deed}`, placesOf(event));
}

/** What an operator did, by the operation; one without words of its own goes by its name. */
function actedText(event: ToldEvent): string {
  const values = { ...placesOf(event), what: event.reason ?? '' };
  return sayIfKnown(`acted.${event.operation}`, placesOf(event)) ?? say('acted.other', values);
}

const places = ['who', 'whom', 'what', 'app'] as const;
type Place = (typeof places)[number];

/** Mark where a name stands in a text: characters that have no meaning of their own, and are in no name. */
const [opening, closing] = ['\uE000', '\uE001'];

/** The values of a text: a mark for each name, and what it chooses its words by. */
function placesOf({ actorId, target, names }: ToldEvent): Readonly<Record<string, string>> {
  const { memberId, offer } = names;
  return {
    ...Object.fromEntries(places.map((place) => [place, `${opening}${place}${closing}`])),
    target: target ?? '',
    whose: memberId === null ? 'unknown' : memberId === actorId ? 'own' : 'member',
    named: names.target === null ? 'no' : 'yes',
    offer: offer === null ? '' : offerText(offer),
    priced: offer === null ? 'no' : 'yes',
  };
}

function offerText({ price, period }: NonNullable<EventNames['offer']>): string {
  const { count, unit } = period;
  return say('event.offer', { price: moneyText(price.amount, price.currency), count, unit });
}

/** The names for the places of a text, or words for what has no name. */
function namesIn(event: ToldEvent): Readonly<Record<Place, SentencePart>> {
  const { member, memberId } = event.names;
  return {
    who: whoDid(event),
    whom: member === null ? { text: say('event.member') } : { name: member, of: 'member', id: memberId },
    what: whatItIsOf(event),
    app: appOf(event) ?? { text: say('event.app') },
  };
}

function whoDid({ names, actorKind, actorId }: ToldEvent): SentencePart {
  if (actorKind === 'operator' && actorId !== null) {
    return { name: say('event.operator', { user: actorId }), of: 'thing', id: null };
  }
  if (names.actor === null) return { text: say(`event.who.${actorKind}`) };
  const of = actorKind === 'client' ? 'client' : actorKind === 'token' ? 'thing' : 'member';
  return { name: names.actor, of, id: actorId };
}

function whatItIsOf(event: ToldEvent): SentencePart {
  const { names, target, operation } = event;
  if (event.event === 'client_registered' || nounOf(operation) === 'clients') {
    const [id = ''] = (target ?? '').split(' ');
    return { name: names.target ?? id, of: 'client', id };
  }
  if (names.target !== null) return { name: names.target, of: 'thing', id: null };
  if (event.event.startsWith('device_')) return { text: say('event.tv') };
  const isReadable = target !== null && !/^[\da-f]{8}-[\da-f-]{27}$/.test(target);
  return (
    appOf(event) ?? (isReadable ? { name: target, of: 'thing', id: null } : { text: say('event.thing') })
  );
}

function appOf({ names, clientId }: ToldEvent): SentencePart | null {
  const name = names.client ?? clientId;
  return name === null ? null : { name, of: 'client', id: clientId };
}

function partsOf(text: string, names: Readonly<Record<Place, SentencePart>>): readonly SentencePart[] {
  return text
    .split(new RegExp(`${opening}(${places.join('|')})${closing}`))
    .map((piece, index) => (index % 2 === 0 ? { text: piece } : names[piece as Place]))
    .filter((part) => !('text' in part) || part.text !== '');
}

/** What changed, without what the operation itself says. */
const toldChanges = ({ operation, changes }: ToldEvent) =>
  /\.(?:en|dis)able$/.test(operation ?? '') ? changes.filter(({ field }) => !isSwitch.has(field)) : changes;

const isSwitch: ReadonlySet<string> = new Set(['status', 'disabledAt']);

/** What changed, such as "added a redirect URI"; of many fields, the first two and how many more. */
function changesText(changes: readonly FieldChange[]): string {
  const moved = changes.find(({ field }) => field === 'state');
  if (moved !== undefined) return say('changes.now', { state: moved.to.replaceAll('"', '') });
  const told = changes.slice(0, changes.length > 3 ? 2 : 3).map(changeText);
  const more = changes.length - told.length;
  return told.join(say('changes.and')) + (more === 0 ? '' : say('changes.more', { count: more }));
}

function changeText({ field, from, to }: FieldChange): string {
  const label = labelOf(field.split('.').at(-1) ?? field);
  // "Redirect URIs", but "API".
  const name = /^[A-Z]{2}/.test(label) ? label : `${label.charAt(0).toLowerCase()}${label.slice(1)}`;
  if (to === 'true' || to === 'false') {
    const key = to === 'true' ? 'changes.on' : 'changes.off';
    return sayIfKnown(`${key}.${field}`) ?? say(key, { name });
  }
  const [before, after] = [itemsIn(from), itemsIn(to)];
  if (before === null || after === null) return say('changes.changed', { name });
  const added = after.filter((item) => !before.includes(item)).length;
  const removed = before.filter((item) => !after.includes(item)).length;
  if (added > 0 && removed > 0) return say('changes.changed', { name });
  const key = added > 0 ? 'changes.added' : 'changes.removed';
  return say(key, { count: added + removed, one: name.replace(/s$/, ''), many: name });
}

/** The items of a list in a change; null if it is no list, or was too long to be kept whole. */
function itemsIn(json: string | null): readonly string[] | null {
  try {
    const value: unknown = JSON.parse(json ?? '[]');
    return Array.isArray(value) ? value.map(String) : null;
  } catch {
    return null;
  }
}
