import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/admin/index.ts';
import { registerClient } from '../../src/operations/client/client.ts';
import { systemRandom } from '../../src/system/random.ts';
import { forgetWrongCodes, setLimits, unlimited } from '../support/device.ts';
import { hosts } from '../support/fixtures.ts';
import { patience } from '../support/fuzz/runs.ts';
import {
  type Artefact,
  artefacts,
  type Cell,
  expectForeign,
  nameOf,
  saidBy,
  scrambled,
} from '../support/fuzz/tenants/cell.ts';
import { checkoutCells, prepareCheckout } from '../support/fuzz/tenants/checkout-cells.ts';
import { mailCells } from '../support/fuzz/tenants/mail-cells.ts';
import { oidcCells } from '../support/fuzz/tenants/oidc-cells.ts';
import { expectForeignThing, namings, otherNames } from '../support/fuzz/tenants/operation-cells.ts';
import { ownCells, prepareTokens } from '../support/fuzz/tenants/own-cells.ts';
import { prepareProviders, providerCells } from '../support/fuzz/tenants/provider-cells.ts';
import { registrationCells } from '../support/fuzz/tenants/registration-cells.ts';
import { tables, taken } from '../support/fuzz/tenants/routes-table.ts';
import { portalForm, sealCells } from '../support/fuzz/tenants/seal-cells.ts';
import { browserWith, password, type Side, sideOf } from '../support/fuzz/tenants/side.ts';
import { wayCells } from '../support/fuzz/tenants/way-cells.ts';
import { adminToken, callApi } from '../support/operators/api.ts';
import { run } from '../support/operators/desk.ts';
import { beginWorld, type World } from '../support/operators/world.ts';
import { allRows } from '../support/records/rows.ts';
import { type Route, useRoutes } from '../support/routes.ts';
import { tokensFor } from '../support/visitor.ts';

const { service, routes } = useRoutes({ data: 'security' });
let hash: string;
let pairs = 0;

beforeAll(async () => {
  hash = await service.passwords.hash(password);
  for (const host of [hosts.a, hosts.b]) {
    const tenantId = service.tenants.byHost(host)?.id ?? '';
    await service.store.transaction(async (tx) => {
      const each = {
        name: 'Each its own',
        redirectUris: ['https://each.test/cb'],
        deviceFlow: true,
        pushedRequests: 'allowed',
      } as const;
      await registerClient(
        tx,
        tenantId,
        { ...each, clientId: 'each', type: 'confidential', secret: `secret at ${host}` },
        0,
      );
      const only = {
        name: 'Only here',
        redirectUris: ['https://only.test/cb'],
        postLogoutRedirectUris: ['https://only.test/out'],
        pushedRequests: 'allowed',
      } as const;
      await registerClient(
        tx,
        tenantId,
        { ...only, clientId: `only-${host.charAt(0)}`, type: 'public', deviceFlow: true },
        0,
      );
    });
    await run(service, 'clients.change', { tenant: host, clientId: 'pub1', pushedRequests: 'allowed' });
    await run(service, 'tenants.change', {
      tenant: host,
      passkeys: 'on',
      emailCodes: 'beside',
      secondFactor: 'optional',
    });
    await prepareProviders(service, tenantId, host);
    await setLimits(service, host, unlimited);
  }
});

/** Two members, one on each tenant, in browsers that carry the same cookie of their own. */
async function sides(home: string, elsewhere: string, needsTokens = false): Promise<readonly [Side, Side]> {
  await forgetWrongCodes(service);
  service.clock.advance(61 * 60_000);
  const shared = { browserSecret: systemRandom.secret(), passwordHash: hash };
  const both = [await sideOf(service, home, shared), await sideOf(service, elsewhere, shared)] as const;
  for (const side of both) {
    await prepareCheckout(side);
    if (needsTokens) await prepareTokens(side);
  }
  return both;
}

