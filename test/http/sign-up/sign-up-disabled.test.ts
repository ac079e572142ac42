import { describe, expect, it } from 'vitest';
import { listClients, updateClient } from '../../../src/storage/clients/client.ts';
import { hosts } from '../../support/fixtures.ts';
import { atSignUp, newPassword, submitSignUp, wayOn } from '../../support/members/sign-up.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

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
    expect(answer.text).toContain('<title>Error: No account can be created here – Tenant A</title>');
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

  it('S4: a flow of our own pages, which names no client, makes no account', async () => {
    const browser = visitor(service, hosts.a);
    for (const start of ['/sign-in', '/recover', '/device?user_code=123+456']) {
      let page = await browser.send(start);
      while (page.headers.location !== undefined) page = await browser.send(page.headers.location);
      expect(page.text).not.toMatch(/sign-up/);
      const flow = field(page, 'flow');
      expect((await browser.send(`/sign-up?flow=${flow}`)).headers.location).toMatch(/^\/sign-in\?/);
      expect((await browser.send('/sign-up', { body: { flow, ...details } })).status).toBe(403);
    }
  });

  it('S4: a client that disables it while the form is open takes none', async () => {
    const { browser, page } = await atSignUp(service, hosts.b);
    const tenantId = String(service.tenants.byHost(hosts.b)?.id);
    await service.store.transaction(async (tx) => {
      for (const client of await listClients(tx, tenantId)) {
        await updateClient(tx, { ...client, signupDisabled: true });
      }
    });
    expect((await submitSignUp(browser, page, details)).status).toBe(403);
  });
});
