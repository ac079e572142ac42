import { CompiledQuery, type KyselyPlugin, SqliteQueryCompiler } from 'kysely';
import { connect, connectionOf } from '../../../src/storage/prepared.ts';
import type { Statements } from '../../../src/storage/sqlite/statements.ts';
import type { Tx } from '../../../src/storage/store.ts';

/** Every statement that some work sends, as it is sent. */
export async function sentBy(tx: Tx, work: (tx: Tx) => Promise<unknown>): Promise<readonly CompiledQuery[]> {
  const sent: CompiledQuery[] = [];
  const listener: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      sent.push(new SqliteQueryCompiler().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const listening = tx.withPlugin(listener);
  connect(
    listening,
    listeningTo(connectionOf(tx) as Statements, (query) => sent.push(query)),
  );
  await work(listening);
  return sent;
}

/** Statements that tell what is asked of them. */
function listeningTo(statements: Statements, tell: (query: CompiledQuery) => void): Statements {
  return {
    ...statements,
    prepare: (text) =>
      new Proxy(statements.prepare(text), {
        get(statement, name) {
          const member: unknown = Reflect.get(statement, name);
          if (typeof member !== 'function') return member;
          return (...values: unknown[]) => {
            tell(CompiledQuery.raw(text, values));
            return Reflect.apply(member, statement, values);
          };
        },
      }),
  };
}

/** How SQLite finds the rows of each statement, such as `SEARCH packages USING INTEGER PRIMARY KEY (rowid=?)`. */
export async function planOf(tx: Tx, work: (tx: Tx) => Promise<unknown>): Promise<readonly string[]> {
  const plan: string[] = [];
  for (const { sql: text, parameters } of await sentBy(tx, work)) {
    const explained = CompiledQuery.raw(`explain query plan ${text}`, [...parameters]);
    const { rows } = await tx.executeQuery<{ detail: string }>(explained);
    plan.push(...rows.map(({ detail }) => detail));
  }
  return plan;
}
