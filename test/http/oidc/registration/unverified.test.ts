import { describe, expect, it } from 'vitest';
import type { Tenant } from '../../../../src/core/tenant.ts';
import {
  type SelfDescription,
  storeUnverifiedClient,
  unverifiedClient,
} from '../../../../src/operations/registration/store-client.ts';
import { changeTenant } from '../../../../src/operations/tenant/tenant.ts';
import {
  expectErrorPage,
  expectErrorRedirect,
  expectJsonError,
} from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { beginWorld } from '../../../support/operators/world.ts';
import { day, minute } from '../../../support/records/records.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  codeFor,
  field,
  pkce,
  refresh,
  type Tokens,
  token,
  type Visitor,
  visitor,
} from '../../../support/visitor.ts';

const service = useService({ data: 'security' });

const tenantId = () => service.deps.tenants.byHost(hosts.a)?.id ?? '';

/** Changes what the tenant allows, for the rest of the file. */
const allow = async (changes: Partial<Tenant>) => {
  await service.store.transaction(async (tx) => {
    await changeTenant(tx, tenantId(), changes);
    await service.deps.tenants.reload(tx);
  });
};

let made = 0;

/** A client that registered itself, on the tenant a. */
const registered = async (described: Partial<SelfDescription> = {}) => {
  made += 1;
  const client = unverifiedClient({
    tenantId: tenantId(),
    clientId: `unverified-${made}`,
    origin: 'registered',
    claimedName: 'Lamp',
    redirectUris: ['https://app.evil.test/cb'],
    ...described,
  });
  const beside = { lastUsedAt: null, registrationTokenHash: null, freshUntil: null };
  await service.store.transaction((tx) =>
    storeUnverifiedClient(tx, { client, createdAt: service.clock.now(), ...beside }),
  );
  return client;
};

/** Signs in, and stands at the page that asks. */
const asked = async (
  clientId: string,
  { redirectUri = 'https://app.evil.test/cb', more = {} as Record<string, string> } = {},
  browser: Visitor = visitor(service, hosts.a),
) => {
  const proof = pkce();
  let page = await browser.authorize(authorizationParameters(clientId, redirectUri, proof, more));
  if (page.text.includes('name="password"')) page = await browser.signIn(page, 'u1@example.test');
  while (page.headers.location?.startsWith('/')) page = await browser.send(page.headers.location);
  return { page, proof, browser };
};

const decide = (browser: Visitor, page: Answer, action: 'allow' | 'deny') =>
  browser.send('/consent', { body: { flow: field(page, 'flow'), action } });

const tokensOf = async (clientId: string, more: Record<string, string> = {}) => {
  const { page, proof, browser } = await asked(clientId, { more });
  const code = answerOf(await decide(browser, page, 'allow')).get('code') ?? '';
  const answer = await token(service, hosts.a, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code,
    code_verifier: proof.verifier,
  });
  expect(answer.status).toBe(200);
  return answer.json<Tokens>();
};

const textOf = ({ text }: Answer) =>
  text
    .slice(text.indexOf('<main>'))
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');

