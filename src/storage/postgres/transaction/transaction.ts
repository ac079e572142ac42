// One transaction of PostgreSQL, in as few round trips as its work allows. Each statement is sent at once, and only work
// that needs its answer waits for it: what is written goes out with the commit.
//
// The first two statements begin the transaction and read the version of what is remembered, and whether addresses are
// kept out. Work that expects a version does not wait for that either: it begins with what an earlier transaction saw,
// and reads. If another process has changed that since, none of its reads is answered, and the work runs again with
// what is so now. Until the transaction has begun for certain nothing is sent that may change anything: by itself each
// statement would be committed at once.
import type pg from 'pg';
import { groupLockTimeout } from '../../../core/operators/store-limits.ts';
import { type Connection, connect } from '../../prepared.ts';
import type { QueryText } from '../../query-text.ts';
import { CommitUnanswered, type Tx } from '../../store.ts';
import { allow, flush, type Statement, send } from '../client.ts';
import { isUnanswered } from '../errors.ts';
import type { Memory, Remembered } from '../memory.ts';
import { createBatches } from './batches.ts';
import { handleOn } from './handle.ts';
import { type OwnStatements, ownStatements, type Statements, statementsOn } from './statements.ts';

/** Another process has changed what the transaction was expected to see. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/** Work that was to read only wants to change something. */
export class Changing extends Error {
  override readonly name = 'Changing';
}

/** A piece of work that shares a transaction wants what it can only have for itself. */
export class Unshared extends Error {
  override readonly name = 'Unshared';
}

/** A transaction as one piece of work has it. */
export interface Handle {
  readonly tx: Tx;
  /** Whether the piece sent anything that may have changed something. */
  mayHaveWritten(): boolean;
  /** The piece is over: it sends nothing any more. */
  close(): void;
}

/** A transaction that is under way. */
export interface Underway {
  handle(): Handle;
  /** Resolves once it has begun for certain. */
  begun(): Promise<unknown>;
  /** @throws CommitUnanswered where it may be committed */
  commit(): Promise<void>;
  rollback(): Promise<void>;
  /** Ends one that only reads, without waiting for it. */
  leave(): void;
  /** The first error of a statement; null as long as there is none. */
  failure(): { readonly error: unknown } | null;
  /** @returns why the work failed: the first error of a statement, even if it met another; where none failed, its own */
  causeOf(error: unknown): unknown;
}

/** How a transaction begins, by what its work may do. */
const begins = {
  changes: { text: 'begin isolation level serializable' },
  // One that waits for a row is not all of them: they go on without it.
  together: { text: `begin isolation level serializable; set local lock_timeout = ${groupLockTimeout}` },
  // What it reads is no reason for others to run again, nor what they write for it.
  apart: { text: 'begin isolation level repeatable read' },
  reads: { text: 'begin isolation level repeatable read read only' },
};
export type Work = keyof typeof begins;

/** Prepared, as it is asked most of all. */
const looks = { name: 'remembered', text: 'select version, "bannedUntil" from remembered' };
const commits = { text: 'commit' };
const takesBack = { text: 'rollback' };
const takesLong = { text: 'set local statement_timeout = 0' };
const raises = { text: 'update remembered set version = version + 1 returning version' };

/** What a transaction is told of the others, and tells them. */
interface Surroundings {
  readonly memory: Memory;
  /** What it is to see; null if nothing is asked of it before it has begun. */
  readonly expected: Remembered | null;
  /** The database has answered it first. @param ms after it began */
  readonly heard?: (ms: number) => void;
}

export function begin(client: pg.PoolClient, surroundings: Surroundings, work: Work = 'changes'): Underway {
  allow(client, false);
  const statements = statementsOn(client);
  const beginning = beginningOn(client, statements, surroundings, work);
  const handles: Handle[] = [];
  return {
    handle: () => {
      const own = ownStatements(statements);
      const changes = changesOn(own, beginning, { work, fail: statements.fail });
      const tx = handleOn((statement, onlyReads) =>
        onlyReads ? own.ask(statement) : changes.ask(statement),
      );
      connect(tx, connectionOn(client, own, beginning, { changes, work }));
      const handle = { tx, mayHaveWritten: changes.mayHaveWritten, close: own.close };
      handles.push(handle);
      return handle;
    },
    begun: beginning.begun,
    failure: () => statements.failure,
    causeOf: (error) => (error instanceof CommitUnanswered ? error : (statements.failure?.error ?? error)),
    ...endingOf(client, statements, beginning, () => handles.some((handle) => handle.mayHaveWritten())),
  };
}

type Beginning = ReturnType<typeof beginningOn>;

