import { describe, expect, it } from 'vitest';
import type { Member } from '../../src/core/members/member.ts';
import { clockTolerance } from '../../src/core/operators/limits.ts';
import { countEmailProofs, insertEmailProof } from '../../src/storage/members/email-proof.ts';
import {
  countWrongUserCodes,
  insertWrongUserCode,
} from '../../src/storage/members/guesses/wrong-user-code.ts';
import {
  findMember,
  findMemberByEmail,
  insertMember,
  updateMemberStatus,
  updatePasswordHash,
} from '../../src/storage/members/member.ts';
import { insertTenant, listTenants, updateTenantAddress } from '../../src/storage/tenant.ts';
import { emailProofRecord } from '../support/records/email-proof-record.ts';
import { memberRecord, minute, now, tenantRecord } from '../support/records/records.ts';
import { newStore, storeWithMember } from '../support/records/store.ts';

/** A member of tenant b who gave as little as possible, and the same address as the member of tenant a. */
const sparse: Member = {
  id: 'member-2',
  tenantId: 'tenant-b',
  userId: 101,
  memberNumber: 9_001,
  externalId: null,
  email: 'ada@example.test',
  emailVerified: false,
  fullName: 'هدى',
  nickName: '',
  phone: '',
  phoneVerified: true,
  avatar: null,
  locale: null,
  userType: 'member',
  status: 'disabled',
  address: {
    line1: null,
    city: null,
    postCode: null,
    postOffice: null,
    country: null,
    name: null,
    email: null,
  },
  createdAt: now,
  updatedAt: now + 1,
  deletionDueAt: now + 2,
};

describe('members', () => {
  it('are read as they were written, field by field', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) => insertMember(tx, sparse, 'hash of member-2'));
    const found = await store.transaction(async (tx) => [
      await findMember(tx, 'tenant-a', 'member-1'),
      await findMember(tx, 'tenant-b', 'member-2'),
    ]);
    expect(found).toEqual([memberRecord(), sparse]);
  });

  it('of another tenant are not found', async () => {
    const store = await storeWithMember();
    const found = await store.transaction(async (tx) => [
      await findMember(tx, 'tenant-b', 'member-1'),
      await findMemberByEmail(tx, 'tenant-b', 'ada@example.test'),
    ]);
    expect(found).toEqual([null, null]);
  });

  it.each(['Ada@Example.test', 'ada@example.test', ' ADA@EXAMPLE.TEST '])(
    'are found by their address, also written "%s", with the hash of the password',
    async (email) => {
      const store = await storeWithMember();
      await store.transaction((tx) => insertMember(tx, sparse, 'hash of member-2'));
      const found = await store.transaction(async (tx) => [
        await findMemberByEmail(tx, 'tenant-a', email),
        await findMemberByEmail(tx, 'tenant-b', email),
      ]);
      expect(found).toEqual([
        { member: memberRecord(), passwordHash: 'hash of member-1' },
        { member: sparse, passwordHash: 'hash of member-2' },
      ]);
    },
  );

  it('have an address that is theirs alone within the tenant, however it is written', async () => {
    const store = await storeWithMember();
    const twin = memberRecord({ id: 'twin', userId: 1, memberNumber: 1, email: 'ADA@example.test' });
    await expect(store.transaction((tx) => insertMember(tx, twin, 'hash'))).rejects.toThrow(/unique/i);
  });

  it('change their status, and nothing else', async () => {
    const store = await storeWithMember();
    const change = { status: 'disabled', updatedAt: now } as const;
    await store.transaction((tx) => updateMemberStatus(tx, memberRecord(), change));
    expect(await store.transaction((tx) => findMember(tx, 'tenant-a', 'member-1'))).toEqual(
      memberRecord({ status: 'disabled', updatedAt: now }),
    );
    const foreign = store.transaction((tx) =>
      updateMemberStatus(tx, memberRecord({ tenantId: 'tenant-b' }), change),
    );
    await expect(foreign).rejects.toThrow('0 rows changed');
  });

  it('change their password, and nothing else', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) => updatePasswordHash(tx, memberRecord(), 'new hash'));
    expect(await store.transaction((tx) => findMemberByEmail(tx, 'tenant-a', 'ada@example.test'))).toEqual({
      member: memberRecord(),
      passwordHash: 'new hash',
    });
    const nobody = store.transaction((tx) => updatePasswordHash(tx, memberRecord({ id: 'nobody' }), 'hash'));
    await expect(nobody).rejects.toThrow('0 rows changed');
  });
});