describe('an unverified client', () => {
  it('decision 50: it is as if it were not there while the tenant allows none', async () => {
    const { clientId } = await registered();
    const parameters = authorizationParameters(clientId, 'https://app.evil.test/cb', pkce());
    expectErrorPage(await visitor(service, hosts.a).authorize(parameters));
    await allow({ clientRegistration: 'open' });
    expect((await asked(clientId)).page.text).toContain('An app wants access');
  });

  it('decision 50: the page names it by its host, and calls it unverified', async () => {
    const { clientId } = await registered();
    const { page } = await asked(clientId);
    expect(page.text).toContain('<h1>Allow an unverified app?</h1>');
    expect(textOf(page)).toContain('App unverified: app.evil.test It calls itself Lamp Allow it only if');
    expect(textOf(page)).toContain('Tenant A has not checked who is behind it');
  });

  it('decision 50: the sign-in page names it by its host too', async () => {
    const { clientId } = await registered({ claimedName: 'My bank' });
    const parameters = authorizationParameters(clientId, 'https://app.evil.test/cb', pkce());
    const page = await visitor(service, hosts.a).authorize(parameters);
    expect(page.text).toContain('app.evil.test');
    expect(page.text).not.toContain('My bank');
  });

  it('decision 50: it is asked about each time, and never silently', async () => {
    const { clientId } = await registered();
    const first = await asked(clientId);
    expect(answerOf(await decide(first.browser, first.page, 'allow')).get('code')).not.toBeNull();
    const second = await asked(clientId, {}, first.browser);
    expect(second.page.text).toContain('An app wants access');
    const silent = await asked(clientId, { more: { prompt: 'none', state: 's' } }, first.browser);
    expectErrorRedirect(silent.page, {
      redirectUri: 'https://app.evil.test/cb',
      error: 'consent_required',
      state: 's',
    });
  });

  it('UR1: what was allowed in one flow answers no other that is open', async () => {
    const { clientId } = await registered();
    const first = await asked(clientId);
    const second = await asked(clientId, {}, first.browser);
    await decide(first.browser, first.page, 'allow');
    const again = await first.browser.send(`/consent?flow=${field(second.page, 'flow')}`);
    expect(again.status).toBe(200);
    expect(again.text).toContain('An app wants access');
  });

  it('decision 50: the member may say no', async () => {
    const { clientId } = await registered();
    const { page, browser } = await asked(clientId);
    const answer = await decide(browser, page, 'deny');
    expectErrorRedirect(answer, { redirectUri: 'https://app.evil.test/cb', error: 'access_denied' });
  });

  it('UR2: the host that is named is the one that this answer goes to', async () => {
    const redirectUris = ['https://good.test/cb', 'https://bad.test/cb', 'http://127.0.0.1/cb'];
    const { clientId } = await registered({ redirectUris });
    const { page } = await asked(clientId, { redirectUri: 'https://bad.test/cb' });
    expect(textOf(page)).toContain('unverified: bad.test');
    expect(textOf(page)).not.toContain('good.test');
    const local = await asked(clientId, { redirectUri: 'http://127.0.0.1:4711/cb' });
    expect(textOf(local.page)).toContain('unverified: localhost');
    expect(textOf(local.page)).toContain('an app on this device (localhost)');
  });

  it.each(['Tenant A', 'TENANT Ａ', 'Public One', 'Publіc Оne', 'Tenant A Security Team', 'Third-Party'])(
    'UR3: it may not call itself %s',
    async (claimedName) => {
      const { clientId } = await registered({ claimedName });
      const { page } = await asked(clientId);
      expect(page.text).toContain('unverified: app.evil.test');
      expect(page.text).not.toContain('It calls itself');
      expect(page.text).not.toContain(`<bdi>${claimedName}</bdi>`);
    },
  );

  it('UR5: markup in its name is shown as text, and what turns text around is not shown', async () => {
    const { clientId } = await registered({ claimedName: '<img src=x onerror=alert(1)>\u202e{{7*7}}' });
    const { page } = await asked(clientId);
    expect(page.text).not.toContain('<img src=x');
    expect(page.text).toContain('&lt;img src=x');
    expect(page.text).not.toContain('\u202e');
  });

  it('decision 50: it has no offline_access unless the tenant says so', async () => {
    const { clientId } = await registered();
    const without = await tokensOf(clientId);
    expect(without).toMatchObject({ scope: 'openid' });
    expect(without.refresh_token).toBeUndefined();
    await allow({ unverifiedOfflineAccess: true });
    const tokens = await tokensOf(clientId);
    expect(tokens.scope).toBe('openid offline_access');
    expect((await refresh(service, hosts.a, tokens.refresh_token, { client_id: clientId })).status).toBe(200);
  });

  it('decision 50: a sign-in lasts 30 days at most, however often it is used', async () => {
    const { clientId } = await registered();
    let { refresh_token: current } = await tokensOf(clientId);
    for (const days of [10, 10, 9]) {
      service.clock.advance(days * day);
      const answer = await refresh(service, hosts.a, current, { client_id: clientId });
      expect(answer.status).toBe(200);
      current = answer.json<Tokens>().refresh_token;
    }
    service.clock.advance(day);
    expectJsonError(await refresh(service, hosts.a, current, { client_id: clientId }), 400, 'invalid_grant');
  });

  it('decision 50: its refresh is refused as soon as the tenant allows no such client', async () => {
    const { clientId } = await registered();
    const { refresh_token: current } = await tokensOf(clientId);
    await allow({ clientRegistration: 'off' });
    const off = await refresh(service, hosts.a, current, { client_id: clientId });
    expectJsonError(off, 401, 'invalid_client');
    await allow({ clientRegistration: 'open' });
    expect((await refresh(service, hosts.a, current, { client_id: clientId })).status).toBe(200);
  });

  it('UR6: one that asks too often from one address waits, and others do not', async () => {
    const noisy = await registered();
    const other = await registered();
    service.clock.advance(minute);
    const ask = (clientId: string) =>
      token(service, hosts.a, {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: 'x'.repeat(43),
      });
    const statuses = [];
    for (let asks = 0; asks < 61; asks += 1) statuses.push((await ask(noisy.clientId)).status);
    expect(statuses.slice(0, 60).every((status) => status === 400)).toBe(true);
    expect(statuses[60]).toBe(429);
    expect((await ask(other.clientId)).status).toBe(400);
    const { page } = await asked(noisy.clientId, { more: { state: 's' } });
    expectErrorRedirect(page, {
      redirectUri: 'https://app.evil.test/cb',
      error: 'temporarily_unavailable',
      state: 's',
    });
    await allow({});
    expect(await codeFor(visitor(service, hosts.a), 'pub1', 'https://pub1.test/cb')).toBeDefined();
  });
});

