// Asks what many pieces of work want to know by the same query in one statement.
import type pg from 'pg';
import type { BatchText, BatchType, QueryText } from '../../query-text.ts';
import type { Statement } from '../client.ts';

/** A question that waits for those of the same breath. */
interface Question {
  readonly values: readonly unknown[];
  readonly resolve: (rows: readonly unknown[]) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Of what a small read costs, here and in the database, most is its statement, and not its row. What is asked of one
 * snapshot in the same breath has one statement for each query.
 *
 * @param ask sends a statement
 */
export function createBatches(ask: (statement: Statement) => Promise<pg.QueryResult>) {
  let waiting = new Map<QueryText, Question[]>();

  const sendOne = (text: QueryText, { values, resolve, reject }: Question) =>
    ask({ ...text.postgres, values }).then(({ rows }) => resolve(rows), reject);
  const sendAll = () => {
    const all = waiting;
    waiting = new Map();
    for (const [text, questions] of all) {
      const types = questions.length > 1 && text.batch !== undefined ? typesOf(questions) : null;
      if (types === null || text.batch === undefined)
        for (const question of questions) sendOne(text, question);
      else sendTogether(text.batch(types), questions);
    }
  };
  const sendTogether = ({ name, text }: ReturnType<BatchText>, questions: readonly Question[]) => {
    const places = questions[0]?.values ?? [];
    const values = places.map((_, place) => questions.map(({ values }) => values[place]));
    ask({ name, text, values }).then(
      ({ rows }) => {
        const answers: unknown[][] = questions.map(() => []);
        for (const { asked, ...row } of rows) answers[asked - 1]?.push(row);
        for (const [place, { resolve }] of questions.entries()) resolve(answers[place] ?? []);
      },
      (error) => {
        for (const { reject } of questions) reject(error);
      },
    );
  };

  /** @returns the rows of the answer */
  return (text: QueryText, values: readonly unknown[]): Promise<readonly unknown[]> =>
    new Promise((resolve, reject) => {
      const questions = waiting.get(text);
      if (questions !== undefined) questions.push({ values, resolve, reject });
      else {
        waiting.set(text, [{ values, resolve, reject }]);
        // After what other pieces do in the same breath.
        if (waiting.size === 1) process.nextTick(sendAll);
      }
    });
}

/** The types of the values, or null if they are not the same, or such as have none here. */
function typesOf(questions: readonly Question[]): readonly BatchType[] | null {
  const [first] = questions;
  const types = first?.values.map(typeOf) ?? [];
  const areKnown = types.every((type) => type !== null);
  const isSame = ({ values }: Question) => values.every((value, place) => typeOf(value) === types[place]);
  return areKnown && questions.every(isSame) ? (types as readonly BatchType[]) : null;
}

const typeOf = (value: unknown): BatchType | null =>
  typeof value === 'string' ? 'text' : Number.isSafeInteger(value) ? 'bigint' : null;
