/**
 * The device code: the TV's secret for one sign-in (RFC 8628). The TV polls with it while the member approves
 * or rejects on a phone; the first poll after the approval gets the tokens, and a second one means that two
 * devices hold the code, so the sign-in ends.
 *
 * | state | event | condition | next state | outcome |
 * |---|---|---|---|---|
 * | pending | poll | fifteen minutes are over | expired | answerExpired |
 * | pending | poll | the interval is not up | pending | answerSlowDown |
 * | pending | poll | – | pending | answerPending |
 * | pending | approve | fifteen minutes are over | expired | answerNotValid |
 * | pending | approve | – | approved | answerApproved |
 * | pending | reject | fifteen minutes are over | expired | answerNotValid |
 * | pending | reject | – | denied | answerRejected |
 * | pending | withdraw | – | withdrawn | recordEnd |
 * | approved | poll | the member may no longer sign in | denied | answerInactive |
 * | approved | poll | – | used | issueTokens |
 * | approved | approve | by the same member | approved | answerApproved |
 * | approved | approve | – | approved | answerNotValid |
 * | approved | reject | by the same member | approved | answerApproved |
 * | approved | reject | – | approved | answerNotValid |
 * | approved | withdraw | – | withdrawn | recordEnd |
 * | denied | poll | – | denied | answerDenied |
 * | denied | approve | by the same member | denied | answerRejected |
 * | denied | approve | – | denied | answerNotValid |
 * | denied | reject | by the same member | denied | answerRejected |
 * | denied | reject | – | denied | answerNotValid |
 * | denied | withdraw | – | denied | ignore |
 * | expired | poll | – | expired | answerExpired |
 * | expired | approve | – | expired | answerNotValid |
 * | expired | reject | – | expired | answerNotValid |
 * | expired | withdraw | – | expired | ignore |
 * | used | poll | – | used | endSignIn |
 * | used | approve | by the same member | used | answerApproved |
 * | used | approve | – | used | answerNotValid |
 * | used | reject | by the same member | used | answerApproved |
 * | used | reject | – | used | answerNotValid |
 * | used | withdraw | – | used | ignore |
 * | withdrawn | poll | – | withdrawn | answerWithdrawn |
 * | withdrawn | approve | – | withdrawn | answerNotValid |
 * | withdrawn | reject | – | withdrawn | answerNotValid |
 * | withdrawn | withdraw | – | withdrawn | ignore |
 */
import { setup } from 'xstate';
import { deviceCodeLifetime, deviceCodeMemory, pollInterval } from '../limits.ts';
import { outcomes, type StateOf, step } from '../machine.ts';
import type { Scope } from '../oidc/scope.ts';

export type DeviceCodeState = StateOf<typeof deviceCodeMachine>;

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
  /** What the device says of itself. */
  readonly deviceName: string | null;
  readonly deviceModel: string | null;
  /** The address we saw the request come from. */
  readonly ipAddress: string;
  /** ms between polls; each slow_down makes it longer for good. */
  readonly interval: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  /** Who approved or rejected it, in which session, signed in when. */
  readonly memberId: string | null;
  readonly sessionId: string | null;
  readonly authenticatedAt: number | null;
  /** The sign-in that the first poll after the approval began. */
  readonly signInId: string | null;
}

type DeviceCodeEvent =
  | { type: 'poll'; now: number; memberIsActive: boolean }
  | { type: 'approve'; now: number; memberId: string }
  | { type: 'reject'; now: number; memberId: string }
  | { type: 'withdraw' };

const decidedAgain = (again: 'answerApproved' | 'answerRejected') => [
  { guard: 'by the same member' as const, actions: again },
  { actions: 'answerNotValid' as const },
];