describe('what operators do about unverified clients', () => {
  it('decision 50: one click bans a client with its host, ends its sign-ins, and it cannot come back', async () => {
    const { clientId } = await registered({
      redirectUris: ['https://banned.test/cb', 'http://127.0.0.1/cb'],
    });
    const brother = await registered({ redirectUris: ['https://banned.test/other'] });
    const stranger = await registered({ redirectUris: ['http://127.0.0.1/cb'] });
    const world = { ...(await beginWorld(service, 'bans.test')), host: hosts.a };
    const operate = <Answer>(name: string, input: object) =>
      world.operate<Answer>(name, { tenant: hosts.a, ...input });
    const listed = await operate<{ unverifiedClients: readonly { clientId: string }[] }>(
      'unverifiedClients.list',
      { limit: 200 },
    );
    expect(listed.unverifiedClients.map((one) => one.clientId)).toContain(clientId);
    await operate('unverifiedClients.ban', { clientId });
    const { clientBans } = await operate<{ clientBans: readonly { banned: string }[] }>('clientBans.list', {
      limit: 200,
    });
    expect(clientBans.map(({ banned }) => banned).toSorted()).toEqual([clientId, 'banned.test'].toSorted());
    for (const [id, redirectUri] of [
      [clientId, 'http://127.0.0.1/cb'],
      [brother.clientId, 'https://banned.test/other'],
    ] as const) {
      expectErrorPage(
        await visitor(service, hosts.a).authorize(authorizationParameters(id, redirectUri, pkce())),
      );
    }
    const { page } = await asked(stranger.clientId, { redirectUri: 'http://127.0.0.1/cb' });
    expect(page.text).toContain('An app wants access');
  });

  it.each(['clients.read', 'clients.change', 'clients.disable', 'clients.enable', 'clients.addSecret'])(
    'decision 50: %s does not know it',
    async (name) => {
      const { clientId } = await registered();
      const { operate } = await beginWorld(service, `${name.replace('.', '-').toLowerCase()}.test`);
      await expect(operate(name, { tenant: hosts.a, clientId })).rejects.toThrow('there is no such client');
    },
  );
});
