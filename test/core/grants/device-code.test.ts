import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/core/decision.ts';
import {
  type DeviceCode,
  decideDeviceCode,
  deviceCodeMachine,
  isForgotten,
  isOpen,
  issueDeviceCode,
  type VerdictCommand,
  withdraw,
} from '../../../src/core/grants/device-code.ts';
import { type PollCommand, poll } from '../../../src/core/grants/device-poll.ts';
import { beginSignIn } from '../../../src/core/grants/sign-in.ts';
import type { Write } from '../../../src/core/write.ts';
import { linesOf } from '../../support/machines/state-lines.ts';
import { byMember1, deviceCodeRecord } from '../../support/records/device-code-record.ts';
import {
  clientRecord,
  memberRecord,
  minute,
  now,
  second,
  signInRecord,
} from '../../support/records/records.ts';

const client = clientRecord();
const member = memberRecord();
const overdue = now + 15 * minute;

const pending = deviceCodeRecord();
const approved = deviceCodeRecord({ state: 'approved', ...byMember1 });
const denied = deviceCodeRecord({ state: 'denied', ...byMember1 });
const expired = deviceCodeRecord({ state: 'expired' });
const used = deviceCodeRecord({ state: 'used', ...byMember1, signInId: 'sign-in-1' });
const withdrawn = deviceCodeRecord({ state: 'withdrawn' });

/** The first poll of the right client, ten seconds after the code was issued. */
const right: PollCommand = {
  client,
  member,
  begun: null,
  lastPolledAt: null,
  jkt: null,
  now: now + 10 * second,
  signInId: 'sign-in-2',
};
const polls = (code: DeviceCode | null, change: Partial<PollCommand> = {}) =>
  poll(code, { ...right, ...change });

/** What member-1 presses, ten seconds after the code was issued. */
const decides =
  (verdict: 'approve' | 'reject') =>
  (code: DeviceCode | null, change: Partial<VerdictCommand> = {}) =>
    decideDeviceCode(code, { verdict, ...byMember1, now: now + 10 * second, ...change });
const approves = decides('approve');
const rejects = decides('reject');
const other = { memberId: 'member-2', sessionId: 'session-2' };

const withdraws = (code: DeviceCode) => ({ answer: 'none', writes: withdraw(code) });

const moved = (code: DeviceCode, change: Partial<DeviceCode>): Write => ({
  write: 'moveDeviceCode',
  from: code.state,
  code: { ...code, ...change },
});
const begins = beginSignIn(
  {
    id: 'sign-in-2',
    tenantId: 'tenant-a',
    clientId: 'client-1',
    scope: pending.scope,
    resources: '',
    ...byMember1,
    dpopJkt: null,
  },
  right.now,
);
const ends: Write = { write: 'endSignIn', id: 'sign-in-1', reason: 'device_code_reused', at: right.now };
const becomesUsed = [
  { write: 'insertSignIn', signIn: begins } as const,
  moved(approved, { state: 'used', signInId: 'sign-in-2' }),
];

