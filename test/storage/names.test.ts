import { expect, it } from 'vitest';
import { nameMembers } from '../../src/storage/names.ts';
import { findEventNames } from '../../src/storage/operators/event-names.ts';
import { planOf } from '../support/queries/query-plan.ts';
import { storeWithMember } from '../support/records/store.ts';

it('names are found by keys alone, however many members a tenant has', async () => {
  const store = await storeWithMember();
  const ids = Array.from(
    { length: 20 },
    (_, index) => `019a7c1e-0000-7000-8000-${String(index).padStart(12, '0')}`,
  );
  const event = { tenantId: 'tenant-a', actorId: ids[0] ?? '', clientId: 'app', target: ids[1] ?? '' };
  const plan = await store.transaction((tx) =>
    planOf(tx, async (asked) => {
      await nameMembers(asked, 'tenant-a', ids);
      await findEventNames(asked, [event, { ...event, target: '7' }]);
    }),
  );
  expect(plan.filter((step) => /members/.test(step))).toHaveLength(2);
  // Each table by the column that tells its rows apart, and none from its beginning to its end.
  for (const step of plan) expect(step).toMatch(/SEARCH .*\b(?:id|rowid|clientId|signInId)=\?/);
});
