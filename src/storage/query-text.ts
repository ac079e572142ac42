// Writes the text of a prepared query for each engine, once.
import { createHash } from 'node:crypto';
import {
  type Compilable,
  createQueryId,
  type OperationNodeSource,
  PostgresQueryCompiler,
  type RootOperationNode,
  type SqliteQueryCompiler,
} from 'kysely';

/** A text that the server of PostgreSQL keeps under a name. */
export interface NamedText {
  readonly name: string;
  readonly text: string;
}

/** The text of a prepared query for each engine. Its values come in the same order in both. */
export interface QueryText {
  readonly sqlite: string;
  readonly postgres: NamedText;
  /** Where it may be asked in batches. */
  readonly batch?: BatchText | undefined;
}

/** Types of PostgreSQL that a batch's values have. */
export type BatchType = 'bigint' | 'text';

/**
 * The text for PostgreSQL that asks the query for many values at once: it has an array for each of them. Each row says
 * in `asked` whose answer it is part of, from 1; the rows of an answer come in no order.
 */
export type BatchText = (types: readonly BatchType[]) => NamedText;

/** A built query: its text, that of a change of one row, and the names of its values in their order. */
export interface Built {
  readonly text: QueryText;
  readonly changes: QueryText;
  readonly names: readonly string[];
}

/** Stands in a query for the value of this name. */
class Given {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Values of any name that are given later. */
export const anyName = new Proxy({}, { get: (_, name) => new Given(String(name)) });

/** The part of a query compiler that decides how a value comes into the text. */
interface Appending {
  append(text: string): void;
  appendValue(value: unknown): void;
  appendImmediateValue(value: unknown): void;
}

/**
 * Binds what is given later, and nothing else. A constant stands in the text, where the planner sees it once: one
 * that is bound, as a limit or in a partial index's condition, it looks at each time, and plans the query again.
 *
 * @param name names the n-th value that is given, where it is no parameter of the text
 */
export function bindingGiven<Compiler extends SqliteQueryCompiler | PostgresQueryCompiler>(
  compiler: Compiler,
  name?: (place: number) => string,
): Compiler {
  const own = compiler as unknown as Appending;
  const bind = own.appendValue;
  let place = 0;
  own.appendValue = (value) => {
    if (!(value instanceof Given)) own.appendImmediateValue(value);
    else if (name === undefined) bind.call(compiler, value);
    else own.append(name(place++));
  };
  return compiler;
}

/** @param isBatched whether PostgreSQL may be asked for many values at once */
export function builtOf(query: Compilable & OperationNodeSource, isBatched: boolean): Built {
  const { sql: sqlite, parameters } = query.compile();
  const node = query.toOperationNode() as RootOperationNode;
  const text = textOf(sqlite, () => compiledForPostgres(node), isBatched ? batchTextOf(node) : undefined);
  const isUpdate = node.kind === 'UpdateQueryNode';
  const changes = isUpdate ? textOf(sqlite, () => oneRow(compiledForPostgres(node))) : text;
  return { text, changes, names: parameters.map((parameter) => (parameter as Given).name) };
}

/** The text for each engine: that of PostgreSQL is made where there is one. */
function textOf(sqlite: string, ofPostgres: () => string, batch?: BatchText): QueryText {
  let postgres: NamedText | undefined;
  return {
    sqlite,
    get postgres() {
      postgres ??= named(ofPostgres());
      return postgres;
    },
    batch,
  };
}

const compiledForPostgres = (node: RootOperationNode, name?: (place: number) => string) =>
  bindingGiven(new PostgresQueryCompiler(), name).compileQuery(node, createQueryId()).sql;

/**
 * The query is kept whole by its offset: the planner chooses for it what it would choose for one value, whatever it
 * thinks of their number.
 */
function batchTextOf(node: RootOperationNode): BatchText {
  const known = new Map<string, NamedText>();
  return (types) => {
    const key = types.join();
    let text = known.get(key);
    if (text === undefined) {
      const columns = types.map((_, place) => valueName(place));
      const arrays = types.map((type, place) => `$${place + 1}::${type}[]`);
      const each = compiledForPostgres(node, (place) => `given.${valueName(place)}`);
      text = named(
        `select given.asked, found.* from unnest(${arrays}) with ordinality as given (${columns}, asked)` +
          ` cross join lateral (select * from (${each}) as rows offset 0) as found`,
      );
      known.set(key, text);
    }
    return text;
  };
}

const valueName = (place: number) => `value${place}`;

/** @param text a statement that is asked again and again */
export const named = (text: string): NamedText => ({
  name: createHash('sha256').update(text).digest('hex').slice(0, 32),
  text,
});

/** Fails unless the update changes one row: when its answer comes, the transaction may be committed. */
const oneRow = (update: string) =>
  `with changed as (${update} returning 1) select 1 / case count(*) when 1 then 1 else 0 end from changed`;

/** What a change of one row fails with that found another number of them. */
export const otherNumber = (text: string, cause?: unknown) =>
  new Error(`none or several rows changed where one was expected: ${text}`, { cause });
