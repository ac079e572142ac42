import { describe, expect, it } from 'vitest';
import { normaliseEmail } from '../../../src/core/members/member.ts';
import { hashEmail } from '../../../src/core/members/member-limits.ts';
import { formerAddressMemory } from '../../../src/core/operators/limits.ts';
import { claimSignUps, insertEmailProof } from '../../../src/storage/members/email-proof.ts';
import { eraseMember } from '../../../src/storage/members/erase.ts';
import { saveSignInFailures } from '../../../src/storage/members/guesses/sign-in-failure.ts';
import { insertMail } from '../../../src/storage/members/mail.ts';
import { insertMember, updateMember } from '../../../src/storage/members/member.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { forgottenByTime } from '../../../src/storage/sweep/forgotten.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { emailProofRecord } from '../../support/records/email-proof-record.ts';
import { hour, memberRecord, minute, now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const former = normaliseEmail(memberRecord().email);
const moved = memberRecord({ email: 'ada.moved@example.test', updatedAt: now });
const erased = now + 2 * hour;

/** What may wait for an address or count by it, made at one time. */
async function insertTraces(tx: Tx, email: string, at: number, memberId: string | null): Promise<void> {
  const id = `proof for ${memberId} of ${at}`;
  const proof = { id, linkHash: id, email, memberId, createdAt: at, expiresAt: at + hour };
  await insertEmailProof(tx, emailProofRecord(proof));
  const message = Buffer.from('sealed');
  const mail = { tenantId: 'tenant-a', name: 'emailChanged', recipientHash: hashEmail(email), message };
  await insertMail(tx, mail, at);
  await saveSignInFailures(tx, 'tenant-a', hashEmail(email), { failures: 2, lastFailedAt: at });
}

/** What is left of an address: proofs by their id, mails by their time, failures by the last. */
const leftOf = (store: Store, email: string) =>
  store.transaction(async (tx) => {
    const proofs = await tx.selectFrom('emailProofs').select('id').where('email', '=', email).execute();
    const hash = hashEmail(email);
    const mails = await tx
      .selectFrom('mails')
      .select('createdAt')
      .where('recipientHash', '=', hash)
      .execute();
    const failures = await tx
      .selectFrom('signInFailures')
      .select('lastFailedAt')
      .where('emailHash', '=', hash)
      .execute();
    return [
      ...proofs.map(({ id }) => id),
      ...mails.map(({ createdAt }) => createdAt),
      ...failures.map(({ lastFailedAt }) => lastFailedAt),
    ];
  });

const nextHolder = memberRecord({
  id: 'member-2',
  userId: 102,
  memberNumber: 9_002,
  createdAt: now + hour,
  updatedAt: now + hour,
});

describe('F14: the address that an erased member had given up', () => {
  it('is in no proof, mail or count of sign-ins any more, at once, and is not remembered', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      await insertTraces(tx, former, now - minute, null);
      await updateMember(tx, moved);
      await insertTraces(tx, former, now + minute, null);
    });
    expect(await leftOf(store, former)).toHaveLength(5);
    await store.transaction((tx) => eraseMember(tx, moved, erased));
    expect(await leftOf(store, former)).toEqual([]);
    const remembered = await store.transaction((tx) =>
      tx.selectFrom('formerAddresses').selectAll().execute(),
    );
    expect(remembered).toEqual([]);
  });

  it('leaves what belongs to the member who has it now, and takes what came before', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      await updateMember(tx, moved);
      await insertTraces(tx, former, now + minute, null);
      await insertMember(tx, nextHolder, 'hash of member-2');
      await insertTraces(tx, former, now + hour, 'member-2');
    });
    await store.transaction((tx) => eraseMember(tx, moved, erased));
    expect(await leftOf(store, former)).toEqual([
      `proof for member-2 of ${now + hour}`,
      now + hour,
      now + hour,
    ]);
  });

  it('leaves what belongs to another member whose address this one asked for', async () => {
    const store = await storeWithMember();
    const email = 'taken@example.test';
    await store.transaction(async (tx) => {
      await insertMember(tx, { ...nextHolder, email, createdAt: now }, 'hash of member-2');
      await insertTraces(tx, email, now + minute, 'member-2');
      const asked = { id: 'asked by member-1', linkHash: 'asked', email, memberId: 'member-1' } as const;
      await insertEmailProof(tx, emailProofRecord({ ...asked, purpose: 'email_change' }));
    });
    await store.transaction((tx) => eraseMember(tx, memberRecord(), erased));
    expect(await leftOf(store, email)).toEqual([
      `proof for member-2 of ${now + minute}`,
      now + minute,
      now + minute,
    ]);
  });

  it('takes the sign-up that she began with it, even if another person signs up with it later', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      await insertEmailProof(tx, emailProofRecord({ id: 'hers', email: former, memberId: 'member-1' }));
      await updateMember(tx, moved);
      await insertMember(tx, nextHolder, 'hash of member-2');
      const theirs = emailProofRecord({ id: 'theirs', linkHash: 'theirs', email: former });
      await insertEmailProof(tx, theirs);
      await claimSignUps(tx, theirs, 'member-2');
    });
    await store.transaction((tx) => eraseMember(tx, moved, erased));
    expect(await leftOf(store, former)).toEqual(['theirs']);
  });

  it('is forgotten in time while she stays', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) => updateMember(tx, moved));
    const sweepAt = async (at: number) => {
      for (const sweep of forgottenByTime([], at)) {
        if (sweep.rows === 'formerAddresses') return sweepThrough(store, sweep);
      }
      return null;
    };
    expect(await sweepAt(now + formerAddressMemory)).toBe(0);
    expect(await sweepAt(now + formerAddressMemory + 1)).toBe(1);
    expect(await sweepAt(now + formerAddressMemory + 1)).toBe(0);
  });
});