describe('tenants', () => {
  it('are read as they were written, by name, each with its encrypted token key', async () => {
    const store = await newStore();
    const a = tenantRecord('a');
    const b = tenantRecord('b', { development: true, brandColor: '#0b7a4b' });
    await store.transaction(async (tx) => {
      await insertTenant(tx, b, Buffer.from('key of b'), now);
      await insertTenant(tx, a, Buffer.from('key of a'), now);
    });
    expect(await store.transaction(listTenants)).toEqual([
      { tenant: a, tokenKey: Buffer.from('key of a') },
      { tenant: b, tokenKey: Buffer.from('key of b') },
    ]);
  });

  it('have an issuer and a host that are theirs alone', async () => {
    const store = await storeWithMember();
    for (const change of [{ issuer: 'https://a.test' }, { host: 'a.test' }]) {
      const twin = { ...tenantRecord('b'), id: 'twin', issuer: 'https://c.test', host: 'c.test', ...change };
      const again = store.transaction((tx) => insertTenant(tx, twin, Buffer.from('key'), now));
      await expect(again).rejects.toThrow(/unique/i);
    }
  });

  it('take on another address', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) => updateTenantAddress(tx, 'tenant-a', 'https://new.test', 'new.test'));
    const tenants = await store.transaction(listTenants);
    expect(tenants.map(({ tenant }) => tenant.issuer)).toEqual(['https://new.test', 'https://b.test']);
  });
});

describe('F1: a process whose clock is ahead of another by 5 s', () => {
  const ahead = now + clockTolerance;

  it('counts wrong user codes for both', async () => {
    const store = await storeWithMember();
    const guesser = { tenantId: 'tenant-a', memberId: 'member-1', address: '192.0.2.1' };
    const counted = await store.transaction(async (tx) => {
      await insertWrongUserCode(tx, guesser, ahead, ahead);
      return countWrongUserCodes(tx, guesser, now);
    });
    expect(counted).toEqual({ ofMember: 1, ofAddress: 1, ofTenant: 1 });
  });

  it('counts mails to an address for both', async () => {
    const store = await storeWithMember();
    const proof = { ...emailProofRecord(), createdAt: ahead };
    const counted = await store.transaction(async (tx) => {
      await insertEmailProof(tx, proof);
      return countEmailProofs(tx, proof, now - 60 * minute, now);
    });
    expect(counted).toEqual({ ofAll: 1, ofBrowser: 1, ofNetwork: 1 });
  });
});

describe('Z18: a clock that was set back', () => {
  const hour = 60 * minute;

  it('leaves no wrong user code counted for longer than 15 minutes', async () => {
    const store = await storeWithMember();
    const guesser = { tenantId: 'tenant-a', memberId: 'member-1', address: '192.0.2.1' };
    const counted = await store.transaction(async (tx) => {
      await insertWrongUserCode(tx, guesser, now, now);
      return [
        await countWrongUserCodes(tx, guesser, now),
        await countWrongUserCodes(tx, guesser, now - hour),
      ];
    });
    expect(counted.map(({ ofMember, ofAddress, ofTenant }) => [ofMember, ofAddress, ofTenant])).toEqual([
      [1, 1, 1],
      [0, 0, 0],
    ]);
  });

  it('leaves no mail counted for longer than an hour', async () => {
    const store = await storeWithMember();
    const proof = emailProofRecord();
    const counted = await store.transaction(async (tx) => {
      await insertEmailProof(tx, proof);
      return [
        await countEmailProofs(tx, proof, now - hour, now),
        await countEmailProofs(tx, proof, now - 2 * hour, now - hour),
      ];
    });
    expect(counted).toEqual([
      { ofAll: 1, ofBrowser: 1, ofNetwork: 1 },
      { ofAll: 0, ofBrowser: 0, ofNetwork: 0 },
    ]);
  });
});
