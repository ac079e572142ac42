/** How a client polls for its device codes (contract, "POST /api/oidc/token"; RFC 8628 §3.5). */
import { pollInterval, pollTolerance, second, slowDownStep } from '../../limits.ts';
import { seconds } from '../explain/rule.ts';
import { cardKept } from '../limits.ts';
import type { WireEntry } from '../wire.ts';
import { broken, type Finding, type Judged, kept } from './rules.ts';
import {
  granted,
  isGood,
  isTrouble,
  overlap,
  type Placed,
  placed,
  remembered,
  retryAfter,
  type Sighting,
  said,
  saidText,
} from './sighting.ts';

/** What a client was told of a device code, and how it polled. */
interface Code {
  /** What it was told to wait (ms), and the answer that had the code; null of one that was given before anyone looked. */
  readonly given: { readonly interval: number; readonly answer: Placed } | null;
  /** The last polls, as their answers left. */
  readonly polls: readonly Placed[];
  readonly slowDowns: {
    readonly count: number;
    readonly last: Sighting | null;
    /** Whether the last wait since was as long as they made it; null where none was seen. */
    readonly isKept: boolean | null;
  };
  /** Troubles without anything else between them, and what the last one said of Retry-After (ms). */
  readonly troubles: { readonly count: number; readonly last: Sighting | null; readonly retryAfter: number };
  /** The answer after which there is nothing to poll for. */
  readonly end: Placed | null;
}

export type Codes = ReadonlyMap<string, Code>;

const unpolled = {
  polls: [],
  slowDowns: { count: 0, last: null, isKept: null },
  troubles: { count: 0, last: null, retryAfter: 0 },
  end: null,
} as const;

/** Takes in an entry of a client. */
export function judgePolls(codes: Codes, entry: WireEntry): Judged<Codes> {
  const keep = (mark: string, code: Code) => remembered(codes, mark, code, cardKept.codes);
  const newCode = entry.endpoint === 'device' && isGood(entry) ? saidText(entry, 'device_code') : undefined;
  if (newCode !== undefined) {
    const interval = Number(said(entry, 'interval') ?? pollInterval / second) * second;
    return {
      memory: keep(newCode, { given: { interval, answer: placed(entry) }, ...unpolled }),
      findings: [],
    };
  }
  const brought = granted(entry);
  if (brought?.grant !== 'device') return { memory: codes, findings: [] };
  const code = codes.get(brought.mark) ?? { given: null, ...unpolled };
  const poll = placed(entry);
  const findings = judge(code, poll, entry);
  const obeyed = findings.find(({ rule }) => rule === 'slow_down')?.verdict;
  const isKept = obeyed === undefined ? code.slowDowns.isKept : obeyed === 'kept';
  const known = { ...code, slowDowns: { ...code.slowDowns, isKept } };
  return { memory: keep(brought.mark, heard(known, poll, entry)), findings };
}

function judge(code: Code, poll: Placed, entry: WireEntry): readonly Finding[] {
  const { end, polls } = code;
  const beside = polls.find((other) => overlap(other, poll));
  if (beside !== undefined) {
    const says = 'Sent a poll before the last one was answered: begin each wait when the answer has come.';
    return [broken('one_poll', says, beside.seen, poll.seen)];
  }
  if (end !== null) {
    const says = `Polled on after ${finalWord(end.seen)}: stop, and ask for a new code where one is needed.`;
    return [broken('stop', says, end.seen, poll.seen)];
  }
  const last = lastBefore(code, poll);
  return [
    ...(polls.length === 0
      ? []
      : [kept('one_poll', 'Polled again when the last answer was there.', poll.seen)]),
    ...(last === null ? [] : judgeWait(code, last, poll)),
    ...(isFinal(entry) && entry.answer.status >= 400
      ? [kept('stop', `Has not polled since ${finalWord(poll.seen)}.`, poll.seen)]
      : []),
  ];
}

/** What a client waits from: its last poll, or the answer that had the code. */
function lastBefore({ given, polls }: Code, poll: Placed): Placed | null {
  const over = polls.filter((other) => other.over.place < poll.came);
  return over.reduce<Placed | null>(
    (last, other) => (last === null || other.over.place > last.over.place ? other : last),
    given?.answer ?? null,
  );
}

