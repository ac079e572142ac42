import { describe, expect, it } from 'vitest';
import type { Write } from '../../../src/core/write.ts';
import { apply } from '../../../src/storage/apply.ts';
import { listActiveSignIns } from '../../../src/storage/grants/member-sign-ins.ts';
import { findSignIn, findSignInWithMember, insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import type { Store } from '../../../src/storage/store.ts';
import { hour, memberRecord, now, signInRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const write = (store: Store, ...writes: readonly Write[]) => store.transaction((tx) => apply(tx, writes));

describe('sign-ins', () => {
  const find = (store: Store, tenantId = 'tenant-a') =>
    store.transaction((tx) => findSignIn(tx, tenantId, 'sign-in-1'));

  it.each([
    ['that is active', signInRecord()],
    ['that has ended', signInRecord({ state: 'ended', endedAt: now, endReason: 'signed_out' })],
  ])('are read as they were written: one %s', async (_what, signIn) => {
    const store = await storeWithMember();
    await write(store, { write: 'insertSignIn', signIn });
    expect(await find(store)).toEqual(signIn);
  });

  it('of another tenant are not found', async () => {
    const store = await storeWithMember();
    await write(store, { write: 'insertSignIn', signIn: signInRecord() });
    expect(await find(store, 'tenant-b')).toBeNull();
  });

  it('are read with their member, which is null once the data are erased', async () => {
    const store = await storeWithMember();
    const signIn = signInRecord({ label: 'TV', state: 'ended', endedAt: now, endReason: 'signed_out' });
    await store.transaction((tx) => insertSignIn(tx, signIn));
    const findBoth = (tenantId = 'tenant-a') =>
      store.transaction((tx) => findSignInWithMember(tx, tenantId, 'sign-in-1'));
    expect(await findBoth()).toEqual({ signIn, member: memberRecord() });
    expect(await findBoth('tenant-b')).toBeNull();
    await store.transaction((tx) => tx.updateTable('members').set({ erasedAt: now }).execute());
    expect(await findBoth()).toEqual({ signIn, member: null });
  });

  it('rotate from the generation that was seen, and no other', async () => {
    const store = await storeWithMember();
    await write(store, { write: 'insertSignIn', signIn: signInRecord() });
    await write(store, { write: 'rotateSignIn', id: 'sign-in-1', from: 3, to: 4, at: now + hour });
    expect(await find(store)).toEqual(signInRecord({ generation: 4, rotatedAt: now + hour }));
    const again = write(store, { write: 'rotateSignIn', id: 'sign-in-1', from: 3, to: 4, at: now });
    await expect(again).rejects.toThrow('rows changed where one was expected');
  });

  it('end once, and do not rotate any more', async () => {
    const store = await storeWithMember();
    await write(store, { write: 'insertSignIn', signIn: signInRecord() });
    const end = { write: 'endSignIn', id: 'sign-in-1', reason: 'revoked', at: now + hour } as const;
    await write(store, end);
    const ended = signInRecord({ state: 'ended', endedAt: now + hour, endReason: 'revoked' });
    expect(await find(store)).toEqual(ended);
    await expect(write(store, { ...end, reason: 'expired' })).rejects.toThrow(
      'rows changed where one was expected',
    );
    const rotation = write(store, { write: 'rotateSignIn', id: 'sign-in-1', from: 3, to: 4, at: now });
    await expect(rotation).rejects.toThrow('rows changed where one was expected');
    expect(await find(store)).toEqual(ended);
  });

  it('are listed while they are active, of one member', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      await insertSignIn(tx, signInRecord());
      await insertSignIn(tx, signInRecord({ id: 'over', state: 'ended' }));
    });
    expect(await store.transaction((tx) => listActiveSignIns(tx, 'member-1'))).toEqual([signInRecord()]);
    expect(await store.transaction((tx) => listActiveSignIns(tx, 'member-2'))).toEqual([]);
  });
});