/** Each line of the state table, what was decided, the answer expected and the writes. */
const cases: readonly (readonly [string, Decision<unknown, Write>, string, readonly Write[]])[] = [
  [
    'pending | poll | fifteen minutes are over',
    polls(pending, { now: overdue }),
    'expired_token',
    [moved(pending, { state: 'expired' })],
  ],
  [
    'pending | poll | the interval is not up',
    polls(pending, { lastPolledAt: right.now - second }),
    'slow_down',
    [moved(pending, { interval: 10 * second })],
  ],
  ['pending | poll | –', polls(pending), 'authorization_pending', []],
  [
    'pending | approve | fifteen minutes are over',
    approves(pending, { now: overdue }),
    'not-valid',
    [moved(pending, { state: 'expired' })],
  ],
  ['pending | approve | –', approves(pending), 'approved', [moved(pending, approved)]],
  [
    'pending | reject | fifteen minutes are over',
    rejects(pending, { now: overdue }),
    'not-valid',
    [moved(pending, { state: 'expired' })],
  ],
  ['pending | reject | –', rejects(pending), 'rejected', [moved(pending, denied)]],
  ['pending | withdraw | –', withdraws(pending), 'none', [moved(pending, { state: 'withdrawn' })]],
  [
    'approved | poll | the member may no longer sign in',
    polls(approved, { member: memberRecord({ status: 'disabled' }) }),
    'access_denied',
    [moved(approved, { state: 'denied' })],
  ],
  ['approved | poll | –', polls(approved), 'tokens', becomesUsed],
  ['approved | approve | by the same member', approves(approved), 'approved', []],
  ['approved | approve | –', approves(approved, other), 'not-valid', []],
  ['approved | reject | by the same member', rejects(approved), 'approved', []],
  ['approved | reject | –', rejects(approved, other), 'not-valid', []],
  ['approved | withdraw | –', withdraws(approved), 'none', [moved(approved, { state: 'withdrawn' })]],
  ['denied | poll | –', polls(denied), 'access_denied', []],
  ['denied | approve | by the same member', approves(denied), 'rejected', []],
  ['denied | approve | –', approves(denied, other), 'not-valid', []],
  ['denied | reject | by the same member', rejects(denied), 'rejected', []],
  ['denied | reject | –', rejects(denied, other), 'not-valid', []],
  ['denied | withdraw | –', withdraws(denied), 'none', []],
  ['expired | poll | –', polls(expired), 'expired_token', []],
  ['expired | approve | –', approves(expired), 'not-valid', []],
  ['expired | reject | –', rejects(expired), 'not-valid', []],
  ['expired | withdraw | –', withdraws(expired), 'none', []],
  ['used | poll | –', polls(used, { begun: signInRecord() }), 'invalid_grant', [ends]],
  ['used | approve | by the same member', approves(used), 'approved', []],
  ['used | approve | –', approves(used, other), 'not-valid', []],
  ['used | reject | by the same member', rejects(used), 'approved', []],
  ['used | reject | –', rejects(used, other), 'not-valid', []],
  ['used | withdraw | –', withdraws(used), 'none', []],
  ['withdrawn | poll | –', polls(withdrawn), 'invalid_grant', []],
  ['withdrawn | approve | –', approves(withdrawn), 'not-valid', []],
  ['withdrawn | reject | –', rejects(withdrawn), 'not-valid', []],
  ['withdrawn | withdraw | –', withdraws(withdrawn), 'none', []],
];

/** An answer by its OAuth error, the word `tokens`, or the page that follows. */
function nameOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  return 'error' in answer ? answer.error : (answer as { kind: string }).kind;
}

describe('device code, line by line of its state table', () => {
  it.each(cases)('%s', (_line, { answer, writes }, expectedAnswer, expectedWrites) => {
    expect(nameOf(answer)).toBe(expectedAnswer);
    expect(writes).toEqual(expectedWrites);
  });

  it('has a case for every line', () => {
    expect(cases.map(([line]) => line)).toEqual(linesOf(deviceCodeMachine));
  });
});

