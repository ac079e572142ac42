import { beforeAll, describe, expect, it } from 'vitest';
import { keepPicture, sizes, type View } from '../support/browser/browser.ts';
import { outlinesOfTabs } from '../support/browser/keyboard.ts';
import { axeFindings, htmlFindings } from '../support/browser/page-checks.ts';
import { password, registerClients, startSite } from '../support/browser/site.ts';
import { run } from '../support/operators/desk.ts';
import { type PortalVisitor, portalOf } from '../support/operators/portal.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
let view: View;
let admin: PortalVisitor;
/** The address of the first page, and of everything on it. */
let home: string;
/** A member with subscriptions, a TV and a browser. */
let member: string;

beforeAll(async () => {
  const { host } = new URL(site.issuer);
  view = await site.browser.open({ size: 'desk' });
  admin = await portalOf(site.service, host, 'sam@example.com', password);
  home = `${site.issuer}/admin/tenants/${host}`;
  await registerClients(site.service, [
    {
      clientId: 'everything',
      name: `The ${'very'.repeat(11)} Long Name`,
      type: 'confidential',
      secret: 'x',
      redirectUris: [`https://app.example.com/${'path/'.repeat(20)}`],
      deviceFlow: true,
      idTokenAlgorithm: 'ES256',
    },
  ]);
  // A full page of a list, each with as much in it as there can be.
  for (let index = 0; index < 20; index += 1) {
    await run(site.service, 'products.create', { tenant: host, name: `Product ${index} ${'w'.repeat(80)}` });
    await run(site.service, 'clients.change', { tenant: host, clientId: 'everything', webOrigins: [] });
  }
  const found = await run<{ members: readonly { id: string }[] }>(site.service, 'members.list', {
    tenant: host,
    search: 'ada@',
  });
  member = String(found.members[0]?.id);
  const long = 'ada.with.a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com';
  await run(site.service, 'members.change', { tenant: host, memberId: member, email: long });
});

/** Gives the view the session of an administrator. */
const enter = () =>
  view.context.addCookies(
    [...admin.cookies].map(([name, value]) => ({ name, value, url: site.issuer, httpOnly: true })),
  );

const at = (path: string) => async () => {
  await enter();
  await view.page.goto(`${home}${path}`);
};

/** A page of a form that was sent with these fields. */
const sent = (path: string, fields: Readonly<Record<string, string>>) => async () => {
  await at(path)();
  for (const [id, value] of Object.entries(fields)) await fillIn(id, value);
  await view.page.locator('main button[type=submit]').click();
  await view.page.waitForLoadState();
};

async function fillIn(id: string, value: string): Promise<void> {
  const { page } = view;
  const field = page.locator(`#f-${id}`);
  const kind = await page.evaluate(`document.getElementById('f-${id}').type`);
  if (kind === 'select-one') await field.selectOption(value);
  else if (kind === 'checkbox') await field.check();
  else await field.fill(value);
}

/** Each kind of page, and the way a browser comes to see it. */
const pages: Readonly<Record<string, () => Promise<unknown>>> = {
  'sign-in': () => view.page.goto(`${site.issuer}/admin`),
  'sign-in with an error': async () => {
    const { page } = view;
    await page.goto(`${site.issuer}/admin`);
    await page.fill('#f-email', 'tina@example.com');
    await page.click('main button');
  },
  overview: at(''),
  'list of tenants': async () => {
    await enter();
    await view.page.goto(`${site.issuer}/admin/tenants`);
  },
  'list of clients': at('/clients'),
  'list of members, narrowed': at('/members?userType=member'),
  'list with an error': at('/audit?event=nothing'),
  audit: at('/audit'),
  client: async () => {
    await at('/clients/everything')();
    await view.page.evaluate(
      'document.querySelectorAll("details.setting").forEach((one) => { one.open = true; })',
    );
  },
  member: () => at(`/members/${member}`)(),
  'form for a client': at('/clients/+create'),
  'form with an error': sent('/clients/+create', {
    clientId: 'a b',
    name: 'x',
    type: 'public',
    redirectUris: 'http://evil.example/\nhttps://app.example.com/cb',
  }),
  'form for a tenant': at('/+change'),
  'form for a subscription': () => at(`/members/${member}/subscriptions/+create`)(),
  'form that ends something': at('/clients/spa/+disable'),
  'form that deletes a member': () => at(`/members/${member}/+delete`)(),
  confirmation: sent('/keys/+rotate', { emergency: 'on' }),
  secret: sent('/tokens/+create', { name: 'deployment', 'permissions-0': 'on' }),
  'error, not found': at('/nothing'),
};

describe.each(Object.keys(pages))('the portal page "%s"', (name) => {
  beforeAll(async () => {
    await view.renew();
    await pages[name]?.();
    await view.page.waitForLoadState();
  });

  it('weighs under 40 KB and takes at most two requests', async () => {
    const { documents, requests } = view;
    const after = requests.slice(requests.lastIndexOf(documents.at(-1)?.url() ?? '') + 1);
    expect(after.length).toBeLessThanOrEqual(1);
    const script = await site.service.http(new URL(site.issuer).host, new URL(after[0] ?? '').pathname);
    const html = (await documents.at(-1)?.text()) ?? '';
    expect(Buffer.byteLength(html) + Buffer.byteLength(script.text)).toBeLessThan(40_000);
  });

  it('pages 1: is valid HTML', async () => {
    expect(await htmlFindings((await view.documents.at(-1)?.text()) ?? '')).toEqual([]);
  });

  it('pages 4 to 6: is in English, has one heading, and a title that says so if it is an error', async () => {
    const { page } = view;
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    expect(await page.evaluate(`document.querySelectorAll('h1').length`)).toBe(1);
    expect(await page.title()).toMatch(
      name.includes('error') ? /^Error: .+ – Acme$/ : /^(?!Error).+ – Acme$/,
    );
    if (/with an error/.test(name)) {
      const target = await page.locator('.summary a').first().getAttribute('href');
      expect(await page.locator(String(target)).count()).toBe(1);
    }
  });

  it('pages 3: has no axe violations and no sideways scroll, from 320 px to a desk, light and dark', async () => {
    const { page } = view;
    for (const [size, dark] of [
      ['desk', false],
      ['narrow', true],
      ['phone', false],
    ] as const) {
      await page.setViewportSize(sizes[size]);
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      expect([size, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        size,
        sizes[size].width,
      ]);
      if (size !== 'phone') expect(await axeFindings(view), `${size} ${dark}`).toEqual([]);
      await keepPicture(page, `portal-${name.replaceAll(/\W+/g, '-')}-${size}`);
    }
  });

  it('pages 3: shows where the keyboard is', async () => {
    const { page } = view;
    const reachable = 'a[href], button, input:not([type=hidden]), select, textarea';
    const all = await page.evaluate<number>(`document.querySelectorAll('${reachable}').length`);
    const presses = Math.min(all, 30);
    const outlines = await outlinesOfTabs(page, presses);
    expect(outlines).toHaveLength(presses);
    for (const outline of outlines) {
      if (outline !== null) expect(outline).toMatchObject({ style: 'solid', width: 3 });
    }
  });

  it('W1: breaks no rule of its own security policy, and no script fails', () => {
    expect(view.problems).toEqual([]);
  });
});
