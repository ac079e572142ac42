import { expect } from 'vitest';
import { InvalidFacts } from '../../../src/operations/invalid-facts.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { allRows } from './rows.ts';

/**
 * The problems that an operation is refused for. What it wrote before it refused would be committed here, so
 * every row must be as it was.
 */
export async function problemsOf(
  store: Store,
  operation: (tx: Tx) => Promise<unknown>,
): Promise<readonly string[]> {
  const before = await allRows({ store });
  const error = await store.transaction((tx) =>
    operation(tx).then(
      () => undefined,
      (reason: unknown) => reason,
    ),
  );
  expect(error).toBeInstanceOf(InvalidFacts);
  expect(await allRows({ store })).toEqual(before);
  return (error as InvalidFacts).problems;
}
