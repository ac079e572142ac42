// Lists that are read in pages, and files of everything that a list has.

import { listPage } from '../../core/limits.ts';
import { exportPart } from '../../core/operators/limits.ts';
import { mayTakeLong } from '../../storage/prepared.ts';
import { isDescending, type ListPage } from '../../storage/rows.ts';
import type { Tx } from '../../storage/store.ts';
import { csvColumns, csvEntry, csvHead } from '../csv.ts';
import * as s from '../json-schema.ts';
import type { NoFields, OnTenant } from './define.ts';
import type { FileAnswer, Operation, OperationContext } from './operation.ts';
import type { ListFace } from './portal-face.ts';

/** How many entries a page of a list has. */
export const limitField: s.Defaulted<number> = {
  type: 'integer',
  minimum: 1,
  maximum: listPage.most,
  default: listPage.default,
  description: 'How many entries at most',
  examples: [listPage.default],
};

/**
 * Cuts a page of a list: one entry more than its length was read.
 *
 * @returns the page, and the last entry of it where others follow
 */
export function pageOf<Item>(
  read: readonly Item[],
  limit: number,
): { readonly page: readonly Item[]; readonly last: Item | null } {
  const page = read.slice(0, limit);
  return { page, last: read.length > limit ? (page.at(-1) ?? null) : null };
}

/**
 * How a list is sorted: by a property of its entries that an index has in order, and with a dash before it the last of
 * them first. The first one holds unless another is said.
 */
export function sortField<const Sort extends string>(first: Sort, ...others: readonly Sort[]) {
  return {
    type: 'string',
    enum: [first, ...others],
    default: first,
    description: 'What it is sorted by; with a dash before it the last of them come first',
    examples: [first],
  } as s.Defaulted<Sort>;
}

/** An operation that answers a list; the portal has a page of it. */
interface List extends Pick<Operation, 'name' | 'summary' | 'permission'>, ListFace {
  readonly route: `GET /${string}`;
  /** The property of the answer that has the entries. */
  readonly of: string;
  /** What a page is, for the document, and its name there where several operations answer it. */
  readonly page: string;
  readonly pageName?: string;
}

function listFacts(
  { name, summary, permission, route, of, page: words, pageName, ...face }: List,
  schema: s.Schema,
  next: s.Schema,
) {
  const title = of.replace(/^./, (letter) => letter.toUpperCase());
  const page = s.exactly(words, { [of]: s.list(title, schema), next });
  const output = pageName === undefined ? page : s.named(pageName, page);
  return { name, summary, permission, route, portal: { list: face }, output };
}

/** A list in the order of a key of its entries, which names one entry in other operations too. */
interface KeyedList<Answer, Key extends keyof Answer & string, Fields extends s.Schemas, Context>
  extends List {
  readonly entry: { readonly field: string; readonly key: Key };
  readonly fields?: Fields;
  readonly schema: s.Schema<Answer>;
  readonly read: (
    context: Context,
    page: ListPage<Answer[Key] & (string | number)>,
    input: s.ValuesOf<Fields>,
  ) => Promise<readonly Answer[]>;
}

/** Describes such a list for `onTenant` or `onService`. */
export function keyedList<
  Answer extends object,
  Key extends keyof Answer & string,
  Fields extends s.Schemas = NoFields,
  Context extends OperationContext = OnTenant<OperationContext>,
