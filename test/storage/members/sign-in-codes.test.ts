import { expect, it } from 'vitest';
import {
  findEmailProof,
  insertEmailProof,
  listOpenSignInCodes,
} from '../../../src/storage/members/email-proof.ts';
import { emailProofRecord } from '../../support/records/email-proof-record.ts';
import { storeWithMember } from '../../support/records/store.ts';

const codeOf = (id: string, changes: Parameters<typeof emailProofRecord>[0] = {}) =>
  emailProofRecord({ id, linkHash: id, purpose: 'sign_in', memberId: 'member-1', payload: '{}', ...changes });

it('codes to sign in are read as they were written; those that a newer one ends are the open ones of its browser', async () => {
  const store = await storeWithMember();
  const open = codeOf('open');
  const others = [
    codeOf('used', { state: 'finished' }),
    codeOf('of another browser', { askedBy: 'another' }),
    codeOf('to another address', { email: 'bo@example.test' }),
    codeOf('of a sign-up', { purpose: 'sign_up' }),
  ];
  const found = await store.transaction(async (tx) => {
    for (const proof of [open, ...others]) await insertEmailProof(tx, proof);
    return { read: await findEmailProof(tx, 'tenant-a', 'open'), ended: await listOpenSignInCodes(tx, open) };
  });
  expect(found).toEqual({ read: open, ended: [open] });
});
