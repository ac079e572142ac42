import { beforeAll, describe, expect, it } from 'vitest';
import type { AuditEventName } from '../../src/core/operators/audit-event.ts';
import { listMembers } from '../../src/storage/members/member-search.ts';
import {
  type AuditFilter,
  listAuditEvents,
  lookAtAuditEvents,
} from '../../src/storage/operators/audit-list.ts';
import { planOf } from '../support/queries/query-plan.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'security' });
let tenantId: string;
const moment = Date.UTC(2025, 0, 1);

beforeAll(async () => {
  tenantId = String(service.tenants.byHost('c.test')?.id);
  // Every tenth is a refresh, each twentieth another client's, and one of them all is rare.
  const rows = Array.from({ length: 400 }, (_, index) => ({
    at: moment + Math.floor(index / 3),
    tenantId,
    event: (index === 5 ? 'key_rotated' : index % 10 === 0 ? 'token_refreshed' : 'sign_in') as AuditEventName,
    actorKind: 'member' as const,
    actorId: null,
    target: `t${index}`,
    clientId: index % 20 === 1 ? 'rare' : 'common',
    address: null,
    result: 'done' as const,
    reason: null,
  }));
  await service.store.transaction((tx) => tx.insertInto('auditEvents').values(rows).execute());
});

const look = (filter: AuditFilter, limit: number, most: number) =>
  service.store.transaction((tx) => lookAtAuditEvents(tx, { tenantId, ...filter }, limit, most));

/** Every event that pages of such looks find, and how many pages there were. */
async function allBy(filter: AuditFilter, most: number) {
  const targets: (string | null)[] = [];
  let pages = 0;
  let before: AuditFilter['before'];
  for (;;) {
    const { found, lookedAt } = await look(
      { ...filter, ...(before === undefined ? {} : { before }) },
      4,
      most,
    );
    pages += 1;
    targets.push(...found.map(({ target }) => target));
    const last = found.length < 4 ? lookedAt : (found.at(-1) ?? null);
    if (last === null) return { targets, pages };
    before = { id: last.id, at: last.at };
  }
}

describe('F10: a list of events', () => {
  it.each(['-at', 'at'] as const)('looks at so many at once, and misses none: by %s', async (sort) => {
    const filter: AuditFilter = { clientId: 'rare', sort };
    const whole = await service.store.transaction((tx) =>
      listAuditEvents(tx, { tenantId, ...filter }, 1_000),
    );
    expect(whole).toHaveLength(20);
    const { targets, pages } = await allBy(filter, 30);
    expect(targets).toEqual(whole.map(({ target }) => target));
    expect(pages).toBeGreaterThan(10);
  });

  it('finds what is rare by an index, however much there is beside it', async () => {
    const { found, lookedAt } = await look({ event: 'key_rotated' }, 5, 10);
    expect([found.map(({ target }) => target), lookedAt]).toEqual([['t5'], null]);
    const plan = await service.store.transaction((tx) =>
      planOf(tx, (own) => lookAtAuditEvents(own, { tenantId, event: 'admin_acted' }, 20, 10)),
    );
    expect(plan.join('\n')).toContain('auditEventsRare');
  });
});

it.each([
  ['status', { status: 'disabled' }, 'membersDisabled'],
  ['userType', { userType: 'tenant_admin' }, 'membersInCharge'],
  ['the address', { sort: 'email' }, 'membersByEmail'],
] as const)('F10: members by %s are read in the order of an index', async (_what, filter, index) => {
  const plan = await service.store.transaction((tx) =>
    planOf(tx, (own) => listMembers(own, tenantId, filter, 20, 0)),
  );
  expect(plan.join('\n')).toContain(index);
  expect(plan.join('\n')).not.toContain('TEMP B-TREE');
});
