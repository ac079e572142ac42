// One transaction of PostgreSQL, in as few round trips as its work allows. Each statement is sent at once, and only work
// that needs its answer waits for it: what is written goes out with the commit.
//
// The first two statements begin the transaction and read the version of what is remembered, and whether addresses are
// kept out. Work that expects a version does not wait for that either: it begins with what an earlier transaction saw,
// and reads. If another process has changed that since, none of its reads is answered, and the work runs again with
// what is so now. Until the transaction has begun for certain nothing is sent that may change anything: by itself each
// statement would be committed at once.
import type pg from 'pg';
import { type Connection, connect, otherNumber, type QueryText } from '../prepared.ts';
import { CommitUnanswered, type Tx } from '../store.ts';
import { type Answered, allow, flush, type Statement, send } from './client.ts';
import { isDivisionByZero, isUnanswered } from './errors.ts';
import { handleOn } from './handle.ts';
import type { Memory, Remembered } from './memory.ts';

/** Another process has changed what the transaction was expected to see. */
export class Outdated extends Error {
  override readonly name = 'Outdated';
}

/** Work that was to read only wants to change something. */
export class Changing extends Error {
  override readonly name = 'Changing';
}

/** A transaction that is under way. */
export interface Underway {
  readonly tx: Tx;
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

/** By what the work may do. */
const begins = {
  changes: { text: 'begin isolation level serializable' },
  // What it reads is no reason for others to run again, nor what they write for it.
  apart: { text: 'begin isolation level repeatable read' },
  reads: { text: 'begin isolation level repeatable read read only' },
};
/** Prepared, as it is asked most of all. */
const looks = { name: 'remembered', text: 'select version, "bannedUntil" from remembered' };
const commits = { text: 'commit' };
const takesBack = { text: 'rollback' };
const takesLong = { text: 'set local statement_timeout = 0' };
const raises = { text: 'update remembered set version = version + 1 returning version' };

/** @param expected what it is to see; null if nothing is asked of it before it has begun */
export function begin(
  client: pg.PoolClient,
  memory: Memory,
  expected: Remembered | null,
  work: keyof typeof begins = 'changes',
): Underway {
  const statements = statementsOn(client);
  const { ask } = statements;
  let seen = expected;
  let hasBegun = false;
  let mayWrite = false;
  let isUnhurried = false;
  allow(client, false);

  statements.put(begins[work]);
  const beginning = statements.send(looks, false, ({ rows: [row] }) => {
    if (statements.failure !== null) return;
    hasBegun = true;
    const { version, bannedUntil } = row as Omit<Remembered, 'memory'>;
    // What it is now, the next transaction expects.
    const isNow = memory.at(version, bannedUntil);
    seen ??= isNow;
    if (seen.version !== version || seen.bannedUntil < bannedUntil) statements.fail(new Outdated());
  });
  // Whatever is asked meanwhile rejects with the same.
  beginning.catch(() => {});
  const begun = () => {
    flush(client);
    return beginning;
  };
  const mayChange = () => {
    if (work === 'reads') throw new Changing();
  };
  const afterBegin = async (statement: Statement) => {
    mayChange();
    if (!hasBegun) await begun();
    mayWrite ||= statement !== commits;
    return ask(statement);
  };
  const known = (): Remembered => {
    if (seen === null) throw new Error('the transaction has not begun');
    return seen;
  };

  const read = ({ postgres }: QueryText, values: readonly unknown[]) => ask({ ...postgres, values });
  const connection: Connection = {
    first: async (text, values) => (await read(text, values)).rows[0],
    all: async (text, values) => (await read(text, values)).rows,
    run: async ({ postgres }, values) => (await afterBegin({ ...postgres, values })).rowCount ?? 0,
    changeOne: ({ postgres }, values) => {
      mayChange();
      const put = () => {
        mayWrite = true;
        statements.put({ ...postgres, values });
      };
      return hasBegun ? put() : begun().then(put);
    },
    isRemote: true,
    isSnapshot: false,
    get version() {
      return known().version;
    },
    get bannedUntil() {
      return known().bannedUntil;
    },
    get memory() {
      return known().memory;
    },
    mayChange,
    forget: async () => {
      mayChange();
      // What this transaction reads from now on may be taken back with it.
      const own = { ...known(), memory: new Map<string, object>() };
      seen = own;
      const { rows } = await afterBegin(raises);
      seen = { ...own, version: rows[0].version };
    },
    takeLong: async () => {
      if (isUnhurried) return;
      mayChange();
      isUnhurried = true;
      if (!hasBegun) await begun();
      await ask(takesLong);
      allow(client, true);
    },
  };
  const tx = handleOn((statement, onlyReads) => (onlyReads ? ask(statement) : afterBegin(statement)));
  connect(tx, connection);

  return {
    tx,
    begun,
    leave: () => {
      statements.close();
      send(client, commits, () => {}, true);
    },
    failure: () => statements.failure,
    commit: async () => {
      // Where a statement has failed already, it is not sent.
      const isSent = statements.failure === null;
      const { command } = await afterBegin(commits).catch((error: unknown) => {
        throw isSent && mayWrite && isUnanswered(error) ? new CommitUnanswered(error) : error;
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
    causeOf: (error) => (error instanceof CommitUnanswered ? error : (statements.failure?.error ?? error)),
  };
}

/** Sends the statements of a transaction. What fails first decides: the server refuses whatever comes behind it. */
function statementsOn(client: pg.PoolClient) {
  let failure: { readonly error: unknown } | null = null;
  let isOver = false;
  const fail = (error: unknown) => {
    failure ??= { error };
  };
  const check = () => {
    if (isOver) throw new Error('the transaction is over');
    if (failure !== null) throw failure.error;
  };
  /** @param look sees the answer before that to any later statement is known */
  const sent = (statement: Statement, isWaitedFor: boolean, look?: (answer: pg.QueryResult) => void) =>
    new Promise<pg.QueryResult>((resolve, reject) => {
      check();
      const answered: Answered = (error, answer) => {
        if (error !== null) fail(error);
        else look?.(answer);
        if (failure === null) resolve(answer);
        else reject(failure.error);
      };
      send(client, statement, answered, isWaitedFor);
    });
  return {
    fail,
    /** The first error of a statement; null as long as there is none. */
    get failure() {
      return failure;
    },
    send: sent,
    ask: (statement: Statement) => sent(statement, true),
    /** Sends a statement whose answer is not waited for. */
    put: (statement: Statement): void => {
      check();
      const answered: Answered = (error) => {
        if (error !== null) fail(isDivisionByZero(error) ? otherNumber(statement.text, error) : error);
      };
      send(client, statement, answered, false);
    },
    /** Sends nothing any more: the connection may be another transaction's. */
    close: () => {
      isOver = true;
    },
  };
}
