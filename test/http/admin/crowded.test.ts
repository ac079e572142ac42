import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { listPage } from '../../../src/core/limits.ts';
import { accountPageBytes } from '../../../src/core/members/limits.ts';
import { portalListLength } from '../../../src/core/operators/limits.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { insertPackage } from '../../../src/storage/access/package.ts';
import { findMemberByEmail } from '../../../src/storage/members/member.ts';
import { tenantOf } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { fillMember } from '../../support/members/crowd.ts';
import { run } from '../../support/operators/desk.ts';
import { newAdmin, type PortalVisitor, plain } from '../../support/operators/portal.ts';
import { rowsReadBy } from '../../support/queries/rows-read.ts';
import { packageFacts } from '../../support/records/access-records.ts';
import { useService } from '../../support/use-service.ts';

const tenant = hosts.a;
/** How many there are of everything that the lists of a tenant show. */
const count = 2_000;

const service = useService({ data: 'security' });
let portal: PortalVisitor;
let memberId = '';
let webhookId = '';

const many = sql.raw(
  `with recursive numbers (i) as (select 1 union all select i + 1 from numbers where i < ${count})`,
);

/** Fills the lists of a tenant, each by one statement. */
async function fillTenant(tenantId: string, now: number): Promise<void> {
  const statements = [
    sql`insert into clients (tenantId, clientId, name, type, secrets, redirectUris, postLogoutRedirectUris, webOrigins,
        signupDisabled, deviceFlow, thirdParty, idTokenAlgorithm, claimsInIdToken, accessTokenSeconds,
        refreshTokenIdle, refreshTokenAbsolute, replayWindow, createdAt)
      ${many} select ${tenantId}, 'many-' || i, 'Client ' || i, 'public', '[]', '["https://many.test/cb"]', '[]', '[]', 0,
        0, 0, 'RS256', 0, 60, 60000, 60000, 0, ${now} from numbers`,
    sql`insert into logoutNotices (tenantId, clientId, memberId, sessionId, state, attempts, nextAttemptAt, endedAt, doneAt)
      ${many} select ${tenantId}, 'pub1', 'member ' || i, 'session ' || i, 'delivered', 1, ${now}, ${now}, ${now}
      from numbers`,
    sql`insert into products (tenantId, name) ${many} select ${tenantId}, 'Product ' || i from numbers`,
    sql`insert into packageProducts (packageId, productId)
      select packages.id, products.id from packages join products on products.name = 'Product 1'
      where packages.name like 'Package %'`,
    sql`insert into contentChannels (tenantId, id, name, description)
      ${many} select ${tenantId}, 'channel-' || i, 'Channel ' || i, '' from numbers`,
    sql`insert into channelProducts (tenantId, channelId, productId)
      select contentChannels.tenantId, contentChannels.id, products.id
      from contentChannels join products on products.name = 'Product 1' where contentChannels.id like 'channel-%'`,
    sql`insert into customProperties (tenantId, key, type) ${many} select ${tenantId}, 'key-' || i, 'string' from numbers`,
    sql`insert into adminTokens (id, tenantId, name, secretHash, permissions, createdAt)
      ${many} select printf('019a7c1e-0000-7000-8000-%012d', i), ${tenantId}, 'Token ' || i, 'hash ' || i,
        '["audit:read"]', ${now} from numbers`,
  ];
  await service.store.transaction(async (tx) => {
    for (let made = 1; made <= count; made += 1) {
      await insertPackage(tx, tenantId, packageFacts({ name: `Package ${made}` }), []);
    }
    for (const statement of statements) await statement.execute(tx);
  });
}

beforeAll(async () => {
  const { id: tenantId } = tenantOf(service, tenant);
  const found = await service.store.transaction((tx) => findMemberByEmail(tx, tenantId, 'u1@example.test'));
  memberId = String(found?.member.id);
  const now = service.clock.now();
  await fillMember(service.store, { tenantId, memberId, clientId: 'pub1' }, now);
  await fillTenant(tenantId, now);
  const webhook = { tenant, name: 'CRM', url: 'https://crm.example.com/hook' };
  ({ webhookId } = await run<{ webhookId: string }>(service, 'webhooks.create', webhook));
  await service.store.transaction(async (tx) => {
    await sql`insert into seatGroups (subscriptionId, tenantId, seats)
      select id, tenantId, 10000 from subscriptions where tenantId = ${tenantId}`.execute(tx);
    await sql`insert into seats (id, tenantId, subscriptionId, state, email, invitedAt, expiresAt)
      ${many} select 'seat ' || i, ${tenantId}, 1, 'invited', i || '@school.example', ${now}, ${now + 1_000_000}
        from numbers`.execute(tx);
  });
  await service.store.transaction((tx) =>
    sql`insert into webhookDeliveries (tenantId, endpointId, kind, eventId, type, payload, state, attempts,
        nextAttemptAt, createdAt)
      ${many} select ${tenantId}, ${webhookId}, 'event', 'event ' || i, 'member.created', '{}', 'delivered', 1,
        ${now}, ${now} from numbers`.execute(tx),
  );
  portal = await newAdmin(service, tenant, 'sam@example.test', 'system_admin');
});

