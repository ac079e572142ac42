import { describe, expect, it } from 'vitest';
import { cancelDeletion, isGone, maySignIn, requestDeletion } from '../../../src/core/members/member.ts';
import { useSession } from '../../../src/core/session.ts';
import { day, hour, memberRecord, now, sessionRecord } from '../../support/records/records.ts';

describe('the deletion of an account (pages 18)', () => {
  it('is due when the cooling-off time is over', () => {
    expect(requestDeletion(memberRecord(), 3 * day, now)).toEqual(
      memberRecord({ deletionDueAt: now + 3 * day, updatedAt: now }),
    );
  });

  it('is not put off by asking again', () => {
    expect(requestDeletion(memberRecord({ deletionDueAt: now + day }), 3 * day, now)).toBeNull();
  });

  it('can be taken back, and there is nothing to take back otherwise', () => {
    expect(cancelDeletion(memberRecord({ deletionDueAt: now + day }), now)).toEqual(
      memberRecord({ updatedAt: now }),
    );
    expect(cancelDeletion(memberRecord(), now)).toBeNull();
  });
});

describe('who may sign in (decision 28)', () => {
  it.each([
    ['an active member', memberRecord(), true],
    ['a disabled member', memberRecord({ status: 'disabled' }), false],
    ['no member', null, false],
    ['a member who is to be deleted', memberRecord({ deletionDueAt: now + 1 }), true],
    ['a member whose deletion is due now', memberRecord({ deletionDueAt: now }), false],
    ['a member whose deletion was due', memberRecord({ deletionDueAt: now - 1 }), false],
  ])('%s: %s', (_who, member, expected) => {
    expect(maySignIn(member, now)).toBe(expected);
  });

  it('an account is gone from the moment it is due, whatever its state', () => {
    expect(isGone({ deletionDueAt: now }, now - 1)).toBe(false);
    expect(isGone({ deletionDueAt: now }, now)).toBe(true);
    expect(isGone({ deletionDueAt: null }, now)).toBe(false);
  });

  it('A14: the session of a deleted member ends at its next use', () => {
    const member = memberRecord({ deletionDueAt: now - hour });
    expect(useSession(sessionRecord(), member, now)).toEqual({
      session: null,
      writes: [
        { write: 'moveSession', id: 'session-1', from: 'active', session: sessionRecord({ state: 'ended' }) },
      ],
    });
  });
});
