import { expect, it } from 'vitest';
import { hour } from '../../../../src/core/limits.ts';
import { countedUpTo } from '../../../../src/core/operators/limits.ts';
import { run, tenantIdOf } from '../../../support/operators/desk.ts';
import { newAdmin } from '../../../support/operators/portal.ts';
import { insertCopies } from '../../../support/queries/copies.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });

it('pages 21: beyond what is counted at once, members are as many as the hour before had', async () => {
  const tenant = 'a.test';
  const members = async () =>
    (await run<{ members: number | null }>(service, 'counts.read', { tenant })).members;
  const few = await members();
  expect(few).toBeLessThan(100);
  await service.store.transaction((tx) =>
    insertCopies(tx, 'members', countedUpTo, {
      id: "printf('ffff%06d', n)",
      tenantId: `'${tenantIdOf(service, tenant)}'`,
      userId: '1000000 + n',
      memberNumber: '1000000 + n',
      email: "'copy' || n || '@example.com'",
      normalisedEmail: "'copy' || n || '@example.com'",
    }),
  );
  expect(await members()).toBeNull();
  const sam = await newAdmin(service, tenant, 'sam@counts.test');
  const page = `/admin/tenants/${tenant}/members`;
  expect((await sam.send(page)).text).toContain('<p class="total">10,000+ members</p>');
  const figures = [3, 1, 2].map((ago) => ({
    tenantId: tenantIdOf(service, tenant),
    unit: 'hour' as const,
    at: service.clock.now() - ago * hour,
    name: 'members',
    value: 41_200 - ago,
  }));
  await service.store.transaction((tx) => tx.insertInto('figures').values(figures).execute());
  expect(await members()).toBe(41_199);
  service.clock.advance(60_000);
  expect((await sam.send(page)).text).toContain('<p class="total">41,199 members</p>');
});
