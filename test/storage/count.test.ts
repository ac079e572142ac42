import { expect, it } from 'vitest';
import { countOfTenant } from '../../src/storage/count.ts';
import { insertMember } from '../../src/storage/members/member.ts';
import { planOf } from '../support/queries/query-plan.ts';
import { memberRecord } from '../support/records/records.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'security' });

it('F10: what there may be many of is counted by an index alone', async () => {
  const plan = await service.store.transaction((tx) => planOf(tx, (own) => countOfTenant(own, 'any', 10, 0)));
  const searches = [...new Set(plan)].filter((line) =>
    /^(?:SEARCH|SCAN) (?:members|invoices|checkouts|products|packages)/.test(line),
  );
  expect(searches).toHaveLength(7);
  for (const line of searches) expect(line).toMatch(/^SEARCH \w+ USING COVERING INDEX/);
});

it('counts no further than one beyond what is asked for', async () => {
  const { id: tenantId } = service.tenants.byHost('c.test') ?? { id: '' };
  const counts = (most: number) => service.store.transaction((tx) => countOfTenant(tx, tenantId, most, 0));
  const { members: before } = await counts(100);
  for (let made = 0; made < 5; made += 1) {
    const id = `counted-${made}`;
    await service.store.transaction((tx) =>
      insertMember(
        tx,
        memberRecord({
          id,
          tenantId,
          email: `${id}@example.test`,
          userId: 90_000 + made,
          memberNumber: 90_000 + made,
        }),
        'hash',
      ),
    );
  }
  expect((await counts(100)).members).toBe(before + 5);
  expect((await counts(3)).members).toBe(4);
});
