import { describe, expect, it } from 'vitest';
import { createRoom } from '../../../src/storage/postgres/transaction/room.ts';

/** A room in which so many transactions have heard of a database that is so many ms away. */
function roomAt(ms: number, transactions = 200) {
  const room = createRoom();
  for (let count = 0; count < transactions; count += 1) room.heard(ms);
  return room;
}

describe('how many transactions may be under way, on PostgreSQL', () => {
  it.each([
    [0.2, 2],
    [1, 4],
    [2.4, 6],
    [80, 8],
  ])('with a database %d ms away: %d', (ms, count) => {
    expect(roomAt(ms).now()).toBe(count);
  });

  it('what waited for the process itself does not count as the way to the database', () => {
    const room = createRoom();
    for (let count = 0; count < 1_000; count += 1) room.heard(count % 10 === 0 ? 0.2 : 30);
    expect(room.now()).toBe(2);
  });

  it('follows a database that comes closer at once', () => {
    const room = roomAt(80);
    room.heard(0.2);
    expect(room.now()).toBe(2);
  });

  it.each([
    [0.2, 2, 1],
    [80, 8, 4],
  ])('with %d ms: %d, and half as many while they are in each other’s way', (ms, all, half) => {
    const room = roomAt(ms);
    room.ended(true);
    expect(room.now()).toBe(all);
    for (let count = 0; count < 3; count += 1) room.ended(true);
    expect(room.now()).toBe(half);
    for (let count = 0; count < 16; count += 1) room.ended(false);
    expect(room.now()).toBe(all);
  });
});
