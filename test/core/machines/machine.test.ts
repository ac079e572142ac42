import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { step } from '../../../src/core/machine.ts';

/** A door: it may be pushed while it is unlocked, and nobody knocks at an open one. */
const door = setup({
  types: {
    context: {} as { locked: boolean },
    events: {} as { type: 'push'; strength: number } | { type: 'knock' },
  },
  guards: {
    'it is locked': ({ context }) => context.locked,
    'the push is weak': ({ event }) => event.type === 'push' && event.strength < 5,
  },
  actions: { creak: () => {}, swing: () => {}, answer: () => {} },
}).createMachine({
  id: 'door',
  context: { locked: true },
  initial: 'closed',
  states: {
    closed: {
      on: {
        push: [
          { guard: 'it is locked' },
          { guard: 'the push is weak', actions: 'creak' },
          { target: 'open', actions: ['creak', 'swing'] },
        ],
        knock: { actions: 'answer' },
      },
    },
    open: { on: { push: { target: 'closed', actions: 'swing' } } },
  },
});

const unlocked = { locked: false };

describe('step', () => {
  it('gives the next state and the outcomes by name, in their order', () => {
    expect(step(door, 'closed', unlocked, { type: 'push', strength: 9 })).toEqual({
      state: 'open',
      outcomes: ['creak', 'swing'],
    });
  });

  it('keeps the state where the transition names no other', () => {
    expect(step(door, 'closed', unlocked, { type: 'push', strength: 1 })).toEqual({
      state: 'closed',
      outcomes: ['creak'],
    });
  });

  it('lets the guards read the record, not what the machine began with', () => {
    expect(step(door, 'closed', { locked: true }, { type: 'push', strength: 9 })).toEqual({
      state: 'closed',
      outcomes: [],
    });
  });

  it('keeps nothing between two steps', () => {
    const push = () => step(door, 'closed', unlocked, { type: 'push', strength: 9 });
    expect(push()).toEqual(push());
  });

  it('throws at a state that the machine does not know', () => {
    expect(() => step(door, 'ajar', unlocked, { type: 'knock' })).toThrow('door: unknown state');
  });

  it.each(['constructor', '__proto__', 'toString', ''])('throws at the state "%s"', (state) => {
    expect(() => step(door, state, unlocked, { type: 'knock' })).toThrow();
  });

  it('throws at an event that the state does not list, where xstate would drop it', () => {
    expect(() => step(door, 'open', unlocked, { type: 'knock' })).toThrow(
      'door: state open does not list knock',
    );
  });
});
