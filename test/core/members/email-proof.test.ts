import { describe, expect, it } from 'vitest';
import {
  beginEmailProof,
  beginTry,
  type EmailProof,
  type EmailProofState,
  emailProofMachine,
  failTry,
  finishProof,
  type Presented,
  presentProof,
  withdrawProof,
} from '../../../src/core/members/email-proof.ts';
import { linesOf } from '../../support/machines/state-lines.ts';
import { emailProofRecord } from '../../support/records/email-proof-record.ts';
import { day, minute, now } from '../../support/records/records.ts';

const link: Presented = { by: 'link' };
const code: Presented = { by: 'code', codeHash: 'hash of the code' };
const wrong: Presented = { by: 'code', codeHash: 'hash of another' };

const end = emailProofRecord().expiresAt;
const inState = (state: EmailProofState) => emailProofRecord({ state });

/** What becomes of the record: the answer, and the row that is written; null if none is. */
const decided = (before: EmailProof, changes: Partial<EmailProof> | null, answer: boolean) => ({
  answer,
  writes:
    changes === null
      ? []
      : [{ write: 'moveEmailProof', from: before.state, proof: { ...before, ...changes } }],
});

/** What becomes of a record that another one made superfluous. */
const withdrawn = (before: EmailProof) => ({ writes: decided(before, { state: 'expired' }, false).writes });

const pending = inState('pending');
const proven = inState('proven');
const fourWrong = emailProofRecord({ wrongCodes: 4 });
const lastTry = emailProofRecord({ wrongCodes: 5 });

/** What a wrong guess does that was counted before. */
const failed = (before: EmailProof) => ({ writes: failTry(before) });

const cases = [
  {
    line: 'pending | link | its time is over',
    decision: presentProof(pending, link, end),
    expected: decided(pending, { state: 'expired' }, false),
  },
  {
    line: 'pending | link | –',
    decision: presentProof(pending, link, end - 1),
    expected: decided(pending, { state: 'proven' }, true),
  },
  {
    line: 'pending | code | its time is over',
    decision: presentProof(pending, code, end),
    expected: decided(pending, { state: 'expired' }, false),
  },
  {
    line: 'pending | code | no try is left',
    decision: presentProof(lastTry, code, now),
    expected: decided(lastTry, null, false),
  },
  {
    line: 'pending | code | the code is wrong for the last time',
    decision: presentProof(fourWrong, wrong, now),
    expected: decided(fourWrong, { state: 'exhausted' }, false),
  },
  {
    line: 'pending | code | the code is wrong',
    decision: presentProof(pending, wrong, now),
    expected: decided(pending, { wrongCodes: 1 }, false),
  },
  {
    line: 'pending | code | –',
    decision: presentProof(fourWrong, code, end - 1),
    expected: decided(fourWrong, { state: 'proven' }, true),
  },
  {
    line: 'pending | try | its time is over',
    decision: beginTry(pending, end),
    expected: decided(pending, { state: 'expired' }, false),
  },
  {
    line: 'pending | try | no try is left',
    decision: beginTry(lastTry, now),
    expected: decided(lastTry, null, false),
  },
  {
    line: 'pending | try | –',
    decision: beginTry(fourWrong, end - 1),
    expected: decided(fourWrong, { wrongCodes: 5 }, true),
  },
  {
    line: 'pending | fail | no try is left',
    decision: failed(lastTry),
    expected: { writes: decided(lastTry, { state: 'exhausted' }, false).writes },
  },
  {
    line: 'pending | fail | –',
    decision: failed(fourWrong),
    expected: { writes: [] },
  },
  {
    line: 'pending | finish | –',
    decision: finishProof(pending, now),
    expected: decided(pending, null, false),
  },
  {
    line: 'pending | withdraw | –',
    decision: { writes: withdrawProof(pending) },
    expected: withdrawn(pending),
  },
  {
    line: 'proven | link | –',
    decision: presentProof(proven, link, now),
    expected: decided(proven, null, true),
  },
  {
    line: 'proven | code | –',
    decision: presentProof(proven, wrong, now),
    expected: decided(proven, null, true),
  },
  {
    line: 'proven | try | –',
    decision: beginTry(proven, now),
    expected: decided(proven, null, false),
  },
  {
    line: 'proven | fail | –',
    decision: failed(proven),
    expected: { writes: [] },
  },
  {
    line: 'proven | finish | its time is over',
    decision: finishProof(proven, end),
    expected: decided(proven, { state: 'expired' }, false),
  },
  {
    line: 'proven | finish | –',
    decision: finishProof(proven, end - 1),
    expected: decided(proven, { state: 'finished' }, true),
  },
  {
    line: 'proven | withdraw | –',
    decision: { writes: withdrawProof(proven) },
    expected: withdrawn(proven),
  },
  ...(['finished', 'expired', 'exhausted'] as const).flatMap((state) => {
    const over = inState(state);
    const expected = decided(over, null, false);
    return [
      { line: `${state} | link | –`, decision: presentProof(over, link, now), expected },
      { line: `${state} | code | –`, decision: presentProof(over, code, now), expected },
      { line: `${state} | try | –`, decision: beginTry(over, now), expected },
      { line: `${state} | fail | –`, decision: failed(over), expected: { writes: [] } },
      { line: `${state} | finish | –`, decision: finishProof(over, now), expected },
      {
        line: `${state} | withdraw | –`,
        decision: { writes: withdrawProof(over) },
        expected: { writes: [] },
      },
    ];
  }),
];

describe('proof of an address, line by line of its state table', () => {
  it.each(cases)('$line', ({ decision, expected }) => {
    expect(decision).toEqual(expected);
  });

  it('has a case for every line', () => {
    expect(cases.map(({ line }) => line)).toEqual(linesOf(emailProofMachine));
  });
});

describe('lifetime of a proof', () => {
  it.each([
    ['sign_up', day],
    ['password_reset', 30 * minute],
    ['email_change', day],
  ] as const)('%s: it works for %d ms, and not at its end', (purpose, lifetime) => {
    const { state: _state, wrongCodes: _wrong, createdAt: _at, expiresAt: _end, ...facts } = pending;
    const begun = beginEmailProof({ ...facts, purpose }, now);
    expect(begun).toEqual({
      ...facts,
      purpose,
      state: 'pending',
      wrongCodes: 0,
      createdAt: now,
      expiresAt: now + lifetime,
    });
    expect(presentProof(begun, link, now + lifetime - 1).answer).toBe(true);
    expect(presentProof(begun, link, now + lifetime).answer).toBe(false);
  });
});