>({ fields, schema, read, ...list }: KeyedList<Answer, Key, Fields, Context>) {
  const { of, entry } = list;
  const key = schema.properties?.[entry.key] ?? {};
  const { title: _, ...untitled } = key;
  const next = { ...untitled, description: 'What the next page takes as `after`; null on the last one' };
  type Named = Readonly<Record<string, Answer[Key] & (string | number)>>;
  const facts = listFacts(list, schema, { ...s.orNull(next), examples: [null] });
  return {
    ...facts,
    ...(fields && { fields }),
    portal: { list: { ...facts.portal.list, pagedBy: { field: 'after', key: entry.key } } },
    optional: {
      [entry.field]: { ...key, description: 'Only this one' },
      after: { ...key, description: 'The last entry of the page before: those behind it follow' },
      limit: limitField,
      sort: sortField<string>(entry.key, `-${entry.key}`),
    } as s.Schemas,
    run: async (context: Context, input: object) => {
      const { [entry.field]: only, after } = input as Named;
      const { limit, sort = entry.key } = input as { readonly limit: number; readonly sort?: string };
      const page = { only, after, isDescending: isDescending(sort), limit: limit + 1 };
      const found = await read(context, page, input as s.ValuesOf<Fields>);
      const { page: shown, last } = pageOf(found, limit);
      return { [of]: shown, next: last === null ? null : last[entry.key] };
    },
  };
}

/** What was found of a list among the entries that were looked at; where the next page begins, if those are not all. */
interface Looked<Item> {
  readonly found: readonly Item[];
  readonly lookedAt: { readonly id: string | number } | null;
}

/** A list in the order of time, the newest first unless it can be sorted otherwise. */
interface NewestList<Item extends object, Narrowing extends s.Schemas, Context> extends List {
  readonly schema: s.Schema;
  /** `nextText` or `nextNumber`. */
  readonly next: s.Schema;
  /** What narrows it; `before` is where it goes on. */
  readonly narrowing: Narrowing;
  readonly read: (
    context: Context,
    filter: s.ObjectOf<NoFields, Narrowing>,
    limit: number,
  ) => Promise<readonly Item[]>;
  /** Reads a page of a list that may look at so many of its entries and not at all of them; a file reads them all. */
  readonly look?: (
    context: Context,
    filter: s.ObjectOf<NoFields, Narrowing>,
    limit: number,
  ) => Promise<Looked<Item>>;
  readonly answer: (item: Item, context: Context) => object;
  /** The answers of a page, where they say more than those of a file: what is looked up for all of them at once. */
  readonly answers?: (items: readonly Item[], context: Context) => Promise<readonly object[]>;
  /** What the next page takes as `before`, of the last entry and its answer alike. */
  readonly key: keyof Item & string;
  /** The same, where it is more than that. */
  readonly placeOf?: (item: Item, filter: s.ObjectOf<NoFields, Narrowing>) => string | number;
}

const nextWords = 'What the next page takes as `before`; null on the last one';
const shortWords = `${nextWords}. A page may be short and not the last: so many entries were looked at`;

/** The field of the answer that says where the next page begins. */
export const nextText = s.textOrNull(nextWords, null);
export const nextNumber = (example: number) => s.orNull(s.wholeNumber(nextWords, example));

/** Describes such a list for `onTenant` or `onService`. */
function newestList<
  Item extends object,
  Narrowing extends s.Schemas,
  Context extends OperationContext = OnTenant<OperationContext>,
>(definition: NewestList<Item, Narrowing, Context>) {
  const { schema, next, narrowing, read, look, answer, answers, key, placeOf, ...list } = definition;
  const isShort = look === undefined ? next : { ...next, description: shortWords };
  const facts = listFacts(list, schema, isShort);
  return {
    ...facts,
    portal: { list: { ...facts.portal.list, pagedBy: { field: 'before', key } } },
    optional: { ...narrowing, limit: limitField },
    run: async (context: Context, { limit, ...input }: { readonly limit: number }) => {
      const filter = input as s.ObjectOf<NoFields, Narrowing>;
      const { found, lookedAt } = (await look?.(context, filter, limit + 1)) ?? {
        found: await read(context, filter, limit + 1),
        lookedAt: null,
      };
      const { page, last } = pageOf(found, limit);
      return {
        [list.of]: (await answers?.(page, context)) ?? page.map((item) => answer(item, context)),
        next: last === null ? (lookedAt?.id ?? null) : (placeOf?.(last, filter) ?? last[key]),
      };
    },
  };
}

