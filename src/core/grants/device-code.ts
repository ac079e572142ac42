/**
 * The device code: the TV's secret for one sign-in (RFC 8628). The TV polls with it while the member approves
 * or rejects on a phone; the first poll after the approval gets the tokens, and a second one means that two
 * devices hold the code, so the sign-in ends.
 */
import type { Decision } from '../decision.ts';
import { deviceCodeLifetime, deviceCodeMemory, deviceDescriptionLength, pollInterval } from '../limits.ts';
import { machineOf, type StateOf, step } from '../machine.ts';
import type { Resources } from '../oidc/request/resource.ts';
import type { Scope } from '../oidc/scope.ts';

type DeviceCodeState = StateOf<typeof deviceCodeMachine>;

/** A stored device code; neither it nor its user code is kept in clear. Times are ms since the epoch. */
export interface DeviceCode {
  readonly id: string;
  readonly tenantId: string;
  readonly clientId: string;
  /** SHA-256 of the device code. */
  readonly hash: string;
  /** Keyed hash of the user code (decision 31). */
  readonly userCodeHash: string;
  readonly state: DeviceCodeState;
  readonly scope: Scope;
  readonly resources: Resources;
  /** What the device says of itself. */
  readonly deviceName: string | null;
  readonly deviceModel: string | null;
  /** The address we saw the request come from. */
  readonly ipAddress: string;
  /** ms between polls; each slow_down makes it longer for good. */
  readonly interval: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** The member who approved or rejected it, the session, and when that member signed in. */
  readonly memberId: string | null;
  readonly sessionId: string | null;
  readonly authenticatedAt: number | null;
  /** The sign-in that the first poll after the approval began. */
  readonly signInId: string | null;
}

type DeviceCodeEvent =
  | { type: 'poll'; now: number; memberIsActive: boolean }
  | { type: 'approve' | 'reject'; now: number; memberId: string }
  | { type: 'withdraw' };

export const deviceCodeMachine = machineOf({
  id: 'device code',
  context: {} as { expiresAt: number; nextPollAt: number; memberId: string | null },
  event: {} as DeviceCodeEvent,
  conditions: {
    'fifteen minutes are over': ({ context, event }) =>
      event.type !== 'withdraw' && event.now >= context.expiresAt,
    'the interval is not up': ({ context, event }) => event.type === 'poll' && event.now < context.nextPollAt,
    'the member may no longer sign in': ({ event }) => event.type === 'poll' && !event.memberIsActive,
    'by the same member': ({ context, event }) => 'memberId' in event && event.memberId === context.memberId,
  },
  lines: [
    ['pending', 'poll', 'fifteen minutes are over', 'expired', 'answerExpired'],
    ['pending', 'poll', 'the interval is not up', '–', 'answerSlowDown'],
    ['pending', 'poll', '–', '–', 'answerPending'],
    ['pending', 'approve', 'fifteen minutes are over', 'expired', 'answerNotValid'],
    ['pending', 'approve', '–', 'approved', 'answerApproved'],
    ['pending', 'reject', 'fifteen minutes are over', 'expired', 'answerNotValid'],
    ['pending', 'reject', '–', 'denied', 'answerRejected'],
    ['pending', 'withdraw', '–', 'withdrawn', 'recordEnd'],
    ['approved', 'poll', 'the member may no longer sign in', 'denied', 'answerInactive'],
    ['approved', 'poll', '–', 'used', 'issueTokens'],
    ['approved', ['approve', 'reject'], 'by the same member', '–', 'answerApproved'],
    ['approved', ['approve', 'reject'], '–', '–', 'answerNotValid'],
    ['approved', 'withdraw', '–', 'withdrawn', 'recordEnd'],
    ['denied', 'poll', '–', '–', 'answerDenied'],
    ['denied', ['approve', 'reject'], 'by the same member', '–', 'answerRejected'],
    ['denied', ['approve', 'reject'], '–', '–', 'answerNotValid'],
    ['denied', 'withdraw', '–', '–', 'ignore'],
    ['expired', 'poll', '–', '–', 'answerExpired'],
    ['expired', ['approve', 'reject'], '–', '–', 'answerNotValid'],
    ['expired', 'withdraw', '–', '–', 'ignore'],
    ['used', 'poll', '–', '–', 'endSignIn'],
    ['used', ['approve', 'reject'], 'by the same member', '–', 'answerApproved'],
    ['used', ['approve', 'reject'], '–', '–', 'answerNotValid'],
    ['used', 'withdraw', '–', '–', 'ignore'],
    ['withdrawn', 'poll', '–', '–', 'answerWithdrawn'],
    ['withdrawn', ['approve', 'reject'], '–', '–', 'answerNotValid'],
    ['withdrawn', 'withdraw', '–', '–', 'ignore'],
  ],
});

