// Keeps what goes over the wire of development tenants, for those who build a client: the newest of it, in memory.
import { randomBytes } from 'node:crypto';
import { wireKept } from '../../../core/rehearsal/limits.ts';
import { createMask } from '../../../core/rehearsal/masking.ts';
import { bounded, type WireEntry } from '../../../core/rehearsal/wire.ts';
import { createAgedMap } from '../../../storage/memory/aged-map.ts';

type Listener = (entry: WireEntry) => void;

/** Is told of every entry, of whatever tenant, with all that stood in it before it was cut. */
export type Witness = (tenantId: string, entry: WireEntry) => void;

export type WireLog = ReturnType<typeof createWireLog>;

/** What went over the wire of each tenant, until a reset or the end of the process. */
export function createWireLog(witness: Witness = () => {}) {
  /** Oldest first, of each tenant. */
  let kept = createAgedMap<WireEntry[]>(wireKept.tenants);
  const listeners = new Map<string, Set<Listener>>();
  let last = 0;
  const next = (): number => {
    last += 1;
    return last;
  };
  return {
    /** The mark of a secret. Readers of the log cannot try which secret has it: the key of the marks goes with the process. */
    mask: createMask(randomBytes(32)),
    /** A request comes. @returns its place among all that comes and leaves */
    come: next,
    /** Its answer leaves: it is kept under the next number, and told to those who wait for it. */
    leave(tenantId: string, given: Omit<WireEntry, 'id'>): void {
      const whole = { id: next(), ...given };
      witness(tenantId, whole);
      const entry = bounded(whole);
      const entries = kept.get(tenantId) ?? [];
      entries.push(entry);
      if (entries.length > wireKept.entries) entries.shift();
      // The tenant that nothing was asked of for longest is forgotten first.
      kept.set(tenantId, entries);
      for (const listener of listeners.get(tenantId) ?? []) listener(entry);
    },
    /** What is kept of a tenant, oldest first. @param after the number of an entry, behind which to begin */
    entries: (tenantId: string, after = 0): readonly WireEntry[] =>
      (kept.get(tenantId) ?? []).filter(({ id }) => id > after),
    /** Calls back with each entry of a tenant that comes from now on. @returns what ends that */
    subscribe(tenantId: string, listener: Listener): () => void {
      const own = listeners.get(tenantId) ?? new Set();
      listeners.set(tenantId, own.add(listener));
      return () => own.delete(listener);
    },
    /** Forgets all entries. The numbers go on, so that a reader who asks for newer ones misses nothing. */
    forget(): void {
      kept = createAgedMap(wireKept.tenants);
    },
  };
}
