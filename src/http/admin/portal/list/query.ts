// What the address of a list says: what narrows it, how it is sorted, and which page of it is shown.

import type { Operation } from '../../../../operations/admin/operation.ts';

import { say, sayIfKnown } from '../../../../text/portal.ts';
import { type Form, pick, queryOf } from '../../../form.ts';
import { queryText } from '../addresses.ts';
import { type Choice, entriesOf, type Field, yesAndNo } from '../form/fields.ts';
import { asUtc } from '../form/read.ts';
import { listIn } from '../values.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { timeText } from '../words/amounts.ts';
import { labelOf } from '../words/labels.ts';

/** The parameters that page through a list and sort it: they do not narrow it. */
const paging = new Set(['before', 'after', 'limit', 'sort']);

/** Says that the page before is shown: the list is read backwards from the entry that the address names. */
const backwards = 'back';

/** The address of a list, read. */
export interface ListQuery {
  readonly form: Form;
  /** Its filters, without those that are empty. */
  readonly narrowing: Facts;
  /** How it is sorted; null where it has one order alone. */
  readonly sort: string | null;
  /** The entry that the page begins behind, or ends before; null on the first one. */
  readonly at: string | null;
  readonly isBack: boolean;
}

/** Reads the address of a list. */
export function listQuery({ request, operation, known }: OperationVisit): ListQuery {
  const form: Form = queryOf(request) ?? new Map();
  const { properties } = operation.input;
  const names = Object.keys(properties).filter((name) => known[name] === undefined);
  const said = pick(form, [...names, backwards]).values;
  const { sort = defaultSort(operation) } = said;
  return {
    form,
    narrowing: Object.fromEntries(
      Object.entries(said).filter(([name, value]) => name in properties && !paging.has(name) && value !== ''),
    ),
    sort,
    at: said[cursorOf(operation)] ?? null,
    isBack: said[backwards] !== undefined && sort !== null,
  };
}

/** The order of a list whose address names none. */
function defaultSort({ input }: Operation): string | null {
  const { default: sort } = input.properties.sort ?? {};
  return typeof sort === 'string' ? sort : null;
}

/** The field of the input that says where a page begins. */
export const cursorOf = ({ portal, input }: Operation) =>
  portal?.list?.pagedBy?.field ?? ('after' in input.properties ? 'after' : 'before');

/** The input of the operation: backwards a list is read in the other order. */
export function inputOf({ operation, known }: OperationVisit, query: ListQuery): Facts {
  const { narrowing, sort, at, isBack } = query;
  return {
    ...known,
    ...inUtc(operation, narrowing),
    ...(sort === null ? {} : { sort: isBack ? reversed(sort) : sort }),
    ...(at === null ? {} : { [cursorOf(operation)]: at }),
  };
}

/** The browser's times are in UTC. */
export function inUtc({ input }: Operation, said: Facts): Facts {
  const isTime = (name: string) => input.properties[name]?.format === 'date-time';
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [name, isTime(name) ? asUtc(String(value)) : value]),
  );
}

const reversed = (sort: string) => (sort.startsWith('-') ? sort.slice(1) : `-${sort}`);

/** The parts of an address that stay on every page of the list. */
function keptOf(operation: Operation, { narrowing, sort }: Pick<ListQuery, 'narrowing' | 'sort'>): Facts {
  return { ...narrowing, ...(sort === null || sort === defaultSort(operation) ? {} : { sort }) };
}

/** The addresses of the pages before and behind one, of these entries; null where there is none. */
export function pageLinks(
  operation: Operation,
  query: ListQuery,
  items: readonly Facts[],
  following: unknown,
): { readonly previous: string | null; readonly next: string | null; readonly first: string | null } {
  const { at, isBack, sort } = query;
  const cursor = cursorOf(operation);
  const key = operation.portal?.list?.pagedBy?.key;
  const kept = keptOf(operation, query);
  const link = (entry: unknown, way: Facts = {}) =>
    entry === undefined || entry === null ? null : queryText({ ...kept, [cursor]: entry, ...way });
  const isFirst = at === null || (isBack && following === null);
  const keyOf = (item: Facts | undefined) => (key === undefined ? undefined : item?.[key]);
  const canGoBack = !isFirst && sort !== null;
  return {
    previous: canGoBack ? link(keyOf(items[0]), { [backwards]: 1 }) : null,
    next: isBack ? link(keyOf(items.at(-1))) : link(following),
    // Where the page before cannot be read, or is empty by now, the way back leads to the beginning.
    first: isFirst || (canGoBack && items.length > 0) ? null : queryText(kept) || '?',
  };
}

