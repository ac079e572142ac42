// What went wrong with a transaction: PostgreSQL's errors (SQLSTATE, PostgreSQL manual, appendix A), and its absence.

/** The database did not answer: it cannot be reached, or the connection broke. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/**
 * Another transaction was in the way, as if it had come first: run again, this one sees what that one did. Or a process
 * of the next version has changed a table under a query: run again, it is prepared anew.
 */
export function isUnfinished(error: unknown): boolean {
  return codeOf(error) === '40001' || codeOf(error) === '40P01' || isStale(error);
}

/** A prepared query would answer with other columns than it was prepared for: of all that we ask, nothing else is not supported. */
export function isStale(error: unknown): boolean {
  return codeOf(error) === '0A000';
}

/** A row of this key is there already, or a table. Of two transactions that add one, the second may find it next time. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === '23505' || codeOf(error) === '42P07';
}

/** What a change of one row fails with that found another number of them. */
export function isDivisionByZero(error: unknown): boolean {
  return codeOf(error) === '22012';
}

/** Whether the database does not answer, is going down, is full, or only reads. */
export function isOutage(error: unknown): boolean {
  return error instanceof ConnectionLost || /^(?:08|53|57P|58|25006)/.test(codeOf(error));
}
