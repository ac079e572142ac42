import type { Answer } from '../../../test/support/http.ts';
import { apps, refreshAs, tokensOf } from '../../../test/support/tokens.ts';
import type { Tokens, Visitor } from '../../../test/support/visitor.ts';
import type { Ledger } from '../ledger.ts';
import type { Served } from '../site.ts';

/** A client that remembers what was acknowledged to it, and holds a restarted service to it. */
export interface LedgerClient {
  readonly name: string;
  /**
   * Makes one change, or a few that belong together: each is in the ledger before it is sent and after its
   * answer.
   *
   * @throws if the connection ends, or an answer is another than it should be
   */
  act(site: Served, ledger: Ledger): Promise<void>;
  /** Asks a restarted service. @returns what was acknowledged and is not so, each in one line */
  check(site: Served): Promise<readonly string[]>;
}

export const email = 'ada@example.com';
/**
 * The member of the clients that sign in anew in every round: were they all one member, they would be more at once
 * than may sign in at once as one (F1), and some would be told to wait.
 */
export const otherEmail = 'cy@example.com';
export const developmentPassword = 'memberdoor-development';

/** @throws unless an answer has this status */
export function expectStatus(answer: Answer, status: number, what: string): Answer {
  if (answer.status === status) return answer;
  throw new Error(`${what} was answered by ${answer.status}: ${answer.text.slice(0, 200)}`);
}

/** The refresh token of a new sign-in. */
export async function newFamily(
  { service, host }: Served,
  browser?: Visitor,
  member = email,
): Promise<string> {
  const tokens = await tokensOf(service, host, apps.spa, {
    email: member,
    ...(browser === undefined ? {} : { browser }),
  });
  return String(tokens.refresh_token);
}

/** Refreshes. @returns the next token; null for invalid_grant @throws for any other answer */
export async function next({ service, host }: Served, token: string): Promise<string | null> {
  return nextOf(await refreshAs(service, host, apps.spa, token));
}

/** The refresh token of an answer; null for invalid_grant. @throws for any other answer */
export function nextOf(answer: Answer): string | null {
  if (answer.status === 400 && answer.json().error === 'invalid_grant') return null;
  return String(expectStatus(answer, 200, 'a grant').json<Tokens & Record<string, unknown>>().refresh_token);
}
