import { authorizationCodeMachine } from '../authorization-code.ts';
import { deviceCodeMachine } from '../device-code.ts';
import { step } from '../machine.ts';
import { emailProofMachine } from '../members/email-proof.ts';
import { sessionMachine } from '../session.ts';
import { signInMachine } from '../sign-in.ts';

/** All records of one state become another. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** The tables whose records end when a backup is restored. */
export type EndedTable = 'authorizationCodes' | 'deviceCodes' | 'emailProofs' | 'sessions' | 'signIns';

/**
 * What a restored backup does with everything that was issued before: it has forgotten each rotation and
 * revocation since, so none of it may work any more (security, promise 6). The same events as one by one, for
 * whole tables. Subscriptions and checkouts stay: what was bought stays bought.
 */
export function movesOfRestore(): Readonly<Record<EndedTable, readonly Move[]>> {
  const expiresAt = 0;
  const ofCode = { expiresAt, nextPollAt: 0, memberId: null };
  const ofProof = { expiresAt, wrongCodes: 0 };
  return {
    authorizationCodes: movesOf(
      authorizationCodeMachine,
      (state) => step(authorizationCodeMachine, state, { expiresAt }, { type: 'cancel' }).state,
    ),
    deviceCodes: movesOf(
      deviceCodeMachine,
      (state) => step(deviceCodeMachine, state, ofCode, { type: 'withdraw' }).state,
    ),
    emailProofs: movesOf(
      emailProofMachine,
      (state) => step(emailProofMachine, state, ofProof, { type: 'withdraw' }).state,
    ),
    sessions: movesOf(
      sessionMachine,
      (state) => step(sessionMachine, state, { livesUntil: 0 }, { type: 'end' }).state,
    ),
    signIns: movesOf(signInMachine, (state) => step(signInMachine, state, {}, { type: 'end' }).state),
  };
}

function movesOf({ states }: { readonly states: object }, next: (state: string) => string): readonly Move[] {
  return Object.keys(states)
    .map((from) => ({ from, to: next(from) }))
    .filter(({ from, to }) => from !== to);
}
