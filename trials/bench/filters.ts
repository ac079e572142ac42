/**
 * How long each filter of the list of members takes at a tenant with many of them, where it finds nothing: that is the
 * most that one page costs. `node tools/run.js trials/bench/filters.ts [MEMBERS]`
 */
import { listLook } from '../../src/core/operators/limits.ts';
import { insertPackage } from '../../src/storage/access/package.ts';
import {
  type FilteredSort,
  lookAtMembers,
  type MemberFilter,
} from '../../src/storage/members/member-filter.ts';
import { hosts } from '../../test/support/fixtures.ts';
import { tenantIdOf } from '../../test/support/operators/desk.ts';
import { fillYears } from '../../test/support/queries/years.ts';
import { packageFacts } from '../../test/support/records/access-records.ts';
import { startTestService } from '../../test/support/service.ts';

/** A page may take so long (ms) of the processor. */
const longest = 100;
const times = 10;

const nothing: MemberFilter = { own: [], subscription: [], properties: [], consents: [] };
const own = (
  column: MemberFilter['own'][number]['column'],
  comparison: 'eq' | 'gt' | 'in' | 'ne',
  value: string | number | string[],
) => ({ ...nothing, own: [{ column, comparison, value }] }) as MemberFilter;

const filters: Readonly<Record<string, MemberFilter>> = {
  none: nothing,
  'email eq': own('normalisedEmail', 'eq', 'm1@years.test'),
  'email in': own(
    'normalisedEmail',
    'in',
    Array.from({ length: 100 }, (_, i) => `m${i}@years.test`),
  ),
  'email startsWith': { ...nothing, emailBegins: 'x' },
  'name startsWith': { ...nothing, nameBegins: ['xyz'] },
  'fullName eq': own('fullName', 'eq', 'Nobody'),
  'status eq': own('status', 'eq', 'disabled'),
  'createdAt gt': own('createdAt', 'gt', 9e14),
  'updatedAt gt': own('updatedAt', 'gt', 9e14),
  'subscription packageId': {
    ...nothing,
    subscription: [{ column: 'packageId', comparison: 'eq', value: 999 }],
  },
  'subscription state': { ...nothing, subscription: [{ column: 'state', comparison: 'eq', value: 'ended' }] },
  property: { ...nothing, properties: [{ key: 'seats', type: 'number', comparison: 'gte', value: 3 }] },
  consent: { ...nothing, consents: [{ consentId: 'newsletter', status: 'accepted' }] },
  'all of these': {
    ...nothing,
    nameBegins: ['a'],
    own: [{ column: 'status', comparison: 'eq', value: 'active' }],
    subscription: [{ column: 'state', comparison: 'eq', value: 'active' }],
    properties: [{ key: 'seats', type: 'number', comparison: 'gte', value: 3 }],
    consents: [{ consentId: 'newsletter', status: 'accepted' }],
  },
};

const [members = 200_000] = process.argv.slice(2).map(Number);
const service = await startTestService({ data: 'security' });
try {
  const tenantId = tenantIdOf(service, hosts.a);
  const now = service.clock.now();
  const { store } = service;
  const packageId = await store.transaction((tx) =>
    insertPackage(tx, tenantId, packageFacts({ name: 'Gold' }), []),
  );
  await fillYears(store, { tenantId, clientId: 'pub1', packageId }, { members, events: 10 }, now);
  for (const sort of ['updatedAt', '-createdAt', 'email'] as const satisfies readonly FilteredSort[]) {
    for (const [name, filter] of Object.entries(filters)) {
      const page = () =>
        store.transaction((tx) =>
          lookAtMembers(tx, tenantId, { filter, sort }, { limit: 201, look: listLook, now }),
        );
      const { found } = await page();
      const { user, system } = process.cpuUsage();
      for (let time = 0; time < times; time += 1) await page();
      const used = process.cpuUsage();
      const ms = (used.user + used.system - user - system) / 1_000 / times;
      process.stdout.write(`${ms.toFixed(1).padStart(7)} ms  ${sort} ${name}, ${found.length} found\n`);
      if (ms > longest) process.exitCode = 1;
    }
  }
} finally {
  await service.stop();
}
