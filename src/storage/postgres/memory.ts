// What is remembered between transactions, while the database says that nothing of it has changed.

/** What a transaction sees of that. */
export interface Remembered {
  readonly version: number;
  readonly memory: Map<string, object>;
}

export type Memory = ReturnType<typeof createMemory>;

export function createMemory() {
  let newest: Remembered | null = null;
  return {
    /** What the newest transaction saw; null before the first. */
    newest: () => newest,
    /** What a transaction sees at a version. One that began before the newest keeps what it finds to itself. */
    at(version: number): Remembered {
      if (newest?.version === version) return newest;
      const seen = { version, memory: new Map<string, object>() };
      if (newest === null || version > newest.version) newest = seen;
      return seen;
    },
  };
}
