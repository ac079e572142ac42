// What PostgreSQL's errors mean for a transaction (SQLSTATE, PostgreSQL manual, appendix A).

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** Another transaction was in the way, as if it had come first: run again, this one sees what that one did. */
export function isUnfinished(error: unknown): boolean {
  return codeOf(error) === '40001' || codeOf(error) === '40P01';
}

/** A row of this key is there already, or a table. Of two transactions that add one, the second may find it next time. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === '23505' || codeOf(error) === '42P07';
}

/** Codes of Node's sockets, and of the driver. */
const broken = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Whether the database cannot be reached, is going down, is full, or only reads: nothing was committed, or it is not known. */
export function isOutage(error: unknown): boolean {
  const code = codeOf(error);
  if (broken.has(code) || /^(?:08|53|57P|58|25006)/.test(code)) return true;
  return (
    error instanceof Error &&
    /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/.test(
      error.message,
    )
  );
}
