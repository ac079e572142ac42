import { beforeAll, describe, expect, it } from 'vitest';
import type { Permission } from '../../../../src/core/operators/permission.ts';
import { type ApiCall, adminToken, callApi, expectRefusal } from '../../../support/operators/api.ts';
import { beginWorld, type World } from '../../../support/operators/world.ts';
import { useService } from '../../../support/use-service.ts';
import { token } from '../../../support/visitor.ts';

const host = 'machines.test';
const service = useService({ data: 'security' });
let world: World;
let subscriptionId: number;

const tenant = `/tenants/${host}`;

/** A client of its own with these permissions. @returns its client_id and secret */
async function clientWith(serviceScopes: readonly Permission[]) {
  const clientId = world.fresh('machine');
  const facts = { clientId, name: clientId, type: 'confidential', clientCredentials: true, serviceScopes };
  const { secret } = await world.operate<{ secret: string }>('clients.create', facts);
  return { client_id: clientId, client_secret: secret };
}

type Client = Awaited<ReturnType<typeof clientWith>>;

/** An access token of such a client, for all that it may or for less. */
async function accessToken(client: Client, scope?: string): Promise<string> {
  const asked = scope === undefined ? {} : { scope };
  const answer = await token(service, host, { grant_type: 'client_credentials', ...client, ...asked });
  return String(answer.json().access_token);
}

/** The ways to call with some permissions and no more. */
const callers = {
  'an API token': (granted: readonly Permission[]) => adminToken(service, { host, permissions: granted }),
  'a client': async (granted: readonly Permission[]) => accessToken(await clientWith(granted)),
  'a client that asked for less': async (granted: readonly Permission[]) =>
    accessToken(
      await clientWith(['access:read', 'access:write', 'channels:check', ...everything]),
      granted.join(' '),
    ),
};
const everything = ['members:read', 'members:write', 'subscriptions:read', 'subscriptions:write'] as const;

interface Deed {
  readonly needs: readonly Permission[];
  readonly call: () => ApiCall;
}

const member = (more: object = {}) => ({
  fullName: 'Bo Berg',
  email: `${world.fresh('bo')}@machines.test`,
  ...more,
});

/** What an integrator does, and all that it needs. */
const deeds: Readonly<Record<string, Deed>> = {
  'filters members': {
    needs: ['members:read'],
    call: () => ({ path: `${tenant}/members?sort=updatedAt&filter[consents][newsletter][eq]=withdrawn` }),
  },
  'filters members by their subscriptions': {
    needs: ['members:read', 'subscriptions:read'],
    call: () => ({ path: `${tenant}/members?filter[subscription][properties][seats][gte]=1` }),
  },
  'creates a member': {
    needs: ['members:write'],
    call: () => ({ path: `${tenant}/members`, body: member() }),
  },
  'creates a member with a subscription': {
    needs: ['members:write', 'subscriptions:write'],
    call: () => ({
      path: `${tenant}/members`,
      body: member({ subscription: { packageId: world.packageId } }),
    }),
  },
  'changes properties of a subscription': {
    needs: ['subscriptions:write'],
    call: () => ({
      method: 'PATCH',
      path: `${tenant}/subscriptions/${subscriptionId}/properties`,
      body: { values: { seats: 4 } },
    }),
  },
  'answers a consent': {
    needs: ['members:write'],
    call: () => ({
      method: 'PUT',
      path: `${tenant}/members/${world.memberId}/consents`,
      body: { consentId: 'newsletter', status: 'accepted' },
    }),
  },
  'opens a package for a network': {
    needs: ['access:write'],
    call: () => ({
      method: 'PATCH',
      path: `${tenant}/packages/${world.packageId}`,
      body: { networks: ['8.8.8.0/24'] },
    }),
  },
  'asks what is open for a network': {
    needs: ['channels:check'],
    call: () => ({ path: `${tenant}/open-channels?ip=8.8.8.8` }),
  },
};

beforeAll(async () => {
  world = await beginWorld(service, host);
  await world.operate('consents.define', { consentId: 'newsletter', name: 'Newsletter' });
  const held = { memberId: world.memberId, packageId: world.packageId, customPropertyValues: { seats: 3 } };
  ({ subscriptionId } = await world.operate<{ subscriptionId: number }>('subscriptions.create', held));
});

describe.each(Object.entries(callers))('MC7: %s', (_caller, tokenWith) => {
  it.each(Object.entries(deeds))(
    '%s with the permissions for it, and with less does not',
    async (_deed, deed) => {
      const { needs, call } = deed;
      const all = await callApi(service, { ...call(), token: await tokenWith(needs) });
      expect(all.status, all.text).toBe(200);
      for (const missing of needs) {
        const others = Object.values(deeds).flatMap((other) => other.needs);
        const less = [...new Set(others)].filter((permission) => permission !== missing);
        const refused = await callApi(service, { ...call(), token: await tokenWith(less) });
        expectRefusal(refused, 403, 'insufficient_scope');
        expect(refused.json().error_description).toContain(missing);
      }
    },
  );
});

describe('a client in its own name', () => {
  it('MC9: has one idempotency key with all its access tokens, and another client another one', async () => {
    const [one, other] = [await clientWith(['members:write']), await clientWith(['members:write'])];
    const body = member();
    const add = async (client: Client) => {
      const headers = { 'idempotency-key': 'once' };
      return callApi(service, { path: `${tenant}/members`, body, headers, token: await accessToken(client) });
    };
    const [first, again] = [await add(one), await add(one)];
    expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
    expectRefusal(await add(other), 409, 'conflict');
  });

  it('MC7: does nothing of another tenant, and loses at once what its operator takes', async () => {
    const client = await clientWith(everything);
    const jwt = await accessToken(client);
    for (const path of ['/tenants/a.test/members', '/tenants/a.test/open-channels?ip=8.8.8.8']) {
      expectRefusal(await callApi(service, { path, token: jwt }), 404, 'not_found');
    }
    const create = { path: `${tenant}/members`, token: jwt };
    const subscription = { packageId: world.packageId };
    expect((await callApi(service, { ...create, body: member({ subscription }) })).status).toBe(200);
    const serviceScopes = ['members:write'];
    await world.operate('clients.change', { clientId: client.client_id, serviceScopes });
    expectRefusal(
      await callApi(service, { ...create, body: member({ subscription }) }),
      403,
      'insufficient_scope',
    );
    expect((await callApi(service, { ...create, body: member() })).status).toBe(200);
  });
});
