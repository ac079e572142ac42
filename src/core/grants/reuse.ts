// Why a used refresh token came back, as far as the facts of that moment tell: a likely reason, never a certain one.
import { hmac, type MacKey, sha256 } from '../hash.ts';
import { reuseTimes } from '../limits.ts';

/** What the return of a used refresh token most likely was. */
export const reuseClasses = ['lost_response', 'parallel_refresh', 'theft', 'unclear'] as const;
export type ReuseClass = (typeof reuseClasses)[number];

/**
 * Where a refresh token was given out, or came from: enough to say whether two requests are of one place, and no more. An
 * address cannot be found from it without the tenant's key.
 */
export interface Holder {
  /** A hash of the address as limits count it. */
  readonly network: string;
  /** A hash of what the program says that it is. */
  readonly program: string;
}

/** 48 bits: two of a family's holders are never alike by chance, and a sign-in's row stays small. */
const markLength = 8;

/** @param network the address as limits count it @param userAgent '' where the request says nothing */
export function holderOf(key: MacKey, network: string, userAgent: string): Holder {
  return {
    network: hmac(key, 'holder', network).toString('base64url').slice(0, markLength),
    program: sha256(userAgent).slice(0, markLength),
  };
}

/** What is known when a used refresh token comes back. */
export interface ReuseFacts {
  /** How many generations it is older than the current one: with 1, its successor was never used. */
  readonly behind: number;
  /** Since the current one was given out (ms): no less since this one was used, and with 1 just that. */
  readonly since: number;
  /** Where this one comes from; null where that is not known. */
  readonly from: Holder | null;
  /** Where the current one was given to; null of sign-ins from before this was kept. */
  readonly lastTo: Holder | null;
  /** Whether it is known that the answer which gave the current one out never left. */
  readonly isAnswerLost: boolean;
}

/** What a class was found by. */
type ReuseReason =
  | 'answer_lost'
  | 'long_ago'
  | 'other_network'
  | 'other_program'
  | 'place_unknown'
  | 'same_place'
  | 'soon'
  | 'successor_unused'
  | 'successor_used'
  | 'within_seconds';

export interface Reuse {
  readonly kind: ReuseClass;
  readonly reasons: readonly ReuseReason[];
}

/**
 * Classes the return of a used refresh token. It decides nothing: the sign-in ends whatever this says (contract, "Refresh
 * token"), and what a request says of itself only ever changes a word that an operator reads.
 *
 * Another place is a theft until someone looks. In the same place a successor that was never used tells that its holder
 * never got it; and two that come within seconds were sent side by side, since a client that waits for an answer waits longer.
 */
export function classOfReuse({ behind, since, from, lastTo, isAnswerLost }: ReuseFacts): Reuse {
  const successor = behind === 1 ? 'successor_unused' : 'successor_used';
  if (from === null || lastTo === null) return { kind: 'unclear', reasons: ['place_unknown', successor] };
  const elsewhere = [
    ...(from.network === lastTo.network ? [] : (['other_network'] as const)),
    ...(from.program === lastTo.program ? [] : (['other_program'] as const)),
  ];
  if (elsewhere.length > 0) return { kind: 'theft', reasons: [...elsewhere, successor] };
  const found = (kind: ReuseClass, age: ReuseReason): Reuse => ({
    kind,
    reasons: ['same_place', age, successor],
  });
  if (isAnswerLost && behind === 1) return found('lost_response', 'answer_lost');
  if (since <= reuseTimes.parallel && behind <= 2) return found('parallel_refresh', 'within_seconds');
  if (behind === 1) {
    return since <= reuseTimes.lost ? found('lost_response', 'soon') : found('unclear', 'long_ago');
  }
  const isLongAgo = since > reuseTimes.late || behind > reuseTimes.generations;
  return isLongAgo ? found('theft', 'long_ago') : found('unclear', 'soon');
}

const kindWords: Readonly<Record<ReuseClass, string>> = {
  lost_response: 'probably the answer before was lost',
  parallel_refresh: 'probably sent beside another refresh',
  theft: 'perhaps stolen',
  unclear: 'it is not clear why',
};

const reasonWords: Readonly<Record<ReuseReason, string>> = {
  answer_lost: 'the answer before never left',
  long_ago: 'long after',
  other_network: 'another network than before',
  other_program: 'another program than before',
  place_unknown: 'it is not known where the refresh before came from',
  same_place: 'the same network and program',
  soon: 'soon after',
  successor_unused: 'its successor was never used',
  successor_used: 'its successor had been used',
  within_seconds: 'within seconds',
};

/** The same in words, for the audit. */
export const wordsOfReuse = ({ kind, reasons }: Reuse): string =>
  `${kindWords[kind]} (${reasons.map((reason) => reasonWords[reason]).join(', ')})`;

/** What to do about each, in a sentence. */
export const reuseAdvice: Readonly<Record<ReuseClass, string>> = {
  lost_response:
    'Have the client keep the old token until the new one is stored, and write it to disk before using it.',
  parallel_refresh:
    'Have the client serialise refreshes: one at a time, and all that need a token wait for that one.',
  theft:
    'Look at the sessions and devices of these members, and at where the client keeps its tokens; a client that moves between networks looks the same.',
  unclear:
    'Look at the client’s log at these times: an old copy of its tokens may have been restored or shared.',
};
