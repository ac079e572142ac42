// What went wrong with a transaction: PostgreSQL's errors (SQLSTATE, PostgreSQL manual, appendix A), and its absence.

/** The database did not answer: it cannot be reached, or the connection broke. */
export class ConnectionLost extends Error {
  override readonly name: string = 'ConnectionLost';
}

/** There is no connection in time, neither a free nor a new one. */
export class Unreachable extends ConnectionLost {
  override readonly name = 'Unreachable';
}

/** Why a connection is given up on which no answer comes. */
export class Silence extends Error {
  override readonly name = 'Silence';
}

/** Whether a connection is lost because no answer came: on another one none would come either. */
export function isSilence(error: unknown): boolean {
  return error instanceof ConnectionLost && error.cause instanceof Silence;
}

/** Whether whatever waits for the database would meet the same. */
export function isOutageOfAll(error: unknown): boolean {
  return error instanceof Unreachable || isSilence(error);
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

/**
 * Whether the database does not answer, or not in time, is going down, is full, or only reads. Not in time is 57014,
 * where it ended a statement, and 25P03, where it ended a transaction that waited for the next one.
 */
export function isOutage(error: unknown): boolean {
  return isUnanswered(error) || /^(?:53|57|58|25006|25P03)/.test(codeOf(error));
}

/** Whether it did not say what became of a statement, which may be done. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ConnectionLost || /^(?:08|40003)/.test(codeOf(error));
}
