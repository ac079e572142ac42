import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/core/client.ts';
import { findClient, listClients, updateClient } from '../../../src/storage/clients/client.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { linkIn } from '../../support/mails/outbox.ts';
import { atSignUp, newPassword, submitSignUp, wayOn } from '../../support/members/sign-up.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';
import {
  authorizationParameters,
  field,
  pkce,
  type Visitor,
  visitor,
  wayFrom,
} from '../../support/visitor.ts';

const service = useService({ data: 'security' });

/** Changes a client of a tenant. */
const setClient = (host: string, clientId: string, changes: Partial<Client>) =>
  service.store.transaction(async (tx) => {
    const tenantId = String(service.tenants.byHost(host)?.id);
    const client = await findClient(tx, tenantId, clientId);
    if (client === null) throw new Error(`no client ${clientId}`);
    await updateClient(tx, { ...client, ...changes });
    await service.tenants.reload(tx);
  });

/** An authorization request of nosign, which disables sign-up. */
const nosign = (more: Record<string, string> = {}) =>
  authorizationParameters('nosign', 'https://nosign.test/cb', pkce(), more);

describe('a client with sign-up disabled', () => {
  const state = '{ "action" : "signup" }';
  const details = { fullName: 'Eve', email: 's4@example.test', password: newPassword };

  /** A browser that stands at the sign-in page of nosign, and the flow in its form. */
  const atNosign = async (browser = visitor(service, hosts.a)) => {
    const page = await browser.authorize(nosign({ state }));
    return { browser, page, flow: field(page, 'flow') };
  };

  it.each([{ state }, { prompt: 'create' }])(
    'S3, I68: %o shows the sign-in page without a link',
    async (more) => {
      const page = await visitor(service, hosts.a).authorize(nosign(more));
      expect(page.status).toBe(200);
      expect(page.text).toContain('<h1>Sign in</h1>');
      expect(page.text).not.toMatch(/(?:href|action)="[^"]*sign-?up|create an account/i);
    },
  );

  it('S4: GET /sign-up with its flow leads back to the sign-in page, which returns the state', async () => {
    const { browser, flow } = await atNosign();
    const answer = await browser.send(`/sign-up?flow=${flow}`);
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toMatch(/^\/sign-in\?flow=/);
    const page = await browser.send(String(answer.headers.location));
    const done = await browser.signIn(page, 'u1@example.test');
    expect(new URL(String(done.headers.location)).searchParams.get('state')).toBe(state);
  });

  it('S4: choosing a language there opens no way either', async () => {
    const { browser, flow } = await atNosign();
    const chosen = await browser.send(`/sign-up?flow=${flow}&ui_locales=nb`);
    const answer = await browser.send(String(chosen.headers.location));
    expect(answer.headers.location).toMatch(/^\/sign-in\?flow=/);
  });

  it('S4: POST /sign-up with its flow is 403 with a way back, and nothing is stored or mailed', async () => {
    const { browser, flow } = await atNosign();
    const before = await allRows(service);
    const answer = await browser.send('/sign-up', { body: { flow, ...details } });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('<title>Error: You can’t create an account here – Tenant A</title>');
    expect(wayOn(answer)).toMatch(/^\/sign-in\?flow=/);
    expect(await allRows(service)).toEqual(before);
  });

  it("S4: another client's form, replayed with its flow, or with fields that name a client, is the same", async () => {
    const { browser, page } = await atSignUp(service, hosts.a);
    const { flow } = await atNosign(browser);
    const before = await allRows(service);
    const body = { flow, ...details, client_id: 'pub1', signup: 'true', prompt: 'create' };
    expect((await browser.send('/sign-up', { body })).status).toBe(403);
    expect((await browser.send('/sign-up?client_id=pub1&prompt=create', { body })).status).toBe(403);
    // The same form as it was made, in a browser that never opened it.
    const { browser: other } = await atNosign();
    expect((await submitSignUp(other, page, details)).status).toBe(403);
    expect(await allRows(service)).toEqual(before);
  });

  it('S4: a flow that was changed to name another client is refused', async () => {
    const { browser, flow } = await atNosign();
    const before = await allRows(service);
    const [payload = '', ...macs] = flow.split('.');
    const changed = JSON.parse(Buffer.from(payload, 'base64url').toString());
    changed.parameters.client_id = 'pub1';
    changed.parameters.redirect_uri = 'https://pub1.test/cb';
    const forged = [Buffer.from(JSON.stringify(changed)).toString('base64url'), ...macs].join('.');
    for (const flow of [forged, '', 'x', `${forged}x`]) {
      expect((await browser.send('/sign-up', { body: { flow, ...details } })).status).toBe(400);
      expect((await browser.send(`/sign-up?flow=${flow}`)).status).toBe(400);
    }
    expect(await allRows(service)).toEqual(before);
  });

  /** The sign-in that a page of ours leads to. */
  const signInFor = async (browser: Visitor, start: string) => {
    let page = await browser.send(start);
    while (page.headers.location !== undefined) page = await browser.send(page.headers.location);
    return page;
  };
  const ownPages = ['/sign-in', '/account', '/recover', '/account/devices'];

  const expectNone = async (browser: Visitor, page: Answer) => {
    expect(page.text).not.toMatch(/sign-?up/i);
    const flow = field(page, 'flow');
    expect((await browser.send(`/sign-up?flow=${flow}`)).headers.location).toMatch(/^\/sign-in\?/);
    expect((await browser.send('/sign-up', { body: { flow, ...details } })).status).toBe(403);
  };

  it('S4: a browser that such an app led here makes no account on our own pages either', async () => {
    for (const lead of [
      nosign({ state }),
      nosign({ redirect_uri: 'https://other.test/cb' }),
      '/api/oidc/session/end?client_id=nosign',
    ]) {
      const browser = visitor(service, hosts.a);
      if (typeof lead === 'string') await browser.send(lead);
      else await browser.authorize(lead);
      for (const start of ownPages) await expectNone(browser, await signInFor(browser, start));
    }
  });

  it('pages 20: one that came by itself may, where an app makes accounts, and so may one that such an app led here last', async () => {
    const browser = visitor(service, hosts.a);
    for (const start of ['/sign-in', '/account', '/account/devices']) {
      const page = await signInFor(browser, start);
      expect(page.text).toMatch(/value="sign-up"/);
      const form = await wayFrom(browser, page, '/sign-in', 'sign-up');
      expect(form.text).toContain('<h1>Create an account</h1>');
    }
    await atNosign(browser);
    await atSignUp(service, hosts.a, {}, browser);
    expect((await signInFor(browser, '/sign-in')).text).toMatch(/value="sign-up"/);
  });

  it('S4: the page of a TV makes none where an app of a TV disables it', async () => {
    const browser = visitor(service, hosts.b);
    const start = '/device?user_code=123+456';
    expect((await signInFor(browser, start)).text).toMatch(/value="sign-up"/);
    await setClient(hosts.b, 'nosign', { deviceFlow: true });
    await expectNone(browser, await signInFor(browser, start));
    expect((await signInFor(browser, '/sign-in')).text).toMatch(/value="sign-up"/);
  });

  it('S4: a link of a mail that was asked for on its way leads to none, in whatever browser it is opened', async () => {
    const { flow, browser } = await atNosign();
    await browser.send('/recover', { body: { flow, email: 'u2@example.test' } });
    await service.delivered();
    const { pathname } = new URL(linkIn(service.outbox.last('u2@example.test')));
    const other = visitor(service, hosts.a);
    const done = await other.send(pathname, { body: { password: newPassword } });
    await expectNone(other, await other.send(String(wayOn(done))));
  });

  it('S4: a client that disables it while the form is open takes none', async () => {
    const { browser, page } = await atSignUp(service, hosts.b);
    const tenantId = String(service.tenants.byHost(hosts.b)?.id);
    await service.store.transaction(async (tx) => {
      for (const client of await listClients(tx, tenantId)) {
        await updateClient(tx, { ...client, signupDisabled: true });
      }
      await service.tenants.reload(tx);
    });
    expect((await submitSignUp(browser, page, details)).status).toBe(403);
    // Where every app does, our own pages do too.
    const other = visitor(service, hosts.b);
    await expectNone(other, await signInFor(other, '/sign-in'));
  });
});
