import { expect, it } from 'vitest';
import { createPollTimes } from '../../../src/storage/memory/poll-pace.ts';

it('a code that was not polled since the start has no last poll', () => {
  expect(createPollTimes().lastPolledAt('a')).toBeNull();
});

it('the last poll of each code is kept, and asking for it changes nothing', () => {
  const times = createPollTimes();
  times.record('a', 1);
  times.record('b', 2);
  times.record('a', 3);
  for (const _ of [1, 2]) {
    expect(times.lastPolledAt('a')).toBe(3);
    expect(times.lastPolledAt('b')).toBe(2);
  }
});

it('a time of 0 is a time', () => {
  const times = createPollTimes();
  times.record('a', 0);
  expect(times.lastPolledAt('a')).toBe(0);
});

it('of more codes than it remembers, the one not polled for longest is forgotten', () => {
  const times = createPollTimes(2);
  times.record('a', 1);
  times.record('b', 2);
  times.record('a', 3);
  times.record('c', 4);
  expect(times.lastPolledAt('b')).toBeNull();
  expect(times.lastPolledAt('a')).toBe(3);
  expect(times.lastPolledAt('c')).toBe(4);
});

it('a code that is polled again takes no second place', () => {
  const times = createPollTimes(2);
  for (let now = 0; now < 10; now += 1) times.record('a', now);
  times.record('b', 10);
  expect(times.lastPolledAt('a')).toBe(9);
});