const cells: readonly Cell[] = [
  ...oidcCells,
  ...sealCells,
  ...registrationCells,
  ...checkoutCells,
  ...mailCells,
  ...ownCells,
  ...wayCells,
  ...providerCells,
  portalForm('POST /admin/sign-out', () => '/admin/sign-out'),
  portalForm('POST /admin/proof', () => '/admin/proof'),
];

describe('X1: what one tenant issued is to the other tenant like what was never issued:', () => {
  it.each(cells.map((cell) => ({ name: nameOf(cell), cell })))('$name', async ({ cell }) => {
    const [home, elsewhere] = await sides(
      hosts.a,
      hosts.b,
      ['consent id', 'member id'].includes(cell.artefact),
    );
    await expectForeign(cell, home, elsewhere);
    pairs += 2;
  });
});

const sent = (routes_: readonly Route[]) =>
  routes_.filter(({ method }) => method === 'GET' || method === 'POST');

/** What a browser brings with every request, to whichever route. */
const carried: readonly Artefact[] = ['session cookie', 'portal session cookie', 'browser cookie'];

describe('X1, X5: at every route', () => {
  it(
    'the other tenant’s cookies are like cookies that were never set',
    async () => {
      const [home, elsewhere] = await sides(hosts.a, hosts.b);
      const cookiesOf = (change: (value: string) => string) =>
        Object.fromEntries([...home.browser.cookies].map(([name, value]) => [name, change(value)]));
      const genuine = cookiesOf((value) => value);
      const madeUp = cookiesOf(scrambled);
      expect(Object.keys(genuine)).toHaveLength(carried.length);
      const values = [genuine, madeUp].flatMap((cookies) => Object.values(cookies));
      const before = await allRows(service);
      for (const { method, url } of sent(routes)) {
        const path = url.replace(/:tenant\b/, 'b.test').replace(/:\w+|\*/g, 'none');
        const body = method === 'POST' ? { body: { token: 'none' } } : {};
        const answers = [];
        for (const cookies of [genuine, madeUp]) {
          answers.push(saidBy(await browserWith(elsewhere, cookies).send(path, { method, ...body }), values));
        }
        expect(answers[0], `${method} ${url}`).toEqual(answers[1]);
        pairs += carried.length;
      }
      expect(await allRows(service)).toEqual(before);
      for (const path of ['/account', '/admin/tenants/a.test'])
        expect((await home.browser.send(path)).status).toBe(200);
    },
    patience,
  );

  it(
    'of the portal, another tenant is as one that there is not',
    async () => {
      const [home] = await sides(hosts.a, hosts.b);
      const before = await allRows(service);
      for (const { method, url } of sent(routes).filter((route) =>
        route.url.startsWith('/admin/tenants/:tenant'),
      )) {
        const answers = [];
        for (const host of ['b.test', 'z.test']) {
          const path = url.replace(':tenant', host).replace(/:\w+/g, '1');
          const cell = portalForm(`${method} ${url}`, () => path);
          const answer = method === 'GET' ? home.browser.send(path) : cell.use(home, hosts.a);
          answers.push(saidBy(await answer, [host]));
        }
        expect(answers[0], `${method} ${url}`).toEqual(answers[1]);
        pairs += 1;
      }
      expect(await allRows(service)).toEqual(before);
    },
    patience,
  );

  it(
    'of the admin API, another tenant is as one that there is not, and a token of another tenant no help',
    async () => {
      const token = await adminToken(service, { host: hosts.a });
      const before = await allRows(service);
      for (const { method, path: pattern } of operations.filter(({ path }) =>
        path.startsWith('/tenants/{tenant}'),
      )) {
        const answers = [];
        for (const tenant of ['b.test', 'z.test']) {
          const path = pattern.replace('{tenant}', tenant).replace(/\{\w+\}/g, '1');
          const body = method === 'GET' ? {} : { body: {} };
          service.clock.advance(61_000);
          answers.push(
            saidBy(await callApi(service, { method, path, token, host: hosts.b, ...body }), [tenant]),
          );
        }
        expect(answers[0], `${method} ${pattern}`).toEqual(answers[1]);
        pairs += 1;
      }
      expect(await allRows(service)).toEqual(before);
      expect((await callApi(service, { path: '/tenants/a.test', token, host: hosts.b })).status).toBe(200);
    },
    patience,
  );

  it(
    'the other tenant’s access token gives nothing, but for the member API, where it is its own',
    async () => {
      const [home, elsewhere] = await sides(hosts.a, hosts.b);
      const { access_token: genuine } = await tokensFor(service, home.host, {}, home.browser);
      const before = await allRows(service);
      for (const { method, url } of sent(routes)) {
        const path = url.replace(/:tenant\b/, 'b.test').replace(/:\w+|\*/g, 'none');
        if (url.startsWith('/api/v1/members/')) continue;
        const answers = [];
        for (const value of [genuine, scrambled(genuine)]) {
          service.clock.advance(61_000);
          const headers = { authorization: `Bearer ${value}` };
          const answer = await service.http(elsewhere.host, path, {
            method,
            headers,
            ...(method === 'POST' ? { body: {} } : {}),
          });
          answers.push(saidBy(answer, [value]));
        }
        expect(answers[0], `${method} ${url}`).toEqual(answers[1]);
        pairs += 1;
      }
      expect(await allRows(service)).toEqual(before);
    },
    patience,
  );
});

