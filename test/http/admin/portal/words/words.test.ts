import { beforeAll, describe, expect, it } from 'vitest';
import { eventTypes } from '../../../../../src/core/events/event.ts';
import { permissions } from '../../../../../src/core/operators/permission.ts';
import { hosts } from '../../../../support/fixtures.ts';
import { run } from '../../../../support/operators/desk.ts';
import { mainOf, newAdmin, type PortalVisitor } from '../../../../support/operators/portal.ts';
import { beginWorld, newInvoice, newMember, type World } from '../../../../support/operators/world.ts';
import { useService } from '../../../../support/use-service.ts';

const service = useService({ data: 'security' });
let browser: PortalVisitor;
let world: World;
let home: string;

beforeAll(async () => {
  world = await beginWorld(service, 'words.test');
  browser = await newAdmin(service, world.host, 'sam@words.test', 'system_admin');
  home = `/admin/tenants/${world.host}`;
});

it('pages 21: each permission that a token may have is words, and says its name in the admin API', async () => {
  const form = mainOf(await browser.send(`${home}/tokens/+create`));
  for (const permission of permissions) {
    const told = new RegExp(`>[A-Z][a-z]+ [A-Za-z ]+ <span class="soft">[A-Z][^<]*\\(${permission}\\)<`);
    expect(form, permission).toMatch(told);
  }
  const token = { tenant: world.host, name: 'CRM', permissions: ['members:read', 'clients:write'] };
  await run(service, 'tokens.create', token);
  const list = mainOf(await browser.send(`${home}/tokens`));
  expect(list).toContain('Read members, Change clients');
  expect(list).not.toContain('members:read');
});

it('pages 21: the type of a property is chosen and read in words', async () => {
  const form = mainOf(await browser.send(`${home}/properties/+define`));
  for (const word of ['Number', 'Text', 'Date and time']) expect(form).toMatch(new RegExp(`>${word}\\s*<`));
  const property = { tenant: world.host, key: 'renewedAt', type: 'timestamp' };
  await run(service, 'properties.define', property);
  const list = mainOf(await browser.send(`${home}/properties`));
  expect(list).toContain('Date and time');
  expect(list).not.toContain('timestamp');
});

it('pages 21: each type of event has the name that is sent, and says what happened', async () => {
  const form = mainOf(await browser.send(`${home}/webhooks/+create`));
  for (const type of eventTypes) {
    expect(form, type).toMatch(new RegExp(`>${type.replace('.', '\\.')} <span class="soft">[A-Z]`));
  }
});

const headingOf = (text: string) =>
  /<h1>([\s\S]*?)<\/h1>/
    .exec(text)?.[1]
    ?.replaceAll(/<[^>]*>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

describe('pages 21: what a form is about', () => {
  it('is changed where it is there, and new where it is not', async () => {
    const channel = { tenant: world.host, channelId: 'live', name: 'Live', description: '', productIds: [] };
    await run(service, 'channels.define', channel);
    const list = await browser.send(`${home}/channels`);
    expect(list.text).toContain('>New channel</a>');
    expect(list.text).toMatch(/href="[^"]*\/channels\/live\/\+define[^"]*">Edit</);
    const form = await browser.send(`${home}/channels/live/+define`);
    expect(headingOf(form.text)).toBe('Edit channel Live');
    expect(form.text).toContain('<title>Edit channel – ');
    const refused = await browser.submit(`${home}/channels/live/+define`, { name: '' });
    expect([refused.status, headingOf(refused.text)]).toEqual([422, 'Edit channel Live']);
    expect(headingOf((await browser.send(`${home}/channels/+define`)).text)).toBe('New channel');
  });

  it('pages 22: is named, a member with the address too, before anything ends', async () => {
    const memberId = await newMember(world);
    const { fullName, email } = await run<{ fullName: string; email: string }>(service, 'members.read', {
      tenant: world.host,
      memberId,
    });
    for (const verb of ['delete', 'disable', 'change']) {
      const form = await browser.send(`${home}/members/${memberId}/+${verb}`);
      expect(headingOf(form.text), verb).toContain(fullName);
      expect(headingOf(form.text)).not.toContain(memberId);
      expect(mainOf(form)).toContain(email);
    }
  });

  it.each([
    ['+reset-second-factor', 'Reset second factor for Ada Berg'],
    ['+unlock', 'Unlock member Ada Berg'],
  ])('is told from the part of it that a form is for: %s', async (form, heading) => {
    const { text } = await browser.send(`${home}/members/${world.memberId}/${form}`);
    expect(headingOf(text)).toBe(heading);
  });

  it('pages 22: is named where it is asked once more too', async () => {
    const subscription = { tenant: world.host, memberId: await newMember(world), packageId: world.packageId };
    const { subscriptionId } = await run<{ subscriptionId: number }>(
      service,
      'subscriptions.create',
      subscription,
    );
    const form = `${home}/subscriptions/${subscriptionId}/+change`;
    expect(headingOf((await browser.submit(form, { change: 'end' })).text)).toMatch(/^End now\?/);
  });
});

describe('an invoice that is paid', () => {
  it('shows it, and cannot be marked again', async () => {
    const number = await newInvoice(world);
    const action = `${home}/invoices/${number}/paid/+mark-paid`;
    const before = await browser.send(`${home}/invoices`);
    expect(before.text).toContain(action);
    expect(before.text).toMatch(/data-label="Paid">\s*<span class="soft">–/);
    const { headers } = await browser.submit(action, {});
    expect(headers.location).toBe(`${home}/invoices`);
    const after = await browser.send(`${home}/invoices`);
    expect(mainOf(after)).toContain('Invoice marked as paid.');
    expect(after.text).not.toContain(action);
    expect(after.text).toMatch(/data-label="Paid">\s*<time datetime="2026-/);
    const again = await browser.submit(action, {});
    expect(again.status).toBe(422);
    expect(mainOf(again)).toContain('The invoice is paid already, since 2026-');
  });
});

it('pages 7: an address of a page with a slash behind it leads to the page', async () => {
  const open = (path: string, method = 'GET') => service.http(hosts.a, path, { method });
  for (const [typed, page] of [
    ['/account/', '/account'],
    ['/device/', '/device'],
    ['/device/?user_code=123%20456', '/device?user_code=123%20456'],
    ['/account/devices/', '/account/devices'],
    ['/admin/', '/admin'],
    ['/admin/sign-in/', '/admin/sign-in'],
    ['/admin/a.test/members/', '/admin/a.test/members'],
    ['/admin/a.test/members/?search=a', '/admin/a.test/members?search=a'],
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await open(typed, method);
      expect([status, headers.location], typed).toEqual([303, page]);
    }
  }
  expect((await open('/account/', 'POST')).status).toBe(404);
});

it.each([
  '//evil.test/',
  '/.//evil.test/',
  '/..//evil.test/',
  '/%5cevil.test//',
  '/\\evil.test/',
  '/x//',
  '/api/oidc/token/',
])('K2: %s leads nowhere', async (path) => {
  const { status, headers } = await service.http(hosts.a, path);
  expect([status >= 400, headers.location]).toEqual([true, undefined]);
});
