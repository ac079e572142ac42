// What is remembered between transactions, while the database says that nothing of it has changed.

/** What a transaction sees of that. */
export interface Remembered {
  readonly version: number;
  /** Until when an address may be kept out (ms). */
  readonly bannedUntil: number;
  readonly memory: Map<string, object>;
}

export type Memory = ReturnType<typeof createMemory>;

export function createMemory() {
  let newest: Remembered | null = null;
  return {
    /** What the newest transaction saw; null before the first. */
    newest: () => newest,
    /** What a transaction sees at a version. One that began before the newest keeps what it finds to itself. */
    at(version: number, bannedUntil: number): Remembered {
      const isSame = newest?.version === version;
      if (isSame && newest?.bannedUntil === bannedUntil) return newest;
      const memory = isSame && newest !== null ? newest.memory : new Map<string, object>();
      const seen = { version, bannedUntil, memory };
      const isNewer = isSame ? bannedUntil > (newest?.bannedUntil ?? 0) : version > (newest?.version ?? -1);
      if (isNewer) newest = seen;
      return seen;
    },
  };
}
