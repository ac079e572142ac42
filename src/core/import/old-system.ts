/** The system that members come from, and what it says of one who signs in here first (decision 55). */
import { parseJson } from '../json.ts';
import { normaliseEmail } from '../members/member.ts';
import { problem } from '../problem.ts';
import type { FileRecord, ReadEntry } from './entry.ts';
import { readOwn } from './formats/own.ts';
import { askedSystem as limits } from './limits.ts';

/** How asking it goes. Times are ms. */
export interface OldSystem {
  readonly tenantId: string;
  /** So many calls in a row had no answer. */
  readonly failures: number;
  /** When the last of them was, and what came of it; null where the last call had an answer. */
  readonly failedAt: number | null;
  readonly failure: string | null;
  /** Until when it is not asked; 0 where it is. */
  readonly restsUntil: number;
}

/**
 * What came of asking: it knows the member and the password; it does not; it answered what cannot be taken in; there was no
 * answer, or none that says either. Or it was not asked.
 */
const askedResults = ['yes', 'no', 'unusable', 'failed', 'unasked'] as const;
export type AskedResult = (typeof askedResults)[number];

/** The network that an address is counted by: 256 of IPv4, and of IPv6 what a provider gives one customer at most. */
export const networkOf = (address: string): string => {
  const groups = address.split(address.includes(':') ? ':' : '.');
  return groups.slice(0, 3).join('.');
};

/** What a status says. */
export function saidBy(status: number): 'yes' | 'no' | 'failed' {
  if (status === 200) return 'yes';
  return status === 401 || status === 404 ? 'no' : 'failed';
}

/**
 * Whether an answer is one to this question alone: an old system may break at a password that no member has, and anyone can
 * send it one. That it is out of reach, or has too much to do, is said otherwise.
 */
const isOfOneQuestion = (failure: string): boolean =>
  failure.startsWith('status ') && !['status 502', 'status 503', 'status 504'].includes(failure);

export const isResting = ({ restsUntil }: Pick<OldSystem, 'restsUntil'>, now: number): boolean =>
  now < restsUntil && restsUntil - now <= limits.longestRest;

/**
 * How it goes after a call: one that cannot be reached again and again is left alone for a while, longer each time. Calls
 * that were under way when its rest began say nothing new; nor does an answer that is no answer begin a rest, or end one.
 *
 * @param failure why there was no answer; null where there was one
 * @returns null where it goes as before
 */
export function afterAsking(before: OldSystem, failure: string | null, now: number): OldSystem | null {
  if (failure === null) {
    const isWell = before.failures === 0 && before.failedAt === null;
    return isWell ? null : { ...before, failures: 0, failedAt: null, failure: null, restsUntil: 0 };
  }
  if (isResting(before, now)) return null;
  if (isOfOneQuestion(failure)) return { ...before, failedAt: now, failure };
  const failures = before.failures + 1;
  const over = failures - limits.failures;
  const rest = over < 0 ? 0 : Math.min(limits.firstRest * 2 ** Math.min(over, 16), limits.longestRest);
  return { ...before, failures, failedAt: now, failure, restsUntil: rest === 0 ? 0 : now + rest };
}

/**
 * Reads what it says of a member, as a line of ours is read. A hash in it means nothing, since the password is at hand, and
 * it can speak of no one but the member who was asked for.
 *
 * @param email the address that was asked for
 */
export function readAnswer(body: string, email: string): ReadEntry {
  const value = parseJson(Buffer.from(body));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { ok: false, problems: [problem([], 'not_json_object')] };
  }
  const {
    passwordHash: _hash,
    passwordSalt: _salt,
    passwordSaltPlace: _place,
    ...facts
  } = value as FileRecord;
  const read = readOwn({ email, ...facts });
  if (!read.ok) return read;
  const { member } = read;
  if (normaliseEmail(member.email) !== normaliseEmail(email)) {
    return { ok: false, problems: [problem('email', 'another_address')] };
  }
  // A member who may not sign in there does not come here by signing in.
  return member.isDisabled === true
    ? { ok: false, problems: [problem('disabled', 'is_disabled_there')] }
    : read;
}
