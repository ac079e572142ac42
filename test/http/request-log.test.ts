import { describe, expect, it } from 'vitest';
import { hosts } from '../support/fixtures.ts';
import { apps, profile, refreshAs, tokensOf } from '../support/tokens.ts';
import { useService } from '../support/use-service.ts';

const apiHost = 'api.test';
const service = useService({ data: 'security', apiHost });

/** The lines of requests that some work left in the log. */
async function linesOf(work: () => Promise<unknown>): Promise<readonly Record<string, unknown>[]> {
  const since = service.logLines.length;
  await work();
  return service.logLines
    .slice(since)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'request');
}

describe('the line of a request', () => {
  it('logs: has a level by name, an ISO time, the tenant by name and id, and the client', async () => {
    const { id: tenantId, name } = service.tenants.byHost(hosts.a) ?? {};
    const lines = await linesOf(() => tokensOf(service, hosts.a, apps.conf1));
    const exchange = lines.find(({ route }) => route === '/api/oidc/token');
    expect(exchange).toMatchObject({ level: 'info', tenant: name, tenantId, clientId: 'conf1', status: 200 });
    expect(new Date(String(exchange?.time)).toISOString()).toBe(exchange?.time);
    const asked = lines.filter(({ route }) => route === '/api/oidc/auth');
    expect(asked.length).toBeGreaterThan(0);
    for (const line of asked) expect(line).toMatchObject({ tenantId, clientId: 'conf1' });
  });

  it('logs: has no client that did not prove itself', async () => {
    const wrong = { ...apps.conf1, secret: 'wrong' };
    const [line] = await linesOf(() => refreshAs(service, hosts.a, wrong, 'no token'));
    expect(line).toMatchObject({ status: 401 });
    expect(line).not.toHaveProperty('clientId');
  });

  it("logs: on the API's own host, names the tenant and the client of the token", async () => {
    const { access_token } = await tokensOf(service, hosts.b, apps.pub1);
    const [line] = await linesOf(() => profile(service, apiHost, access_token));
    const tenantId = service.tenants.byHost(hosts.b)?.id;
    expect(line).toMatchObject({ status: 200, tenantId, clientId: 'pub1' });
  });

  it('logs: has the reference that a JSON answer carries', async () => {
    const answers = await Promise.all([
      service.http(hosts.a, '/api/no/such/address'),
      service.http(hosts.a, '/api/oidc/token', { body: { grant_type: 'refresh_token' } }),
      service.http(hosts.a, '/api/v1/admin/tenants'),
      service.http(hosts.a, '/api/v1/members/profile/info-with-active-subscriptions'),
    ]);
    const references = answers.map(({ headers }) => String(headers['request-id']));
    expect(new Set(references).size).toBe(4);
    const logged = service.logLines.map((line) => JSON.parse(line).reqId);
    expect(logged).toEqual(expect.arrayContaining(references));
  });
});