/** Every operation that answers a list of what there may be much of. Keys are few, and replaced by themselves. */
const lists = operations
  .filter(({ name }) => name.endsWith('.list') && name !== 'keys.list')
  .map(({ name, path }) => [name, path] as const);

const inputFor = (path: string) => ({
  ...(path.includes('{tenant}') ? { tenant } : {}),
  ...(path.includes('{memberId}') ? { memberId } : {}),
  ...(path.includes('{clientId}') ? { clientId: 'pub1' } : {}),
  ...(path.includes('{webhookId}') ? { webhookId } : {}),
  ...(path.includes('{subscriptionId}') ? { subscriptionId: 1 } : {}),
});

interface Page {
  readonly next: string | number | null;
}

describe('a tenant with thousands of everything', () => {
  it.each(lists)('F10: lists are read in pages, of a few rows each: %s', async (name, path) => {
    const input = inputFor(path);
    const { result, rows } = await rowsReadBy(() => run<Page>(service, name, input));
    expect(result).toHaveProperty('next');
    expect(rows).toBeLessThan(5 * listPage.default);
    const [items = []] = Object.values(result).filter(Array.isArray) as object[][];
    expect(items.length).toBeLessThanOrEqual(listPage.default);
  });

  it.each([
    ['clients.list', 'clientId'],
    ['products.list', 'id'],
    ['packages.list', 'id'],
    ['channels.list', 'id'],
    ['properties.list', 'key'],
    ['tokens.list', 'id'],
    ['subscriptions.list', 'subscriptionId'],
    ['groups.list', 'subscriptionId'],
  ])('F10: pages hold every entry once, and one alone is found: %s', async (name, key) => {
    const { path = '', input: { properties } = { properties: {} } } =
      operations.find((one) => one.name === name) ?? {};
    const seen: unknown[] = [];
    let after: object = {};
    for (;;) {
      const page = await run<Page>(service, name, { ...inputFor(path), ...after, limit: listPage.most });
      const [items = []] = Object.values(page).filter(Array.isArray) as Record<string, unknown>[][];
      seen.push(...items.map((item) => item[key]));
      if (page.next === null) break;
      after = { after: page.next };
    }
    expect(seen.length).toBeGreaterThanOrEqual(1_000);
    expect(new Set(seen).size).toBe(seen.length);
    const [own = ''] = Object.keys(properties).filter(
      (field) => !['tenant', 'memberId', 'after', 'limit'].includes(field),
    );
    const last = seen.at(-1);
    const alone = await run<Page>(service, name, { ...inputFor(path), [own]: last });
    const [items = []] = Object.values(alone).filter(Array.isArray) as Record<string, unknown>[][];
    expect(items.map((item) => item[key])).toEqual([last]);
  });

  it.each(lists)('F10: the portal shows pages of less than 60 KB: %s', async (_name, path) => {
    const url = `/admin${path.replace('{tenant}', tenant).replace('{memberId}', memberId).replace('{clientId}', 'pub1').replace('{webhookId}', webhookId).replace('{subscriptionId}', '1')}`;
    const { result: page, rows } = await rowsReadBy(() => portal.send(url));
    expect(page.status).toBe(200);
    expect(Buffer.byteLength(page.text)).toBeLessThan(accountPageBytes);
    expect(rows).toBeLessThan(10 * portalListLength);
    const next = /rel="next" href="(\?[^"]*)"/.exec(page.text)?.[1];
    if (next === undefined) return;
    const second = await portal.send(`${url}${plain(next)}`);
    expect(second.status).toBe(200);
    expect(Buffer.byteLength(second.text)).toBeLessThan(accountPageBytes);
    expect(second.text).not.toBe(page.text);
  });

  it('F10: a member’s page has the newest of each list, and leads to the rest', async () => {
    const url = `/admin/tenants/${tenant}/members/${memberId}`;
    const { result: page, rows } = await rowsReadBy(() => portal.send(url));
    expect(Buffer.byteLength(page.text)).toBeLessThan(accountPageBytes);
    expect(rows).toBeLessThan(400);
    for (const list of ['sign-ins', 'sessions', 'subscriptions'])
      expect(page.text).toContain(`href="${url}/${list}"`);
  });

  it.each([
    ['an overview', `/admin/tenants/${tenant}`],
    ['a form that offers too many to choose from', `/admin/tenants/${tenant}/packages/+create`],
    ['the form of an entry of a later page', `/admin/tenants/${tenant}/channels/channel-999/+define`],
  ])('F10: other pages of the portal stay small too: %s', async (_what, url) => {
    const { result: page, rows } = await rowsReadBy(() => portal.send(url));
    expect(page.status, url).toBe(200);
    expect(Buffer.byteLength(page.text)).toBeLessThan(accountPageBytes);
    expect(rows).toBeLessThan(1_000);
    if (url.includes('channel-999')) expect(page.text).toContain('Channel 999');
  });
});
