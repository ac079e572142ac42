import type { Item } from './plan.ts';

/** The items of a plan, handed out one after the other. */
export interface Pool {
  /** The next item to ask about; null where none is left for now. */
  next(): Item | null;
}

/** Each item again and again. */
export function cycling(items: readonly Item[]): Pool {
  let position = 0;
  return { next: () => items[position++ % items.length] ?? null };
}

/** Each item once. */
export function once(items: readonly Item[]): Pool {
  let position = 0;
  return { next: () => items[position++] ?? null };
}

/** Each item so many times before the next one. */
export function filling(items: readonly Item[], times: number): Pool {
  let position = 0;
  return { next: () => items[Math.floor(position++ / times)] ?? null };
}

/** Each item again, but not before so many ms have passed: a device that polls sooner is told to slow down. */
export function pacing(items: readonly Item[], pace: number): Pool {
  const lastUsed = new Float64Array(items.length).fill(-Infinity);
  let position = 0;
  return {
    next: () => {
      const now = performance.now();
      if (now - (lastUsed[position] ?? 0) < pace) return null;
      const item = items[position] ?? null;
      lastUsed[position] = now;
      position = (position + 1) % items.length;
      return item;
    },
  };
}

/** What is given back comes again after all the others: refresh tokens, each replaced by its successor. */
export function returning(items: readonly Item[]): Pool & { giveBack(item: Item): void } {
  let waiting = [...items];
  let back: Item[] = [];
  let position = 0;
  return {
    next: () => {
      if (position >= waiting.length) {
        waiting = back;
        back = [];
        position = 0;
      }
      return waiting[position++] ?? null;
    },
    giveBack: (item) => {
      back.push(item);
    },
  };
}
