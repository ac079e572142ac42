// Sends the statements of one transaction on its connection.
import type pg from 'pg';
import { otherNumber } from '../../query-text.ts';
import { type Answered, type Statement, send } from '../client.ts';
import { isDivisionByZero } from '../errors.ts';

export type Statements = ReturnType<typeof statementsOn>;

/** Sends the statements of a transaction. What fails first decides: the server refuses whatever comes behind it. */
export function statementsOn(client: pg.PoolClient) {
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

/** The statements of one piece of the work in a transaction. */
export type OwnStatements = ReturnType<typeof ownStatements>;

/** Sends the statements of one piece of the work: none once it is over, when the transaction may be another piece's. */
export function ownStatements({ ask, put }: Pick<Statements, 'ask' | 'put'>) {
  let isOver = false;
  const check = () => {
    if (isOver) throw new Error('the transaction is over');
  };
  return {
    ask: async (statement: Statement) => {
      check();
      return ask(statement);
    },
    put: (statement: Statement): void => {
      check();
      put(statement);
    },
    close: () => {
      isOver = true;
    },
  };
}
