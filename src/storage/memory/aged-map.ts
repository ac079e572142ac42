/**
 * A map that knows which of its entries was set first. A Map alone has to look for it: where an entry was deleted
 * or set anew it keeps an empty place, and each time it is asked it walks over all of them.
 */
export interface AgedMap<V> {
  readonly size: number;
  get(key: string): V | undefined;
  /** Sets an entry, which is the newest then, even if it was there. */
  set(key: string, value: V): void;
  delete(key: string): void;
  /** The entry that was set before all others; undefined where there is none. */
  oldest(): readonly [key: string, value: V] | undefined;
}

/** For so many a new iterator does not pay. */
const fewRemovals = 64;

/** @param most how many entries it holds: beyond, the one that was set before all others is dropped */
export function createAgedMap<V>(most = Number.POSITIVE_INFINITY): AgedMap<V> {
  const entries = new Map<string, V>();
  // It goes on where it stopped, so that it passes each empty place once.
  let ahead = entries.entries();
  let first: readonly [string, V] | undefined;
  let removals = 0;
  const remove = (key: string) => {
    if (first?.[0] === key) first = undefined;
    if (!entries.delete(key)) return;
    removals += 1;
    // An iterator that is not asked keeps what the map was before it was rebuilt; a new one does not.
    if (removals > entries.size + fewRemovals) {
      removals = 0;
      first = undefined;
      ahead = entries.entries();
    }
  };
  const oldest = () => {
    while (first === undefined && entries.size > 0) {
      const next = ahead.next();
      first = next.value;
      // Having passed them all it has ended for good: what is set after that, a new one finds.
      if (next.done === true) ahead = entries.entries();
    }
    return first;
  };
  return {
    get size() {
      return entries.size;
    },
    get: (key) => entries.get(key),
    set: (key, value) => {
      remove(key);
      entries.set(key, value);
      const dropped = entries.size > most ? oldest() : undefined;
      if (dropped !== undefined) remove(dropped[0]);
    },
    delete: remove,
    oldest,
  };
}
