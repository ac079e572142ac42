// What a restored backup ends.
import { authorizationCodeMachine } from '../grants/authorization-code.ts';
import { deviceCodeMachine } from '../grants/device-code.ts';
import { signInMachine } from '../grants/sign-in.ts';
import { movesOf } from '../machine.ts';
import { emailProofMachine } from '../members/email-proof.ts';
import { sessionMachine } from '../session.ts';

/** The tables whose records end when a backup is restored. */
export type EndedTable = keyof ReturnType<typeof movesOfRestore>;

/**
 * What a restored backup does with everything that was issued before: it has forgotten each rotation and
 * revocation since, so none of it may work any more (security, promise 6). The same events as one by one, for
 * whole tables. Subscriptions and checkouts stay: what was bought stays bought.
 */
export function movesOfRestore() {
  const expiresAt = 0;
  const ofCode = { expiresAt, nextPollAt: 0, memberId: null };
  const ofProof = { expiresAt, wrongCodes: 0 };
  return {
    authorizationCodes: movesOf(authorizationCodeMachine, { expiresAt }, { type: 'cancel' }),
    deviceCodes: movesOf(deviceCodeMachine, ofCode, { type: 'withdraw' }),
    emailProofs: movesOf(emailProofMachine, ofProof, { type: 'withdraw' }),
    sessions: movesOf(sessionMachine, { livesUntil: 0 }, { type: 'end' }),
    signIns: movesOf(signInMachine, {}, { type: 'end' }),
  };
}
