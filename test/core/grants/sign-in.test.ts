import { describe, expect, it } from 'vitest';
import {
  beginSignIn,
  endSignIn,
  isOffline,
  rotateSignIn,
  signInMachine,
} from '../../../src/core/grants/sign-in.ts';
import { linesOf } from '../../support/machines/state-lines.ts';
import { now, signInRecord } from '../../support/records/records.ts';

const active = signInRecord({ generation: 7 });
const ended = signInRecord({ state: 'ended', endedAt: now, endReason: 'signed_out' });

const cases = [
  {
    line: 'active | rotate | –',
    decide: () => rotateSignIn(active, now),
    expected: [{ write: 'rotateSignIn', id: 'sign-in-1', from: 7, to: 8, at: now }],
  },
  {
    line: 'active | end | –',
    decide: () => endSignIn(active, 'revoked', now),
    expected: [{ write: 'endSignIn', id: 'sign-in-1', reason: 'revoked', at: now }],
  },
  {
    line: 'ended | rotate | –',
    decide: () => rotateSignIn(ended, now),
    expected: new Error('an ended sign-in was asked to rotate'),
  },
  { line: 'ended | end | –', decide: () => endSignIn(ended, 'revoked', now), expected: [] },
];

describe('sign-in, line by line of its state table', () => {
  it.each(cases)('$line', ({ decide, expected }) => {
    if (expected instanceof Error) expect(decide).toThrow(expected);
    else expect(decide()).toEqual(expected);
  });

  it('has a case for every line', () => {
    expect(cases.map(({ line }) => line)).toEqual(linesOf(signInMachine));
  });
});

describe('sign-in', () => {
  it('begins active, with the first refresh token current', () => {
    const { id, tenantId, clientId, memberId, sessionId, scope, authenticatedAt } = active;
    const dpopJkt = 'the thumbprint';
    const facts = {
      id,
      tenantId,
      clientId,
      memberId,
      sessionId,
      scope,
      resources: '',
      authenticatedAt,
      dpopJkt,
    };
    const holder = { network: 'network1', program: 'program1' };
    expect(beginSignIn({ ...facts, holder }, now)).toEqual({
      ...facts,
      state: 'active',
      generation: 1,
      createdAt: now,
      rotatedAt: now,
      endedAt: null,
      endReason: null,
      label: null,
      claims: null,
      holderNetwork: 'network1',
      holderProgram: 'program1',
      reuse: null,
    });
  });

  it('decision 27: outlives its browser session with offline_access alone', () => {
    expect(isOffline({ scope: 'openid offline_access email' })).toBe(true);
    expect(isOffline({ scope: 'openid email' })).toBe(false);
  });
});
