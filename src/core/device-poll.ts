import type { Client } from './client.ts';
import { type Decision, type Refusal, refusal } from './decision.ts';
import {
  contextOf,
  type DeviceCode,
  type DeviceCodeState,
  deviceCodeMachine,
  isForgotten,
  moveTo,
} from './device-code.ts';
import { pollTolerance, slowDownStep } from './limits.ts';
import { step } from './machine.ts';
import { type Member, maySignIn } from './members/member.ts';
import { beginSignIn, endSignIn, isOffline, type SignIn } from './sign-in.ts';
import type { TokenGrant } from './tokens.ts';

/** A poll, after its client was authenticated. */
export interface PollCommand {
  readonly client: Client;
  /** The member who approved, as stored now, or null. */
  readonly member: Member | null;
  /** The sign-in that an earlier poll began, or null. */
  readonly begun: SignIn | null;
  /** When this code was polled last, or null if it was not: kept in memory, not on the disk. */
  readonly lastPolledAt: number | null;
  readonly now: number;
  /** Draws a fresh UUID for the sign-in that may begin: of the many polls of a TV one needs it. */
  readonly drawSignInId: () => string;
}

/** What a poll decided; `paced` says that it counts as the last poll. */
export type PollAnswer = (TokenGrant | Refusal) & { readonly paced?: true };

const invalid = refusal('invalid_grant', 'the device code is unknown, withdrawn or already used');
const pending = {
  ...refusal('authorization_pending', 'the member has not decided yet'),
  paced: true,
} as const;
const slowDown = {
  ...refusal('slow_down', 'wait 5 seconds longer between all further polls'),
  paced: true,
} as const;
const expired = refusal('expired_token', 'the device code expired before it was approved');
const denied = refusal('access_denied', 'the member rejected the sign-in');

/**
 * Decides a poll (contract, "Device code (device flow)"; RFC 8628 §3.5; decisions 17, 20 to 23).
 *
 * A pending poll writes nothing: its time is kept in memory. A slow_down writes the longer interval, so that
 * it holds after a restart, when the first poll is never too early.
 *
 * @param code the stored code, or null
 */
export function poll(code: DeviceCode | null, command: PollCommand): Decision<PollAnswer> {
  const { client, member, begun, now, lastPolledAt } = command;
  if (code === null || !belongsTo(code, client) || isForgotten(code, now)) {
    return { answer: invalid, writes: [] };
  }
  // A poll that lies ahead came before the clock was set back: how long ago it was cannot be known.
  const isPaced = lastPolledAt !== null && lastPolledAt <= now;
  const nextPollAt = isPaced ? lastPolledAt + code.interval - pollTolerance : 0;
  const { state, outcomes } = step(deviceCodeMachine, code.state, contextOf(code, nextPollAt), {
    type: 'poll',
    now,
    memberIsActive: maySignIn(member, now),
  });
  const moved = moveTo(code, { ...code, state: state as DeviceCodeState });
  if (outcomes.includes('answerPending')) return { answer: pending, writes: [] };
  if (outcomes.includes('answerSlowDown')) {
    const slower = { ...code, interval: code.interval + slowDownStep };
    return { answer: slowDown, writes: [{ write: 'moveDeviceCode', from: code.state, code: slower }] };
  }
  if (outcomes.includes('answerExpired')) return { answer: expired, writes: moved };
  if (outcomes.includes('answerDenied')) return { answer: denied, writes: moved };
  if (outcomes.includes('issueTokens') && member !== null) return tokensFor(code, member, command);
  const ended =
    outcomes.includes('endSignIn') && begun !== null ? endSignIn(begun, 'device_code_reused', now) : [];
  return { answer: invalid, writes: [...moved, ...ended] };
}

/** The first poll after the approval: the same tokens as the web flow's (contract 7). */
function tokensFor(
  code: DeviceCode,
  member: Member,
  { client, now, drawSignInId }: PollCommand,
): Decision<PollAnswer> {
  const { tenantId, clientId, scope, sessionId, authenticatedAt } = code;
  if (sessionId === null || authenticatedAt === null) throw new Error('an approved code has no session');
  const signInId = drawSignInId();
  const signIn = beginSignIn(
    { id: signInId, tenantId, clientId, memberId: member.id, sessionId, scope, authenticatedAt },
    now,
  );
  return {
    answer: {
      kind: 'tokens',
      client,
      member,
      scope,
      sessionId,
      authenticatedAt,
      nonce: null,
      refreshToken: isOffline(code) ? { signInId, generation: signIn.generation } : null,
      issuedAt: now,
    },
    writes: [{ write: 'insertSignIn', signIn }, ...moveTo(code, { ...code, state: 'used', signInId })],
  };
}

/**
 * A client without the device flow has no codes. A used one is watched all the same: two devices that hold it
 * are as bad as ever.
 */
function belongsTo(code: DeviceCode, client: Client): boolean {
  const isOwn = code.tenantId === client.tenantId && code.clientId === client.clientId;
  return isOwn && (client.deviceFlow || code.state === 'used');
}
