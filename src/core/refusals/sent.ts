// What is remembered of a request that was refused, on a development tenant: in production the audit is all there is.
import type { Rule } from './rule.ts';

/** Values by their names, as the wire log keeps them: without secrets, and long ones cut. */
export type SentValues = Readonly<Record<string, string | readonly string[]>>;

/** A request as it came, and how it was answered. */
export interface SentRequest {
  /** ms */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly parameters: SentValues;
  readonly headers: SentValues;
  /** The client that was found, or that it says to be of; null where it names none. */
  readonly clientId: string | null;
  readonly status: number;
  /** Whether scripts of the page that sent it can read the answer; null where no script did, or that is not asked here. */
  readonly isReadable: boolean | null;
  /** What the answer says was wrong; null where nothing was. */
  readonly refusal: { readonly error: string; readonly because: string; readonly rule: Rule | null } | null;
}

/** What stands behind a value that was cut, and in the place of what looks like a secret. */
const notWhole = /…$|•••/;

/** A value that was sent once and is kept whole; null for any other. */
export function wholeValue(values: SentValues, name: string): string | null {
  const value = values[name];
  return typeof value === 'string' && !notWhole.test(value) ? value : null;
}
