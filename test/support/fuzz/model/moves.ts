import { authorizationCodeMachine } from '../../../../src/core/grants/authorization-code.ts';
import { deviceCodeMachine } from '../../../../src/core/grants/device-code.ts';
import { signInMachine } from '../../../../src/core/grants/sign-in.ts';
import { sessionMachine } from '../../../../src/core/session.ts';
import { lineOf } from './table.ts';
import { type ModelMember, type ModelSession, type ModelSignIn, sessionEndOf, type World } from './world.ts';

/** Uses the session that a phone's cookie names, as every page does: null if it is none that lives. */
export function useSession({ now }: World, { session, isActive }: ModelMember): ModelSession | null {
  if (session === null) return null;
  if (!isActive) {
    endSession(session);
    return null;
  }
  const { next, outcome } = lineOf(sessionMachine, session.state, 'use', {
    'its idle or absolute time is over': now >= sessionEndOf(session),
  });
  session.state = next;
  if (outcome !== 'accept') return null;
  if (now - session.lastUsedAt >= 3_600_000) session.lastUsedAt = now;
  return session;
}

export function sessionLives({ now }: World, session: ModelSession): boolean {
  return session.state === 'active' && now < sessionEndOf(session);
}

export function endSession(session: ModelSession): void {
  session.state = lineOf(sessionMachine, session.state, 'end').next;
}

export function endSignIn(signIn: ModelSignIn, reason: string): void {
  const { next, outcome } = lineOf(signInMachine, signIn.state, 'end');
  signIn.state = next;
  if (outcome === 'recordEnd') signIn.endReason = reason;
}

/** Ends what a member, or a client, was given and could still be given. */
export function endAll(
  world: World,
  isMeant: (thing: {
    readonly member: ModelMember | null;
    readonly client: World['clients'][number];
  }) => boolean,
  reason: string,
): void {
  for (const signIn of world.signIns) if (isMeant(signIn)) endSignIn(signIn, reason);
  for (const code of world.deviceCodes) {
    if (isMeant(code)) code.state = lineOf(deviceCodeMachine, code.state, 'withdraw').next;
  }
  for (const code of world.codes) {
    if (isMeant(code)) code.state = lineOf(authorizationCodeMachine, code.state, 'cancel').next;
  }
}
