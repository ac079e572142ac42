import { expect } from 'vitest';
import { OperationRefused } from '../../../src/operations/refusal.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { allRows } from '../records/rows.ts';
import { told } from './told.ts';

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
  expect(error).toBeInstanceOf(OperationRefused);
  expect(await allRows({ store })).toEqual(before);
  return told((error as OperationRefused).problems);
}
