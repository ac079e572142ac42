import { cardOf, type Verdict } from '../../../src/core/rehearsal/card/card.ts';
import type { RuleName } from '../../../src/core/rehearsal/card/rules.ts';
import { emptyTally, type Tally, taken } from '../../../src/core/rehearsal/card/tally.ts';
import type { Endpoint } from '../../../src/core/rehearsal/endpoint.ts';
import type { FaultKind } from '../../../src/core/rehearsal/fault.ts';
import type { WireEntry } from '../../../src/core/rehearsal/wire.ts';
import { deviceGrant } from '../device.ts';

/** What of an entry matters to a test; times are seconds. */
export interface Line {
  readonly endpoint: Endpoint;
  readonly client?: string | null;
  readonly found?: boolean;
  readonly sent?: Readonly<Record<string, string>>;
  readonly bearer?: string;
  readonly status?: number;
  readonly said?: Readonly<Record<string, unknown>>;
  readonly sid?: string;
  readonly location?: string;
  readonly retryAfter?: number;
  /** When the request came, and when it was answered: at once unless given. */
  readonly at: number;
  readonly until?: number;
  /** When the client no longer waited. */
  readonly hungUp?: number;
  readonly isLost?: boolean;
  readonly fault?: FaultKind;
  readonly ended?: string;
}

/** Entries of a wire log: their requests come, and their answers leave, in the order of their times. */
export function wireLog(...lines: readonly Line[]): readonly WireEntry[] {
  const moments = lines.flatMap((line) => [
    { line, what: 'came', at: line.at },
    ...(line.hungUp === undefined ? [] : [{ line, what: 'hungUp', at: line.hungUp }]),
    { line, what: 'left', at: line.until ?? line.at },
  ]);
  const order = moments.map((moment, index) => ({ ...moment, index }));
  order.sort((one, other) => one.at - other.at || one.index - other.index);
  const placeOf = (line: Line, what: string) =>
    order.findIndex((moment) => moment.line === line && moment.what === what) + 1;
  return lines
    .map((line) => entryOf(line, (what) => placeOf(line, what)))
    .sort((one, other) => one.id - other.id);
}

function entryOf(line: Line, place: (what: string) => number): WireEntry {
  const { endpoint, client = 'tv', found = true, status = 200, said = null, at, until = at, hungUp } = line;
  const error = typeof said?.error === 'string' ? said.error : null;
  return {
    id: place('left'),
    came: place('came'),
    at: at * 1_000,
    answeredAt: until * 1_000,
    client,
    found,
    endpoint,
    request: {
      method: 'POST',
      path: `/${endpoint}`,
      headers: line.bearer === undefined ? {} : { authorization: `Bearer ${line.bearer}` },
      parameters: line.sent ?? {},
    },
    answer: {
      status,
      headers: {
        ...(said === null ? {} : { 'content-type': 'application/json; charset=utf-8' }),
        ...(line.location === undefined ? {} : { location: line.location }),
        ...(line.retryAfter === undefined ? {} : { 'retry-after': String(line.retryAfter) }),
      },
      body: said,
      claims: line.sid === undefined ? {} : { id_token: { sid: line.sid } },
    },
    reference: 'reference',
    took: 1,
    refusal: error === null ? null : { error, because: error, rule: null },
    fault: line.fault ?? null,
    lost: line.isLost === true || hungUp !== undefined,
    hungUp: hungUp === undefined ? null : { came: place('hungUp'), at: hungUp * 1_000 },
    ended: line.ended ?? null,
  };
}

/** A code for a TV, which is to wait 5 seconds. */
export const codeLine = (at: number, code = 'dc·1', more: Partial<Line> = {}): Line => ({
  endpoint: 'device',
  at,
  said: { device_code: code, interval: 5 },
  ...more,
});

/** A poll, and what it heard: an error, or its status where that is trouble. */
export function pollLine(at: number, heard: string, code = 'dc·1', more: Partial<Line> = {}): Line {
  const sent = { grant_type: deviceGrant, device_code: code };
  if (/^\d+$/.test(heard)) return { endpoint: 'token', at, sent, status: Number(heard), ...more };
  if (heard === 'tokens') return { endpoint: 'token', at, sent, said: tokens(1), ...more };
  return { endpoint: 'token', at, sent, status: 400, said: { error: heard }, ...more };
}

/** Tokens by a number. */
export const tokens = (number: number) => ({
  access_token: `at·${number}`,
  refresh_token: `rt·${number}`,
  id_token: `it·${number}`,
});

/** A refresh with the token of a number, which gives that of the next. */
export const refreshLine = (at: number, number: number, more: Partial<Line> = {}): Line => ({
  endpoint: 'token',
  at,
  sent: { grant_type: 'refresh_token', refresh_token: `rt·${number}` },
  said: tokens(number + 1),
  ...more,
});

/** The exchange of a code of the web, which gives the tokens of a number. */
export const exchangeLine = (at: number, code: string, verifier: string, more: Partial<Line> = {}): Line => ({
  endpoint: 'token',
  at,
  sent: { grant_type: 'authorization_code', code, code_verifier: verifier },
  said: tokens(1),
  ...more,
});

export const requestLine = (
  at: number,
  [challenge, state, nonce]: readonly [challenge: string, state: string, nonce: string],
  more: Partial<Line> = {},
): Line => ({
  endpoint: 'authorization',
  at,
  sent: { code_challenge: challenge, state, nonce },
  status: 303,
  ...more,
});

/** What a client is refused. */
export const refused = (error: string): Partial<Line> => ({ status: 400, said: { error } });

/** What is known of clients when these have gone over the wire. */
export const tallyOf = (lines: readonly Line[], begun: Tally = emptyTally) =>
  wireLog(...lines).reduce(taken, begun);

/** The verdicts on a client, but for the rules that nothing was seen of. */
export function verdicts(
  lines: readonly Line[],
  client = 'tv',
  begun?: Tally,
): Partial<Record<RuleName, Verdict>> {
  const tally = tallyOf(lines, begun).clients.get(client) ?? null;
  const seen = cardOf(client, tally).rules.filter(({ verdict }) => verdict !== 'not_seen');
  return Object.fromEntries(seen.map(({ rule, verdict }) => [rule, verdict]));
}
