import type { FastifyRequest } from 'fastify';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditRefused } from '../../../src/http/audit.ts';
import { createRateLimiter } from '../../../src/storage/memory/rate-limit.ts';
import { setLimits } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { adminToken, auditEvents, callApi } from '../../support/operators/api.ts';
import { tenantIdOf } from '../../support/operators/desk.ts';
import { heapMegabytes } from '../../support/process/heap.ts';
import { now } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';
import { useService } from '../../support/use-service.ts';
import { token } from '../../support/visitor.ts';

const service = useService({ data: 'security', trustedProxies: ['127.0.0.1'] });
beforeAll(async () => {
  // A tenant may lift the limit that stops them sooner; what is written stays bounded.
  await setLimits(service, hosts.a, { failedClientAuthenticationsPerAddressAndMinute: null });
});
beforeEach(() => service.clock.advance(60_000));

/** One of the many addresses of a /48, each counted as another. */
const homeOf = (index: number) => `2001:db8:7:${index.toString(16)}::1`;

/** A refusal that concerns only its sender. */
const refuse = (address: string, host: string = hosts.a) =>
  token(
    service,
    host,
    { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'nobodys' },
    { 'x-forwarded-for': address },
  );

async function written(work: () => Promise<unknown>) {
  const before = (await auditEvents(service)).length;
  await work();
  return (await auditEvents(service)).slice(before);
}

const event = 'client_authentication_failed';
const more = (words: string) => `${event}: more than ${words}; the others are not written down`;
const reasons = (events: Awaited<ReturnType<typeof written>>) =>
  events.filter((one) => one.event === 'limit_reached').map(({ tenantId, reason }) => ({ tenantId, reason }));

describe('W11: a flood of refusals', () => {
  it('W11: from 50,000 networks in a minute stays within the bound of rows, and one that says so', async () => {
    const store = await storeWithMember();
    const rateLimiter = createRateLimiter(() => now);
    const deps = { store, rateLimiter, clock: () => now };
    const before = heapMegabytes();
    const refused = Array.from({ length: 50_000 }, (_, index) => {
      const address = homeOf(index);
      const from = { address, id: 'reference', headers: {} };
      const request = { ...from, tenant: { id: 'tenant-a' }, log: service.app.log } as FastifyRequest;
      // A request has limits of its own beside the bound: each network is counted more than once.
      rateLimiter.take(`grants ${address}`, 60, 60_000);
      return auditRefused(request, [{ event }], deps);
    });
    await Promise.all(refused.splice(0));
    expect(heapMegabytes() - before).toBeLessThan(20);
    const rows = await store.transaction((tx) =>
      tx.selectFrom('auditEvents').select(['event', 'reason']).execute(),
    );
    expect(rows.filter((row) => row.event === event)).toHaveLength(600);
    expect(rows.filter((row) => row.event !== event)).toEqual([
      { event: 'limit_reached', reason: more('600 a minute of one tenant') },
    ]);
    // What is counted of addresses is bounded: the first of them is forgotten by now, the last is not.
    expect(rateLimiter.look(`grants ${homeOf(0)}`, 1, 60_000)).toBeNull();
    expect(rateLimiter.look(`grants ${homeOf(49_999)}`, 1, 60_000)).toBe(60);
  });

  it('W11: from a /48 of addresses stays within 600 rows a minute of one tenant, and one that says so', async () => {
    const tenantId = tenantIdOf(service, hosts.a);
    const events = await written(async () => {
      await Promise.all(Array.from({ length: 650 }, (_, index) => refuse(homeOf(index))));
    });
    expect(events.filter((one) => one.event === event)).toHaveLength(600);
    expect(reasons(events)).toEqual([{ tenantId, reason: more('600 a minute of one tenant') }]);
    expect(events).toHaveLength(601);
    // Another tenant's are written all the same, and this one's after the minute.
    expect(await written(() => refuse(homeOf(1), hosts.b))).toMatchObject([{ event }]);
    expect(await written(() => refuse(homeOf(1)))).toEqual([]);
    service.clock.advance(60_000);
    expect(await written(() => refuse(homeOf(1)))).toMatchObject([{ event, tenantId }]);
  });

  it('W11: from one address leaves room for the refusals of the others', async () => {
    const tenantId = tenantIdOf(service, hosts.a);
    const events = await written(async () => {
      await Promise.all(Array.from({ length: 650 }, () => refuse(homeOf(1))));
    });
    expect(events).toHaveLength(61);
    expect(reasons(events)).toEqual([{ tenantId, reason: more('60 a minute from one address') }]);
    expect(await written(() => refuse(homeOf(2)))).toMatchObject([{ event }]);
  });

  it('W11: of a token counts for the tenant of the token, on whichever host it is sent', async () => {
    const revoked = await adminToken(service, { host: hosts.b, revoked: true });
    const tenantId = tenantIdOf(service, hosts.b);
    const events = await written(async () => {
      const call = (index: number) => {
        const headers = { 'x-forwarded-for': homeOf(index) };
        return callApi(service, { path: '/tenants', token: revoked, host: hosts.a, headers });
      };
      await Promise.all(Array.from({ length: 650 }, (_, index) => call(index)));
    });
    expect(events.filter((one) => one.event === 'admin_denied')).toHaveLength(600);
    expect(new Set(events.map((one) => one.tenantId))).toEqual(new Set([tenantId]));
    expect(events).toHaveLength(601);
  });
});
