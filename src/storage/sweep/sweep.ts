// Deletes expired rows in small bites.

import { sweepBite, sweepStep } from '../../core/operators/limits.ts';
import { type Awaitable, mayTakeLong } from '../prepared.ts';
import { deleteSome, type RowOf, type RowsOf, type Table } from '../rows.ts';
import type { Store, Tx } from '../store.ts';

/** What one bite has done. */
export interface Bitten {
  readonly deleted: number;
  /** Where the next bite goes on; null at the end. */
  readonly next: string | null;
}

/** Rows that are over, deleted in bites. */
export interface Sweep {
  /** What is deleted, for the log: the name of a table. */
  readonly rows: string;
  /** One bite, in a transaction of its own. @param from where the one before ended; '' for the first */
  readonly bite: (tx: Tx, from: string) => Promise<Bitten>;
}

/** Between two bites others have their turn. */
export interface Pace {
  readonly pause: () => Promise<void>;
  /** Whether the service stops: no further bite begins. */
  readonly isOver: () => boolean;
}

const unhurried: Pace = { pause: () => Promise.resolve(), isOver: () => false };

/** Sweeps until nothing is over any more, or it is told to stop. @returns how many rows were deleted */
export async function sweepThrough(store: Store, sweep: Sweep, pace = unhurried): Promise<number> {
  let deleted = 0;
  let from: string | null = '';
  while (from !== null && !pace.isOver()) {
    const at: string = from;
    const bitten = await store.transaction(async (tx) => {
      await mayTakeLong(tx);
      return sweep.bite(tx, at);
    });
    deleted += bitten.deleted;
    from = bitten.next;
    if (from !== null) await pace.pause();
  }
  return deleted;
}

/**
 * Rows that an index finds.
 *
 * @param some deletes a few of them; returns how many, and 0 when none is left
 */
export function indexed(rows: string, some: (tx: Tx) => Promise<number>): Sweep {
  return {
    rows,
    bite: async (tx) => {
      const until = performance.now() + sweepBite.ms;
      let deleted = 0;
      do {
        const count = await some(tx);
        if (count === 0) return { deleted, next: null };
        deleted += count;
      } while (deleted < sweepBite.rows && performance.now() < until);
      return { deleted, next: '' };
    },
  };
}

/** Rows without an index of when they are over: each is looked at, in the order of its key. */
export interface Walk<Row> {
  /** The rows after a key, in its order, at most `sweepBite.rows`. */
  readonly page: (tx: Tx, after: string) => Awaitable<readonly Row[]>;
  readonly keyOf: (row: Row) => string;
  /** Forgets what may be forgotten of a row. @returns how many rows were deleted */
  readonly forget: (tx: Tx, row: Row) => Awaitable<number>;
}

/** Walks over all rows of a table, once. */
export function walked<Row>(rows: string, { page, keyOf, forget }: Walk<Row>): Sweep {
  return {
    rows,
    bite: async (tx, from) => {
      const until = performance.now() + sweepBite.ms;
      const found = await page(tx, from);
      let deleted = 0;
      for (const row of found) {
        deleted += await forget(tx, row);
        if (performance.now() >= until) return { deleted, next: keyOf(row) };
      }
      const last = found.at(-1);
      return { deleted, next: last === undefined || found.length < sweepBite.rows ? null : keyOf(last) };
    },
  };
}

/** Rows of a table that an index finds, a few at a time. @param key what tells them apart */
export function over<T extends Table>(
  table: T,
  key: readonly (keyof RowOf<T> & string)[],
  narrow: (rows: RowsOf<T>) => RowsOf<T>,
): Sweep {
  return indexed(table, (tx) => deleteSome(tx, table, key, narrow, sweepStep));
}
