// What a token may read of a tenant by operations that tell of many things: what it may read otherwise, and no more.
import { beforeAll, expect, it } from 'vitest';
import type { Permission } from '../../../src/core/operators/permission.ts';
import { run, tokenOf } from '../../support/operators/desk.ts';
import { beginWorld, newInvoice, type World } from '../../support/operators/world.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
let world: World;
beforeAll(async () => {
  world = await beginWorld(service, 'apart.test');
  await newInvoice(world);
});

const readBy = <Answer>(name: string, granted: readonly Permission[], input: object = {}) =>
  run<Answer>(service, name, { tenant: world.host, ...input }, tokenOf(service, world.host, granted));

interface Timeline {
  readonly entries: readonly { readonly event: object | null }[];
}

it('PP1: the events of a member are told to those who may read the audit', async () => {
  const events = async (...granted: Permission[]) => {
    const { memberId } = world;
    const { entries } = await readBy<Timeline>('members.timeline', granted, { memberId });
    return entries.filter(({ event }) => event !== null).length;
  };
  expect(await events('members:read')).toBe(0);
  expect(await events('members:read', 'audit:read')).toBeGreaterThan(0);
});

it.each([
  ['members', 'members:read'],
  ['clients', 'clients:read'],
  ['packages', 'access:read'],
  ['invoices', 'subscriptions:read'],
  ['unpaidInvoices', 'subscriptions:read'],
  ['tokens', 'tokens:read'],
  ['apis', 'apis:read'],
] as const)('PP1: how many there are is told to those who may read them: %s', async (name, needed) => {
  const count = async (...granted: Permission[]) =>
    (await readBy<Record<string, number | null>>('counts.read', granted))[name];
  expect(await count('tenants:read')).toBeNull();
  expect(await count('tenants:read', needed)).toBeGreaterThanOrEqual(0);
});

it('PP1: what subscriptions bring is told to those who may read them', async () => {
  const names = async (...granted: Permission[]) => {
    const { figures } = await readBy<{ figures: readonly { name: string }[] }>('figures.read', granted);
    return figures.map(({ name }) => name);
  };
  const bought = ['orders', 'subscriptionsBegun', 'subscriptionsEnded', 'subscriptions'];
  expect(await names('audit:read', 'subscriptions:read')).toEqual(expect.arrayContaining(bought));
  expect(
    (await names('audit:read')).filter((name) => [...bought, 'recurring', 'members'].includes(name)),
  ).toEqual([]);
  expect(await names('audit:read')).toContain('signUps');
});
