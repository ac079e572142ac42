/** Values as the pages of the portal show them: by their schema and name, with links to what has a page. */

import { isId } from '../../../core/id.ts';
import { pictureRules } from '../../../core/members/limits.ts';
import type { FieldChange } from '../../../core/operators/audit-event.ts';
import { fieldText } from '../../../operations/field-changes.ts';
import type { Schema, Schemas } from '../../../operations/json-schema.ts';
import { browserWords, nameBrowser } from '../../../operations/session/notice.ts';
import { say, sayIfKnown } from '../../../text/portal.ts';
import { mayCall } from '../call.ts';
import { addressOf, operationNamed } from './addresses.ts';
import { shownTenant } from './menu.ts';
import type { Facts, Visit } from './visitor.ts';
import { countText, durationText, moneyText, timeText } from './words/amounts.ts';
import { labelOf } from './words/labels.ts';
import { type Piece, withTimes } from './words/pieces.ts';

/** A value as a page shows it: always as text, whatever its author wrote (D14). */
export type Shown =
  | { readonly kind: 'none' }
  /** @param title what it is in full, where it is put into words */
  | { readonly kind: 'text'; readonly text: string; readonly title?: string }
  /** A text in which times stand. */
  | { readonly kind: 'pieces'; readonly pieces: readonly Piece[] }
  /** The name of an id, and what tells it from others of that name. */
  | {
      readonly kind: 'named';
      readonly text: string;
      readonly detail: string | null;
      readonly id: string;
      readonly href: string | null;
    }
  /** One of a few words that never break; how things stand has a tone. */
  | { readonly kind: 'word'; readonly text: string; readonly tone?: Tone }
  /** Something for programs: an id, an address. */
  | { readonly kind: 'code'; readonly text: string; readonly href: string | null; readonly short: string }
  | { readonly kind: 'time'; readonly iso: string; readonly text: string }
  | { readonly kind: 'flag'; readonly on: boolean }
  | { readonly kind: 'picture'; readonly source: string }
  | { readonly kind: 'color'; readonly text: string }
  | { readonly kind: 'lines'; readonly lines: readonly string[]; readonly isCode: boolean }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  /** Something that happened, in a sentence, with all that is known of it. */
  | {
      readonly kind: 'event';
      readonly tag: { readonly text: string; readonly isBad: boolean } | null;
      readonly parts: readonly LinePart[];
      readonly facts: readonly Fact[];
    }
  | { readonly kind: 'table'; readonly columns: readonly Named[]; readonly rows: readonly Row[] };

/** A piece of a line: words, or a name that may lead to a page. */
export type LinePart = { readonly text: string } | { readonly name: string; readonly href: string | null };

export type Tone = 'good' | 'care' | 'bad' | 'quiet';

/** Properties that say how things stand: their words have a colour, too. */
const tones: Readonly<Record<string, Tone>> = {
  accepted: 'good',
  active: 'good',
  completed: 'good',
  delivered: 'good',
  given_up: 'bad',
  disabled: 'bad',
  refused: 'bad',
  pending: 'care',
  waiting: 'care',
  withdrawn: 'care',
};

const saysHow = new Set(['state', 'status', 'result']);

interface Named {
  readonly name: string;
  readonly label: string;
}

/** A value with its name. */
export interface Fact extends Named {
  readonly hint: string;
  readonly value: Shown;
}

/** A thing of a list. */
interface Row {
  /** What the row shows, before it was made readable. */
  readonly item: Facts;
  readonly cells: readonly Shown[];
}

const none: Shown = { kind: 'none' };

/** A value of an answer, by its schema and its name. */
export function shownOf(value: unknown, schema: Schema = {}, name = ''): Shown {
  if (value === null && schema.nullMeans !== undefined) return { kind: 'word', text: schema.nullMeans };
  if (value === null || value === undefined || value === '') return none;
  if (typeof value === 'boolean') return { kind: 'flag', on: value };
  if (Array.isArray(value)) return listOf(value, schema, name);
  if (typeof value === 'object') return objectOf(value as Facts, schema);
  if (schema.format === 'duration') return { kind: 'text', text: durationText(Number(value)) };
  return textOf(String(value), schema, name);
}

