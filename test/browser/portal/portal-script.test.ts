import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { moveImport } from '../../../src/storage/imports/import.ts';
import { enter, heading, notice, openList, press, send } from '../../support/browser/portal-visit.ts';
import { startSite, submitSignIn } from '../../support/browser/site.ts';
import { beginImport } from '../../support/browser/walks/portal.ts';
import { tenantOf } from '../../support/device.ts';
import { useStarted } from '../../support/use-service.ts';
import { pkce } from '../../support/visitor.ts';

const site = useStarted(startSite);
let host: string;

beforeAll(async () => {
  host = new URL(site.issuer).host;
});
afterEach(() => site.browser.closeViews());

describe('the portal with JavaScript', () => {
  it('copies the settings of a client', async () => {
    const view = await enter(site, 'sam@example.com', { javaScript: true });
    const { page, context } = view;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await openList(view, 'Clients');
    await press(view, 'tv');
    await page.getByText('curl, TV').first().click();
    await page
      .locator('details')
      .filter({ hasText: 'curl, TV' })
      .getByRole('button', { name: 'Copy' })
      .click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain(
      `curl -s "${site.issuer}/api/oidc/device/auth" -d "client_id=tv"`,
    );
    expect(view.problems).toEqual([]);
  });

  it('a client is made by a kind, a name and an address, and members sign in with the settings it shows', async () => {
    const view = await enter(site, 'tina@example.com', { javaScript: true });
    const { page } = view;
    await openList(view, 'Clients');
    await press(view, 'New client');
    await page.getByRole('radio', { name: 'Single-page app' }).check();
    const follows = page.locator('#follows p:visible');
    expect(await follows.textContent()).toContain('redirect URI …/callback');
    await page.getByLabel('Name, as members read it').fill('Club reader');
    await page.getByLabel('Where does it run?').fill(`${site.app.origin}/`);
    expect(await follows.textContent()).toContain(
      `redirect URI ${site.app.origin}/callback, web origin ${site.app.origin}, after sign-out ${site.app.origin}/.`,
    );
    await page.getByRole('radio', { name: 'TV app' }).check();
    expect(await page.getByLabel('Where does it run?').isVisible()).toBe(false);
    await page.getByRole('radio', { name: 'Mobile or desktop app' }).check();
    await page.getByLabel('What is its package name or bundle ID?').fill('com.example.Club');
    expect(await follows.textContent()).toContain('redirect URI com.example.club:/callback');
    await page.getByRole('radio', { name: 'Single-page app' }).check();
    await page.getByLabel('Where does it run?').fill(site.app.origin);
    await send(view, 'Create and show how to connect');
    await heading(view, 'Club reader');
    expect(await notice(view)).toBe('Club reader created.');

    await page.getByText('oidc-client-ts (browser)').click();
    const settings = (await page.getByLabel('oidc-client-ts (browser)').textContent()) ?? '';
    const [, clientId = ''] = /client_id: '([^']+)'/.exec(settings) ?? [];
    const [, redirectUri = ''] = /redirect_uri: '([^']+)'/.exec(settings) ?? [];
    const [, scope = ''] = /scope: '([^']+)'/.exec(settings) ?? [];
    const { verifier, challenge } = pkce();
    const member = await site.browser.open({ size: 'phone' });
    const asked = { client_id: clientId, redirect_uri: redirectUri, scope, code_challenge: challenge };
    await member.page.goto(site.authorization(asked));
    await submitSignIn(member, 'bo@example.com');
    await member.page.waitForURL(`${site.app.origin}/callback**`);
    const code = new URL(member.page.url()).searchParams.get('code') ?? '';
    const answer = await site.service.http(host, '/api/oidc/token', {
      body: { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier },
      headers: { origin: site.app.origin },
    });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, site.app.origin]);
    expect(view.problems).toEqual([]);
  });

  it('pages 21: times are the reader’s own, where they are read and where they are written', async () => {
    const { page, problems } = await enter(site, 'sam@example.com', { javaScript: true, zone: 'Asia/Tokyo' });
    await page.goto(`${site.issuer}/admin/tenants/${host}/audit?from=2020-01-31T20:00:00`);
    const time = page.locator('td time').first();
    const moment = new Date(String(await time.getAttribute('datetime')));
    const inTokyo = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const;
    expect((await time.textContent())?.replaceAll('\u00a0', ' ')).toBe(
      new Intl.DateTimeFormat('en-GB', inTokyo).format(moment),
    );
    expect(await time.getAttribute('title')).toBe(`${moment.toISOString()} · shown in Asia/Tokyo time`);
    await page.getByText('Filters', { exact: true }).click();
    const from = page.getByLabel('From');
    expect(await from.inputValue()).toBe('2020-02-01T05:00');
    await from.fill('2020-02-01T09:00:00');
    await page.locator('main').getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/from=2020-02-01T00%3A00%3A00/);
    expect(problems).toEqual([]);
  });

  it('W3: a link on another site leads into the portal, though its cookie stays behind at first', async () => {
    const view = await enter(site, 'sam@example.com', { javaScript: true });
    const { page } = view;
    const other = `http://127.0.0.1:${new URL(site.app.origin).port}`;
    await page.goto(`${other}/`);
    await page.setContent(`<a href="${site.issuer}/admin/tenants/${host}/clients">the clients</a>`);
    await page.getByRole('link', { name: 'the clients' }).click();
    await heading(view, 'Clients');
    const address = `${site.issuer}/admin/tenants/${host}/clients`;
    expect(page.url()).toBe(address);
    expect(view.documents.filter((shown) => shown.url() === address)).toHaveLength(2);
  });

  it('the page of an import tells how far it is without loading anew, and does once the import is over', async () => {
    const { service } = site;
    const { id: tenantId } = tenantOf(service, host);
    const id = await beginImport(site, tenantId, 'take');
    const view = await enter(site, 'tina@example.com', { javaScript: true, own: true });
    const { page } = view;
    await page.clock.install();
    await page.goto(`${site.issuer}/admin/tenants/${host}/imports/${id}`);
    await page.getByText('56% read').waitFor();
    await page.evaluate('globalThis.isSame = true');
    await service.store.transaction((tx) => moveImport(tx, { id, tenantId }, { readTo: 160, added: 31_008 }));
    await page.clock.runFor(2_000);
    await page.getByText('80% read').waitFor();
    await page.getByText('31,008 new').waitFor();
    expect(await page.locator('progress').getAttribute('value')).toBe('80');
    expect(await page.evaluate('globalThis.isSame')).toBe(true);
    const over = { work: 'none', endedAt: service.clock.now(), readTo: 200 } as const;
    await service.store.transaction((tx) => moveImport(tx, { id, tenantId }, over));
    await page.clock.runFor(2_000);
    await page.getByText('100% read').waitFor();
    expect(await page.locator('progress').count()).toBe(0);
    expect(await page.evaluate('globalThis.isSame')).toBeUndefined();
    expect(view.problems).toEqual([]);
  });
});
