import { expect, it } from 'vitest';
import { createPollPace } from '../../../src/storage/memory/pending-codes.ts';

it('a code that was not polled since the start has no last poll', () => {
  expect(createPollPace().lastPolledAt('a')).toBeNull();
});

it('the last poll of each code is kept, and asking for it changes nothing', () => {
  const pace = createPollPace();
  pace.record('a', 1);
  pace.record('b', 2);
  pace.record('a', 3);
  for (const _ of [1, 2]) {
    expect(pace.lastPolledAt('a')).toBe(3);
    expect(pace.lastPolledAt('b')).toBe(2);
  }
});

it('a time of 0 is a time', () => {
  const pace = createPollPace();
  pace.record('a', 0);
  expect(pace.lastPolledAt('a')).toBe(0);
});

it('of more codes than it remembers, the one not polled for longest is forgotten', () => {
  const pace = createPollPace(2);
  pace.record('a', 1);
  pace.record('b', 2);
  pace.record('a', 3);
  pace.record('c', 4);
  expect(pace.lastPolledAt('b')).toBeNull();
  expect(pace.lastPolledAt('a')).toBe(3);
  expect(pace.lastPolledAt('c')).toBe(4);
});

it('a code that is polled again takes no second place', () => {
  const pace = createPollPace(2);
  for (let now = 0; now < 10; now += 1) pace.record('a', now);
  pace.record('b', 10);
  expect(pace.lastPolledAt('a')).toBe(9);
});
