import { describe, expect, it } from 'vitest';
import { sweepBite } from '../../../src/core/operators/limits.ts';
import { insertAuthorizationCode } from '../../../src/storage/grants/authorization-code.ts';
import { insertDeviceCode } from '../../../src/storage/grants/device-code.ts';
import { insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import type { Store } from '../../../src/storage/store.ts';
import { forgottenWithOthers } from '../../../src/storage/sweep/forgotten.ts';
import {
  type Bitten,
  indexed,
  type Pace,
  type Sweep,
  sweepThrough,
  walked,
} from '../../../src/storage/sweep/sweep.ts';
import { workOf } from '../../support/process/work.ts';
import { insertCopies, insertOverSignIns } from '../../support/queries/copies.ts';
import { byMember1, deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { codeRecord, day, now, signInRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const memory = 200 * day;

const keysOf = (store: Store, table: 'sessions' | 'signIns') =>
  store.transaction(async (tx) => (await tx.selectFrom(table).select('id').execute()).map(({ id }) => id));

/** Sign-ins that are over, each with a session and both of its codes. */
async function insertManyFamilies(store: Store, count: number): Promise<void> {
  await store.transaction(async (tx) => {
    await insertSignIn(tx, signInRecord({ createdAt: 1, rotatedAt: 1 }));
    const used = { state: 'used', signInId: 'sign-in-1', expiresAt: 1 } as const;
    await insertAuthorizationCode(tx, codeRecord(used));
    await insertDeviceCode(tx, deviceCodeRecord({ ...used, ...byMember1 }));
    await insertOverSignIns(tx, count);
    const copy = "'copy ' || n";
    await insertCopies(tx, 'deviceCodes', count, { id: copy, hash: copy, sessionId: copy, signInId: copy });
  });
}

describe('a bite', () => {
  it('20,000 rows that are over go in bites of few rows and little work, and others commit in between', async () => {
    const store = await storeWithMember();
    const families = 5_000;
    await insertManyFamilies(store, families);
    const bites: { deleted: number; worked: number }[] = [];
    const measured = ({ rows, bite }: Sweep): Sweep => ({
      rows,
      bite: async (tx, from) => {
        let bitten: Bitten = { deleted: 0, next: null };
        const worked = await workOf(async () => {
          bitten = await bite(tx, from);
        });
        bites.push({ deleted: bitten.deleted, worked });
        return bitten;
      },
    });
    const between: number[] = [];
    const pace: Pace = {
      isOver: () => false,
      pause: async () => {
        between.push(await store.transaction(async () => bites.length));
      },
    };
    let deleted = 0;
    for (const sweep of forgottenWithOthers(memory, now)) {
      deleted += await sweepThrough(store, measured(sweep), pace);
    }
    expect(deleted).toBe(4 * families + 3);
    expect(await keysOf(store, 'sessions')).toEqual(['session-1']);
    // A sign-in goes with two codes.
    for (const bite of bites) expect(bite.deleted).toBeLessThanOrEqual(3 * sweepBite.rows);
    // The heap may be swept during a few of them.
    const worked = bites.map((bite) => bite.worked).sort((a, b) => a - b);
    expect(worked[Math.floor(worked.length / 2)]).toBeLessThan(5 * sweepBite.ms);
    // One after each bite but the last of each table.
    expect(between.length).toBe(bites.length - 3);
  });

  /** Something that takes the whole time of a bite. */
  const spend = () => {
    const until = performance.now() + sweepBite.ms;
    while (performance.now() < until);
  };

  it('ends when its time is up, and the next goes on with the row after', async () => {
    const store = await storeWithMember();
    const seen: string[] = [];
    const letters = ['a', 'b', 'c'];
    const slow = [
      walked<string>('letters', {
        page: (_tx, after) => letters.filter((letter) => letter > after),
        keyOf: (letter) => letter,
        forget: (_tx, letter) => {
          spend();
          seen.push(letter);
          return 1;
        },
      }),
      indexed('letters', async () => {
        spend();
        return seen.pop() === undefined ? 0 : 1;
      }),
    ];
    for (const sweep of slow) {
      let pauses = 0;
      const pause = async () => {
        pauses += 1;
      };
      expect(await sweepThrough(store, sweep, { pause, isOver: () => false })).toBe(3);
      expect(pauses).toBe(3);
      if (sweep === slow[0]) expect(seen).toEqual(letters);
    }
  });

  it('is the last when the service stops', async () => {
    const store = await storeWithMember();
    await insertManyFamilies(store, 1_000);
    let bites = 0;
    const pause = async () => {
      bites += 1;
    };
    const [, signIns] = forgottenWithOthers(memory, now);
    if (signIns === undefined) throw new Error('nothing to sweep');
    await sweepThrough(store, signIns, { pause, isOver: () => bites === 1 });
    const left = await keysOf(store, 'signIns');
    expect(left.length).toBeGreaterThanOrEqual(1_001 - sweepBite.rows);
    expect(left.length).toBeLessThan(1_001);
  });
});
