// Counts what work costs the service in figures that no machine changes: statements, commits, pages, bytes.
import { closeSync, openSync, readSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import SQLite from 'better-sqlite3';
import { afterAll } from 'vitest';

/** What some work cost the database. */
export interface DatabaseCost {
  /** Statements that read or write rows. One that comes twice counts once: on a slow disk the same work reads twice. */
  readonly statements: number;
  /** Transactions that something was written in. */
  readonly commits: number;
  /** Pages that were written to the log: of small tables one for each tree, and one more for each that was full. */
  readonly pages: number;
}

type Act = (this: { readonly source: string }, ...values: unknown[]) => unknown;
const acts = ['all', 'get', 'run'] as const;

/**
 * Counts what every database of this process is asked from now on, until the tests of the file are over. A service must
 * start after it: what writes is remembered with the statement.
 */
export function countStatements(): (file: string, work: () => Promise<unknown>) => Promise<DatabaseCost> {
  const statement = statementPrototype();
  const own = Object.fromEntries(acts.map((name) => [name, statement[name]])) as Record<
    (typeof acts)[number],
    Act
  >;
  let sent: string[] = [];
  for (const name of acts) {
    statement[name] = function (...values) {
      sent.push(this.source);
      return own[name].apply(this, values);
    };
  }
  afterAll(() => {
    Object.assign(statement, own);
  });
  return async (file, work) => {
    sent = [];
    const before = pagesLogged(file);
    await work();
    const pages = pagesLogged(file) - before;
    const ofRows = new Set(sent.filter((text) => /^(?:select|insert|update|delete|with)\b/i.test(text)));
    const isWritten = [...ofRows].some((text) => !/^select\b/i.test(text));
    return {
      statements: ofRows.size,
      commits: isWritten ? sent.filter((text) => text === 'commit').length : 0,
      pages,
    };
  };
}

/** The number of the last page in a database's log, as the index of the log has it (https://sqlite.org/walformat.html §2.1). */
function pagesLogged(file: string): number {
  const index = openSync(`${file}-shm`, 'r');
  const head = Buffer.alloc(20);
  readSync(index, head, 0, head.length, 0);
  closeSync(index);
  return head.readUInt32LE(16);
}

/** What every statement of every database inherits. */
function statementPrototype(): Record<(typeof acts)[number], Act> {
  const database = new SQLite(':memory:');
  const statement: unknown = Object.getPrototypeOf(database.prepare('select 1'));
  database.close();
  return statement as Record<(typeof acts)[number], Act>;
}

interface Allocating {
  readonly selfSize: number;
  readonly children: readonly Allocating[];
  readonly callFrame: { readonly url: string };
}

/** How much the service allocates while some work runs (bytes): what the test's own client and Vitest take is left out. */
export async function allocatedBy(work: () => Promise<unknown>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('HeapProfiler.startSampling', {
    samplingInterval: 1_024,
    // What was collected meanwhile was allocated all the same.
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  });
  await work();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  return sizeOf(profile.head);
}

function sizeOf({ selfSize, children, callFrame }: Allocating): number {
  if (/\/test\/|_http_client|\/vitest\//.test(callFrame.url)) return 0;
  return children.reduce((size, child) => size + sizeOf(child), selfSize);
}
