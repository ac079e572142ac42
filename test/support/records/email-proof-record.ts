import type { EmailProof } from '../../../src/core/members/email-proof.ts';
import { day, now } from './records.ts';

/** A sign-up's proof of an address, made now, with every field telling. */
export function emailProofRecord(changes: Partial<EmailProof> = {}): EmailProof {
  return {
    id: 'proof-1',
    tenantId: 'tenant-a',
    purpose: 'sign_up',
    state: 'pending',
    memberId: null,
    email: 'ada@example.test',
    linkHash: 'hash of the link',
    codeHash: 'hash of the code',
    askedBy: 'hash of the browser',
    askedFrom: 'hash of the network',
    wrongCodes: 0,
    payload: '{"fullName":"Ada"}',
    createdAt: now,
    expiresAt: now + day,
    ...changes,
  };
}
