import { describe, expect, it } from 'vitest';
import { profileOf } from '../../../src/core/access/profile.ts';
import { sessionLife } from '../../../src/core/limits.ts';
import { sightOf } from '../../../src/core/oidc/scope.ts';
import { developmentMembers } from '../../../src/operations/development/members.ts';
import { listSubscriptions } from '../../../src/storage/access/subscription.ts';
import { answerAt, apiOf } from '../../support/api.ts';
import { hosts } from '../../support/fixtures.ts';
import { apps, claimsOf, expectBadToken, profile, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { visitor } from '../../support/visitor.ts';

const apiHost = 'api.test';
const second = 1_000;
const day = 24 * 3_600 * second;

const service = useService({ data: 'security', apiHost });
const development = useService({ data: 'development' });

const developmentToken = async (email: string, tenant = 'localhost') => {
  const host = `${tenant}:${development.port}`;
  return { host, token: (await tokensOf(development, host, apps.spa, { email })).access_token };
};

const developmentProfile = async (email: string) => {
  const { host, token } = await developmentToken(email);
  const answer = await profile(development, host, token);
  expect(answer.status, answer.text).toBe(200);
  return answer.json<Profile>();
};

interface Profile extends Record<string, unknown> {
  readonly subscriptions: readonly Record<string, unknown>[];
}

const isoTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const noAddress = {
  line1: null,
  city: null,
  postCode: null,
  postOffice: null,
  country: null,
  name: null,
  email: null,
};

const subscription = (packageName: string, products: string[], customPropertyValues = {}) => ({
  subscriptionId: expect.any(Number),
  packageId: expect.any(Number),
  packageName,
  status: 'active',
  createdAt: isoTime,
  activatedAt: isoTime,
  expiresAt: isoTime,
  subscriptionProducts: products.map((name) => ({ id: expect.any(Number), name, hasAccess: true })),
  customPropertyValues,
});

const member = (fields: Record<string, unknown>) => ({
  id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
  userType: 'member',
  userId: expect.any(Number),
  phone: '',
  avatar: null,
  nickName: '',
  memberNumber: expect.any(Number),
  address: noAddress,
  subscriptions: [],
  ...fields,
});

const everything = ['News', 'Sport', 'Film'];
const members = {
  'ada@example.com': member({
    fullName: 'Ada Nilsen',
    email: 'ada@example.com',
    nickName: 'Ada',
    phone: '+4791234567',
    address: {
      line1: 'Storgata 1',
      city: 'Oslo',
      postCode: '0155',
      postOffice: 'Oslo',
      country: 'NO',
      name: 'Ada Nilsen',
      email: 'ada@example.com',
    },
    subscriptions: [
      subscription('Acme Everything', everything, { seats: 2, source: 'spring campaign' }),
      subscription('Daily News', ['News archive']),
    ],
  }),
  'bo@example.com': member({
    fullName: 'Bo Berg',
    email: 'bo@example.com',
    nickName: 'Bo',
    phone: '+46701740605',
    address: { ...noAddress, country: 'SE' },
  }),
  'cy@example.com': member({
    fullName: 'Cy Young',
    email: 'cy@example.com',
    phone: '+12025550123',
    address: { ...noAddress, country: 'US' },
  }),
  'dee@example.com': member({
    fullName: 'Dee 🦊 Fox',
    email: 'dee@example.com',
    phone: '+442079460958',
    subscriptions: [
      subscription('Acme Everything', everything, {
        shoeSize: 42.5,
        visits: 0,
        motto: 'Always "on" time',
        renewedAt: '2026-01-31T23:59:59.999Z',
      }),
    ],
  }),
  'tina@example.com': member({
    fullName: 'Tina Admin',
    email: 'tina@example.com',
    phone: '+4740000001',
    address: { ...noAddress, country: 'NO' },
    userType: 'tenant_admin',
  }),
  'sam@example.com': member({
    fullName: 'Sam Admin',
    email: 'sam@example.com',
    phone: '+4740000002',
    address: { ...noAddress, country: 'NO' },
    userType: 'system_admin',
  }),
  'gro+tv@example.com': member({
    fullName: 'Gro Li',
    email: 'gro+tv@example.com',
    phone: '+4740000003',
    address: { ...noAddress, country: 'NO' },
    nickName: 'Gro "the TV" Li',
    avatar: 'https://example.com/avatars/gro.png',
    subscriptions: [subscription('Acme Everything', everything)],
  }),
  'huda@example.com': member({
    fullName: 'هدى منصور',
    email: 'huda@example.com',
    phone: '+971501234567',
    address: { ...noAddress, line1: 'شارع الشيخ زايد', city: 'دبي', country: 'AE' },
    subscriptions: [subscription('Daily News', ['News archive'])],
  }),
  'max@example.com': member({
    fullName: 'Max Upper',
    email: 'MAX@Example.com',
    phone: '+48501234567',
    address: { ...noAddress, country: 'PL' },
  }),
};

describe('the fields of the contract', () => {
  it.each(Object.entries(members))(
    'M1: the profile of %s has exactly the fields and types of the contract',
    async (email, expected) => {
      expect(await developmentProfile(email)).toEqual(expected);
    },
  );

  it('M1: times of a subscription are UTC with milliseconds, and are those of the subscription', async () => {
    const [first] = (await developmentProfile('ada@example.com')).subscriptions;
    const [createdAt = 0, activatedAt = 0, expiresAt = 0] = ['createdAt', 'activatedAt', 'expiresAt'].map(
      (name) => Date.parse(String(first?.[name])),
    );
    expect(activatedAt - createdAt).toBe(10 * day);
    expect(expiresAt - activatedAt).toBe(365 * day);
  });

  it('M1: id is the sub of the tokens, and the same address is another member on another tenant', async () => {
    const ids = await Promise.all(
      ['localhost', '127.0.0.1'].map(async (tenant) => {
        const { host, token } = await developmentToken('ada@example.com', tenant);
        const { id } = (await profile(development, host, token)).json();
        expect(id).toBe(claimsOf(token).sub);
        return id;
      }),
    );
    expect(new Set(ids).size).toBe(2);
  });

  it('M19: the schema adds nothing, drops nothing and changes nothing of what the core says', async () => {
    const acme = apiOf(development, 'localhost');
    for (const { email } of developmentMembers.filter(({ status }) => status !== 'disabled')) {
      const member = await acme.member(email);
      const said = await development.store.transaction(async (tx) =>
        profileOf(member, await listSubscriptions(tx, member.id), sightOf(true, ''), development.clock.now()),
      );
      expect((await acme(email, '/info-with-active-subscriptions')).text).toBe(JSON.stringify(said));
    }
  });

  it('M19: the answer is JSON in UTF-8, not stored, not sniffed', async () => {
    const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const { headers } = await profile(service, hosts.a, token);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(headers['cache-control']).toBe('private, no-store');
    expect(headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('active subscriptions', () => {
  it('a subscription is listed 1 ms before it expires and gone when it does', async () => {
    const before = await tokensOf(service, hosts.a, apps.pub1);
    const [listed] = (await profile(service, hosts.a, before.access_token)).json<Profile>().subscriptions;
    const expiresAt = Date.parse(String(listed?.expiresAt));
    service.clock.set(expiresAt - 60 * second);
    const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const subscriptionsAt = async (ms: number) =>
      (await answerAt(service, ms, () => profile(service, hosts.a, token))).json<Profile>().subscriptions;
    expect(await subscriptionsAt(expiresAt - 1)).toEqual([listed]);
    expect(await subscriptionsAt(expiresAt)).toEqual([]);
  });

  it('a subscription that starts tomorrow is listed tomorrow, and never one that ran out', async () => {
    const started = development.clock.now();
    expect((await developmentProfile('cy@example.com')).subscriptions).toEqual([]);
    development.clock.set(started + day);
    expect((await developmentProfile('cy@example.com')).subscriptions).toEqual([
      subscription('Daily News', ['News archive']),
    ]);
  });
});

describe("the API's own host", () => {
  it('decision 2: it answers for every tenant; the tenant is the one that issued the token', async () => {
    for (const host of [hosts.a, hosts.b]) {
      const { access_token: token } = await tokensOf(service, host, apps.pub1);
      const answer = await profile(service, apiHost, token);
      expect(answer.status).toBe(200);
      expect(answer.json().id).toBe(claimsOf(token).sub);
    }
  });

  it("decision 2: any tenant's own host answers for a token of another tenant too", async () => {
    const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1);
    const answer = await profile(service, hosts.b, token);
    expect([answer.status, answer.json().id]).toEqual([200, claimsOf(token).sub]);
  });

  it('decision 2: it serves the member API alone', async () => {
    for (const path of [
      '/.well-known/openid-configuration',
      '/api/oidc/jwks',
      '/api/oidc/me',
      '/api/oidc/auth',
      '/sign-in',
      '/account',
    ]) {
      expect((await service.http(apiHost, path)).status, path).toBe(404);
    }
  });
});

describe('tokens without offline_access', () => {
  const boundTokens = async () => {
    const browser = visitor(service, hosts.a);
    const tokens = await tokensOf(service, hosts.a, apps.pub1, { browser, more: { scope: 'openid' } });
    return { browser, token: tokens.access_token };
  };
  const userinfo = (token: string) =>
    service.http(hosts.a, '/api/oidc/me', { headers: { authorization: `Bearer ${token}` } });

  it('decision 27: they die with the browser session, within the same second', async () => {
    const { browser, token } = await boundTokens();
    expect((await profile(service, hosts.a, token)).status).toBe(200);
    expect((await userinfo(token)).status).toBe(200);
    const endedAt = service.clock.now();
    await browser.send('/api/oidc/session/end?client_id=pub1');
    expectBadToken(await profile(service, hosts.a, token));
    expectBadToken(await userinfo(token));
    expect(service.clock.now() - endedAt).toBeLessThan(second);
  });

  it('decision 27: they die when the session reaches its 90 days', async () => {
    const { browser } = await boundTokens();
    const begunAt = service.clock.now();
    for (let age = 10 * day; age < sessionLife.member.absolute; age += 10 * day) {
      service.clock.set(begunAt + age);
      expect((await browser.send('/account')).status).toBe(200);
    }
    service.clock.set(begunAt + sessionLife.member.absolute - 60 * second);
    const more = { scope: 'openid', prompt: 'none' };
    const { access_token: token } = await tokensOf(service, hosts.a, apps.pub1, { browser, more });
    expect((await profile(service, hosts.a, token)).status).toBe(200);
    service.clock.set(begunAt + sessionLife.member.absolute);
    expectBadToken(await profile(service, hosts.a, token));
  });
});
