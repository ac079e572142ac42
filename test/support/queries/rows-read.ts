import SQLite from 'better-sqlite3';

type Read = (...values: unknown[]) => unknown;

/** What some work makes the database hand over: how many rows, of every statement that reads. */
export async function rowsReadBy<T>(work: () => Promise<T>): Promise<{ rows: number; result: T }> {
  const statement = statementPrototype();
  const { all, get } = statement;
  let rows = 0;
  statement.all = function (this: unknown, ...values) {
    const found = all.apply(this, values) as readonly unknown[];
    rows += found.length;
    return found;
  };
  statement.get = function (this: unknown, ...values) {
    const found = get.apply(this, values);
    rows += found === undefined ? 0 : 1;
    return found;
  };
  try {
    return { result: await work(), rows };
  } finally {
    Object.assign(statement, { all, get });
  }
}

/**
 * The text of every statement by which some work reads tables, in the order in which they come first. Each stands once:
 * on a slow disk the same work reads twice, from the snapshot and then in its own transaction.
 */
export async function readsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const statement = statementPrototype();
  const { all, get } = statement;
  const sent: string[] = [];
  const telling = (read: Read): Read =>
    function (this: unknown, ...values) {
      sent.push((this as { source: string }).source);
      return read.apply(this, values);
    };
  Object.assign(statement, { all: telling(all), get: telling(get) });
  try {
    await work();
    return [...new Set(sent)].filter((text) => !/^pragma|sqlite_schema/i.test(text));
  } finally {
    Object.assign(statement, { all, get });
  }
}

/** What every statement of every database inherits. */
function statementPrototype(): Record<'all' | 'get', Read> {
  const database = new SQLite(':memory:');
  const statement: unknown = Object.getPrototypeOf(database.prepare('select 1'));
  database.close();
  return statement as Record<'all' | 'get', Read>;
}