/** A column by which a list is sorted, or can be. */
export interface SortLink {
  readonly href: string;
  readonly direction: 'ascending' | 'descending' | null;
}

/** The heads of columns that sort, by their names. */
export function sortLinks(operation: Operation, query: ListQuery): Readonly<Record<string, SortLink>> {
  const { sort: current, narrowing } = query;
  const links: Record<string, SortLink> = {};
  for (const sort of sortsOf(operation)) {
    const column = sort.replace(/^-/, '');
    // The first order of a column is the one that its head leads to; again, it leads to the other one.
    if (column in links) continue;
    const isCurrent = current !== null && current.replace(/^-/, '') === column;
    const href = queryText(keptOf(operation, { narrowing, sort: isCurrent ? reversed(current) : sort }));
    const direction = current?.startsWith('-') === true ? 'descending' : 'ascending';
    links[column] = { href: href || '?', direction: isCurrent ? direction : null };
  }
  return links;
}

function sortsOf({ input }: Operation): readonly string[] {
  return (input.properties.sort?.enum ?? []).map(String);
}

/** The fields that narrow and sort a list; a flag has three answers there, since "no" is not "either". */
export function filterFields(visit: OperationVisit, { form }: ListQuery): readonly Field[] {
  return entriesOf(visit, form, {})
    .filter((entry): entry is Field => 'kind' in entry && (!paging.has(entry.name) || entry.name === 'sort'))
    .map((field) => {
      if (field.name === 'sort') return sortingField(field, visit.operation);
      if (field.name === 'search')
        return {
          ...field,
          input: { type: 'search', placeholder: sayIfKnown(`find.${visit.operation.name}`) },
        };
      return field.kind === 'flag' ? { ...field, kind: 'choice', choices: yesAndNo } : field;
    });
}

/** The order as a choice: on a phone there are no heads of columns. */
function sortingField(field: Field, operation: Operation): Field {
  const choices: readonly Choice[] = sortsOf(operation).map((sort) => {
    const name = sort.replace(/^-/, '');
    const { format } = listIn({}, operation.output).schema.properties?.[name] ?? {};
    const order = sort.startsWith('-') ? 'falling' : 'rising';
    const kind = format === 'date-time' ? 'time' : 'other';
    return { value: sort, label: say(`list.${order}`, { column: labelOf(name), kind }) };
  });
  const values = field.values.length === 0 ? [defaultSort(operation) ?? ''] : field.values;
  return { ...field, hint: '', isRequired: true, choices, values };
}

/** Something that narrows a list, with the address of the list without it. */
export interface Chip {
  readonly label: string;
  readonly value: string;
  readonly href: string;
}

/** The filters of the list: each can be taken away alone. */
export function chipsOf(visit: OperationVisit, query: ListQuery, fields: readonly Field[]): readonly Chip[] {
  const { operation } = visit;
  return Object.entries(query.narrowing).map(([name, value]) => {
    const field = fields.find((one) => one.name === name);
    const { [name]: _, ...others } = query.narrowing;
    const href = queryText(keptOf(operation, { narrowing: others, sort: query.sort })) || '?';
    return {
      label: field?.label ?? labelOf(name),
      value: valueText(operation, field, name, String(value)),
      href,
    };
  });
}

function valueText(operation: Operation, field: Field | undefined, name: string, value: string): string {
  if (operation.input.properties[name]?.format === 'date-time') return timeText(asUtc(value));
  return field?.choices.find((choice) => choice.value === value)?.label ?? value;
}
