import { beforeEach, describe, expect, it } from 'vitest';
import { consentAnswers } from '../../../src/core/access/limits.ts';
import { wrongSecretsPerMinute } from '../../../src/core/limits.ts';
import { auditedRefusals, deniedCallsPerMinute } from '../../../src/core/operators/limits.ts';
import { tenantLimits } from '../../../src/core/tenant-limits.ts';
import { saveConsent } from '../../../src/storage/access/consent.ts';
import { devicePath, tenantOf } from '../../support/device.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { adminToken, auditEvents, callApi } from '../../support/operators/api.ts';
import { run } from '../../support/operators/desk.ts';
import { filledIn, newAdmin } from '../../support/operators/portal.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { apps, credentialsOf, tokensOf } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, visitor } from '../../support/visitor.ts';

/** Two processes of one service, each with its own memory and connections. */
const pair = useStarted(async () => {
  const database = await sharedDatabase();
  const options = { data: 'security', database, trustedProxies: ['127.0.0.1'] } as const;
  const one = await startTestService(options);
  const other = await startTestService(options);
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});

const host = hosts.a;
const home = { 'x-forwarded-for': '198.51.100.7' };
const minute = 60_000;

/** Moves the time of both. */
const advance = (ms: number) => {
  pair.one.clock.advance(ms);
  pair.other.clock.set(pair.one.clock.now());
};

// Past every window, so that no test feels the one before.
beforeEach(() => advance(25 * 60 * minute));

type Send = (service: TestService, index: number) => Promise<Answer>;

/** Sends so many requests at once, every other one to the other process. */
const atOnce = (count: number, send: Send) =>
  Promise.all(
    Array.from({ length: count }, (_, index) => send(index % 2 === 0 ? pair.one : pair.other, index)),
  );

const withStatus = (answers: readonly Answer[], status: number) =>
  answers.filter((answer) => answer.status === status).length;

const refresh = (service: TestService, fields: Record<string, string>, headers = home) =>
  service.http(host, '/api/oidc/token', {
    body: { grant_type: 'refresh_token', refresh_token: 'forged', ...fields },
    headers,
  });

const conf1 = (secret: string) => ({ client_id: 'conf1', client_secret: secret });

interface Limit {
  readonly allowed: number;
  /** What is answered within the limit. */
  readonly status: number;
  /** How many are sent at once; 200 unless said otherwise. */
  readonly sent?: number;
  readonly begin: () => Promise<Send> | Send;
}

/** What is counted between requests, with the limit of each. */
const limits: Readonly<Record<string, Limit>> = {
  'failed client authentications': {
    allowed: Number(tenantLimits.failedClientAuthenticationsPerAddressAndMinute),
    status: 401,
    begin: () => (service, index) => refresh(service, conf1(`wrong ${index}`)),
  },
  'failed grants': {
    allowed: Number(tenantLimits.failedGrantsPerClientAddressAndMinute),
    status: 400,
    begin: () => (service) => refresh(service, { client_id: 'pub1' }),
  },
  'device authorizations of an address': {
    allowed: Number(tenantLimits.deviceRequestsPerAddressAndMinute),
    status: 200,
    begin: () => (service) => {
      const body = { ...credentialsOf(apps.pub1), scope: 'openid' };
      return service.http(host, devicePath, { body, headers: home });
    },
  },
  'wrong tokens of the admin API': {
    allowed: wrongSecretsPerMinute,
    status: 401,
    begin: () => (service, index) =>
      callApi(service, { path: '/tenants', token: `mda_wrong${index}`, headers: home }),
  },
  'denied calls of the admin API': {
    allowed: deniedCallsPerMinute,
    status: 403,
    begin: async () => {
      const token = await adminToken(pair.one, { permissions: [] });
      return (service) => callApi(service, { path: '/tenants', token, headers: home });
    },
  },
  'calls of the admin API': {
    allowed: 70,
    status: 200,
    begin: async () => {
      const limited = { tenant: host, limits: { adminCallsPerTokenAndMinute: 70 } };
      await run(pair.one, 'tenants.change', limited);
      const token = await adminToken(pair.one, { host });
      return (service) => callApi(service, { path: `/tenants/${host}`, token, headers: home });
    },
  },
  'wrong links of mails': {
    allowed: wrongSecretsPerMinute,
    status: 410,
    begin: () => (service, index) => service.http(host, `/recover/reset/wrong${index}`, { headers: home }),
  },
  'failed sign-ins from one address': {
    allowed: Number(tenantLimits.failedSignInsPerAddressAndMinute),
    status: 422,
    // Each takes a hash.
    sent: 60,
    begin: async () => {
      const browser = visitor(pair.one, host);
      const { clientId, redirectUri } = apps.pub1;
      const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce()));
      const flow = field(page, 'flow');
      const cookie = [...browser.cookies].map((pairOf) => pairOf.join('=')).join('; ');
      return (service, index) =>
        service.http(host, '/sign-in', {
          body: { flow, email: `many${index}@example.test`, password: 'wrong' },
          headers: { ...home, cookie },
        });
    },
  },
  'answers to consents': {
    allowed: consentAnswers.perMinute,
    status: 200,
    begin: async () => {
      const { id: tenantId } = tenantOf(pair.one, host);
      const consent = {
        tenantId,
        id: 'news',
        name: 'News',
        description: '',
        atSignUp: false,
        atCheckout: false,
        retiredAt: null,
      };
      await pair.one.store.transaction((tx) => saveConsent(tx, consent));
      const { access_token } = await tokensOf(pair.one, host, apps.pub1);
      return (service) =>
        service.http(host, '/api/v1/members/profile/consents/news', {
          method: 'PUT',
          headers: { ...home, authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
          body: JSON.stringify({ status: 'accepted' }),
        });
    },
  },
};

