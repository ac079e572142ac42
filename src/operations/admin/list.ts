// Lists in the order of the keys of their entries, which are read in pages.
import type { Schema } from '../../json-schema.ts';
import type { ListPage } from '../../storage/list-page.ts';
import type { Fields } from './define.ts';
import { limitField, orNull, pageOf } from './fields.ts';

/** What an input says of a page of such a list, beside the entry that it names. */
export interface ListInput<Key extends string | number> {
  readonly after?: Key;
  readonly limit: number;
}

/**
 * The fields of such a list.
 *
 * @param name the field that names one entry, in other operations too
 */
export function listFields(name: string, key: Schema): Fields {
  return {
    [name]: { ...key, description: 'Only this one' },
    after: { ...key, description: 'The last entry of the page before: those behind it follow' },
    limit: limitField,
  };
}

/** The field of the answer that says where the next page begins. */
export function nextOf({ title: _, ...key }: Schema): Schema {
  return {
    ...orNull({ ...key, description: 'What the next page takes as `after`; null on the last one' }),
    examples: [null],
  };
}

/**
 * Reads a page of such a list.
 *
 * @param only the entry that the input names, if it does
 */
export async function readPage<Item, Key extends string | number>(
  { after, limit }: ListInput<Key>,
  only: Key | undefined,
  read: (page: ListPage<Key>) => Promise<readonly Item[]>,
  keyOf: (item: Item) => Key,
): Promise<{ readonly page: readonly Item[]; readonly next: Key | null }> {
  const found = await read({
    ...(only === undefined ? {} : { only }),
    ...(after === undefined ? {} : { after }),
    limit: limit + 1,
  });
  const { page, last } = pageOf(found, limit);
  return { page, next: last === null ? null : keyOf(last) };
}
