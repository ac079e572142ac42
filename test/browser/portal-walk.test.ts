import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { View } from '../support/browser/browser.ts';
import { password, startSite, submitSignIn } from '../support/browser/site.ts';
import { auditEvents } from '../support/operators/api.ts';
import { useStarted } from '../support/use-service.ts';
import { pkce } from '../support/visitor.ts';

const site = useStarted(startSite);
let host: string;
/** The secrets that pages showed: none of them may come again. */
const secrets: string[] = [];

beforeAll(async () => {
  host = new URL(site.issuer).host;
});
afterEach(() => site.browser.closeViews());

/** Opens the portal by its address alone. */
async function enter(email: string, javaScript = false, zone = 'UTC'): Promise<View> {
  const view = await site.browser.open({ size: 'desk', javaScript, zone });
  const { page } = view;
  await page.goto(`${site.issuer}/admin`);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(view, 'Overview');
  return view;
}

/** Waits for the page of this heading. */
const heading = ({ page }: View, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor();

async function openList(view: View, name: string): Promise<void> {
  await view.page.locator('.rail').getByRole('link', { name, exact: true }).click();
  await heading(view, name);
}

const press = ({ page }: View, name: string) =>
  page.locator('main').getByRole('link', { name, exact: true }).click();
const send = ({ page }: View, name: string) =>
  page.locator('main').getByRole('button', { name, exact: true }).click();
const notice = ({ page }: View) => page.getByRole('status').getByRole('paragraph').textContent();
/** Types the name that is asked for before something ends. */
const typeName = ({ page }: View, name: string) =>
  page.getByLabel(`To confirm, type ${name}`, { exact: true }).fill(name);
const openMore = ({ page }: View) => page.locator('main').getByText('More', { exact: true }).click();

async function readSecret(view: View): Promise<string> {
  await heading(view, 'Copy this secret now');
  const secret = (await view.page.locator('pre.secret').textContent())?.trim() ?? '';
  secrets.push(secret);
  return secret;
}

describe('the portal, walked without JavaScript', () => {
  it('a tenant’s administrator registers a client, mends its addresses, and rotates its secret', async () => {
    const view = await enter('tina@example.com');
    const { page } = view;
    await openList(view, 'Clients');
    await press(view, 'New client');
    await heading(view, 'What are you building?');
    await page.getByLabel('Name, as members read it').fill('Shop');
    await page.getByLabel('Where does it run?').fill('http://shop.example.com');
    await send(view, 'Create and show how to connect');
    await page.getByRole('alert').getByRole('link').click();
    expect(new URL(page.url()).hash).toBe('#f-address');
    expect(await page.getByLabel('Name, as members read it').inputValue()).toBe('Shop');
    await page.getByLabel('Where does it run?').fill('https://shop.example.com');
    await send(view, 'Create and show how to connect');
    const first = await readSecret(view);
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(page.url()).not.toContain(first);
    expect(await page.locator('details[open] pre').textContent()).toContain(`CLIENT_SECRET=${first}`);
    await press(view, 'I have copied it');
    await heading(view, 'Shop');

    await page.getByText('openid-client (Node)').click();
    const settings = await page.getByLabel('openid-client (Node)').textContent();
    for (const value of [
      site.issuer,
      "'shop'",
      'https://shop.example.com/callback',
      'process.env.CLIENT_SECRET',
    ]) {
      expect(settings).toContain(value);
    }
    await press(view, 'Add secret');
    await send(view, 'Add secret');
    expect(await readSecret(view)).not.toBe(first);
    await press(view, 'I have copied it');
    await page
      .getByRole('link', { name: /^Remove secret/ })
      .first()
      .click();
    await typeName(view, 'Shop');
    await send(view, 'Remove secret');
    await heading(view, 'Shop');
    expect(await page.getByRole('link', { name: /^Remove secret/ }).count()).toBe(1);

    await press(view, 'Edit');
    await page.getByLabel(/^Redirect URIs/).fill('https://shop.example.com/callback\nhttps://*.example.com/');
    await send(view, 'Save changes');
    expect(await page.getByRole('alert').textContent()).toContain('https://*.example.com/');
    await page.getByLabel(/^Redirect URIs/).fill('https://shop.example.com/callback\ncom.example.shop:/back');
    await send(view, 'Save changes');
    expect(await notice(view)).toBe('Shop: redirect URIs changed.');
    expect(await page.locator('main').textContent()).toContain('com.example.shop:/back');
  });

  it('a tenant’s administrator makes a product, a package and a channel, and gives a subscription', async () => {
    const view = await enter('tina@example.com');
    const { page } = view;
    await openList(view, 'Products');
    await press(view, 'New product');
    await page.getByLabel('Name').fill('Chess');
    await send(view, 'Create product');
    expect(await notice(view)).toBe('Chess created.');
    await openList(view, 'Packages');
    await press(view, 'New package');
    await page.getByLabel('Name', { exact: true }).fill('Grandmaster');
    await page.getByLabel('Price').fill('99');
    await page.getByLabel('Currency').selectOption('NOK');
    await page.getByLabel('Unit').selectOption('month');
    await page.getByLabel('Period').fill('3');
    await page.getByRole('group', { name: 'Payment' }).getByLabel('invoice').check();
    await page.getByLabel(/^Chess \(/).check();
    await send(view, 'Create package');
    const row = page.getByRole('row').filter({ hasText: 'Grandmaster' });
    expect(await row.textContent()).toMatch(/NOK\s99\.00/);
    expect(await row.textContent()).toContain('3 months');
    await openList(view, 'Channels');
    await press(view, 'New channel');
    await page.getByLabel('Channel ID').fill('chess-live');
    await page.getByLabel('Name').fill('Chess, live');
    await page.getByLabel(/^Chess \(/).check();
    await send(view, 'Save changes');
    expect(await notice(view)).toBe('Chess, live saved.');

    await openList(view, 'Members');
    await page.locator('main').getByLabel('Search').fill('bo@');
    await send(view, 'Search');
    await press(view, 'bo@example.com');
    await heading(view, 'Bo Berg');
    await openMore(view);
    await press(view, 'New subscription');
    await page.getByLabel('Package').selectOption({
      label: (await page.getByRole('option', { name: /^Grandmaster/ }).textContent()) ?? '',
    });
    await send(view, 'Create subscription');
    await heading(view, 'Bo Berg');
    const given = page.getByRole('listitem').filter({ hasText: 'Grandmaster active' });
    await given.getByRole('button', { name: 'Cancel renewal' }).click();
    await heading(view, 'Bo Berg');
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await heading(view, 'Bo Berg');
    await given.getByRole('button', { name: 'End now' }).click();
    await heading(view, /^End now\? Grandmaster/);
    await send(view, 'End now');
    expect(await page.getByRole('alert').textContent()).toContain('Type “Grandmaster” to confirm.');
    await typeName(view, 'Grandmaster');
    await send(view, 'End now');
    await heading(view, 'Bo Berg');
    await page.getByRole('listitem').filter({ hasText: 'Grandmaster ended' }).waitFor();
  });

  it('pages 22: a member is found, disabled with Undo, and deleted by her name alone', async () => {
    const view = await enter('tina@example.com');
    const { page } = view;
    const search = page.locator('.rail').getByRole('searchbox');
    await search.fill('dee@example.com');
    await search.press('Enter');
    await heading(view, /^Dee /);
    const name = (await page.getByRole('heading', { level: 1 }).textContent()) ?? '';
    await openMore(view);
    await send(view, 'Disable');
    expect(await notice(view)).toBe(`${name} disabled.`);
    await page.getByRole('heading', { name: `${name} cannot sign in: the account is disabled` }).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    expect(await notice(view)).toBe(`${name} enabled.`);
    await openMore(view);
    await press(view, 'Delete');
    expect(await page.locator('.warning').textContent()).toMatch(
      /This deletes Dee .*, dee@example\.com, with \d/,
    );
    await send(view, 'Delete member');
    expect(await page.getByRole('alert').textContent()).toContain('to confirm.');
    await typeName(view, name);
    await page.locator('main').getByRole('link', { name: 'Back' }).click();
    await heading(view, name);
  });

  it('a tenant’s administrator disables a member, and reads it all in the audit', async () => {
    const view = await enter('tina@example.com');
    const { page } = view;
    await openList(view, 'Members');
    await page.locator('main').getByLabel('Search').fill('cy@');
    await send(view, 'Search');
    await press(view, 'cy@example.com');
    await heading(view, 'Cy Young');
    await openMore(view);
    await press(view, 'Sign out everywhere');
    await send(view, 'Sign out everywhere');
    await heading(view, 'Cy Young');
    await openMore(view);
    await send(view, 'Disable');
    expect(await notice(view)).toBe('Cy Young disabled.');
    expect(await page.locator('.badge.bad').textContent()).toBe('disabled');
    expect(await page.locator('#happened').textContent()).toContain('Tina Admin disabled Cy Young');

    await openList(view, 'Audit');
    await page.getByText('Filters').click();
    await page.getByLabel('Event').selectOption('admin_acted');
    await send(view, 'Show');
    const shown = (await page.locator('table').textContent()) ?? '';
    for (const name of [
      'members.disable',
      'subscriptions.change',
      'channels.define',
      'clients.removeSecret',
    ]) {
      expect(shown).toContain(name);
    }
    for (const [words, ending] of [
      ['Export as CSV', 'csv'],
      ['Export as JSON Lines', 'jsonl'],
    ] as const) {
      const [download] = await Promise.all([page.waitForEvent('download'), press(view, words)]);
      expect(download.suggestedFilename()).toBe(`audit-export.${ending}`);
    }
  });

  it('A17: a tenant’s administrator gets 404 for another tenant’s things', async () => {
    const { page, documents } = await enter('tina@example.com');
    const other = `127.0.0.1:${site.service.port}`;
    for (const path of ['', '/clients', '/clients/web', '/clients/+create', '/+change']) {
      await page.goto(`${site.issuer}/admin/tenants/${other}${path}`);
      expect(documents.at(-1)?.status()).toBe(404);
      expect(await page.locator('body').textContent()).not.toContain('Globex');
    }
  });

  it('a system administrator makes a tenant, sets its stage, and rotates keys in an emergency', async () => {
    const view = await enter('sam@example.com');
    const { page } = view;
    await openList(view, 'Tenants');
    await press(view, 'New tenant');
    await page.getByLabel('Name').fill('Umbrella');
    await page.getByLabel('Issuer').fill('https://login.umbrella.example/path');
    await send(view, 'Create tenant');
    expect(await page.getByRole('alert').textContent()).toMatch(/issuer/i);
    await page.getByLabel('Issuer').fill('https://login.umbrella.example');
    await send(view, 'Create tenant');
    await heading(view, 'Overview');
    expect(page.url()).toBe(`${site.issuer}/admin/tenants/login.umbrella.example`);
    expect(await page.locator('main').textContent()).toMatch(/Umbrella.*There is no client yet/s);
    await press(view, 'Set stage');
    await page.getByLabel('Stage tenant').selectOption(host);
    await send(view, 'Set stage');
    await heading(view, 'Overview');

    await openList(view, 'Keys');
    await press(view, 'Rotate');
    await page.getByLabel('Emergency').check();
    await send(view, 'Rotate key');
    await heading(view, 'Rotate key?');
    await typeName(view, 'login.umbrella.example');
    await send(view, 'Yes, do it');
    expect(await notice(view)).toBe('Key rotated.');
    expect((await page.locator('table').textContent())?.match(/retired/g)).toHaveLength(2);

    await openList(view, 'API tokens for all');
    await press(view, 'New token');
    await page.getByLabel('Name').fill('deployment');
    await page.getByLabel('clients:read').check();
    await send(view, 'Create token');
    expect(await readSecret(view)).toMatch(/^mda_/);
    await press(view, 'I have copied it');
    await page.getByRole('link', { name: /^Revoke/ }).click();
    await typeName(view, 'deployment');
    await send(view, 'Revoke token');
    expect(await page.getByRole('link', { name: /^Revoke/ }).count()).toBe(0);
  });

  it('A18: no secret of the walks is in the log, the audit, or an address', async () => {
    const everything = [...site.service.logLines, JSON.stringify(await auditEvents(site.service))].join('\n');
    expect(secrets).toHaveLength(3);
    for (const secret of secrets) expect(everything).not.toContain(secret);
  });
});

describe('the portal with JavaScript', () => {
  it('copies the settings of a client', async () => {
    const view = await enter('sam@example.com', true);
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
    const view = await enter('tina@example.com', true);
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
    const { page, problems } = await enter('sam@example.com', true, 'Asia/Tokyo');
    await page.goto(`${site.issuer}/admin/tenants/${host}/audit?from=2020-01-31T20:00:00`);
    const time = page.locator('td time').first();
    const moment = new Date(String(await time.getAttribute('datetime')));
    const inTokyo = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Tokyo' } as const;
    expect(await time.textContent()).toBe(new Intl.DateTimeFormat('en-GB', inTokyo).format(moment));
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
    const view = await enter('sam@example.com', true);
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
});
