// Explains what a TV sends: its request for a code, and its polls (contract, "Polling rules").
import { pollInterval, pollTolerance, slowDownStep } from '../../limits.ts';
import type { WireEntry } from '../wire.ts';
import {
  contract,
  decision,
  isGood,
  type Rule,
  refusedWith,
  rfc,
  type Seen,
  said,
  same,
  sameBefore,
  seconds,
  sent,
  statusOf,
} from './rule.ts';

export const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code';

const pollingRules = contract('Polling rules');
const deviceCode = contract('Device code (device flow)');

/** What a slow_down adds, in seconds. */
const step = slowDownStep / 1_000;

/** What is sooner (ms) is right after. */
const moment = 100;

/** What is known of a poll's pace. */
interface Pace {
  /** How long the TV has to wait (s), as it was told until this poll was answered. */
  readonly interval: number;
  /** Since the last poll was answered, or since the code was given (ms); null where neither is known. */
  readonly since: number | null;
}

/** How the TV kept its pace until this poll. */
function paceOf(seen: Seen): Pace {
  const polls = sameBefore(seen, 'device_code');
  const issue = issueOf(seen);
  const told = issue === null ? undefined : said({ entry: issue }, 'interval');
  const slower = polls.filter((entry) => refusedWith({ entry }, 'slow_down')).length;
  const from = polls.at(-1) ?? issue;
  return {
    interval: (typeof told === 'number' ? told : pollInterval / 1_000) + step * slower,
    since: from === null ? null : Math.max(0, seen.entry.at - from.answeredAt),
  };
}

/** The answer that gave the code; null where it is no longer known. */
const issueOf = (seen: Seen): WireEntry | null =>
  seen.before.findLast((entry) => said({ entry }, 'device_code') === sent(seen, 'device_code')) ?? null;

const isTooEarly = (seen: Seen): boolean => {
  const { interval, since } = paceOf(seen);
  return since !== null && since < interval * 1_000 - pollTolerance;
};

const isSecondAtOnce = (seen: Seen): boolean => same(seen, 'device_code', 'beside').length > 0;

const gaveTokens = (seen: Seen) => sameBefore(seen, 'device_code').find((entry) => isGood({ entry }));

/** An answer after which a TV polls no more, which it was given before. */
const toldToStop = (seen: Seen): boolean =>
  sameBefore(seen, 'device_code').some((entry) => {
    const error = said({ entry }, 'error');
    return (
      entry.fault === null &&
      typeof error === 'string' &&
      !['authorization_pending', 'slow_down'].includes(error)
    );
  });

/** Of the device authorization endpoint. */
export const deviceRules: readonly Rule[] = [
  {
    when: isGood,
    says: (seen) =>
      `A code for the TV: it shows ${said(seen, 'user_code')}, and waits ${said(seen, 'interval')} seconds before it asks.`,
    source: rfc(8628, '3.2'),
    tone: 'plain',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_client'),
    says: () => 'The client is unknown here, or it is a public one and sent a secret.',
    source: contract('POST /api/oidc/device/auth'),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_request') && statusOf(seen) === 404,
    says: () => 'No client of this tenant has the device flow on, so there is nothing here.',
    source: contract('POST /api/oidc/device/auth'),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_request'),
    says: () =>
      'The device flow is off for this client, or a parameter is missing, too long or has signs that cannot be seen.',
    source: contract('POST /api/oidc/device/auth'),
    tone: 'bad',
  },
];

/** Of polls. */
export const pollRules: readonly Rule[] = [
  {
    when: (seen) => refusedWith(seen, 'slow_down') && isSecondAtOnce(seen),
    says: (seen) =>
      `Two polls at once: this one came before the other was answered. The interval is ${paceOf(seen).interval + step} seconds from now on, for good.`,
    source: pollingRules,
    tone: 'care',
  },
  {
    when: (seen) => refusedWith(seen, 'slow_down') && paceOf(seen).since !== null,
    says: (seen) => {
      const { since, interval } = paceOf(seen);
      const when = (since ?? 0) < moment ? 'Right' : seconds(since ?? 0);
      return `${when} after the last poll. The interval is ${interval + step} seconds from now on, for good.`;
    },
    source: rfc(8628, '3.5'),
    tone: 'care',
  },
  {
    when: (seen) => refusedWith(seen, 'slow_down'),
    says: () => 'Too early. The TV adds 5 seconds to its interval, for good.',
    source: rfc(8628, '3.5'),
    tone: 'care',
  },
  {
    when: (seen) => refusedWith(seen, 'authorization_pending') && isTooEarly(seen),
    says: (seen) =>
      `The member has not decided yet. The TV should wait ${paceOf(seen).interval} seconds before its first poll too.`,
    source: pollingRules,
    tone: 'care',
  },
  {
    when: (seen) => refusedWith(seen, 'authorization_pending'),
    says: () => 'As it should be: the member has not decided yet.',
    source: rfc(8628, '3.5'),
    tone: 'plain',
  },
  {
    when: isGood,
    says: () =>
      'The member approved, and the first poll after that gets the tokens. The code is used up now.',
    source: contract('Token response'),
    tone: 'good',
  },
  {
    when: (seen) => gaveTokens(seen)?.lost === true,
    says: () =>
      'The tokens were lost on their way, and the code works once. Two devices may hold it, so the sign-in has ended.',
    source: decision(23),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant') && gaveTokens(seen) !== undefined,
    says: () =>
      'This code gave tokens before. Two devices may hold it, so the sign-in has ended: its refresh token works no more.',
    source: deviceCode,
    tone: 'bad',
  },
  {
    when: toldToStop,
    says: () => 'The TV was told before that this code is over. It should have stopped polling.',
    source: pollingRules,
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'access_denied'),
    says: () => 'The member said no. The TV stops, says so, and offers to begin again.',
    source: rfc(8628, '3.5'),
    tone: 'care',
  },
  {
    when: (seen) => refusedWith(seen, 'expired_token'),
    says: () => 'The code ran out before the member approved. The TV stops, and asks for a new one.',
    source: rfc(8628, '3.5'),
    tone: 'care',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant'),
    says: () =>
      'The code is unknown, withdrawn, too old, or another client’s. The TV stops, and asks for a new one.',
    source: deviceCode,
    tone: 'bad',
  },
];
