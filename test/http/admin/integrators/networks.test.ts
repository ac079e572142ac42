import { beforeAll, describe, expect, it } from 'vitest';
import { type ApiCall, adminToken, callApi, expectRefusal } from '../../../support/operators/api.ts';
import { beginWorld, type World } from '../../../support/operators/world.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });
let world: World;
let whole: string;
let paywall: string;

const call = (facts: ApiCall) => callApi(service, facts);
const tenant = '/tenants/networks.test';

beforeAll(async () => {
  world = await beginWorld(service, 'networks.test');
  whole = await adminToken(service);
  paywall = await adminToken(service, { host: 'networks.test', permissions: ['channels:check'] });
  for (const channelId of ['sport-live', 'sport-archive']) {
    await world.operate('channels.define', { channelId, name: channelId, productIds: [world.productId] });
  }
  await world.operate('channels.define', { channelId: 'news', name: 'News', productIds: [] });
});

const open = async (ip: string, token = paywall) =>
  call({ path: `${tenant}/open-channels?ip=${encodeURIComponent(ip)}`, token });
const setNetworks = (networks: readonly string[], at = tenant, packageId = world.packageId) =>
  call({ method: 'PATCH', path: `${at}/packages/${packageId}`, body: { networks }, token: whole });

describe('what is open for a network', () => {
  it('is what a package opens that has the range, from the moment on when it has it', async () => {
    expect((await open('8.8.8.8')).json()).toEqual({ ip: '8.8.8.8', channels: [] });
    const changed = await setNetworks(['8.8.8.0/24', '2A00:1450:0::/32', '::ffff:9.9.9.9']);
    const kept = ['8.8.8.0/24', '2a00:1450::/32', '9.9.9.9/32'];
    expect(changed.json().networks).toEqual(kept);
    const grantedBy = { packageId: world.packageId, productId: world.productId, network: '8.8.8.0/24' };
    const channels = ['sport-archive', 'sport-live'].map((id) => ({ id, name: id, grantedBy }));
    expect((await open('8.8.8.8')).json()).toEqual({ ip: '8.8.8.8', channels });
    expect((await open('::FFFF:8.8.8.8')).json()).toEqual({ ip: '8.8.8.8', channels });
    const opened = async (ip: string) => ((await open(ip)).json().channels as unknown[]).length;
    expect(await opened('2a00:1450:ffff::1')).toBe(2);
    expect([await opened('8.8.9.8'), await opened('2a00:1451::1'), await opened('::8.8.8.8')]).toEqual([
      0, 0, 0,
    ]);
    await setNetworks([]);
    expect(await opened('8.8.8.8')).toBe(0);
  });

  it('MC4: is told to a token that may ask for it, of its own tenant, for an address that is one', async () => {
    const others = await adminToken(service, {
      host: 'networks.test',
      permissions: ['access:read', 'members:read'],
    });
    expectRefusal(await open('8.8.8.8', others), 403, 'insufficient_scope');
    const ofA = await adminToken(service, { host: 'a.test' });
    expectRefusal(await open('8.8.8.8', ofA), 404, 'not_found');
    expectRefusal(await call({ path: `${tenant}/packages`, token: paywall }), 403, 'insufficient_scope');
    for (const ip of ['', 'localhost', '8.8.8.0/24', '08.8.8.8', '[::1]', "1' or '1'='1"]) {
      const answer = await open(ip);
      expectRefusal(answer, 400, 'invalid_request');
      expect(answer.json().problems, ip).toEqual([expect.objectContaining({ path: ['ip'] })]);
    }
  });

  it('MC2, MC3: is nothing wide, private or malformed, each told by its place', async () => {
    const wrong = ['8.8.8.0/24', '0.0.0.0/0', '10.0.0.0/8', 'all', '8.8.8.8/8'];
    const answer = await setNetworks(wrong);
    expect(answer.status).toBe(400);
    const problems = answer.json().problems as { path: string[]; code: string }[];
    expect(problems.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual([
      'networks.1 network_too_wide',
      'networks.2 network_not_public',
      'networks.3 not_a_network',
      'networks.4 network_begins_elsewhere',
    ]);
    const many = Array.from({ length: 201 }, (_, index) => `8.8.${index}.0/24`);
    expect((await setNetworks(many)).json().problems).toMatchObject([
      { path: ['networks'], code: 'too_many' },
    ]);
    expect((await setNetworks(many.slice(0, 200))).status).toBe(200);
  });
});
