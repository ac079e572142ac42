// Loaded before a program (`--import`): says at its end how many bytes of a passing object V8 makes among the old.
import { getHeapSpaceStatistics } from 'node:v8';

interface Made {
  readonly number: number;
  readonly others: readonly number[];
}

const make = (number: number): Made => ({ number, others: [number] });
/** What is made is seen from outside, so that it is made at all. */
export let last: Made = make(0);

function makeMany(count: number, isKept: boolean): void {
  const kept: Made[] = [];
  for (let number = 0; number < count; number += 1) {
    last = make(number);
    if (isKept) kept.push(last);
  }
}

const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space')?.space_used_size ?? 0;

function bytesOfEach(count: number): number {
  const before = oldBytes();
  makeMany(count, false);
  return Math.round((oldBytes() - before) / count);
}

process.once('exit', () => {
  // They live long at first, as at a start, and then no longer.
  for (let round = 0; round < 6; round += 1) makeMany(400_000, true);
  makeMany(100_000, false);
  // A collection may come into some of these rounds.
  const rounds = Array.from({ length: 9 }, () => bytesOfEach(20_000)).sort((a, b) => a - b);
  console.info(`${rounds[4]} bytes of each are old`);
});
