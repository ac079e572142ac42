import SQLite from 'better-sqlite3';

type Read = (...values: unknown[]) => unknown;

/** What some work makes the database hand over: how many rows, of every statement that reads. */
export async function rowsReadBy<T>(work: () => Promise<T>): Promise<{ rows: number; result: T }> {
  const database = new SQLite(':memory:');
  const statement = Object.getPrototypeOf(database.prepare('select 1')) as Record<'all' | 'get', Read>;
  database.close();
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