const mostLinesField: s.Schema<number> = {
  ...s.wholeNumber('How many entries at most; all of them where it is left out', 1_000),
  minimum: 1,
};

/** How a list is written to a file: a JSON object a line, or RFC 4180 with a line that says what the columns are. */
const listFormats = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
} as const;
type ListFormat = keyof typeof listFormats;

const listFormatField: s.Defaulted<ListFormat> = {
  ...s.oneOf('ListFormat', 'How it is written: as JSON Lines, or as comma-separated values', [
    'jsonl',
    'csv',
  ]),
  default: 'jsonl',
};

/** Such a list that the table also has as a file. */
interface ListWithFile<Item extends object, Narrowing extends s.Schemas, Context>
  extends NewestList<Item, Narrowing, Context> {
  readonly file: Pick<Operation, 'name' | 'summary'>;
  /** What narrows the list alone: a file is read to its end, whatever that takes. */
  readonly pages?: s.Schemas;
  /** What an entry of the file says, where the list says more of it: what is looked up for a page. */
  readonly fileSchema?: s.Schema;
  /** What the next part of the file takes as `before`, where that is more than what a page takes. */
  readonly behind?: (item: Item) => unknown;
}

/**
 * Describes the list, and the file of it: one JSON object a line, or one line of CSV an entry, as long as it may be. The
 * file is read part by part, each in a transaction of its own, so that no request waits for all of it: an entry that is
 * deleted before its part is read is not in it.
 */
export function listWithFile<
  Item extends object,
  Narrowing extends s.Schemas,
  Context extends OperationContext = OnTenant<OperationContext>,
>({ file, fileSchema, behind, pages, ...definition }: ListWithFile<Item, Narrowing, Context>) {
  const { permission, name, route, narrowing, read, answer, key } = definition;
  const columns = csvColumns(fileSchema ?? definition.schema);
  type Input = { readonly limit?: number; readonly format: ListFormat };
  const run = (context: Context, { limit: most = Number.POSITIVE_INFINITY, format, ...input }: Input) => {
    const lineOf = (entry: Item) => {
      const told = answer(entry, context);
      return format === 'csv' ? csvEntry(columns, told) : `${JSON.stringify(told)}\n`;
    };
    const part = async (tx: Tx, before: object, left: number, begin = ''): Promise<FileAnswer> => {
      await mayTakeLong(tx);
      const atMost = Math.min(left, exportPart);
      const filter = { ...input, ...before } as s.ObjectOf<NoFields, Narrowing>;
      const entries = await read({ ...context, tx }, filter, atMost);
      const last = entries.at(-1);
      const isEnd = last === undefined || entries.length < atMost || entries.length === left;
      const text = [begin, ...entries.map(lineOf)].join('');
      if (isEnd) return { text };
      const next = { before: behind === undefined ? last[key] : behind(last) };
      return { text, more: (later) => part(later.tx, next, left - entries.length) };
    };
    return part(context.tx, {}, most, format === 'csv' ? csvHead(columns) : '');
  };
  return {
    list: newestList({ ...definition, narrowing: { ...narrowing, ...pages } as Narrowing }),
    file: {
      ...file,
      permission,
      route: `${route}/export`,
      portal: { page: name },
      optional: { ...narrowing, limit: mostLinesField, format: listFormatField },
      output: s.exactly('A file', { text: s.text('The entries, one a line', '{"id":4711}\n') }),
      mediaType: listFormats.jsonl,
      formats: listFormats,
      run,
    },
  } as const;
}

/** The fields that narrow a list to a time. */
export const momentFields = {
  from: s.time('From this moment on', '2026-01-01T00:00:00.000Z'),
  until: s.time('Before this moment', '2036-01-01T00:00:00.000Z'),
};

/** A filter with the moments of such a time in ms. */
export function withMs<Filter extends Partial<s.ValuesOf<typeof momentFields>>>({
  from,
  until,
  ...filter
}: Filter) {
  return {
    ...filter,
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(until === undefined ? {} : { until: Date.parse(until) }),
  };
}
