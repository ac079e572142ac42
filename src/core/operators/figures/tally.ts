// Counts what there was at each of many moments, from when it began and ended.

/** Steps of one length up to now. */
export interface Steps {
  readonly unit: 'hour' | 'day';
  /** ms */
  readonly length: number;
  /** When the first of them begins (ms). */
  readonly from: number;
  readonly now: number;
}

/** What came out for a name in a step. */
export interface Tallied {
  readonly unit: Steps['unit'];
  readonly at: number;
  readonly name: string;
  readonly value: number;
}

/** Counts in steps. */
export interface Tally {
  /** Something was there from a moment on, until another. @param amount how much of it; one, where it is counted */
  there(name: string, since: number, until: number, amount?: number): void;
  /** Something happened at a moment. */
  happened(name: string, at: number): void;
  /** What there was at the end of each step, at present in the last one; and how often something happened in it. */
  results(): readonly Tallied[];
}

/** Begins to count. Each entry costs the same, however many steps there are. */
export function createTally(given: readonly Steps[]): Tally {
  const all = given.map((steps) => createOne(steps));
  return {
    there: (...of) => {
      for (const one of all) one.there(...of);
    },
    happened: (...of) => {
      for (const one of all) one.happened(...of);
    },
    results: () => all.flatMap((one) => one.results()),
  };
}

function createOne({ unit, length, from, now }: Steps): Tally {
  const count = Math.floor((now - from) / length) + 1;
  /** How much more there is at the end of a step than at the end of the one before. */
  const more = new Map<string, Float64Array>();
  const times = new Map<string, Float64Array>();
  const rowOf = (rows: Map<string, Float64Array>, name: string) => {
    const known = rows.get(name);
    if (known !== undefined) return known;
    const row = new Float64Array(count + 1);
    rows.set(name, row);
    return row;
  };
  /** The first step at whose end a moment has come; `count` if it has not come yet. */
  const stepAt = (moment: number) =>
    moment > now ? count : Math.max(0, Math.min(count, Math.ceil((moment - from) / length)) - 1);
  const add = (row: Float64Array, step: number, amount: number) => {
    row[step] = (row[step] ?? 0) + amount;
  };
  return {
    there: (name, since, until, amount = 1) => {
      const row = rowOf(more, name);
      if (until <= since) return;
      add(row, stepAt(since), amount);
      add(row, stepAt(until), -amount);
    },
    happened: (name, at) => {
      if (at < from || at > now) return;
      add(rowOf(times, name), Math.floor((at - from) / length), 1);
    },
    results: () => {
      const results: Tallied[] = [];
      const told = (name: string, step: number, value: number) =>
        results.push({ unit, at: from + step * length, name, value: Math.round(value) });
      for (const [name, row] of more) {
        let value = 0;
        for (let step = 0; step < count; step += 1) {
          value += row[step] ?? 0;
          told(name, step, value);
        }
      }
      for (const [name, row] of times) {
        for (let step = 0; step < count; step += 1) if (row[step] !== 0) told(name, step, row[step] ?? 0);
      }
      return results;
    },
  };
}
