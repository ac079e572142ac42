// Reads a PostgreSQL database whole, and fills a new one, when a service moves to another engine.
import pg from 'pg';
import { movedRows } from '../../core/operators/store-limits.ts';
import { StartupError } from '../../system/startup-error.ts';
import type { ReadSide, StoredRow, Value, WriteSide } from '../move/copy.ts';
import {
  listed,
  type MovedTable,
  movedTables,
  ofNewDatabase,
  queryOf,
  selfReferences,
} from '../move/tables.ts';
import { refuseUsed } from './alone.ts';
import { openPool, processName } from './client.ts';
import { isOutage } from './errors.ts';
import { migrate } from './migrate.ts';

/** A statement with its values. */
interface Statement {
  readonly text: string;
  readonly values?: readonly Value[];
  /** Is prepared once, under this name. */
  readonly name?: string;
  /** Its rows are put into this table. */
  readonly into?: MovedTable;
}

/** What asks a server. */
interface Asker {
  /** @throws StartupError without a value of a row, and without the address */
  ask(statement: Statement | string): Promise<pg.QueryArrayResult<Value[]>>;
  close(): Promise<void>;
}

/**
 * A database that no process of the service uses, as it is at this moment; `leave` makes sure that none has begun to.
 *
 * @throws StartupError if one does, or it is empty or of another version
 */
export async function openSource(
  url: string,
  mayMigrate: boolean,
): Promise<ReadSide & { leave(): Promise<void>; close(): Promise<void> }> {
  const { ask, close } = await connectTo(url, { initialise: false, migrate: mayMigrate });
  try {
    await refuseUsed(ask);
    await ask('begin isolation level repeatable read read only');
    return {
      ...readingOf(ask),
      leave: async () => {
        // A transaction goes on seeing the connections that there were when it looked first.
        await ask('commit');
        await refuseUsed(ask);
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * A database with nothing in it but empty tables of ours, which are made where they are not there yet. What is written
 * into it is there when it is committed.
 *
 * @throws StartupError if it is not empty, or of another version
 */
export async function openTarget(
  url: string,
): Promise<WriteSide & { commit(): Promise<void>; close(): Promise<void> }> {
  const { ask, close } = await connectTo(url, { initialise: true, migrate: false });
  try {
    await ask('begin');
    await refuseFilled(ask);
    await ask(`delete from ${ofNewDatabase}`);
  } catch (error) {
    await close();
    throw error;
  }
  const filled = new Set<MovedTable>();
  const references: { table: MovedTable; from: string; to: string; values: [Value, Value] }[] = [];
  return {
    ...readingOf(ask),
    write: async (table, columns, rows) => {
      filled.add(table);
      const reference = selfReferences[table];
      const from = reference === undefined ? -1 : columns.indexOf(reference.from);
      const to = reference === undefined ? -1 : columns.indexOf(reference.to);
      const values = rows.flatMap((row) => {
        if (reference === undefined || row[from] === null) return row;
        references.push({ table, ...reference, values: [row[from] as Value, row[to] as Value] });
        return row.with(from, null);
      });
      const text = insertionOf(table, columns, rows.length);
      const named = rows.length === movedRows ? { name: `${movedRows} ${table}` } : {};
      await ask({ text, values, into: table, ...named });
    },
    finish: async () => {
      for (const { table, from, to, values } of references) {
        await ask({ text: `update "${table}" set "${from}" = $1 where "${to}" = $2`, values });
      }
      await goOnCounting(ask);
    },
    commit: async () => {
      await ask('commit');
      // Until it knows how many rows there are, the planner reads tables from end to end. Of one that it knows to be
      // empty it would do so for a while after that has grown, by queries that it has prepared.
      for (const table of filled) await ask(`analyze "${table}"`).catch(() => {});
    },
    close,
  };
}

async function connectTo(url: string, may: Parameters<typeof migrate>[1]): Promise<Asker> {
  const pool = openPool(url, { application_name: `${processName} move` });
  try {
    await migrate(pool, may);
    const client = await pool.connect();
    // Why it broke is told by the query that follows.
    client.on('error', () => {});
    return {
      ask: async (statement) => {
        const { into, ...asked } = typeof statement === 'string' ? { text: statement } : statement;
        try {
          return await client.query<Value[]>({ ...asked, rowMode: 'array', types } as pg.QueryArrayConfig);
        } catch (error) {
          throw refused(error, into);
        }
      },
      close: async () => {
        // What is not committed is taken back with the connection.
        client.release(true);
        await pool.end();
      },
    };
  } catch (error) {
    await pool.end();
    throw refused(error);
  }
}

const { builtins, getTypeParser } = pg.types;
const wholeNumbers: ReadonlySet<number> = new Set([builtins.INT2, builtins.INT4, builtins.INT8]);
const types = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    wholeNumbers.has(type) ? BigInt : getTypeParser(type, format)) as typeof getTypeParser,
};

/** @param into where a row was to be put, which the words of the server may repeat */
function refused(error: unknown, into?: MovedTable): unknown {
  if (error instanceof StartupError) return error;
  if (!(error instanceof pg.DatabaseError)) {
    return new StartupError(`The database cannot be reached: ${(error as Error).message}.`);
  }
  const { code, message } = error;
  const why = isOutage(error) || into === undefined ? message : `it does not take a row of ${into}`;
  return new StartupError(`The database refused: ${why} (SQLSTATE ${code}).`);
}

async function refuseFilled(ask: Asker['ask']): Promise<void> {
  for (const table of movedTables.filter((name) => name !== ofNewDatabase)) {
    if ((await ask(`select 1 from "${table}" limit 1`)).rows.length === 0) continue;
    throw new StartupError(
      `The database is not empty: there are rows in ${table}. A service moves into an empty one.`,
    );
  }
}

function insertionOf(table: MovedTable, columns: readonly string[], rows: number): string {
  const places = Array.from(
    { length: rows },
    (_row, row) => `(${columns.map((_column, column) => `$${row * columns.length + column + 1}`).join()})`,
  );
  return `insert into "${table}" (${listed(columns)}) values ${places.join()}`;
}

/** Rows that the server numbers go on after those that were copied. */
async function goOnCounting(ask: Asker['ask']): Promise<void> {
  const { rows } = await ask(
    "select table_name, column_name from information_schema.columns where table_schema = current_schema() and is_identity = 'YES'",
  );
  for (const [table, column] of rows as unknown as readonly [string, string][]) {
    const next = `(select coalesce(max("${column}"), 0) + 1 from "${table}")`;
    const text = `select setval(pg_get_serial_sequence($1, $2), ${next}, false)`;
    await ask({ text, values: [`"${table}"`, column] });
  }
}

function readingOf(ask: Asker['ask']): ReadSide {
  return {
    columns: async (table) =>
      (await ask(`select * from "${table}" limit 0`)).fields.map(({ name }) => name).sort(),
    read: (table, columns) => batches(ask, queryOf(table, columns)),
  };
}

async function* batches(ask: Asker['ask'], query: string): AsyncGenerator<readonly StoredRow[]> {
  await ask(`declare moved no scroll cursor for ${query}`);
  for (;;) {
    const { rows } = await ask(`fetch ${movedRows} from moved`);
    if (rows.length > 0) yield rows;
    if (rows.length < movedRows) break;
  }
  await ask('close moved');
}
