import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import {
  beginSession,
  endSession,
  type Session,
  sessionLives,
  sessionMachine,
  useSession,
} from '../../src/core/session.ts';
import type { Write } from '../../src/core/write.ts';
import { linesOf } from '../support/machines/state-lines.ts';
import { day, hour, memberRecord, now, sessionRecord } from '../support/records/records.ts';

const member = memberRecord();
const session = sessionRecord();
const overdue = sessionRecord({ createdAt: now - 20 * day, lastUsedAt: now - 14 * day });
const ended = sessionRecord({ state: 'ended' });
const expired = sessionRecord({ state: 'expired' });

/** What a sign-in in this browser brings. */
const facts = {
  id: 'session-2',
  tenantId: 'tenant-a',
  memberId: 'member-1',
  kind: 'member' as const,
  secretHash: sha256('cookie-2'),
  userAgent: 'Safari',
  ipAddress: '2001:db8::2',
  amr: 'hwk user',
  strongAt: now,
};

const begun: Session = { ...facts, state: 'active', authenticatedAt: now, createdAt: now, lastUsedAt: now };

const moved = (to: Session): Write => ({ write: 'moveSession', id: to.id, from: 'active', session: to });
const inserted: Write = { write: 'insertSession', session: begun };

const renewed: Session = {
  ...session,
  secretHash: facts.secretHash,
  userAgent: facts.userAgent,
  ipAddress: facts.ipAddress,
  amr: facts.amr,
  strongAt: facts.strongAt,
  authenticatedAt: now,
  lastUsedAt: now,
};

const uses = (stored: Session) => useSession(stored, member, now);
const renews = (stored: Session) => beginSession(stored, facts, now);
const ends = (stored: Session) => ({ writes: endSession(stored) });
const refused = { session: null, writes: [] };

const cases = [
  {
    line: 'active | use | its idle or absolute time is over',
    decided: uses(overdue),
    expected: { session: null, writes: [moved({ ...overdue, state: 'expired' })] },
  },
  { line: 'active | use | –', decided: uses(session), expected: { session, writes: [] } },
  {
    line: 'active | renew | its idle or absolute time is over',
    decided: renews(overdue),
    expected: { session: begun, writes: [moved({ ...overdue, state: 'ended' }), inserted] },
  },
  {
    line: 'active | renew | –',
    decided: renews(session),
    expected: { session: renewed, writes: [moved(renewed)] },
  },
  {
    line: 'active | end | –',
    decided: ends(session),
    expected: { writes: [moved({ ...session, state: 'ended' })] },
  },
  { line: 'ended | use | –', decided: uses(ended), expected: refused },
  { line: 'ended | renew | –', decided: renews(ended), expected: { session: begun, writes: [inserted] } },
  { line: 'ended | end | –', decided: ends(ended), expected: { writes: [] } },
  { line: 'expired | use | –', decided: uses(expired), expected: refused },
  { line: 'expired | renew | –', decided: renews(expired), expected: { session: begun, writes: [inserted] } },
  { line: 'expired | end | –', decided: ends(expired), expected: { writes: [] } },
];

describe('browser session, line by line of its state table', () => {
  it.each(cases)('$line', ({ decided, expected }) => {
    expect(decided).toEqual(expected);
  });

  it('has a case for every line', () => {
    expect(cases.map(({ line }) => line)).toEqual(linesOf(sessionMachine));
  });
});

describe('lifetime of a session (decision 20)', () => {
  const idle = sessionRecord({ createdAt: now, lastUsedAt: now });
  const old = sessionRecord({ createdAt: now, lastUsedAt: now + 89 * day });

  it.each([
    ['14 days without use', idle, now + 14 * day],
    ['90 days in all', old, now + 90 * day],
  ])('%s: it may be used 1 ms before the end, and not at the end', (_what, stored, end) => {
    expect(useSession(stored, member, end - 1).session?.id).toBe('session-1');
    expect(sessionLives(stored, end - 1)).toBe(true);
    expect(useSession(stored, member, end).session).toBeNull();
    expect(sessionLives(stored, end)).toBe(false);
  });

  it('a sign-in anew at its end begins another session', () => {
    expect(beginSession(idle, facts, now + 14 * day - 1).session.id).toBe('session-1');
    expect(beginSession(idle, facts, now + 14 * day).session.id).toBe('session-2');
  });

  it('the time of use is written once an hour: not 1 ms before, but at the hour', () => {
    const at = (time: number) => useSession(idle, member, time).writes;
    expect(at(now + hour - 1)).toEqual([]);
    expect(at(now + hour)).toEqual([moved({ ...idle, lastUsedAt: now + hour })]);
  });
});

describe('use of a session', () => {
  it('there is none: nothing to use, nothing to write', () => {
    expect(useSession(null, null, now)).toEqual(refused);
    expect(sessionLives(null, now)).toBe(false);
  });

  it.each([
    ['disabled', memberRecord({ status: 'disabled' })],
    ['gone', null],
  ])('A14: the session of a member who is %s ends at its next use', (_what, whose) => {
    expect(useSession(session, whose, now)).toEqual({
      session: null,
      writes: [moved({ ...session, state: 'ended' })],
    });
  });

  it('decision 27: asking whether it lives is not using it, so nothing is written', () => {
    expect(sessionLives(sessionRecord({ lastUsedAt: now - 2 * hour }), now)).toBe(true);
    expect([sessionLives(ended, now), sessionLives(expired, now)]).toEqual([false, false]);
  });
});

describe('begin of a session', () => {
  it('in a browser that has none, a new one is made', () => {
    expect(beginSession(null, facts, now)).toEqual({ session: begun, writes: [inserted] });
  });

  it('A8: the same member keeps the sid and gets a new cookie', () => {
    const { session: next } = beginSession(session, facts, now);
    expect(next.id).toBe(session.id);
    expect(next.secretHash).not.toBe(session.secretHash);
    expect(next.createdAt).toBe(session.createdAt);
  });

  it.each([
    ['member', { memberId: 'member-2' }],
    ['tenant', { tenantId: 'tenant-b' }],
  ])('the session of another %s ends first', (_what, changes) => {
    const { writes } = beginSession(sessionRecord(changes), facts, now);
    expect(writes).toEqual([moved(sessionRecord({ ...changes, state: 'ended' })), inserted]);
  });
});
