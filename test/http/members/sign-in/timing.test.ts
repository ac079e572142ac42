import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { setLimits } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { hashingPasswords } from '../../../support/members/moving-in/hashing.ts';
import { type Nos, nosOf } from '../../../support/members/nos.ts';
import { median } from '../../../support/process/median.ts';
import { workOf } from '../../../support/process/work.ts';
import { readsOf } from '../../../support/queries/rows-read.ts';
import { useService } from '../../../support/use-service.ts';

const passwords = hashingPasswords();
const service = useService({ data: 'security', passwords });
let nos: Nos;

beforeAll(async () => {
  // It must be the password that answers, not the limiter of the one address that all of this comes from.
  await setLimits(service, hosts.a, { failedSignInsPerAddressAndMinute: null });
  nos = await nosOf(service);
});

const samples = 25;

/** How many rows the service has written so far. */
const written = async () => {
  const { rows } = await service.store.transaction((tx) =>
    sql<{ rows: number }>`select total_changes() as rows`.execute(tx),
  );
  return Number(rows[0]?.rows);
};

// How long they take by the clock is for `npm run test:faults -- --only A1`: 200 samples on a machine that is idle.
describe('A1: what a no takes', () => {
  it('A1: a wrong password, an unknown address and a disabled account take one hash each, read the same and write as much', async () => {
    const taken = [];
    for (const kind of nos.kinds) {
      await nos.refresh();
      const before = { hashed: passwords.hashed(), written: await written() };
      const reads = await readsOf(() => nos.attempt(kind));
      const after = { hashed: passwords.hashed(), written: await written() };
      taken.push({
        hashed: after.hashed - before.hashed,
        written: after.written - before.written,
        reads,
      });
    }
    const [first, ...others] = taken;
    expect(first).toEqual({ hashed: 1, written: 3, reads: expect.arrayContaining([expect.any(String)]) });
    for (const other of others) expect(other).toEqual(first);
  });

  it('A1: medians of their work differ by less than 10 %, or 15 ms', async () => {
    const works = await nos.sample(samples, (attempt) => workOf(attempt));
    const medians = works.map(median);
    const [least, most] = [Math.min(...medians), Math.max(...medians)];
    expect(Math.min(most / least - 1, (most - least) / 150), medians.join(' ms, ')).toBeLessThan(0.1);
  });
});
