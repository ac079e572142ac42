import { expect, it } from 'vitest';
import { moveOfReason, reasonOfMove } from '../../../src/core/operators/subscription-move.ts';

it.each([
  [{ from: null, to: 'pending' }, 'begun, pending'],
  [{ from: 'active', to: 'ended' }, 'active, then ended'],
] as const)('how a subscription moved is said and read back: %j', (move, reason) => {
  expect(reasonOfMove(move)).toBe(reason);
  expect(moveOfReason(reason)).toEqual(move);
});

it.each(['', 'active', 'seat 7', 'active, then elsewhere'])(
  'what is no move is not read as one: "%s"',
  (reason) => {
    expect(moveOfReason(reason)).toBe(null);
  },
);