describe('A17: a thing of another tenant is to every operation as one that there is not:', () => {
  let here: World;
  let elsewhere: World;
  beforeAll(async () => {
    here = await beginWorld(service, 'here.test');
    elsewhere = otherNames(await beginWorld(service, 'elsewhere.test'));
  });

  it.each(namings.map((naming) => ({ name: `${naming.operation.name}, ${naming.field}`, naming })))(
    '$name',
    async ({ naming }) => {
      for (const isToken of [false, true]) {
        await expectForeignThing(naming, here, elsewhere, isToken);
        pairs += 1;
      }
    },
  );
});

describe('the table', () => {
  const isOfOperation = (url: string) =>
    /^\/(?:admin|api\/v1\/admin)\/(?:tenants|tokens|audit|tenant-file)\b/.test(url) ||
    /^(?:\/admin)?\/assets\//.test(url);

  it('lists every route of the service, and no other', () => {
    const known = new Set(routes.map(({ url }) => url).filter((url) => !isOfOperation(url)));
    expect([...known].sort()).toEqual(Object.keys(taken).sort());
  });

  it('has a cell for every artefact that a route takes, and every artefact is taken somewhere', () => {
    const urlOf = ({ route }: Cell) => route.slice(route.indexOf(' ') + 1);
    for (const [url, all] of Object.entries(taken)) {
      const tried = new Set(cells.filter((cell) => urlOf(cell) === url).map(({ artefact }) => artefact));
      expect([...tried].sort(), url).toEqual([...all].sort());
    }
    const everywhere: readonly Artefact[] = ['admin API token', 'thing of an operation', ...carried];
    const used = new Set([...everywhere, ...cells.map(({ artefact }) => artefact)]);
    expect([...used].sort()).toEqual([...artefacts].sort());
  });

  it('names what leads to the rows of every table that belong to a tenant', async () => {
    const found = await service.store.transaction((tx) =>
      sql<{ name: string }>`
        select distinct m.name from sqlite_master m join pragma_table_info(m.name) c
        where m.type = 'table' and c.name = 'tenantId' order by m.name
      `.execute(tx),
    );
    expect(found.rows.map(({ name }) => name)).toEqual(Object.keys(tables).sort());
  });

  it('was tried in more than 1,800 pairs', () => {
    expect(pairs).toBeGreaterThan(1_800);
  });
});
