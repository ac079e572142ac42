import { describe, expect, it } from 'vitest';
import { deleteMember, disableMember, dueMembers } from '../../src/operations/member/member.ts';
import { findSession, insertSession } from '../../src/storage/grants/session.ts';
import { findSignIn, insertSignIn } from '../../src/storage/grants/sign-in.ts';
import {
  findMember,
  findMemberByEmail,
  insertMember,
  updateMember,
} from '../../src/storage/members/member.ts';
import type { Tx } from '../../src/storage/store.ts';
import { sweepThrough } from '../../src/storage/sweep/sweep.ts';
import { hour, memberRecord, now, sessionRecord, signInRecord } from '../support/records/records.ts';
import { storeWithMember } from '../support/records/store.ts';

const later = now + hour;
const revoked = signInRecord({ id: 'sign-in-2', state: 'ended', endedAt: now, endReason: 'revoked' });
const bystander = memberRecord({ id: 'member-2', userId: 2, memberNumber: 2, email: 'bo@example.test' });
const hisSession = sessionRecord({ id: 'session-2', memberId: 'member-2', secretHash: 'cookie-2' });
const hisSignIn = signInRecord({ id: 'sign-in-3', memberId: 'member-2', sessionId: 'session-2' });

/** Beside member-1 with a session, a sign-in and a revoked one: another member with one of each. */
async function storeWithTwo() {
  const store = await storeWithMember();
  await store.transaction(async (tx) => {
    await insertSignIn(tx, signInRecord());
    await insertSignIn(tx, revoked);
    await insertMember(tx, bystander, 'hash');
    await insertSession(tx, hisSession);
    await insertSignIn(tx, hisSignIn);
  });
  return store;
}

const everything = async (tx: Tx) => ({
  members: [await findMember(tx, 'tenant-a', 'member-1'), await findMember(tx, 'tenant-a', 'member-2')],
  sessions: [await findSession(tx, 'tenant-a', 'session-1'), await findSession(tx, 'tenant-a', 'session-2')],
  signIns: [
    await findSignIn(tx, 'tenant-a', 'sign-in-1'),
    await findSignIn(tx, 'tenant-a', 'sign-in-2'),
    await findSignIn(tx, 'tenant-a', 'sign-in-3'),
  ],
});

describe('disabling a member (decision 28; A14, T19)', () => {
  it('ends every session and sign-in of that member, and of no other', async () => {
    const store = await storeWithTwo();
    expect(await store.transaction((tx) => disableMember(tx, 'tenant-a', 'member-1', later))).toBe(true);
    expect(await store.transaction(everything)).toEqual({
      members: [memberRecord({ status: 'disabled', updatedAt: later }), bystander],
      sessions: [sessionRecord({ state: 'ended' }), hisSession],
      signIns: [
        signInRecord({ state: 'ended', endedAt: later, endReason: 'member_inactive' }),
        revoked,
        hisSignIn,
      ],
    });
  });

  it('that is disabled already changes nothing', async () => {
    const store = await storeWithTwo();
    await store.transaction((tx) => disableMember(tx, 'tenant-a', 'member-1', later));
    const before = await store.transaction(everything);
    expect(await store.transaction((tx) => disableMember(tx, 'tenant-a', 'member-1', later + 1))).toBe(true);
    expect(await store.transaction(everything)).toEqual(before);
  });

  it.each([
    ['of another tenant', 'tenant-b', 'member-1'],
    ['that does not exist', 'tenant-a', 'nobody'],
  ])('%s changes nothing, and says so', async (_what, tenantId, id) => {
    const store = await storeWithTwo();
    const before = await store.transaction(everything);
    expect(await store.transaction((tx) => disableMember(tx, tenantId, id, later))).toBe(false);
    expect(await store.transaction(everything)).toEqual(before);
  });
});

describe('deleting a member (decision 28; A14, T19)', () => {
  it('ends every session and sign-in, and the member is not found any more, by id or by address', async () => {
    const store = await storeWithTwo();
    expect(await store.transaction((tx) => deleteMember(tx, 'tenant-a', 'member-1', later))).toBe(true);
    const found = await store.transaction((tx) => findMemberByEmail(tx, 'tenant-a', 'ada@example.test'));
    expect(found).toBeNull();
    expect(await store.transaction(everything)).toEqual({
      members: [null, bystander],
      sessions: [sessionRecord({ state: 'ended', userAgent: '', ipAddress: '' }), hisSession],
      signIns: [
        signInRecord({ state: 'ended', endedAt: later, endReason: 'member_inactive' }),
        revoked,
        hisSignIn,
      ],
    });
  });

  it('twice, on another tenant or by an unknown id changes nothing, and says so', async () => {
    const store = await storeWithTwo();
    await store.transaction((tx) => deleteMember(tx, 'tenant-a', 'member-1', later));
    const before = await store.transaction(everything);
    for (const [tenantId, id] of [
      ['tenant-a', 'member-1'],
      ['tenant-b', 'member-2'],
      ['tenant-a', 'nobody'],
    ] as const) {
      expect(await store.transaction((tx) => deleteMember(tx, tenantId, id, later))).toBe(false);
    }
    expect(await store.transaction(everything)).toEqual(before);
  });

  it('frees the address for a new member, but no number', async () => {
    const store = await storeWithTwo();
    await store.transaction((tx) => deleteMember(tx, 'tenant-a', 'member-1', later));
    const anew = memberRecord({ id: 'member-3', userId: 3, memberNumber: 3 });
    await store.transaction((tx) => insertMember(tx, anew, 'hash'));
    const found = await store.transaction((tx) => findMemberByEmail(tx, 'tenant-a', 'ada@example.test'));
    expect(found?.member.id).toBe('member-3');
  });

  it('is done for every member who is due, and for no other', async () => {
    const store = await storeWithTwo();
    await store.transaction(async (tx) => {
      await updateMember(tx, memberRecord({ deletionDueAt: later }));
      await updateMember(tx, { ...bystander, deletionDueAt: later + 1 });
    });
    expect(await sweepThrough(store, dueMembers(later - 1))).toBe(0);
    expect(await sweepThrough(store, dueMembers(later))).toBe(1);
    const { members } = await store.transaction(everything);
    expect(members).toEqual([null, { ...bystander, deletionDueAt: later + 1 }]);
  });

  it('is done for more members than one transaction takes', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      for (let number = 200; number < 245; number += 1) {
        const some = { id: `m${number}`, userId: number, memberNumber: number, email: `m${number}@x.test` };
        await insertMember(tx, memberRecord({ ...some, deletionDueAt: now }), 'hash');
      }
    });
    expect(await sweepThrough(store, dueMembers(now))).toBe(45);
  });
});
