import { describe, expect, it } from 'vitest';
import { isRefusal } from '../../../../src/core/decision.ts';
import { refresh } from '../../../../src/core/grants/refresh-token.ts';
import { apply } from '../../../../src/storage/apply.ts';
import { findClient } from '../../../../src/storage/clients/client.ts';
import { findSignIn, insertSignIn, rotateSignIn } from '../../../../src/storage/grants/sign-in.ts';
import { findMember } from '../../../../src/storage/members/member.ts';
import type { Tx } from '../../../../src/storage/store.ts';
import { now, signInRecord } from '../../../support/records/records.ts';
import { storeWithMember } from '../../../support/records/store.ts';

describe('100 at once', () => {
  it('of 100 conditional updates exactly one wins', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => insertSignIn(tx, signInRecord({ generation: 1 })));
    const rotation = { write: 'rotateSignIn', id: 'sign-in-1', from: 1, to: 2, at: now } as const;
    const work = Array.from({ length: 100 }, () => store.transaction((tx) => rotateSignIn(tx, rotation)));
    expect((await Promise.allSettled(work)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const signIn = await store.transaction((tx) => findSignIn(tx, 'tenant-a', 'sign-in-1'));
    expect(signIn).toMatchObject({ generation: 2, state: 'active' });
  });

  it('T4: of 100 refreshes with one token exactly one gets tokens, and the sign-in ends', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => insertSignIn(tx, signInRecord({ generation: 1 })));
    const refreshOnce = async (tx: Tx) => {
      const client = await findClient(tx, 'tenant-a', 'client-1');
      if (client === null) throw new Error('no client');
      const { answer, writes } = refresh(await findSignIn(tx, 'tenant-a', 'sign-in-1'), {
        client,
        token: { signInId: 'sign-in-1', generation: 1 },
        member: await findMember(tx, 'tenant-a', 'member-1'),
        scope: undefined,
        jkt: null,
        now,
      });
      await apply(tx, writes);
      return answer;
    };
    const answers = await Promise.all(Array.from({ length: 100 }, () => store.transaction(refreshOnce)));
    expect(answers.filter((answer) => !isRefusal(answer))).toHaveLength(1);
    expect(await store.transaction((tx) => findSignIn(tx, 'tenant-a', 'sign-in-1'))).toMatchObject({
      generation: 2,
      state: 'ended',
      endReason: 'refresh_token_reused',
    });
  });
});
