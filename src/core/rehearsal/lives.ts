// Reads out of the wire log what a code or a token has come through, for its chart.
import { authorizationCodeMachine } from '../grants/authorization-code.ts';
import { deviceCodeMachine } from '../grants/device-code.ts';
import { type AnyMachine, graphOf } from './chart/graph.ts';
import type { Life, Step } from './chart/svg.ts';
import { deviceGrant } from './explain/device.ts';
import { isGood, said, sent } from './explain/rule.ts';
import type { WireEntry } from './wire.ts';

/** A code or token whose life is told, by the mark that it has in the log. */
export interface ToldLife {
  readonly mark: string;
  readonly client: string | null;
  /** When it was given (ms). */
  readonly since: number;
  readonly life: Life;
}

/** By when the requests came: the answer of one that came later may leave sooner. */
const inOrder = (log: readonly WireEntry[]) => [...log].sort((one, other) => one.came - other.came);

/** A record as it is stored: what is looked at is its state. */
type Stored = { readonly state: string };

/** The newest device code of a tenant. @param stored the state that its row has now; null where that is not known */
export function deviceCodeLife(log: readonly WireEntry[], record: Stored | null): ToldLife | null {
  const stored = record?.state ?? null;
  const entries = inOrder(log);
  const issue = entries.findLast((entry) => entry.endpoint === 'device' && isGood({ entry }));
  const mark = issue === undefined ? undefined : said({ entry: issue }, 'device_code');
  if (issue === undefined || typeof mark !== 'string') return null;
  const polls = entries.filter(
    (entry) => isGrant(entry, deviceGrant) && sent({ entry }, 'device_code') === mark,
  );
  const steps: Step[] = [];
  let state = 'pending';
  for (const entry of polls) {
    const found = stateAfterPoll(entry, state);
    if (found === null) continue;
    // What happened between two polls was not on the wire: the way to the state in which the poll found it.
    const before = found === state ? state : (stateBefore[found] ?? found);
    steps.push(...wayTo(deviceCodeMachine, state, before), stepTo(before, 'poll', found));
    state = found;
  }
  if (stored !== null && stored !== state) {
    steps.push(...wayTo(deviceCodeMachine, state, stored));
    state = stored;
  }
  return { mark, client: issue.client, since: issue.answeredAt, life: { state, steps } };
}

/** Where a code was before the poll that brought it where it is. */
const stateBefore: Readonly<Record<string, string>> = { used: 'approved', expired: 'pending' };

/** The state that a code is in after a poll was answered so; null where the answer does not tell. */
function stateAfterPoll(entry: WireEntry, state: string): string | null {
  if (isGood({ entry })) return 'used';
  switch (said({ entry }, 'error')) {
    case 'authorization_pending':
    case 'slow_down':
      return 'pending';
    case 'access_denied':
      return 'denied';
    case 'expired_token':
      return 'expired';
    case 'invalid_grant':
      return state === 'used' ? state : null;
    default:
      return null;
  }
}

/** The authorization code of this mark. @param stored as of a device code */
export function authorizationCodeLife(
  log: readonly WireEntry[],
  mark: string,
  record: Stored | null,
): ToldLife {
  const stored = record?.state ?? null;
  const uses = inOrder(log).filter(
    (entry) => isGrant(entry, 'authorization_code') && sent({ entry }, 'code') === mark,
  );
  const steps: Step[] = [];
  let state = 'issued';
  for (const entry of uses) {
    const isRefused = said({ entry }, 'error') === 'invalid_grant';
    if (!isGood({ entry }) && !isRefused) continue;
    // Of a first use that was refused the row alone knows what became of the code.
    const refused = state === 'issued' ? (stored ?? 'burned') : state;
    const next = isRefused ? refused : 'used';
    steps.push(stepTo(state, 'exchange', next));
    state = next;
  }
  if (stored !== null && stored !== state) {
    steps.push(...wayTo(authorizationCodeMachine, state, stored));
    state = stored;
  }
  const client = uses[0]?.client ?? null;
  return { mark, client, since: uses[0]?.at ?? 0, life: { state, steps } };
}

/** The refresh token of a client that was sent last, or the newest one where none was. */
export function refreshTokenLife(log: readonly WireEntry[], client: string | null): ToldLife | null {
  const entries = inOrder(log).filter((entry) => entry.client === client);
  const uses = entries.filter((entry) => tokenSent(entry) !== undefined && entry.fault !== '429');
  const given = entries.filter((entry) => typeof said({ entry }, 'refresh_token') === 'string');
  const newest = given.at(-1);
  const last = uses.at(-1);
  const mark = last === undefined ? undefined : tokenSent(last);
  const isOlder = newest !== undefined && last !== undefined && newest.came > last.came;
  const own = isOlder || mark === undefined ? newest && said({ entry: newest }, 'refresh_token') : mark;
  if (typeof own !== 'string') return null;
  const steps: Step[] = [];
  let state = 'current';
  for (const entry of uses.filter((one) => tokenSent(one) === own)) {
    const step = stepOf(state, entry);
    if (step === null) continue;
    steps.push(step);
    state = step.to;
  }
  const issue = given.find((entry) => said({ entry }, 'refresh_token') === own);
  return {
    mark: own,
    client: issue?.client ?? last?.client ?? null,
    since: issue?.answeredAt ?? 0,
    life: { state, steps },
  };
}

/** What a request does to the refresh token that it brings. */
function stepOf(state: string, entry: WireEntry): Step | null {
  if (entry.endpoint === 'revocation') {
    return isGood({ entry }) ? stepTo(state, 'revoke', 'revoked') : null;
  }
  if (isGood({ entry })) return stepTo(state, 'refresh', state === 'current' ? 'superseded' : state);
  if (said({ entry }, 'error') !== 'invalid_grant') return null;
  return stepTo(state, 'refresh', 'revoked');
}

const stepTo = (from: string, event: string, to: string): Step => ({ from, event, to });

const isGrant = (entry: WireEntry, grant: string) =>
  entry.endpoint === 'token' && sent({ entry }, 'grant_type') === grant;

function tokenSent(entry: WireEntry): string | undefined {
  if (entry.endpoint === 'revocation') return sent({ entry }, 'token');
  return isGrant(entry, 'refresh_token') ? sent({ entry }, 'refresh_token') : undefined;
}

const arrows: ReadonlyMap<AnyMachine, ReturnType<typeof graphOf>['arrows']> = new Map(
  [authorizationCodeMachine, deviceCodeMachine].map((machine) => [machine, graphOf(machine).arrows]),
);

/** The event that leads from one state to another, where it was seen nowhere. */
function eventTo(machine: AnyMachine, from: string, to: string): string {
  const arrow = arrows.get(machine)?.find((one) => one.from === from && one.to === to);
  return arrow?.causes[0]?.events[0] ?? '';
}

/** The shortest way between two states; a jump where there is none. */
function wayTo(machine: AnyMachine, from: string, to: string): readonly Step[] {
  const ways: (readonly Step[])[] = [[]];
  const seen = new Set([from]);
  for (const way of ways) {
    const at = way.at(-1)?.to ?? from;
    if (at === to) return way;
    for (const arrow of arrows.get(machine) ?? []) {
      if (arrow.from !== at || seen.has(arrow.to)) continue;
      seen.add(arrow.to);
      ways.push([...way, stepTo(at, eventTo(machine, at, arrow.to), arrow.to)]);
    }
  }
  return [stepTo(from, '', to)];
}
