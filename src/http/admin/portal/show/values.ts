import type { FieldChange } from '../../../../core/operators/audit-event.ts';
import { fieldText } from '../../../../operations/field-changes.ts';
import type { Facts } from '../addresses.ts';
import { labelOf } from '../labels.ts';
import { durationText, moneyText, periodText, timeText } from './texts.ts';

/** A value as a page shows it: always as text, whatever its author wrote (D14). */
export type Shown =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  /** One of a few words that never break. */
  | { readonly kind: 'word'; readonly text: string }
  /** Something for programs: an id, an address. */
  | { readonly kind: 'code'; readonly text: string; readonly href: string | null; readonly short: string }
  | { readonly kind: 'time'; readonly iso: string; readonly text: string }
  | { readonly kind: 'flag'; readonly on: boolean }
  | { readonly kind: 'picture'; readonly source: string }
  | { readonly kind: 'color'; readonly text: string }
  | { readonly kind: 'lines'; readonly lines: readonly string[]; readonly isCode: boolean }
  | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
  | { readonly kind: 'table'; readonly columns: readonly Column[]; readonly rows: readonly Row[] };

/** A value with its name. */
export interface Fact {
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly value: Shown;
}

export interface Column {
  readonly name: string;
  readonly label: string;
}

export interface Row {
  /** What the row shows, before it was made readable. */
  readonly item: Facts;
  readonly cells: readonly Shown[];
}

/** The schema of a property, as far as a page reads it. */
interface Described {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly nullMeans?: string;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Described>>;
  readonly items?: Described;
}

const none: Shown = { kind: 'none' };

/** A value of an answer, by its schema and its name. */
function shownOf(value: unknown, schema: Described = {}, name = ''): Shown {
  if (value === null && schema.nullMeans !== undefined) return { kind: 'word', text: schema.nullMeans };
  if (value === null || value === undefined || value === '') return none;
  if (typeof value === 'boolean') return { kind: 'flag', on: value };
  if (Array.isArray(value)) return listOf(value, schema, name);
  if (typeof value === 'object') return objectOf(value as Facts, schema);
  if (schema.format === 'duration') return { kind: 'text', text: durationText(Number(value)) };
  return textOf(String(value), schema, name);
}

function textOf(text: string, { format, enum: words }: Described, name: string): Shown {
  if (words !== undefined || name === 'event') return { kind: 'word', text: text.replaceAll('_', ' ') };
  if (format === 'date-time') return { kind: 'time', iso: text, text: timeText(text) };
  if (/^data:image\/(?:png|webp|svg\+xml)[;,]/.test(text)) return { kind: 'picture', source: text };
  if (/^#[0-9a-f]{6}$/i.test(text)) return { kind: 'color', text };
  return isCode(name) ? codeOf(text) : { kind: 'text', text };
}

/** In a cell, the end of an id is enough to tell it from others. */
export function codeOf(text: string, href: string | null = null): Extract<Shown, { kind: 'code' }> {
  const isId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text);
  return { kind: 'code', text, href, short: isId ? `…${text.slice(-12)}` : text };
}

/** Names of values that are copied into programs and addresses. */
const isCode = (name: string) =>
  /(?:^(?:id|host|issuer|kid|key|target)|Id|Uris?|Origins?|Address)$/.test(name);

function listOf(values: readonly unknown[], { items = {} }: Described, name: string): Shown {
  if (values.length === 0) return none;
  const isOfObjects = values.every((value) => typeof value === 'object' && value !== null);
  if (isOfObjects && values.every((value) => 'field' in (value as Facts) && 'to' in (value as Facts))) {
    const lines = (values as readonly FieldChange[]).map((change) => fieldText(change, '→'));
    return { kind: 'lines', lines, isCode: true };
  }
  if (isOfObjects) return tableOf(values as readonly Facts[], items);
  return { kind: 'lines', lines: values.map(String), isCode: isCode(name) };
}

function objectOf(value: Facts, schema: Described): Shown {
  if (schema.format === 'money') {
    return { kind: 'text', text: moneyText(Number(value.amount), String(value.currency)) };
  }
  if (schema.format === 'period') {
    return { kind: 'text', text: periodText(Number(value.count), String(value.unit)) };
  }
  const facts = factsOf(value, schema);
  return facts.every((fact) => fact.value.kind === 'none') ? none : { kind: 'facts', facts };
}

/** The properties of an object, in the order of its schema. */
export function factsOf(value: Facts, schema: object, hidden: readonly string[] = []): readonly Fact[] {
  const known = (schema as Described).properties;
  const properties = known ?? {};
  const names = [...new Set([...Object.keys(properties), ...Object.keys(value)])];
  return names
    .filter((name) => name in value && !hidden.includes(name))
    .map((name) => ({
      name,
      label: known === undefined ? name : shownLabel(name),
      hint: properties[name]?.description ?? '',
      value: shownOf(value[name], properties[name], name),
    }));
}

/** Of a duration people read the unit that fits. */
const shownLabel = (name: string) => labelOf(name).replace(' (seconds)', '');

/** Columns that a table has where none are chosen. */
const mostColumns = 6;

/** A list of objects as a table, with these columns or the first ones that fit into a cell. */
export function tableOf(
  items: readonly Facts[],
  schema: object,
  chosen: readonly string[] = [],
): Extract<Shown, { kind: 'table' }> {
  const { properties = {} } = schema as Described;
  const known = chosen.filter((name) => name in properties);
  const names = known.length > 0 ? known : Object.keys(properties).filter(isScalar(properties));
  const columns = (known.length > 0 ? names : names.slice(0, mostColumns)).map((name) => ({
    name,
    label: shownLabel(name),
  }));
  return {
    kind: 'table',
    columns,
    rows: items.map((item) => ({
      item,
      cells: columns.map(({ name }) => shownOf(item[name], properties[name], name)),
    })),
  };
}

const isScalar = (properties: Readonly<Record<string, Described>>) => (name: string) => {
  const { type, format, items } = properties[name] ?? {};
  const isObject = type === 'object' && format === undefined;
  return !isObject && items === undefined && name !== 'logo';
};

/** The property of an answer that is its list of things; null where it has none. */
export function listName(output: object): string | null {
  const { properties = {} } = output as Described;
  return Object.keys(properties).find((key) => properties[key]?.items?.properties !== undefined) ?? null;
}

/** What stands in an answer's list, and the schema of it. */
export function listIn(
  answer: Facts,
  output: object,
): { readonly items: readonly Facts[]; readonly schema: object } | null {
  const name = listName(output);
  const items = name === null ? null : answer[name];
  return Array.isArray(items) ? { items, schema: itemSchema(output) } : null;
}

/** The schema of what stands in an answer's list. */
export function itemSchema(output: object): object {
  const { properties = {} } = output as Described;
  return properties[listName(output) ?? '']?.items ?? {};
}
