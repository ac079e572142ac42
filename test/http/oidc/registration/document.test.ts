import type { RequestListener } from 'node:http';
import { beforeEach, describe, expect, it } from 'vitest';
import { createOutbound } from '../../../../src/system/outbound/outbound.ts';
import { expectErrorPage } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { handSchedule } from '../../../support/hand-schedule.ts';
import type { Answer } from '../../../support/http.ts';
import {
  certificateFor,
  type Receiver,
  startReceiver,
  testOutbound,
} from '../../../support/outbound/receiver.ts';
import { day, minute } from '../../../support/records/records.ts';
import { allowClients } from '../../../support/requests/registration.ts';
import { serviceForTest, useFreshService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  pkce,
  type Tokens,
  token,
  type Visitor,
  visitor,
} from '../../../support/visitor.ts';

const time = handSchedule();
const service = useFreshService({
  data: 'security',
  outbound: testOutbound({ clock: Date.now, schedule: time.schedule }),
});

beforeEach(() => allowClients(service, hosts.a, { clientMetadataDocuments: 'any' }));

/** What a document answers; its text, or a whole answer. */
interface Site extends Receiver {
  readonly clientId: string;
  readonly origin: string;
  /** The members of the document; what is not said is right. */
  document: Record<string, unknown>;
  headers: Record<string, string>;
  answer: RequestListener | null;
}

const startSite = async (host = 'app.example'): Promise<Site> => {
  const site: { -readonly [Name in keyof Site]?: Site[Name] } = { document: {}, headers: {}, answer: null };
  const receiver = await startReceiver({
    certificate: certificateFor(host),
    answer: (request, reply) => {
      const { clientId, origin, document, headers, answer } = site as Site;
      if (answer) return answer(request, reply);
      const said = { client_id: clientId, client_name: 'Lamp', redirect_uris: [`${origin}/cb`], ...document };
      reply.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(said));
    },
  });
  const origin = `https://${host}:${receiver.port}`;
  return Object.assign(site, receiver, { origin, clientId: `${origin}/client` }) as Site;
};

const begin = (
  { clientId, origin }: Pick<Site, 'clientId' | 'origin'>,
  browser: Visitor = visitor(service, hosts.a),
  redirectUri = `${origin}/cb`,
) => browser.authorize(authorizationParameters(clientId, redirectUri, pkce(), { state: 's' }));

/** Stands at the page that asks, signed in. */
const asked = async (site: Site, redirectUri = `${site.origin}/cb`) => {
  const browser = visitor(service, hosts.a);
  const proof = pkce();
  const parameters = authorizationParameters(site.clientId, redirectUri, proof);
  let page = await browser.signIn(await browser.authorize(parameters), 'u1@example.test');
  while (page.headers.location?.startsWith('/')) page = await browser.send(page.headers.location);
  return { browser, page, proof };
};

const allow = (browser: Visitor, page: Answer) =>
  browser.send('/consent', { body: { flow: field(page, 'flow'), action: 'allow' } });

