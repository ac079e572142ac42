import { describe, expect, it } from 'vitest';
import { fairQueue, type Share } from '../../src/secrets/fair-queue.ts';

/** A queue with one at work, whose pieces end when the test says so. */
function queueOf(waiting: number) {
  const take = fairQueue(1, waiting, () => new Error('busy'));
  const begun: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  const add = (name: string, tenant: string, address = '192.0.2.1') => {
    const share: Share = { tenant, address };
    const work = () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    };
    take(work, share).catch(() => refused.push(name));
  };
  /** Ends what is at work, until nothing is. */
  const drain = async () => {
    for (;;) {
      await new Promise(setImmediate);
      const end = ends.shift();
      if (end === undefined) return begun;
      end();
    }
  };
  const settle = () => new Promise(setImmediate);
  return { add, drain, refused, settle };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('who waits for a password to be hashed', () => {
  it('promise 7: of one share goes in order', async () => {
    const { add, drain } = queueOf(5);
    for (const number of numbers(5)) add(`a${number}`, 'a');
    expect(await drain()).toEqual(['a1', 'a2', 'a3', 'a4', 'a5']);
  });

  it("promise 7: waits behind one of another tenant's at a time, however many those are", async () => {
    const { add, drain } = queueOf(50);
    for (const number of numbers(10)) add(`a${number}`, 'a', `192.0.2.${number}`);
    for (const number of numbers(3)) add(`b${number}`, 'b');
    const order = await drain();
    expect(order.slice(0, 7)).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'b3']);
    expect(order).toHaveLength(13);
  });

  it('promise 7: and of the same tenant behind one of each other address at a time', async () => {
    const { add, drain } = queueOf(50);
    for (const number of numbers(6)) add(`flood${number}`, 'a', '192.0.2.66');
    add('home', 'a', '192.0.2.7');
    expect((await drain()).slice(0, 4)).toEqual(['flood1', 'flood2', 'home', 'flood3']);
  });

  it('promise 7: a caller who asks again and again does not stay ahead of one who waits', async () => {
    const { add, drain, settle } = queueOf(50);
    for (const number of numbers(4)) add(`a${number}`, 'a');
    add('b1', 'b');
    await settle();
    for (const number of numbers(3)) add(`b${number + 1}`, 'b');
    expect(await drain()).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4', 'b3', 'b4']);
  });

  it('A12: of one share is refused beyond the places', async () => {
    const { add, drain, refused } = queueOf(3);
    for (const number of numbers(6)) add(`a${number}`, 'a');
    expect(await drain()).toEqual(['a1', 'a2', 'a3', 'a4']);
    expect(refused).toEqual(['a5', 'a6']);
  });

  it('promise 7: takes the last place of a tenant that holds more, until both have as many', async () => {
    const { add, drain, refused } = queueOf(6);
    for (const number of numbers(7)) add(`a${number}`, 'a', `192.0.2.${number}`);
    for (const number of numbers(5)) add(`b${number}`, 'b');
    const order = await drain();
    expect(order.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2', 'b3']);
    expect(order.filter((name) => name.startsWith('a'))).toHaveLength(4);
    expect(refused.toSorted()).toEqual(['a5', 'a6', 'a7', 'b4', 'b5']);
  });

  it('promise 7: takes the last place of an address of the same tenant that holds more', async () => {
    const { add, drain, refused } = queueOf(4);
    for (const number of numbers(5)) add(`flood${number}`, 'a', '192.0.2.66');
    for (const home of numbers(3)) add(`home${home}`, 'a', `192.0.2.${home}`);
    const order = await drain();
    expect(order).toEqual(['flood1', 'flood2', 'home1', 'home2', 'home3']);
    expect(refused).toEqual(['flood5', 'flood4', 'flood3']);
  });
});