function textOf(text: string, { format, enum: words }: Schema, name: string): Shown {
  if (words !== undefined || name === 'event') {
    const tone = saysHow.has(name) ? { tone: tones[text] ?? 'quiet' } : {};
    const word = sayIfKnown(`choice.${name}.${text}`) ?? text.replaceAll('_', ' ');
    return { kind: 'word', text: word, ...tone };
  }
  if (format === 'date-time') return timeOf(text);
  // A picture that is larger than a logo would weigh more than the page (portal pages stay under 60 KB).
  if (format === 'picture' && text.length > pictureRules.logo.length) {
    return {
      kind: 'text',
      text: say('value.pictureSize', { size: Math.ceil((text.length * 3) / 4 / 1_024) }),
    };
  }
  // Only what was looked at as a picture is one: a member can be called `data:image/…` too.
  if (format === 'picture' && /^data:image\/(?:png|webp|svg\+xml|jpeg)[;,]/.test(text)) {
    return { kind: 'picture', source: text };
  }
  if (format === 'color') return { kind: 'color', text };
  if (name === 'userAgent') return browserOf(text);
  if (name === 'why') return { kind: 'pieces', pieces: withTimes(text) };
  return isCode(name) ? codeOf(text) : { kind: 'text', text };
}

/** What a browser said it is, in words; the rest of it is for those who point at them. */
function browserOf(userAgent: string): Shown {
  const named = nameBrowser(userAgent);
  return named === null
    ? { kind: 'text', text: userAgent }
    : { kind: 'text', text: browserWords(named), title: userAgent };
}

/** In a cell, the end of an id is enough to tell it from others. */
function codeOf(text: string, href: string | null = null): Extract<Shown, { kind: 'code' }> {
  return { kind: 'code', text, href, short: isId(text) ? `…${text.slice(-12)}` : text };
}

/** Names of values that are copied into programs and addresses. */
const isCode = (name: string) =>
  /(?:^(?:id|host|issuer|kid|key|target)|Id|Uris?|Origins?|Address)$/.test(name);

function listOf(values: readonly unknown[], { items = {} }: Schema, name: string): Shown {
  if (values.length === 0) return none;
  const isOfObjects = values.every((value) => typeof value === 'object' && value !== null);
  if (isOfObjects && values.every((value) => 'field' in (value as Facts) && 'to' in (value as Facts))) {
    const lines = (values as readonly FieldChange[]).map((change) => fieldText(change, '→'));
    return { kind: 'lines', lines, isCode: true };
  }
  if (isOfObjects) return tableOf(values as readonly Facts[], items);
  const words = values.flatMap((value) => sayIfKnown(`choice.${name}.${value}`) ?? []);
  if (words.length === values.length) return { kind: 'text', text: words.join(', ') };
  return { kind: 'lines', lines: values.map(String), isCode: isCode(name) };
}

function objectOf(value: Facts, schema: Schema): Shown {
  if (schema.format === 'money') {
    return { kind: 'text', text: moneyText(Number(value.amount), String(value.currency)) };
  }
  if (schema.format === 'period') {
    return { kind: 'text', text: countText(Number(value.count), String(value.unit)) };
  }
  const facts = factsOf(value, schema);
  return facts.every((fact) => fact.value.kind === 'none') ? none : { kind: 'facts', facts };
}

/** The properties of an object, in the order of its schema. */
export function factsOf(value: Facts, schema: Schema, hidden: readonly string[] = []): readonly Fact[] {
  const known = schema.properties;
  const properties = known ?? {};
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])];
  return names
    .filter((name) => name in value && !hidden.includes(name) && !isOfMember(value, name))
    .map((name) => {
      const named = name === 'memberId' ? namedOf(value, name) : null;
      return {
        name,
        label: known === undefined ? name : labelOf(named === null ? name : name.replace(/Id$/, '')),
        hint: properties[name]?.description ?? '',
        value: named ?? shownOf(value[name], properties[name], name),
      };
    });
}

/** Whether it is what a member is called, whose id says it already. */
const isOfMember = (value: Facts, name: string) =>
  ['memberName', 'memberEmail'].includes(name) && namedOf(value, 'memberId') !== null;

/** Columns that a table has where none are chosen. */
const mostColumns = 6;

