// Helpers for reading and writing rows.
import type { UpdateResult } from 'kysely';

/**
 * Holds a conditional update to exactly one row. The core decided on a record read in this transaction, so
 * another count means that the condition and the record disagree: a bug, and the whole piece is rolled back.
 */
export function changedOne(result: UpdateResult | number, what: string): void {
  const changed = typeof result === 'number' ? result : Number(result.numUpdatedRows);
  if (changed !== 1) throw new Error(`${what}: ${changed} rows changed where one was expected`);
}

export const fromFlag = (flag: number): boolean => flag === 1;
export const toFlag = (value: boolean): number => (value ? 1 : 0);

/** A list of texts from its JSON column. */
export function fromList(json: string): readonly string[] {
  return JSON.parse(json) as string[];
}