/** Sends what begins a transaction, and hears what the transaction sees. */
function beginningOn(
  client: pg.PoolClient,
  statements: Statements,
  { memory, expected, heard }: Surroundings,
  work: Work,
) {
  const askedAt = performance.now();
  let seen = expected;
  let hasBegun = false;
  statements.put(begins[work]);
  const answered = statements.send(looks, false, ({ rows: [row] }) => {
    if (statements.failure !== null) return;
    heard?.(performance.now() - askedAt);
    hasBegun = true;
    const { version, bannedUntil } = row as Omit<Remembered, 'memory'>;
    // The next transaction expects what is so now.
    const isNow = memory.at(version, bannedUntil);
    seen ??= isNow;
    if (seen.version !== version || seen.bannedUntil < bannedUntil) statements.fail(new Outdated());
  });
  // Whatever is asked meanwhile rejects with the same.
  answered.catch(() => {});
  return {
    hasBegun: () => hasBegun,
    /** Resolves once it has begun for certain. */
    begun: () => {
      flush(client);
      return answered;
    },
    seen: (): Remembered => {
      if (seen === null) throw new Error('the transaction has not begun');
      return seen;
    },
    see: (now: Remembered) => {
      seen = now;
    },
  };
}

type Changes = ReturnType<typeof changesOn>;

/** Sends what may change something, once the transaction has begun for certain. */
function changesOn(
  { ask, put }: OwnStatements,
  { hasBegun, begun }: Beginning,
  { work, fail }: { readonly work: Work; readonly fail: Statements['fail'] },
) {
  let mayWrite = false;
  /** @throws Changing */
  const mayChange = () => {
    if (work === 'reads') throw new Changing();
  };
  return {
    mayChange,
    /** @throws Unshared, and so does all that is asked from then on in the transaction */
    needsItsOwn: () => {
      if (work !== 'together') return;
      fail(new Unshared());
      throw new Unshared();
    },
    /** Whether anything was sent that may have changed something. */
    mayHaveWritten: () => mayWrite,
    ask: async (statement: Statement) => {
      mayChange();
      if (!hasBegun()) await begun();
      mayWrite = true;
      return ask(statement);
    },
    /** Sends a change whose answer is not waited for. */
    put: (statement: Statement): void | Promise<void> => {
      mayChange();
      const write = () => {
        mayWrite = true;
        put(statement);
      };
      return hasBegun() ? write() : begun().then(write);
    },
  };
}

/** The connection as the prepared queries use it. */
function connectionOn(
  client: pg.PoolClient,
  { ask }: OwnStatements,
  { hasBegun, begun, seen, see }: Beginning,
  { changes, work }: { readonly changes: Changes; readonly work: Work },
): Connection {
  const { mayChange, needsItsOwn } = changes;
  const askOne = async ({ postgres }: QueryText, values: readonly unknown[]) =>
    (await ask({ ...postgres, values })).rows;
  // Only the pieces of a snapshot are there at once: others follow one another.
  const read = work === 'reads' ? createBatches(ask) : askOne;
  let isUnhurried = false;
  return {
    first: async (text, values) => (await read(text, values))[0],
    all: read,
    run: async ({ postgres }, values) => (await changes.ask({ ...postgres, values })).rowCount ?? 0,
    changeOne: ({ postgres }, values) => changes.put({ ...postgres, values }),
    isRemote: true,
    isSnapshot: false,
    get version() {
      return seen().version;
    },
    get bannedUntil() {
      return seen().bannedUntil;
    },
    get memory() {
      return seen().memory;
    },
    mayChange,
    forget: async () => {
      mayChange();
      needsItsOwn();
      // What this transaction reads from now on may be taken back with it.
      const own = { ...seen(), memory: new Map<string, object>() };
      see(own);
      const { rows } = await changes.ask(raises);
      see({ ...own, version: rows[0].version });
    },
    takeLong: async () => {
      if (isUnhurried) return;
      mayChange();
      needsItsOwn();
      isUnhurried = true;
      if (!hasBegun()) await begun();
      await ask(takesLong);
      allow(client, true);
    },
  };
}

/** The ways in which a transaction ends. */
function endingOf(
  client: pg.PoolClient,
  statements: Statements,
  { hasBegun, begun }: Beginning,
  mayHaveWritten: () => boolean,
): Pick<Underway, 'commit' | 'rollback' | 'leave'> {
  return {
    leave: () => {
      statements.close();
      send(client, commits, () => {}, true);
    },
    commit: async () => {
      // Where a statement has failed already, it is not sent.
      const isSent = statements.failure === null;
      if (!hasBegun()) await begun();
      const { command } = await statements.ask(commits).catch((error: unknown) => {
        throw isSent && mayHaveWritten() && isUnanswered(error) ? new CommitUnanswered(error) : error;
      });
      statements.close();
      // After a statement that failed the server takes everything back, whatever it is asked, and says so no louder.
      if (command !== 'COMMIT') throw new Error('a statement of the transaction failed');
    },
    rollback: () => {
      statements.close();
      return new Promise((resolve, reject) => {
        send(client, takesBack, (error) => (error === null ? resolve() : reject(error)), true);
      });
    },
  };
}
