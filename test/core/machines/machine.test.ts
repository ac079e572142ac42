import { describe, expect, expectTypeOf, it } from 'vitest';
import { machineOf, step } from '../../../src/core/machine.ts';

/** A door: it may be pushed while it is unlocked, and an open one is not knocked at. */
const door = machineOf({
  id: 'door',
  context: {} as { locked: boolean },
  event: {} as { type: 'push'; strength: number } | { type: 'knock' },
  conditions: {
    'it is locked': ({ context }) => context.locked,
    'the push is weak': ({ event }) => event.type === 'push' && event.strength < 5,
  },
  lines: [
    ['closed', 'push', 'it is locked', '–', 'stay'],
    ['closed', 'push', 'the push is weak', '–', 'creak'],
    ['closed', 'push', '–', 'open', 'swing'],
    ['closed', 'knock', '–', '–', 'answer'],
    ['open', 'push', '–', 'closed', 'swing'],
  ],
});

const unlocked = { locked: false };

describe('step', () => {
  it('gives the next state and the outcome by name', () => {
    expect(step(door, 'closed', unlocked, { type: 'push', strength: 9 })).toEqual({
      state: 'open',
      outcome: 'swing',
    });
  });

  it('keeps the state where the transition names no other', () => {
    expect(step(door, 'closed', unlocked, { type: 'push', strength: 1 })).toEqual({
      state: 'closed',
      outcome: 'creak',
    });
  });

  it('lets the guards read the record, not what the machine began with', () => {
    expect(step(door, 'closed', { locked: true }, { type: 'push', strength: 9 })).toEqual({
      state: 'closed',
      outcome: 'stay',
    });
  });

  it('keeps nothing between two steps', () => {
    const push = () => step(door, 'closed', unlocked, { type: 'push', strength: 9 });
    expect(push()).toEqual(push());
  });

  it('throws at a state that the machine does not know', () => {
    const ajar = 'ajar' as 'open';
    expect(() => step(door, ajar, unlocked, { type: 'knock' })).toThrow('door: unknown state');
  });

  it.each(['constructor', '__proto__', 'toString', ''])('throws at the state "%s"', (state) => {
    expect(() => step(door, state as 'open', unlocked, { type: 'knock' })).toThrow();
  });

  it('throws at an event that the state does not list, where xstate would drop it', () => {
    expect(() => step(door, 'open', unlocked, { type: 'knock' })).toThrow(
      'door: state open does not list knock',
    );
  });

  it('throws where no condition holds and nothing is said for otherwise', () => {
    const gap = machineOf({
      id: 'gap',
      context: {},
      event: {} as { type: 'push' },
      conditions: { never: () => false },
      lines: [['closed', 'push', 'never', '–', 'swing']],
    });
    expect(() => step(gap, 'closed', {}, { type: 'push' })).toThrow(
      'gap: push has no outcome in state closed',
    );
  });
});

describe('the types of a step', () => {
  it('are those of its machine: its states, and the outcomes that the event can have', () => {
    const stepped = step(door, 'open', unlocked, { type: 'push', strength: 9 });
    expectTypeOf(stepped.state).toEqualTypeOf<'closed' | 'open'>();
    expectTypeOf(stepped.outcome).toEqualTypeOf<'stay' | 'creak' | 'swing'>();
    expectTypeOf(step(door, 'closed', unlocked, { type: 'knock' }).outcome).toEqualTypeOf<'answer'>();
    // @ts-expect-error a state that the machine does not have
    expect(() => step(door, 'ajar', unlocked, { type: 'knock' })).toThrow();
  });
});
