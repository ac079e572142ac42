import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { View } from '../../support/browser/browser.ts';
import {
  enter,
  heading,
  notice,
  openList,
  openMore,
  press,
  send,
  typeName,
} from '../../support/browser/portal-visit.ts';
import { startSite } from '../../support/browser/site.ts';
import { auditEvents } from '../../support/operators/api.ts';
import { useStarted } from '../../support/use-service.ts';

const site = useStarted(startSite);
let host: string;
/** The secrets that pages showed: none of them may come again. */
const secrets: string[] = [];

beforeAll(async () => {
  host = new URL(site.issuer).host;
});
afterEach(() => site.browser.closeViews());

async function readSecret(view: View): Promise<string> {
  await heading(view, 'Copy this secret now');
  const secret = (await view.page.locator('pre.secret').textContent())?.trim() ?? '';
  secrets.push(secret);
  return secret;
}

describe('the portal, walked without JavaScript', () => {
  it('a tenant’s administrator registers a client, mends its addresses, and rotates its secret', async () => {
    const view = await enter(site, 'tina@example.com');
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
    const view = await enter(site, 'tina@example.com');
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
    await send(view, 'Create channel');
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
    await heading(view, 'End Grandmaster now?');
    await send(view, 'End now');
    expect(await page.getByRole('alert').textContent()).toContain('Type “Grandmaster” to confirm.');
    await typeName(view, 'Grandmaster');
    await send(view, 'End now');
    await heading(view, 'Bo Berg');
    await page.getByRole('listitem').filter({ hasText: 'Grandmaster ended' }).waitFor();
  });

  it('pages 22: a member is found, disabled with Undo, and deleted by her name alone', async () => {
    const view = await enter(site, 'tina@example.com');
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
    const view = await enter(site, 'tina@example.com');
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
    const { page, documents } = await enter(site, 'tina@example.com');
    const other = `127.0.0.1:${site.service.port}`;
    for (const path of ['', '/clients', '/clients/web', '/clients/+create', '/+change']) {
      await page.goto(`${site.issuer}/admin/tenants/${other}${path}`);
      expect(documents.at(-1)?.status()).toBe(404);
      expect(await page.locator('body').textContent()).not.toContain('Globex');
    }
  });

  it('a system administrator makes a tenant, sets its stage, and rotates keys in an emergency', async () => {
    const view = await enter(site, 'sam@example.com');
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
    await send(view, 'Rotate key');
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