/** A list of objects as a table, with these columns or the first ones that fit into a cell. */
export function tableOf(
  items: readonly Facts[],
  { properties = {} }: Schema,
  chosen: readonly string[] = [],
): Extract<Shown, { kind: 'table' }> {
  const known = chosen.filter((name) => name in properties);
  const names = known.length > 0 ? known : Object.keys(properties).filter(isScalar(properties));
  const columns = (known.length > 0 ? names : names.slice(0, mostColumns)).map((name) => ({
    name,
    label: labelOf(nameFor(name) in properties ? name.replace(/Id$/, '') : name),
  }));
  return {
    kind: 'table',
    columns,
    rows: items.map((item) => ({
      item,
      cells: columns.map(({ name }) => namedOf(item, name) ?? shownOf(item[name], properties[name], name)),
    })),
  };
}

/** The field that names an id: `clientName` beside `clientId`. */
const nameFor = (id: string) => (id.endsWith('Id') ? id.replace(/Id$/, 'Name') : '');

/** An id by the name beside it, a member with the address too; null where there is no name. */
function namedOf(item: Facts, field: string): Shown | null {
  const { [field]: id, [nameFor(field)]: name, memberEmail, email } = item;
  if (typeof name !== 'string' || name === '') return null;
  const detail = field === 'memberId' ? (memberEmail ?? email) : null;
  return {
    kind: 'named',
    text: name,
    detail: typeof detail === 'string' ? detail : null,
    id: String(id),
    href: null,
  };
}

const isScalar = (properties: Schemas) => (name: string) => {
  const { type, format, items } = properties[name] ?? {};
  const isObject = type === 'object' && format === undefined;
  return !isObject && items === undefined && format !== 'picture' && name !== 'logo';
};

/** The things in the list of an answer, and the schema of one. */
export function listIn(answer: Facts, { properties = {} }: Schema) {
  const lists = Object.entries(properties).filter(([, list]) => isOfThings(list));
  const [name, { items: schema = {} }] = lists[0] ?? ['', {}];
  return { items: (answer[name] ?? []) as readonly Facts[], schema };
}

/** Whether a schema is that of a list of things, rather than of words. */
export const isOfThings = ({ items }: Schema) => items?.properties !== undefined;

/** The pages that values of these names lead to. */
const pages: Readonly<Record<string, { readonly page: string; readonly field: string }>> = {
  clientId: { page: 'clients.read', field: 'clientId' },
  host: { page: 'tenants.read', field: 'tenant' },
  memberId: { page: 'members.read', field: 'memberId' },
  reference: { page: 'refusals.why', field: 'reference' },
  stageTenant: { page: 'tenants.read', field: 'tenant' },
};

/** The same, with a link on each value that names something which has a page. @param tenant whose things they are */
export function withLinks(visit: Visit, shown: Shown, tenant = shownTenant(visit).host): Shown {
  if (shown.kind === 'facts') {
    return {
      ...shown,
      facts: shown.facts.map((fact) => ({ ...fact, value: linked(visit, fact.name, fact.value, tenant) })),
    };
  }
  if (shown.kind !== 'table') return shown;
  return {
    ...shown,
    rows: shown.rows.map((row) => ({
      ...row,
      cells: row.cells.map((cell, index) => {
        const name = nameIn(row.item, shown.columns[index]?.name ?? '');
        return linked(visit, name, cell, String(row.item.tenantId ?? tenant));
      }),
    })),
  };
}

/** The actor of an event: a member has a page, others have none. */
function nameIn({ actorKind }: Facts, name: string): string {
  return name === 'actorId' && (actorKind === 'member' || actorKind === 'admin') ? 'memberId' : name;
}

export function linked(visit: Visit, name: string, shown: Shown, tenant = shownTenant(visit).host): Shown {
  if (shown.kind !== 'code' && shown.kind !== 'text' && shown.kind !== 'named') {
    return withLinks(visit, shown, tenant);
  }
  const target = pages[name];
  const page = target === undefined ? null : operationNamed(visit, target.page);
  if (target === undefined || page === null || !mayCall(visit, page)) return shown;
  const id = shown.kind === 'named' ? shown.id : shown.text;
  const href = addressOf(page, { tenant, [target.field]: id });
  if (href === null || href === visit.request.url) return shown;
  return shown.kind === 'named' ? { ...shown, href } : codeOf(id, href);
}

/** A moment, by its time in RFC 3339. */
export const timeOf = (iso: string): Shown => ({ kind: 'time', iso, text: timeText(iso) });
