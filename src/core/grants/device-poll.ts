// Decides what a polling device gets.
import { type Decision, isRefusal, type Refusal, refusal } from '../decision.ts';
import { pollTolerance, slowDownStep } from '../limits.ts';
import { step } from '../machine.ts';
import { maySignIn } from '../members/member.ts';
import { chooseAudience } from '../oidc/request/resource.ts';
import type { Rule } from '../refusals/rule.ts';
import {
  contextOf,
  type DeviceCode,
  type DeviceCodeWrite,
  deviceCodeMachine,
  isForgotten,
  moveTo,
} from './device-code.ts';
import { endSignIn, type SignIn, type SignInWrite } from './sign-in.ts';
import { type Beginning, beginWithTokens, type TokenGrant } from './tokens.ts';

/** A poll, after its client was authenticated; the member is the one who approved. */
export interface PollCommand extends Beginning {
  /** The sign-in that an earlier poll began, or null. */
  readonly begun: SignIn | null;
  /** When this code was polled last, or null if it was not, as far as is remembered (`docs/scale.md`). */
  readonly lastPolledAt: number | null;
}

/** `paced` says that the poll counts as the last one: the device waits, and was refused nothing. */
export type PollAnswer = (TokenGrant | Refusal) & { readonly paced?: true };

type Poll = Decision<PollAnswer, DeviceCodeWrite | SignInWrite>;

const invalid = refusal('invalid_grant', 'the device code is unknown, withdrawn or already used');
const paced = { paced: true } as const;
const pending = { ...refusal('authorization_pending', 'the member has not decided yet'), ...paced };
const slowDown = { ...refusal('slow_down', 'wait 5 seconds longer between all further polls'), ...paced };
const expired = refusal('expired_token', 'the device code expired before it was approved');
const denied = refusal('access_denied', 'the member rejected the sign-in');

/**
 * Decides a poll (contract, "Device code (device flow)"; RFC 8628 §3.5; decisions 17, 20 to 23).
 *
 * A pending poll writes nothing here: its time is remembered beside. A slow_down writes the longer interval, so that
 * it holds where that is forgotten, and the next poll is never too early.
 *
 * @param code the stored code, or null
 */
export function poll(code: DeviceCode | null, command: PollCommand): Poll {
  const { client, member, now, lastPolledAt } = command;
  if (code === null) return refused(null, invalid, 'device_code_unknown', 'the device code is unknown');
  if (code.tenantId !== client.tenantId || code.clientId !== client.clientId) {
    return refused(code, invalid, 'grant_of_another_client', 'the device code was issued to another client');
  }
  if (isForgotten(code, now)) return refused(code, invalid, 'device_code_unknown', 'the code is too old');
  // Polls of a used code are checked as well: two devices that hold one code are a leak whatever the pace.
  if (!client.deviceFlow && code.state !== 'used') {
    return refused(code, invalid, 'device_flow_off', 'the device flow is not enabled for this client');
  }
  // Of polls at once, one that came first may be judged last. A poll that lies further ahead came before the clock was set
  // back: how long ago it was cannot be known.
  const isPaced = lastPolledAt !== null && lastPolledAt <= now + pollTolerance;
  const nextPollAt = isPaced ? lastPolledAt + code.interval - pollTolerance : 0;
  const { state, outcome } = step(deviceCodeMachine, code.state, contextOf(code, nextPollAt), {
    type: 'poll',
    now,
    memberIsActive: maySignIn(member, now),
  });
  switch (outcome) {
    case 'answerPending':
      return { answer: pending, writes: [] };
    case 'answerSlowDown': {
      const slower = { ...code, interval: code.interval + slowDownStep };
      return { answer: slowDown, writes: [{ write: 'moveDeviceCode', from: code.state, code: slower }] };
    }
    case 'answerExpired':
      return refused(
        code,
        expired,
        'device_code_expired',
        'the code is too old',
        moveTo(code, { ...code, state }),
      );
    case 'answerDenied':
      return refused(code, denied, 'device_rejected', 'the member rejected the sign-in');
    case 'answerInactive':
      return refused(
        code,
        denied,
        'member_inactive',
        'the member may no longer sign in',
        moveTo(code, { ...code, state }),
      );
    case 'answerWithdrawn':
      return refused(code, invalid, 'device_code_withdrawn', 'the device code was withdrawn');
    case 'issueTokens':
      return tokensFor(code, command);
    case 'endSignIn':
      return reused(code, command);
  }
}

function refused(
  code: DeviceCode | null,
  answer: Refusal,
  rule: Rule,
  reason: string,
  writes: Poll['writes'] = [],
): Poll {
  return {
    answer,
    writes,
    because: { event: 'device_code_refused', target: code?.id ?? null, rule, reason },
  };
}

function reused({ id: target }: DeviceCode, { begun, now }: PollCommand): Poll {
  const writes = begun === null ? [] : endSignIn(begun, 'device_code_reused', now);
  const end = writes.length === 0 ? '' : ': the sign-in that it began has ended';
  const reason = `the device code was used before${end}`;
  return {
    answer: invalid,
    writes,
    because: { event: 'device_code_reused', target, rule: 'device_code_reused', reason },
  };
}

/** The first poll after the approval: the same tokens as the web flow's (contract 7). */
function tokensFor(code: DeviceCode, command: PollCommand): Poll {
  const { scope, resources, sessionId, authenticatedAt } = code;
  if (sessionId === null || authenticatedAt === null) throw new Error('an approved code has no session');
  const audience = chooseAudience(resources, command.client, command.target);
  // Nothing was wrong with the code: the device may name another API.
  if (isRefusal(audience))
    return refused(code, audience, 'resource_not_granted', 'the resource was not granted, or is gone');
  const granted = {
    scope,
    resources,
    api: audience.api,
    sessionId,
    authenticatedAt,
    nonce: null,
    claims: null,
  };
  const { answer, writes } = beginWithTokens(granted, command);
  const used = { ...code, state: 'used', signInId: command.signInId } as const;
  return { answer, writes: [...writes, ...moveTo(code, used)] };
}
