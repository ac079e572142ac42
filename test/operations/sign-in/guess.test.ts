import { describe, expect, it } from 'vitest';
import {
  type BegunGuess,
  beginGuess,
  keepGuess,
  takeGuessBack,
} from '../../../src/operations/sign-in/guess.ts';
import {
  clearSignInFailures,
  takeUnjudgedBack,
} from '../../../src/storage/members/guesses/sign-in-failure.ts';
import type { Store } from '../../../src/storage/store.ts';
import { now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const tenantId = 'tenant-a';
const key = 'hash of an address';

const begin = async (store: Store, at = now) => {
  const counters = [{ key, allowed: 5, passes: false }];
  const begun: BegunGuess = await store.transaction((tx) => beginGuess(tx, tenantId, counters, at));
  if (begun.kind === 'blocked') throw new Error('the guess was not let in');
  return begun.guess;
};

const stored = (store: Store) =>
  store.transaction((tx) => tx.selectFrom('signInFailures').select(['failures', 'underWay']).execute());

const restart = (store: Store) => store.transaction(takeUnjudgedBack);

describe('Z1: guesses that were counted when the process died', () => {
  it('are taken back by the start where they were not judged, and stay where they were', async () => {
    const store = await storeWithMember();
    for (let count = 0; count < 2; count += 1) {
      const guess = await begin(store, now + count);
      await store.transaction((tx) => keepGuess(tx, tenantId, guess));
    }
    for (let count = 2; count < 5; count += 1) await begin(store, now + count);
    expect(await stored(store)).toEqual([{ failures: 5, underWay: 3 }]);
    await restart(store);
    expect(await stored(store)).toEqual([{ failures: 2, underWay: 0 }]);
    await restart(store);
    expect(await stored(store)).toEqual([{ failures: 2, underWay: 0 }]);
  });

  it('leave no row where none was judged, so that the member signs in at once', async () => {
    const store = await storeWithMember();
    for (let count = 0; count < 5; count += 1) await begin(store, now + count);
    await restart(store);
    expect(await stored(store)).toEqual([]);
  });

  it('are none where one was taken back before, or a right one has cleared the count', async () => {
    const store = await storeWithMember();
    const first = await begin(store);
    const second = await begin(store, now + 1);
    await store.transaction((tx) => takeGuessBack(tx, tenantId, first));
    await store.transaction((tx) => keepGuess(tx, tenantId, second));
    expect(await stored(store)).toEqual([{ failures: 1, underWay: 0 }]);
    const slow = await begin(store, now + 2);
    await store.transaction((tx) => clearSignInFailures(tx, tenantId, key));
    const wrong = await begin(store, now + 3);
    await store.transaction((tx) => keepGuess(tx, tenantId, wrong));
    await store.transaction((tx) => keepGuess(tx, tenantId, slow));
    expect(await stored(store)).toEqual([{ failures: 1, underWay: 0 }]);
  });
});