describe('requests at once over two processes', () => {
  it.each(Object.entries(limits))(
    'F1: %s: as many are answered as from one process, the rest are refused, and none fails',
    async (_name, { allowed, status, sent = 200, begin }) => {
      const answers = await atOnce(sent, await begin());
      expect({ within: withStatus(answers, status), beyond: withStatus(answers, 429) }).toEqual({
        within: allowed,
        beyond: sent - allowed,
      });
    },
  );

  it('W11: leave as many lines in the audit as to one process', async () => {
    const before = (await auditEvents(pair.one)).length;
    await atOnce(200, (service) => refresh(service, { client_id: 'nobodys' }));
    const events = (await auditEvents(pair.one)).slice(before);
    const refused = events.filter(({ event }) => event === 'client_authentication_failed');
    expect(refused.length).toBeLessThanOrEqual(auditedRefusals);
    // That a limit is reached is said once by each process.
    expect(events.length - refused.length).toBeLessThanOrEqual(2);
  });
});

describe('a limit that is reached at one process', () => {
  it('decision 51: is reached at the other at once, for a secret that is right too', async () => {
    const { one, other } = pair;
    const right = (service: TestService) => refresh(service, conf1(secrets.conf1));
    expect((await right(other)).status).toBe(400);
    for (let count = 0; count < 10; count += 1) {
      expect((await refresh(one, conf1('wrong'))).status).toBe(401);
    }
    for (const service of [other, one]) expect((await right(service)).status).toBe(429);
    // Other addresses go on, and clients without a secret.
    const neighbour = { 'x-forwarded-for': '198.51.100.8' };
    expect((await refresh(other, conf1(secrets.conf1), neighbour)).status).toBe(400);
    expect((await refresh(other, { client_id: 'pub1' })).status).toBe(400);
    advance(minute);
    expect((await right(other)).status).toBe(400);
  });

  it('promise 7: guesses lock no client out of a secret that was right at any of them', async () => {
    const { one, other } = pair;
    const token = await adminToken(one);
    const call = (service: TestService, secret: string) =>
      callApi(service, { path: '/tenants', token: secret, headers: home });
    expect((await call(one, token)).status).toBe(200);
    await atOnce(40, (service, index) => call(service, `mda_wrong${index}`));
    expect((await call(other, 'mda_wrong')).status).toBe(429);
    expect((await call(other, await adminToken(one))).status).toBe(429);
    for (const service of [one, other]) expect((await call(service, token)).status).toBe(200);
  });
});

describe('a form of the portal', () => {
  it('pages 7: that was sent to one process does nothing at the other', async () => {
    const { one, other } = pair;
    const admin = await newAdmin(one, host, 'twice@example.test');
    const path = `/admin/tenants/${host}/products/+create`;
    const body = filledIn(await admin.send(path), { name: 'Once' });
    const cookie = [...admin.cookies].map((pairOf) => pairOf.join('=')).join('; ');
    const send = (service: TestService) => service.http(host, path, { body, headers: { cookie } });
    expect((await send(one)).status).toBe(303);
    for (const service of [other, one]) expect((await send(service)).status).not.toBe(303);
    const products = await one.store.transaction((tx) =>
      tx.selectFrom('products').select('name').where('name', '=', 'Once').execute(),
    );
    expect(products).toHaveLength(1);
  });
});
