import { expect, it } from 'vitest';
import { feed } from '../../../src/core/events/limits.ts';
import { createEventWaiting } from '../../../src/operations/events/waiting.ts';
import { handSchedule } from '../../support/hand-schedule.ts';
import { storeWithMember } from '../../support/records/store.ts';

it('EV4: of one tenant so many wait for events and no more; those of others do, until the service stops', async () => {
  const store = await storeWithMember();
  const time = handSchedule();
  const waiting = createEventWaiting({ store, schedule: time.schedule });
  const ended: string[] = [];
  const wait = (tenantId: string) => waiting.waitFor(tenantId, 0, 30_000).then(() => ended.push(tenantId));
  const many = Array.from({ length: feed.waitingOfTenant }, () => wait('tenant-a'));
  await wait('tenant-a');
  expect(ended).toEqual(['tenant-a']);
  const other = wait('tenant-b');
  waiting.numbered(['tenant-c']);
  await store.transaction(async () => {});
  expect(ended).toHaveLength(1);
  waiting.stop();
  await Promise.all([...many, other]);
  await wait('tenant-a');
  expect(ended).toHaveLength(feed.waitingOfTenant + 3);
});
