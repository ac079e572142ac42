// Explains the other requests for tokens, and their end: exchanges of codes, refreshes, revocations.
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
  sent,
} from './rule.ts';

const refreshToken = contract('Refresh token');

const earlierUse = (seen: Seen, name: string): WireEntry | undefined =>
  sameBefore(seen, name).find((entry) => isGood({ entry }));

/** Whether a refresh with the same token was under way at the same time. */
const isParallel = (seen: Seen): boolean => same(seen, 'refresh_token', 'beside').length > 0;

const wasRevoked = (seen: Seen): boolean =>
  seen.before.some(
    (entry) => entry.endpoint === 'revocation' && sent({ entry }, 'token') === sent(seen, 'refresh_token'),
  );

export const refreshRules: readonly Rule[] = [
  {
    when: (seen) => isGood(seen) && earlierUse(seen, 'refresh_token') !== undefined,
    says: () =>
      'The same token again, within the replay window of this client: the same step, not the next one.',
    source: decision(24),
    tone: 'care',
  },
  {
    when: (seen) => isGood(seen) && same(seen, 'refresh_token', 'beside').some((entry) => !isGood({ entry })),
    says: () =>
      'Two refreshes at once with one token: this one got the next token, which ended with the sign-in at once.',
    source: decision(24),
    tone: 'bad',
  },
  {
    when: isGood,
    says: (seen) =>
      `A new refresh token, ${said(seen, 'refresh_token')}. The one that was sent works no more: keep the new one alone.`,
    source: refreshToken,
    tone: 'good',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant') && isParallel(seen),
    says: () =>
      'Two refreshes at once with one token. The service cannot tell the second from a thief, so the whole sign-in has ended.',
    source: decision(24),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant') && earlierUse(seen, 'refresh_token')?.lost === true,
    says: () =>
      'The answer to this token’s first use was lost, so the client sent it again. That looks like a theft: the whole sign-in has ended.',
    source: refreshToken,
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant') && earlierUse(seen, 'refresh_token') !== undefined,
    says: () =>
      'An old refresh token came back. One of two who hold it stole it, so the whole sign-in has ended, and the member signs in again.',
    source: rfc(9700, '4.14.2'),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant') && wasRevoked(seen),
    says: () => 'This token was revoked. A client deletes its tokens when it revokes them.',
    source: refreshToken,
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant'),
    says: () =>
      'The sign-in has ended, or the token is too old. The client deletes its tokens and has the member sign in.',
    source: refreshToken,
    tone: 'bad',
  },
];

export const codeRules: readonly Rule[] = [
  {
    when: isGood,
    says: () =>
      'The code is good and the verifier fits its challenge: here are the tokens. The code is used up now.',
    source: rfc(7636, '4.6'),
    tone: 'good',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant') && earlierUse(seen, 'code') !== undefined,
    says: () =>
      'This code was exchanged before. Someone may have copied it, so the sign-in that it began has ended.',
    source: decision(18),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant') && sameBefore(seen, 'code').length > 0,
    says: () => 'This code was tried before, and a try with the wrong verifier uses it up.',
    source: decision(18),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_grant'),
    says: () => 'The code is unknown or older than ten minutes, or the verifier does not fit its challenge.',
    source: rfc(7636, '4.6'),
    tone: 'bad',
  },
];

export const serviceRules: readonly Rule[] = [
  {
    when: isGood,
    says: () => 'A token for the client itself: no member stands behind it, and it cannot be refreshed.',
    source: rfc(6749, '4.4'),
    tone: 'good',
  },
];

/** Of the token endpoint, whatever the grant. */
export const anyGrantRules: readonly Rule[] = [
  {
    when: (seen) => refusedWith(seen, 'invalid_client'),
    says: () =>
      'The client is unknown, its secret is missing or wrong, or it is a public one and sent a secret.',
    source: decision(15),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'unsupported_grant_type'),
    says: () => 'There is no such grant here: look at how grant_type is spelt.',
    source: rfc(6749, '5.2'),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'unauthorized_client'),
    says: () => 'This client is not registered for this grant.',
    source: rfc(6749, '5.2'),
    tone: 'bad',
  },
  {
    when: (seen) => refusedWith(seen, 'invalid_scope'),
    says: () => 'The client asks for more than was granted: for more, the member signs in anew.',
    source: decision(25),
    tone: 'bad',
  },
];

export const revocationRules: readonly Rule[] = [
  {
    when: isGood,
    says: () =>
      'The sign-in has ended. This answer is the same for a token that was no good before; the client deletes its tokens now.',
    source: contract('POST /api/oidc/token/revocation'),
    tone: 'good',
  },
];