describe('poll with a device code', () => {
  it('a code is issued pending, for 900 s, to be polled every 5 s', () => {
    const { id, tenantId, clientId, hash, userCodeHash, scope, deviceName, deviceModel, ipAddress } = pending;
    const facts = {
      id,
      tenantId,
      clientId,
      hash,
      userCodeHash,
      scope,
      resources: '',
      deviceName,
      deviceModel,
      ipAddress,
    };
    expect(issueDeviceCode(facts, now)).toEqual({
      ...facts,
      state: 'pending',
      interval: 5_000,
      createdAt: now,
      expiresAt: now + 900_000,
      memberId: null,
      sessionId: null,
      authenticatedAt: null,
      signInId: null,
    });
  });

  it.each([
    ['unknown', null, {}],
    ['another client’s', pending, { client: clientRecord({ clientId: 'client-2' }) }],
    ['another tenant’s', approved, { client: clientRecord({ tenantId: 'tenant-b' }) }],
    ['another client’s, and used', used, { client: clientRecord({ clientId: 'client-2' }) }],
    ['of a client that lost the device flow', pending, { client: clientRecord({ deviceFlow: false }) }],
  ])('decision 17: a code that is %s is invalid_grant, and nothing changes', (_what, code, change) => {
    const { answer, writes } = polls(code, { begun: signInRecord(), ...change });
    expect(answer).toMatchObject({ kind: 'refusal', error: 'invalid_grant' });
    expect(answer).not.toHaveProperty('paced');
    expect(writes).toEqual([]);
  });

  it('decision 20: a code is pending 1 ms before its expiry, and expired at it', () => {
    expect(nameOf(polls(pending, { now: overdue - 1 }).answer)).toBe('authorization_pending');
    expect(nameOf(polls(pending, { now: overdue }).answer)).toBe('expired_token');
  });

  it('decision 20: the first poll is never too early, not even at once', () => {
    expect(nameOf(polls(pending, { now }).answer)).toBe('authorization_pending');
  });

  it('decision 20: the network may waver by a second and no more', () => {
    const pollAfter = (ms: number) => nameOf(polls(pending, { lastPolledAt: right.now - ms }).answer);
    expect([pollAfter(3_999), pollAfter(4_000)]).toEqual(['slow_down', 'authorization_pending']);
  });

  it('a slow_down adds 5 seconds for good, each time, and counts as the last poll', () => {
    let code = pending;
    for (const interval of [10, 15, 20]) {
      const { answer, writes } = polls(code, { lastPolledAt: right.now });
      expect(answer).toMatchObject({ error: 'slow_down', paced: true });
      expect(writes).toEqual([moved(code, { interval: interval * second })]);
      code = { ...code, interval: interval * second };
    }
    const pollAfter = (ms: number) => nameOf(polls(code, { lastPolledAt: right.now - ms }).answer);
    expect([pollAfter(18_999), pollAfter(19_000)]).toEqual(['slow_down', 'authorization_pending']);
  });

  it('contract, polling concurrency: of polls at once, one that came first and is judged last is too early', () => {
    expect(nameOf(polls(pending, { lastPolledAt: right.now + 5 }).answer)).toBe('slow_down');
  });

  it('Z18: a last poll that lies ahead, since the clock was set back, makes no poll too early', () => {
    const polled = polls(pending, { lastPolledAt: right.now + 60 * minute });
    expect(nameOf(polled.answer)).toBe('authorization_pending');
    expect(polled.writes).toEqual([]);
  });

  it.each([
    ['approved', approved, 'tokens'],
    ['denied', denied, 'access_denied'],
    ['expired', expired, 'expired_token'],
    ['used', used, 'invalid_grant'],
    ['pending, but over', { ...pending, expiresAt: right.now }, 'expired_token'],
  ])('decision 21: a code that is %s answers that however early the poll comes', (_state, code, answer) => {
    expect(nameOf(polls(code, { lastPolledAt: right.now }).answer)).toBe(answer);
  });

  it('contract 7: the tokens are those of the member who approved, in that session, for the scope asked', () => {
    expect(polls(approved).answer).toEqual({
      kind: 'tokens',
      client,
      api: null,
      member,
      scope: 'openid offline_access email',
      sessionId: 'session-1',
      authenticatedAt: byMember1.authenticatedAt,
      nonce: null,
      claims: null,
      refreshToken: { signInId: 'sign-in-2', generation: 1 },
      jkt: null,
      issuedAt: right.now,
    });
  });

  it('T16: without offline_access there is no refresh token', () => {
    expect(polls({ ...approved, scope: 'openid' }).answer).toMatchObject({
      kind: 'tokens',
      scope: 'openid',
      refreshToken: null,
    });
  });

  it('decision 22: an approved code gives tokens after its expiry too, until it is forgotten', () => {
    const at = (time: number) => nameOf(polls(approved, { now: time }).answer);
    expect([at(overdue), at(overdue + 15 * minute - 1), at(overdue + 15 * minute)]).toEqual([
      'tokens',
      'tokens',
      'invalid_grant',
    ]);
  });

  it('decision 22: 900 s after its expiry a code is unknown, to the TV and to the phone', () => {
    const time = overdue + 15 * minute;
    for (const code of [pending, denied, expired, withdrawn]) {
      expect(isForgotten(code, time)).toBe(true);
      expect(polls(code, { now: time })).toMatchObject({ answer: { error: 'invalid_grant' }, writes: [] });
      expect(approves(code, { now: time })).toEqual({ answer: 'not-valid', writes: [] });
    }
  });

  it('decision 23: a used code is remembered as long as its sign-in, and ends it a year later too', () => {
    const later = now + 360 * 24 * 60 * minute;
    expect(isForgotten(used, later)).toBe(false);
    expect(polls(used, { begun: signInRecord(), now: later }).writes).toEqual([{ ...ends, at: later }]);
  });

  it('a third poll writes nothing more: the sign-in has ended', () => {
    const begun = signInRecord({ state: 'ended', endedAt: now, endReason: 'device_code_reused' });
    expect(polls(used, { begun }).writes).toEqual([]);
  });

  it('decision 28: a member who is gone gets no tokens for an approved code', () => {
    const { answer, writes } = polls(approved, { member: null });
    expect(nameOf(answer)).toBe('access_denied');
    expect(writes).toEqual([moved(approved, { state: 'denied' })]);
  });
});

describe('approval of a device code', () => {
  it('U8: a code can be shown while it is pending and not over, and no other', () => {
    expect([now, overdue - 1, overdue].map((time) => isOpen(pending, time))).toEqual([true, true, false]);
    for (const code of [approved, denied, expired, used, withdrawn]) expect(isOpen(code, now)).toBe(false);
  });

  it('an unknown code is not valid', () => {
    expect(approves(null)).toEqual({ answer: 'not-valid', writes: [] });
  });

  it('U19: an approval after a rejection changes nothing, and the page says what holds', () => {
    expect(approves(denied)).toEqual({ answer: 'rejected', writes: [] });
  });
});