function judgeWait(code: Code, last: Placed, poll: Placed): readonly Finding[] {
  const { given, polls, slowDowns, troubles } = code;
  const waited = poll.seen.at - last.over.at;
  // The clock was set back, or the interval was not seen.
  if (given === null || waited < 0) return [];
  const { interval } = given;
  const slower = interval + slowDowns.count * slowDownStep;
  const isLong = (asked: number) => waited >= asked - pollTolerance;
  if (troubles.last !== null) return judgeTroubledWait(code, waited, poll);
  const since = polls.length === 0 ? 'the code came' : 'the last answer';
  const waits = `Polled ${seconds(waited)} after ${since}`;
  const findings = [
    isLong(interval)
      ? kept('interval', `${waits}; the interval is ${seconds(interval)}.`, last.seen, poll.seen)
      : broken(
          'interval',
          `${waits}, where the interval is ${seconds(interval)}: wait that long before the first poll, and before each one after it.`,
          last.seen,
          poll.seen,
        ),
  ];
  if (slowDowns.last === null) return findings;
  const proof = [slowDowns.last, poll.seen];
  return [
    ...findings,
    isLong(slower)
      ? kept('slow_down', `${waits}, which is the ${seconds(slower)} that slow_down made of it.`, ...proof)
      : broken(
          'slow_down',
          `${waits}, where slow_down had made the interval ${seconds(slower)}: keep the 5 seconds for all further polls.`,
          ...proof,
        ),
  ];
}

/** A wait after trouble: twice the interval, but for a slow_down that was not kept before, is twice the interval. */
function judgeTroubledWait(
  { given, slowDowns, troubles }: Code,
  waited: number,
  poll: Placed,
): readonly Finding[] {
  if (given === null || troubles.last === null) return [];
  const doubled = (interval: number) => Math.max(interval * 2 ** troubles.count, troubles.retryAfter);
  const isLong = (asked: number) => waited >= asked - pollTolerance;
  const asked = doubled(given.interval + slowDowns.count * slowDownStep);
  const waits = `Waited ${seconds(waited)} after trouble (${troubleOf(troubles.last)})`;
  const proof = [troubles.last, poll.seen];
  if (isLong(asked)) return [kept('back_off', `${waits}.`, ...proof)];
  if (slowDowns.last !== null && slowDowns.isKept === false && isLong(doubled(given.interval))) {
    const says = `${waits}, as if there had been no slow_down: keep the 5 seconds for all further polls.`;
    return [kept('back_off', `${waits}.`, ...proof), broken('slow_down', says, slowDowns.last, poll.seen)];
  }
  const what = asked === troubles.retryAfter ? 'Retry-After' : 'the interval, doubled by each trouble,';
  return [broken('back_off', `${waits}, where ${what} is ${seconds(asked)}: wait that long.`, ...proof)];
}

/** What a client knows after an answer. */
function heard(code: Code, poll: Placed, entry: WireEntry): Code {
  const polls = [...code.polls, poll].slice(-cardKept.uses);
  // It had given this one up before it sent another, whose answer counts.
  if (code.polls.some((other) => other.came > poll.over.place)) return { ...code, polls };
  if (isTrouble(entry)) {
    const count = code.troubles.count + 1;
    return { ...code, polls, troubles: { count, last: poll.seen, retryAfter: retryAfter(entry) } };
  }
  const { troubles } = unpolled;
  if (poll.seen.error === 'slow_down') {
    return {
      ...code,
      polls,
      troubles,
      slowDowns: { ...code.slowDowns, count: code.slowDowns.count + 1, last: poll.seen },
    };
  }
  return { ...code, polls, troubles, end: code.end ?? (isFinal(entry) ? poll : null) };
}

/** Whether there is nothing to poll for any more: tokens came, or any error but two (contract, "slow_down"). */
function isFinal(entry: WireEntry): boolean {
  const error = entry.refusal?.error;
  return !isTrouble(entry) && error !== 'authorization_pending' && error !== 'slow_down';
}

const finalWord = ({ error }: Sighting): string => (error === null ? 'it had its tokens' : error);

function troubleOf({ status, lost }: Sighting): string {
  if (lost) return 'no answer';
  return status === 200 ? 'no JSON' : String(status);
}