export type DeviceCodeWrite =
  | { readonly write: 'insertDeviceCode'; readonly code: DeviceCode }
  | { readonly write: 'moveDeviceCode'; readonly from: DeviceCodeState; readonly code: DeviceCode };

const undecided = { memberId: null, sessionId: null, authenticatedAt: null, signInId: null } as const;

/** A device code as it is issued (contract, "Device authorization record"). */
export function issueDeviceCode(
  facts: Omit<DeviceCode, keyof typeof undecided | 'state' | 'interval' | 'createdAt' | 'expiresAt'>,
  now: number,
): DeviceCode {
  return {
    ...facts,
    state: 'pending',
    interval: pollInterval,
    createdAt: now,
    expiresAt: now + deviceCodeLifetime,
    ...undecided,
  };
}

/** Whether a code can be shown on the approve page. */
export function isOpen(code: Pick<DeviceCode, 'state' | 'expiresAt'>, now: number): boolean {
  return code.state === 'pending' && now < code.expiresAt;
}

/** Ends a code whose client lost the device flow, or whose member takes the approval back. */
export function withdraw(code: DeviceCode): readonly DeviceCodeWrite[] {
  const { state } = step(deviceCodeMachine, code.state, contextOf(code, 0), { type: 'withdraw' });
  return moveTo(code, { ...code, state });
}

/** Some time after its expiry a code is unknown; a used one is remembered with its sign-in (decisions 22, 23). */
export function isForgotten(code: DeviceCode, now: number): boolean {
  return code.state !== 'used' && now >= code.expiresAt + deviceCodeMemory;
}

/** Whether a member who opens a code again is shown what became of it: by the back button, or from the TV (decision 45). */
export function isOwnDecision(code: DeviceCode, memberId: string, now: number): boolean {
  return code.memberId === memberId && now < code.expiresAt + deviceCodeMemory;
}

/** What the conditions read of a code. */
export function contextOf({ expiresAt, memberId }: DeviceCode, nextPollAt: number) {
  return { expiresAt, nextPollAt, memberId };
}

/** The write that brings a stored code into its next state, if that is another one. */
export function moveTo(from: DeviceCode, to: DeviceCode): readonly DeviceCodeWrite[] {
  return from.state === to.state ? [] : [{ write: 'moveDeviceCode', from: from.state, code: to }];
}

/** What the member pressed on the approve page, in a session that entered this very code (decision 30). */
export interface VerdictCommand {
  readonly verdict: 'approve' | 'reject';
  readonly memberId: string;
  readonly sessionId: string;
  readonly authenticatedAt: number;
  readonly now: number;
}

/** The page that follows: what the code has come to, which may be what was pressed the first time. */
export type VerdictAnswer = 'approved' | 'rejected' | 'not-valid';

/** What has become of a device that a member decided on. */
export type DeviceStanding = 'approved' | 'signed-in' | 'rejected' | 'ended';

/**
 * What a page says of a decision, whenever it is opened (decision 45).
 *
 * @param lives whether the sign-in that the device got can be used
 */
export function deviceStanding({ state }: Pick<DeviceCode, 'state'>, lives: boolean): DeviceStanding {
  switch (state) {
    case 'approved':
      return 'approved';
    case 'used':
      return lives ? 'signed-in' : 'ended';
    case 'denied':
      return 'rejected';
    default:
      return 'ended';
  }
}

/** Decides an approval or a rejection; pressing twice, or going back, changes nothing (U18, U19). */
export function decideDeviceCode(
  code: DeviceCode | null,
  command: VerdictCommand,
): Decision<VerdictAnswer, DeviceCodeWrite> {
  const { verdict, memberId, sessionId, authenticatedAt, now } = command;
  if (code === null || isForgotten(code, now)) return { answer: 'not-valid', writes: [] };
  const { state, outcome } = step(deviceCodeMachine, code.state, contextOf(code, 0), {
    type: verdict,
    now,
    memberId,
  });
  const next = { ...code, state };
  const decided = { ...next, memberId, sessionId, authenticatedAt };
  switch (outcome) {
    case 'answerApproved':
      return { answer: 'approved', writes: moveTo(code, decided) };
    case 'answerRejected':
      return { answer: 'rejected', writes: moveTo(code, decided) };
    case 'answerNotValid':
      return { answer: 'not-valid', writes: moveTo(code, next) };
  }
}

/**
 * What must not stand in a name that a member reads before approving: controls, formats, surrogates, private
 * and unassigned code points, line and paragraph separators, everything invisible, and the blank Braille
 * pattern (decision 33).
 */
const unfit = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;

/**
 * Reads device_name or device_model (contract, "POST /api/oidc/device/auth").
 *
 * @returns the text, null for none or only spaces, or undefined if it is to be refused
 */
export function readDeviceDescription(sent: string | undefined): string | null | undefined {
  if (sent === undefined) return null;
  if ([...sent].length > deviceDescriptionLength || unfit.test(sent)) return undefined;
  return sent.trim() === '' ? null : sent;
}
