// Pages of lists that do not show every row.
import { rowsWalked } from '../core/members/limits.ts';

/** Which page of a list: what follows the entry of this id (nothing: the first page), and how many. */
export interface PageOf<Id = string> {
  readonly before?: Id;
  readonly limit: number;
}

/** A page of a list, and the id from which the next one goes on; null on the last one. */
export interface Page<Item, Id = string> {
  readonly page: readonly Item[];
  readonly next: Id | null;
}

/**
 * Reads rows until a page is full. Where row after row is not shown, because nothing is alive in it, a page may be short
 * and still have a next one: a bounded number of rows is read for each.
 *
 * @param read the rows that follow this id, in the order of the list
 * @param show what is shown of a row; null if it is not shown
 */
export async function walkedPage<Row, Item, Id>(
  { before, limit }: PageOf<Id>,
  idOf: (row: Row) => Id,
  read: (page: PageOf<Id>) => Promise<readonly Row[]>,
  show: (row: Row) => Promise<Item | null>,
): Promise<Page<Item, Id>> {
  const page: Item[] = [];
  let last = before;
  for (let walked = 0; walked < rowsWalked.most; walked += rowsWalked.at) {
    const from = last === undefined ? {} : { before: last };
    const rows = await read({ ...from, limit: rowsWalked.at });
    for (const row of rows) {
      const item = await show(row);
      if (item !== null && page.length === limit) return { page, next: last ?? null };
      if (item !== null) page.push(item);
      last = idOf(row);
    }
    if (rows.length < rowsWalked.at) return { page, next: null };
  }
  return { page, next: last ?? null };
}
