import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../../../../src/http/upkeep/prometheus.ts';
import { hosts, secrets } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { type ApiCall, adminToken, auditEvents, callApi } from '../../../support/operators/api.ts';
import { run, tenantIdOf } from '../../../support/operators/desk.ts';
import { useService } from '../../../support/use-service.ts';
import { token } from '../../../support/visitor.ts';

const apiHost = 'api.test';
const metrics = createMetrics();
const service = useService({ data: 'security', apiHost, trustedProxies: ['127.0.0.1'], metrics });
const { a: host, b } = hosts;
const path = `/tenants/${host}/products`;

const allow = (adminCallsPerTokenAndMinute: number | null, tenant: string = host) =>
  run(service, 'tenants.change', { tenant, limits: { adminCallsPerTokenAndMinute } });
const call = (secret: string, own: Partial<ApiCall> = {}) =>
  callApi(service, { path, token: secret, ...own });
const told = ({ status, headers }: Answer) => [status, headers.ratelimit, headers['ratelimit-policy']];

const clientToken = async (): Promise<string> => {
  const body = { grant_type: 'client_credentials', client_id: 'conf1', client_secret: secrets.conf1 };
  return String((await token(service, host, body)).json().access_token);
};

beforeAll(async () => {
  const serviceScopes = ['access:read', 'members:read'];
  await run(service, 'clients.change', {
    tenant: host,
    clientId: 'conf1',
    clientCredentials: true,
    serviceScopes,
  });
});

beforeEach(() => service.clock.advance(60_000));

describe('a token of the admin API', () => {
  it('is told with each answer what it may and what is left', async () => {
    const secret = await adminToken(service, { host, permissions: ['access:read', 'access:write'] });
    const policy = '"calls";q=3000;w=60';
    expect(told(await call(secret))).toEqual([200, '"calls";r=2999;t=60', policy]);
    service.clock.advance(10_000);
    const refused = [
      await call(secret, { path: `/tenants/${host}/members` }),
      await call(secret, { path: '/tenants/nowhere.test/products' }),
      await call(secret, { body: {} }),
      await call(secret, { body: 'x'.repeat(20_000) }),
      await call(secret, { path: `${path}?format=csv`, method: 'HEAD' }),
    ];
    expect(refused.map(told)).toEqual(
      [403, 404, 400, 413, 400].map((status, index) => [status, `"calls";r=${2_998 - index};t=50`, policy]),
    );
    const unknown = await call('mda_unknown');
    expect(told(unknown)).toEqual([401, undefined, undefined]);
  });

  it('is refused beyond the limit of its tenant, which says so where limits are told', async () => {
    await allow(2);
    const secret = await adminToken(service, { host });
    const before = (await auditEvents(service)).length;
    const answers = [
      await call(secret),
      await call(secret),
      await call(secret, { host: apiHost }),
      await call(secret),
    ];
    expect(answers.map(told)).toEqual(
      [
        [200, 1],
        [200, 0],
        [429, 0],
        [429, 0],
      ].map(([status, left]) => [status, `"calls";r=${left};t=60`, '"calls";q=2;w=60']),
    );
    expect(answers[2]?.headers['retry-after']).toBe('60');
    expect(answers[2]?.json().error).toBe('temporarily_unavailable');
    const lines = (await auditEvents(service))
      .slice(before)
      .map(({ event, tenantId, actorKind, reason }) => ({
        event,
        tenantId,
        actorKind,
        reason,
      }));
    const reason = 'too many calls of the admin API with one token, or by one client';
    const line = { event: 'limit_reached', tenantId: tenantIdOf(service, host), actorKind: 'token', reason };
    expect(lines).toEqual([line]);
    for (const tenant of [host, 'none']) {
      const series = `{tenant="${tenant}",limit="admin_calls",surface="admin_api"} 1`;
      expect((await metrics.text()).body).toContain(series);
    }
    service.clock.advance(60_000);
    expect(told(await call(secret))[0]).toBe(200);
    await allow(null);
    expect(told(await call(secret))).toEqual([200, undefined, undefined]);
  });

  it('for every tenant has a limit that none of them sets', async () => {
    await allow(1);
    const secret = await adminToken(service);
    await call(secret);
    expect(told(await call(secret))).toEqual([200, '"calls";r=2998;t=60', '"calls";q=3000;w=60']);
  });

  it('MC14: makes as many of 200 calls at once as it may, from whatever address and at whatever host', async () => {
    await allow(70);
    const secret = await adminToken(service, { host });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        call(secret, {
          host: index % 2 === 0 ? host : apiHost,
          path: index % 10 === 0 ? `/tenants/${b}/products` : path,
          method: index % 5 === 0 ? 'HEAD' : 'GET',
          headers: { 'x-forwarded-for': `198.51.100.${index}` },
        }),
      ),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(130);
    const left = answers.filter(({ status }) => status !== 429).map(({ headers }) => headers.ratelimit);
    expect(new Set(left).size).toBe(70);
  });

  it('MC15: has its own calls, and a client the same ones with whatever access token', async () => {
    await allow(3);
    await allow(3, b);
    const [one, other] = [await adminToken(service, { host }), await adminToken(service, { host })];
    const statuses = async (...secrets_: string[]) => {
      const answers: number[] = [];
      for (const secret of secrets_) answers.push((await call(secret)).status);
      return answers;
    };
    expect(await statuses(one, one, one, one, other)).toEqual([200, 200, 200, 429, 200]);
    const tokens = [await clientToken(), await clientToken(), await clientToken(), await clientToken()];
    expect(await statuses(...tokens)).toEqual([200, 200, 200, 429]);
    expect(await statuses(other)).toEqual([200]);
  });
});