export const deviceCodeMachine = setup({
  types: {
    context: {} as { expiresAt: number; nextPollAt: number; memberId: string | null },
    events: {} as DeviceCodeEvent,
  },
  guards: {
    'fifteen minutes are over': ({ context, event }) =>
      event.type !== 'withdraw' && event.now >= context.expiresAt,
    'the interval is not up': ({ context, event }) => event.type === 'poll' && event.now < context.nextPollAt,
    'the member may no longer sign in': ({ event }) => event.type === 'poll' && !event.memberIsActive,
    'by the same member': ({ context, event }) => 'memberId' in event && event.memberId === context.memberId,
  },
  actions: outcomes(
    'answerPending',
    'answerSlowDown',
    'answerExpired',
    'answerDenied',
    'answerInactive',
    'answerWithdrawn',
    'answerApproved',
    'answerRejected',
    'answerNotValid',
    'issueTokens',
    'endSignIn',
    'recordEnd',
    'ignore',
  ),
}).createMachine({
  id: 'device code',
  context: { expiresAt: 0, nextPollAt: 0, memberId: null },
  initial: 'pending',
  states: {
    pending: {
      on: {
        poll: [
          { guard: 'fifteen minutes are over', target: 'expired', actions: 'answerExpired' },
          { guard: 'the interval is not up', actions: 'answerSlowDown' },
          { actions: 'answerPending' },
        ],
        approve: [
          { guard: 'fifteen minutes are over', target: 'expired', actions: 'answerNotValid' },
          { target: 'approved', actions: 'answerApproved' },
        ],
        reject: [
          { guard: 'fifteen minutes are over', target: 'expired', actions: 'answerNotValid' },
          { target: 'denied', actions: 'answerRejected' },
        ],
        withdraw: { target: 'withdrawn', actions: 'recordEnd' },
      },
    },
    approved: {
      on: {
        poll: [
          { guard: 'the member may no longer sign in', target: 'denied', actions: 'answerInactive' },
          { target: 'used', actions: 'issueTokens' },
        ],
        approve: decidedAgain('answerApproved'),
        reject: decidedAgain('answerApproved'),
        withdraw: { target: 'withdrawn', actions: 'recordEnd' },
      },
    },
    denied: {
      on: {
        poll: { actions: 'answerDenied' },
        approve: decidedAgain('answerRejected'),
        reject: decidedAgain('answerRejected'),
        withdraw: { actions: 'ignore' },
      },
    },
    expired: {
      on: {
        poll: { actions: 'answerExpired' },
        approve: { actions: 'answerNotValid' },
        reject: { actions: 'answerNotValid' },
        withdraw: { actions: 'ignore' },
      },
    },
    used: {
      on: {
        poll: { actions: 'endSignIn' },
        approve: decidedAgain('answerApproved'),
        reject: decidedAgain('answerApproved'),
        withdraw: { actions: 'ignore' },
      },
    },
    withdrawn: {
      on: {
        poll: { actions: 'answerWithdrawn' },
        approve: { actions: 'answerNotValid' },
        reject: { actions: 'answerNotValid' },
        withdraw: { actions: 'ignore' },
      },
    },
  },
});

export type DeviceCodeWrite =
  | { readonly write: 'insertDeviceCode'; readonly code: DeviceCode }
  | { readonly write: 'moveDeviceCode'; readonly from: DeviceCodeState; readonly code: DeviceCode };

/** A device code as it is issued (contract, "Device authorization record"). */
export function issueDeviceCode(
  facts: Pick<
    DeviceCode,
    | 'id'
    | 'tenantId'
    | 'clientId'
    | 'hash'
    | 'userCodeHash'
    | 'scope'
    | 'deviceName'
    | 'deviceModel'
    | 'ipAddress'
  >,
  now: number,
): DeviceCode {
  return {
    ...facts,
    state: 'pending',
    interval: pollInterval,
    createdAt: now,
    expiresAt: now + deviceCodeLifetime,
    memberId: null,
    sessionId: null,
    authenticatedAt: null,
    signInId: null,
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

/** What the guards read of a code. */
export function contextOf({ expiresAt, memberId }: DeviceCode, nextPollAt: number) {
  return { expiresAt, nextPollAt, memberId };
}

/** The write that brings a stored code into its next state, if that is another one. */
export function moveTo(from: DeviceCode, to: DeviceCode): readonly DeviceCodeWrite[] {
  return from.state === to.state ? [] : [{ write: 'moveDeviceCode', from: from.state, code: to }];
}
