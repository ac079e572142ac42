// Says for each transaction who acts in it, for the audit.
import { type AuditEvent, type Source, serviceSource } from '../../core/operators/audit-event.ts';
import type { Clock } from '../../system/clock.ts';
import type { Awaitable } from '../prepared.ts';
import { StorageUnavailable, type Store, type Tx } from '../store.ts';

/** What belongs to one piece of work: who does it, and what it has done beside the database so far. */
interface Audited {
  /** Asked for each event that is written: it has the time. */
  readonly source: () => Source;
  readonly events: AuditEvent[];
  /** How to take back what it changed in memory, the last first. */
  readonly undo: (() => void)[];
  /** What it does once, however often it runs. */
  readonly once: Once;
  /** What is to be done once it is committed. */
  readonly after: (() => void)[];
  /** Says that something waits in a queue. */
  readonly wake: (queue: Woken) => void;
  readonly numbers: Numbers | null;
}

/**
 * How events get their numbers as they are written, where one process alone has the database: it commits changes in the
 * order that it makes them in.
 */
export interface Numbers {
  /** Makes the id of an event. @param at ms */
  readonly idOf: (at: number) => string;
  /** Called once they are committed: a tenant's events can be read. */
  readonly numbered: (tenantIds: readonly string[]) => void;
}

/** What waits for a commit: what clients are told of sign-outs, events, and what endpoints are told, and files of
 * members. */
export type Woken = 'logoutNotices' | 'events' | 'webhooks' | 'imports';

/** What a piece of work has done once, by a key, and which of it the present run asked for. */
interface Once {
  done: Map<string, { readonly value: unknown; readonly undo: () => Awaitable<void> }> | null;
  asked: Set<string> | null;
}

const audited = Symbol('audited');

/** Pieces of work share a commit, and their transaction: each gets a handle of its own, and this on it. */
type Handle = Tx & { [audited]?: Audited };

/**
 * The store of the running service: whatever changes in a transaction is done by the service itself unless
 * another actor is named (`actingAs`), and each event is told once, after its commit. What is rolled back
 * leaves neither a row nor a line.
 *
 * @param wake called after a commit that left something to be sent (`wakeAfterCommit`)
 * @param numbers numbers events as they are written; where it is null that is left to `numberEvents`
 */
export function auditedStore(
  store: Store,
  clock: Clock,
  tell: (event: AuditEvent) => void,
  wake: (queue: Woken) => void = () => {},
  numbers: Numbers | null = null,
): Store {
  const audit =
    (run: Store['transaction']): Store['transaction'] =>
    async (work) => {
      let events: AuditEvent[] = [];
      let undo: (() => void)[] = [];
      const once: Once = { done: null, asked: null };
      let after: (() => void)[] = [];
      const result = await run((tx) => {
        // Work whose commit failed may run again: the database has taken back what it did, and memory does here.
        for (const takeBack of undo.toReversed()) takeBack();
        events = [];
        undo = [];
        after = [];
        once.asked = null;
        const source = () => serviceSource(clock());
        return work(handle(tx, { source, events, undo, after, once, wake, numbers }));
      });
      // What stays counted is no reason to say that what is committed was not done.
      await undoUnasked(once).catch((error: unknown) => {
        if (!(error instanceof StorageUnavailable)) throw error;
      });
      for (const event of events) tell(event);
      for (const act of after) act();
      return result;
    };
  return { ...store, transaction: audit(store.transaction), lookUp: audit(store.lookUp) };
}

/** The same transaction for another actor: the audit names that one for what changes through it. */
export function actingAs(tx: Tx, source: () => Source): Tx {
  return handle(tx, {
    ...(auditedIn(tx) ?? {
      events: [],
      undo: [],
      after: [],
      once: { done: null, asked: null },
      wake: () => {},
      numbers: null,
    }),
    source,
  });
}

/** Whether anyone acts in a transaction: no one does in a store that is not audited. */
export const hasActor = (tx: Tx): boolean => auditedIn(tx) !== undefined;

/** The actor of a transaction; null where none was named, as in a store that is not audited. */
export function sourceIn(tx: Tx): Source | null {
  return auditedIn(tx)?.source() ?? null;
}

/** What numbers the events of a transaction as they are written; null where that is left to `numberEvents`. */
export const numbersIn = (tx: Tx): Numbers | null => auditedIn(tx)?.numbers ?? null;

/** Keeps an event that was written until its transaction is committed. */
export function noteAuditEvent(tx: Tx, event: AuditEvent): void {
  auditedIn(tx)?.events.push(event);
}

/**
 * Says how to take back what a piece of work has just changed in memory. It is done before the work runs again, so
 * that it finds what it found.
 */
export function ifRunAgain(tx: Tx, undo: () => void): void {
  auditedIn(tx)?.undo.push(undo);
}

/**
 * Does something beside the database, such as counting, once in a piece of work, however often that runs: the run that
 * is committed gets what the first one got. What that one did not ask for is taken back.
 *
 * @param key names it within the work
 */
export async function onceIn<Value>(
  tx: Tx,
  key: string,
  act: () => Awaitable<Value>,
  undo: (value: Value) => Awaitable<void>,
): Promise<Value> {
  const once = auditedIn(tx)?.once;
  if (once === undefined) return act();
  once.asked ??= new Set();
  once.asked.add(key);
  const known = once.done?.get(key);
  if (known !== undefined) return known.value as Value;
  const value = await act();
  once.done ??= new Map();
  once.done.set(key, { value, undo: () => undo(value) });
  return value;
}

/** What an earlier run of the same piece of work, or this one, got for what it did once. @param key as for `onceIn` */
export const doneIn = (tx: Tx, key: string): { readonly value: unknown } | undefined =>
  auditedIn(tx)?.once.done?.get(key);

async function undoUnasked({ done, asked }: Once): Promise<void> {
  if (done === null) return;
  for (const [key, { undo }] of done) if (asked?.has(key) !== true) await undo();
}

/**
 * Does something once a transaction is committed and on the disk: what it wrote can be read then, by every reader. In a
 * store that is not a running service's it is done at once.
 */
export function afterCommit(tx: Tx, act: () => void): void {
  const facts = auditedIn(tx);
  if (facts === undefined) act();
  else facts.after.push(act);
}

/** Says, once a transaction is committed, that it left something in a queue. */
export function wakeAfterCommit(tx: Tx, queue: Woken): void {
  const facts = auditedIn(tx);
  facts?.after.push(() => facts.wake(queue));
}

const auditedIn = (tx: Handle) => tx[audited];

function handle(tx: Tx, facts: Audited): Tx {
  const own: Handle = tx.$extendTables();
  own[audited] = facts;
  return own;
}
