/** Which entries of a list that is in the order of a key: all of them where nothing is said. */
export interface ListPage<Key extends string | number> {
  /** The entry of this key alone. */
  readonly only?: Key | undefined;
  /** Those behind this one. */
  readonly after?: Key | undefined;
  readonly limit?: number;
}

interface Narrowed {
  where(column: string, operator: '=' | '>', value: string | number): Narrowed;
  limit(count: number): Narrowed;
}

/** Narrows a query, which is in the order of this column, to a page of its list. */
export function within<Query, Key extends string | number>(
  query: Query,
  column: string,
  { only, after, limit }: ListPage<Key>,
): Query {
  let narrowed = query as unknown as Narrowed;
  if (only !== undefined) narrowed = narrowed.where(column, '=', only);
  if (after !== undefined) narrowed = narrowed.where(column, '>', after);
  if (limit !== undefined) narrowed = narrowed.limit(limit);
  return narrowed as unknown as Query;
}