const textOf = ({ text }: Answer) =>
  text
    .slice(text.indexOf('<main>'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

const expectRefused = (answer: Answer) => {
  expectErrorPage(answer);
  expect(answer.text).not.toContain('<h1>Sign in</h1>');
};

const refusals = () =>
  service.store.transaction((tx) =>
    tx.selectFrom('auditEvents').select('reason').where('event', '=', 'registration_refused').execute(),
  );

describe('a client that a document describes', () => {
  it('I62: it signs a member in, named by the host of the document', async () => {
    const site = await startSite();
    const { browser, page, proof } = await asked(site);
    const host = new URL(site.origin).host;
    expect(textOf(page)).toContain(`App unverified: ${host} It calls itself Lamp Allow it only if`);
    const code = answerOf(await allow(browser, page)).get('code') ?? '';
    const answer = await token(service, hosts.a, {
      grant_type: 'authorization_code',
      client_id: site.clientId,
      code,
      code_verifier: proof.verifier,
    });
    expect(answer.json<Tokens>()).toMatchObject({ token_type: 'Bearer', scope: 'openid' });
    expect(site.received.map(({ method, headers }) => [method, headers.accept])).toEqual([
      ['GET', 'application/json'],
    ]);
  });

  it('I62: discovery tells it where it is on, and no document is fetched where it is not', async () => {
    const read = async () =>
      (await service.http(hosts.a, '/.well-known/oauth-authorization-server')).json<
        Record<string, unknown>
      >();
    expect(await read()).toMatchObject({ client_id_metadata_document_supported: true });
    await allowClients(service, hosts.a, { clientMetadataDocuments: 'off' });
    expect(await read()).not.toHaveProperty('client_id_metadata_document_supported');
    const site = await startSite();
    expectRefused(await begin(site));
    expect(site.received).toHaveLength(0);
  });

  it('I62: a redirect URI on loopback leads to an app on this device, of this host', async () => {
    const site = await startSite();
    site.document = { redirect_uris: ['http://127.0.0.1/cb'] };
    const { page } = await asked(site, 'http://127.0.0.1:4711/cb');
    expect(textOf(page)).toContain(`unverified: ${new URL(site.origin).host}`);
    expect(textOf(page)).toContain('an app on this device (localhost)');
  });

  it('I62: a redirect URI on another host is for hosts that the tenant lists', async () => {
    const site = await startSite();
    site.document = { redirect_uris: ['https://other.example/cb'] };
    const changes = { clientMetadataDocuments: 'any', clientMetadataHosts: ['other.example'] } as const;
    await allowClients(service, hosts.a, changes);
    const answer = await begin(site, visitor(service, hosts.a), 'https://other.example/cb');
    expect(answer.text).toContain('<h1>Sign in</h1>');
  });

  it('I62: it is kept as its headers say, within 5 minutes and 24 hours', async () => {
    const site = await startSite();
    const fetches = async () => {
      await begin(site);
      return site.received.length;
    };
    expect(await fetches()).toBe(1);
    service.clock.advance(4 * minute);
    expect(await fetches()).toBe(1);
    site.headers = { 'cache-control': 'max-age=3600' };
    service.clock.advance(minute);
    expect(await fetches()).toBe(2);
    site.headers = { 'cache-control': 'max-age=31536000' };
    service.clock.advance(60 * minute);
    expect(await fetches()).toBe(3);
    service.clock.advance(day - minute);
    expect(await fetches()).toBe(3);
    service.clock.advance(minute);
    expect(await fetches()).toBe(4);
  });

  it('I62: many at once make one call', async () => {
    const site = await startSite();
    const answers = await Promise.all(Array.from({ length: 8 }, () => begin(site)));
    expect(answers.every(({ text }) => text.includes('<h1>Sign in</h1>'))).toBe(true);
    expect(site.received).toHaveLength(1);
  });
});

describe('documents that are not as they should be', () => {
  it.each<[string, Record<string, unknown>]>([
    ['another client_id', { client_id: 'https://other.example/client' }],
    ['a client_id that is written otherwise', { client_id: 'https://APP.example/client' }],
    ['the client_id of a client of the tenant', { client_id: 'pub1' }],
    ['no client_id', { client_id: undefined }],
    ['a foreign redirect URI', { redirect_uris: ['https://pub1.test/cb'] }],
    ['a redirect URI of a scheme', { redirect_uris: ['com.example.app:/cb'] }],
    ['javascript: as redirect URI', { redirect_uris: ['javascript:alert(1)'] }],
    ['the tenant as redirect URI', { redirect_uris: ['https://a.test/api/oidc/auth'] }],
    ['a secret', { client_secret: 'x' }],
    ['a method with a secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['a software statement', { software_statement: 'a.b.c' }],
    ['no redirect URI', { redirect_uris: [] }],
  ])('UR20: one with %s is refused', async (_what, document) => {
    const site = await startSite();
    site.document = document;
    expectRefused(
      await begin(site, visitor(service, hosts.a), String(document.redirect_uris ?? `${site.origin}/cb`)),
    );
    expect(site.received).toHaveLength(1);
    expect(await refusals()).toHaveLength(1);
  });

  it.each<[string, RequestListener]>([
    ['leads elsewhere', (_, reply) => reply.writeHead(302, { location: 'https://a.test/' }).end()],
    ['is not there', (_, reply) => reply.writeHead(404).end()],
    ['fails', (_, reply) => reply.writeHead(500).end('{}')],
    ['is a page', (_, reply) => reply.writeHead(200, { 'content-type': 'text/html' }).end('{}')],
    [
      'is huge',
      (_, reply) =>
        reply.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(2 << 20)}"`),
    ],
    [
      'is large',
      (_, reply) =>
        reply.writeHead(200, { 'content-type': 'application/json' }).end(`{"x":"${'x'.repeat(70_000)}"}`),
    ],
    [
      'is packed',
      (_, reply) =>
        reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('x'),
    ],
    ['is no JSON', (_, reply) => reply.writeHead(200, { 'content-type': 'application/json' }).end('{')],
    [
      'has a member twice',
      (_, reply) =>
        reply.writeHead(200, { 'content-type': 'application/json' }).end('{"client_id":"a","client_id":"b"}'),
    ],
    [
      'breaks off',
      (_, reply) =>
        reply
          .writeHead(200, { 'content-type': 'application/json', 'content-length': '9' })
          .write('{', () => reply.destroy()),
    ],
  ])('UR21: one that %s is refused', async (_what, answer) => {
    const site = await startSite();
    site.answer = answer;
    expectRefused(await begin(site));
    expect(site.received).toHaveLength(1);
  });

  it('UR22: one that never ends is given up, and holds up no other', async () => {
    const site = await startSite();
    let isAsked = () => {};
    const came = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    site.answer = (_, reply) => {
      reply.writeHead(200, { 'content-type': 'application/json' }).write('{');
      isAsked();
    };
    const waiting = begin(site);
    await came;
    const other = await startSite('other.example');
    expect((await begin(other)).text).toContain('<h1>Sign in</h1>');
    await time.comes();
    expectRefused(await waiting);
  });

  it('UR23: one that is found on a private address is not fetched', async () => {
    const resolve = async () => [{ address: '10.0.0.1', family: 4 }];
    const outbound = createOutbound({
      clock: Date.now,
      schedule: time.schedule,
      log: () => ({ info: () => {} }),
      resolve,
    });
    const guarded = await serviceForTest({ data: 'security', outbound });
    await allowClients(guarded, hosts.a, { clientMetadataDocuments: 'any' });
    const clientId = 'https://internal.example/client';
    const parameters = authorizationParameters(clientId, 'https://internal.example/cb', pkce());
    expectRefused(await visitor(guarded, hosts.a).authorize(parameters));
  });

  it('UR24: a failure is remembered for a minute', async () => {
    const site = await startSite();
    site.document = { redirect_uris: [] };
    await begin(site);
    site.document = {};
    expectRefused(await begin(site));
    expect(site.received).toHaveLength(1);
    service.clock.advance(minute);
    expect((await begin(site)).text).toContain('<h1>Sign in</h1>');
  });

  it('UR25: a host is asked ten times a minute, whatever paths are named', async () => {
    const site = await startSite();
    site.answer = (_, reply) => reply.writeHead(404).end();
    for (let path = 0; path < 15; path += 1) {
      expectRefused(await begin({ ...site, clientId: `${site.clientId}${path}` }));
    }
    expect(site.received).toHaveLength(10);
  });

  it('UR25: such a flood keeps no member from a client that is known', async () => {
    const site = await startSite();
    await begin(site);
    service.clock.advance(5 * minute);
    for (let path = 0; path < 15; path += 1) {
      await begin({ ...site, clientId: `${site.clientId}${path}` });
    }
    expect((await begin(site)).text).toContain('<h1>Sign in</h1>');
    expect(site.received).toHaveLength(12);
  });
});

describe('documents that change under way', () => {
  it('UR26: one that loses the redirect URI ends on a page, and no code leaves', async () => {
    const site = await startSite();
    const { browser, page } = await asked(site);
    site.document = { redirect_uris: [`${site.origin}/other`] };
    service.clock.advance(5 * minute);
    expectRefused(await allow(browser, page));
  });

  it('UR27: one that is taken away ends on a page', async () => {
    const site = await startSite();
    const { browser, page } = await asked(site);
    site.answer = (_, reply) => reply.writeHead(404).end();
    service.clock.advance(5 * minute);
    expectRefused(await allow(browser, page));
  });

  it('UR28: one that takes the name of a client of the tenant is named by its host alone', async () => {
    const site = await startSite();
    const before = await asked(site);
    expect(before.page.text).toContain('It calls itself');
    site.document = { client_name: 'Public One', logo_uri: 'https://pub1.test/logo.png' };
    service.clock.advance(5 * minute);
    const { page } = await asked(site);
    expect(page.text).not.toContain('It calls itself');
    expect(page.text).not.toContain('Public One');
    expect(page.text).not.toContain('logo.png');
  });

  it.each(['host', 'hostname'] as const)(
    'UR29: a ban of its %s holds at once, and the document is not asked any more',
    async (part) => {
      const site = await startSite();
      const { browser, page } = await asked(site);
      const tenantId = service.deps.tenants.byHost(hosts.a)?.id ?? '';
      const banned = new URL(site.origin)[part];
      await service.store.transaction((tx) =>
        tx.insertInto('clientBans').values({ tenantId, banned, bannedAt: 1 }).execute(),
      );
      expectRefused(await allow(browser, page));
      service.clock.advance(day);
      expectRefused(await begin(site));
      expect(site.received).toHaveLength(1);
    },
  );
});
