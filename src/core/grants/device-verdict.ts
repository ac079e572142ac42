// Decides what becomes of a device when its member approves or rejects it.
import type { Decision } from '../decision.ts';
import { step } from '../machine.ts';
import {
  contextOf,
  type DeviceCode,
  type DeviceCodeWrite,
  deviceCodeMachine,
  isForgotten,
  moveTo,
} from './device-code.ts';

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
