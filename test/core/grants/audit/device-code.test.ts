import { describe, expect, it } from 'vitest';
import type { DeviceCode } from '../../../../src/core/grants/device-code.ts';
import { type PollCommand, poll } from '../../../../src/core/grants/device-poll.ts';
import type { Rule } from '../../../../src/core/refusals/rule.ts';
import { byMember1, deviceCodeRecord } from '../../../support/records/device-code-record.ts';
import {
  clientRecord,
  memberRecord,
  minute,
  now,
  second,
  signInRecord,
} from '../../../support/records/records.ts';

const client = clientRecord();
const member = memberRecord();
const overdue = now + 15 * minute;

const pending = deviceCodeRecord();
const approved = deviceCodeRecord({ state: 'approved', ...byMember1 });
const denied = deviceCodeRecord({ state: 'denied', ...byMember1 });
const expired = deviceCodeRecord({ state: 'expired' });
const used = deviceCodeRecord({ state: 'used', ...byMember1, signInId: 'sign-in-1' });
const withdrawn = deviceCodeRecord({ state: 'withdrawn' });

/** The first poll of the right client, ten seconds after the code was issued. */
const right: PollCommand = {
  client,
  member,
  begun: null,
  lastPolledAt: null,
  jkt: null,
  now: now + 10 * second,
  signInId: 'sign-in-2',
};
const polls = (code: DeviceCode | null, change: Partial<PollCommand> = {}) =>
  poll(code, { ...right, ...change });

describe('why a poll gave nothing for good, for the audit', () => {
  const about = { event: 'device_code_refused', target: pending.id };
  const inactive = { member: memberRecord({ status: 'disabled' }) };

  it.each<[string, Rule, DeviceCode, Partial<PollCommand>]>([
    [
      'the device code was issued to another client',
      'grant_of_another_client',
      pending,
      { client: clientRecord({ clientId: 'c2' }) },
    ],
    [
      'the device code was issued to another client',
      'grant_of_another_client',
      used,
      { client: clientRecord({ clientId: 'c2' }) },
    ],
    [
      'the device flow is not enabled for this client',
      'device_flow_off',
      pending,
      { client: clientRecord({ deviceFlow: false }) },
    ],
    ['the code is too old', 'device_code_expired', pending, { now: overdue }],
    ['the code is too old', 'device_code_expired', expired, {}],
    ['the code is too old', 'device_code_unknown', denied, { now: overdue + 15 * minute }],
    ['the member may no longer sign in', 'member_inactive', approved, inactive],
    ['the member rejected the sign-in', 'device_rejected', denied, {}],
    ['the device code was withdrawn', 'device_code_withdrawn', withdrawn, {}],
  ])('%s', (reason, rule, code, command) => {
    expect(polls(code, command).because).toEqual({ ...about, rule, reason });
  });

  it.each([
    ['the device code was used before: the sign-in that it began has ended', signInRecord()],
    ['the device code was used before', null],
  ])('%s', (reason, begun) => {
    expect(polls(used, { begun }).because).toEqual({
      ...about,
      event: 'device_code_reused',
      rule: 'device_code_reused',
      reason,
    });
  });

  it('the device code is unknown', () => {
    const because = {
      ...about,
      target: null,
      rule: 'device_code_unknown',
      reason: 'the device code is unknown',
    };
    expect(polls(null).because).toEqual(because);
  });

  it('nothing is said to a device that waits, or gets tokens', () => {
    const early = { lastPolledAt: right.now - second };
    for (const poll of [polls(pending), polls(pending, early), polls(approved)]) {
      expect(poll).not.toHaveProperty('because');
    }
  });
});
