import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { screenshot, sizes, type View, type ViewOptions } from '../support/browser/browser.ts';
import { axeFindings, htmlFindings } from '../support/browser/page-checks.ts';
import { password, registerClients, type Site, signIn, startSite } from '../support/browser/site.ts';
import { television } from '../support/browser/television.ts';
import { linkIn } from '../support/members/outbox.ts';
import { visitor } from '../support/visitor.ts';

let site: Site;

/** Reads English, and has two TVs and two browsers. */
const member = 'ida@example.com';
const arabic = 'huda@example.com';
/** Reads German, whose words are the longest. */
const longMember = 'a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com';

beforeAll(async () => {
  site = await startSite();
  const app = { type: 'public', deviceFlow: true } as const;
  const longName = `The ${'very'.repeat(20)} Long Name`;
  await registerClients(site.service, [
    { ...app, clientId: 'play', name: 'Acme Play' },
    { ...app, clientId: 'play-long', name: longName },
  ]);
  for (const email of [member, arabic, longMember]) {
    await signInTv(email, 'play', { device_name: 'Living room', device_model: 'Telly 9' });
    await signInTv(email, 'play-long', {
      device_name: '<b>Mine</b> {{7*7}} <%= 1 %> '.padEnd(64, 'W'),
      device_model: `"><img src=x onerror=alert(1)> ${'\u0643\u062a\u0627\u0628 '.repeat(6)}`,
    });
  }
});
afterAll(() => site.stop());

/** Approves a TV in a browser of the member's, and lets it fetch its tokens. */
async function signInTv(email: string, clientId: string, more: Record<string, string>): Promise<void> {
  const tv = await television(site.issuer, clientId);
  const view = await site.browser.open();
  await signIn(view, site, email);
  const codes = await tv.requestCode(more);
  await view.page.goto(codes.verification_uri_complete);
  await view.page.click('button[value=approve]');
  await view.page.waitForLoadState();
  await view.context.close();
  const answer = await site.service.http(new URL(site.issuer).host, '/api/oidc/token', {
    body: {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: clientId,
      device_code: codes.device_code,
    },
  });
  expect(answer.status, answer.text).toBe(200);
}

interface Way {
  readonly email?: string;
  go(view: View): Promise<unknown>;
}

const at = (path: string, email?: string): Way => ({
  ...(email === undefined ? {} : { email }),
  go: ({ page }) => page.goto(`${site.issuer}/account${path}`),
});

/** A page of a form that was sent with these fields. */
const sent = (path: string, fields: Record<string, string>): Way => ({
  go: async ({ page }) => {
    await page.goto(`${site.issuer}/account/${path}`);
    for (const [name, value] of Object.entries(fields)) await page.fill(`[name=${name}]`, value);
    await page.click('button.primary');
    await page.waitForLoadState();
  },
});

const notMe: Way = {
  go: async ({ page }) => {
    await signIn(await site.browser.open(), site, member);
    await site.service.delivered();
    const mail = site.service.outbox.sent.findLast(({ name }) => name === 'newBrowser');
    if (mail === undefined) throw new Error('no notice');
    await page.goto(linkIn(mail));
  },
};

/** Each page of the account area, and how a signed-in member comes to see it. */
const ways: Readonly<Record<string, Way>> = {
  overview: at('', 'ada@example.com'),
  'overview after a change': at('?done=details'),
  'overview of an account to be deleted': {
    email: 'kim@example.com',
    go: async (view) => {
      await sent('delete', { currentPassword: password }).go(view);
      await view.page.goto(`${site.issuer}/account`);
    },
  },
  'overview, Arabic': at('', arabic),
  'overview, long': at('', longMember),
  devices: at('/devices'),
  'devices, Arabic': at('/devices', arabic),
  'devices, long': at('/devices', longMember),
  'devices, none': at('/devices', 'max@example.com'),
  'devices with an error': {
    go: async ({ page }) => {
      await page.goto(`${site.issuer}/account/devices`);
      await page.locator('summary').first().click();
      await page.locator('input[name=label]').first().fill('x'.repeat(61));
      await page.locator('button[value=rename]').first().click();
      await page.waitForLoadState();
    },
  },
  sessions: at('/sessions'),
  'sessions, Arabic': at('/sessions', arabic),
  details: at('/details', 'ada@example.com'),
  'details with an error': sent('details', { fullName: '', phone: '12', country: 'Atlantis' }),
  'details, Arabic': at('/details', arabic),
  email: at('/email'),
  'email with an error': sent('email', { email: 'no address' }),
  'email, digits': sent('email', { email: 'ida.new@example.com', currentPassword: password }),
  'email, link': {
    go: async (view) => {
      await sent('email', { email: 'ida.link@example.com', currentPassword: password }).go(view);
      await site.service.delivered();
      await view.page.goto(linkIn(site.service.outbox.last('ida.link@example.com')));
    },
  },
  password: at('/password'),
  'password with an error': sent('password', { currentPassword: 'wrong', password: 'short' }),
  data: at('/data'),
  delete: at('/delete'),
  'not me': notMe,
};

async function show(name: string, options?: ViewOptions): Promise<View> {
  const way = ways[name];
  if (way === undefined) throw new Error(`there is no page ${name}`);
  const view = await site.browser.open(options);
  await signIn(view, site, way.email ?? member);
  await way.go(view);
  await view.page.waitForLoadState();
  return view;
}

const widthOf = ({ page }: View) => page.evaluate('document.documentElement.scrollWidth');

describe.each(Object.keys(ways))('the account page "%s"', (name) => {
  let view: View;

  beforeAll(async () => {
    view = await show(name);
  });
  afterAll(() => view.context.close());

  it('pages 2: weighs under 20 KB and takes at most two requests', async () => {
    const { documents, requests } = view;
    const last = documents.at(-1);
    const after = requests.slice(requests.lastIndexOf(last?.url() ?? '') + 1);
    expect(after.length).toBeLessThanOrEqual(1);
    const script = await fetch(new URL(new URL(after[0] ?? '').pathname, site.issuer));
    const weight = Buffer.byteLength((await last?.text()) ?? '') + (await script.bytes()).length;
    expect(weight).toBeGreaterThan(2_000);
    expect(weight).toBeLessThan(20_000);
  });

  it('pages 1: is valid HTML', async () => {
    expect(await htmlFindings((await view.documents.at(-1)?.text()) ?? '')).toEqual([]);
  });

  it('pages 4 to 6: has one heading and a title that names the tenant, and says so if it is an error', async () => {
    const { page } = view;
    expect(await page.locator('h1').count()).toBe(1);
    const title = await page.title();
    expect(title.startsWith('Error: ')).toBe(name.includes('error'));
    expect(title).toMatch(/ – Acme$/);
  });

  it('pages 3: fits 320 px, a phone and 1280 px without sideways scroll, in either direction', async () => {
    const { page } = view;
    for (const size of [sizes.narrow, sizes.phone, { width: 1280, height: 800 }]) {
      await page.setViewportSize(size);
      for (const dir of ['rtl', 'ltr', name.includes('Arabic') ? 'rtl' : 'ltr']) {
        await page.evaluate(`document.documentElement.dir = '${dir}'`);
        expect([size.width, dir, await widthOf(view)]).toEqual([size.width, dir, size.width]);
      }
    }
  });

  it('pages 3: has no axe violations, light and dark, on a phone and a desk', async () => {
    const { page } = view;
    for (const [size, dark] of [
      ['phone', false],
      ['desk', true],
      ['phone', true],
    ] as const) {
      await page.setViewportSize(sizes[size]);
      await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
      expect(await axeFindings(view), `${size} ${dark}`).toEqual([]);
      const file = `account-${name.replaceAll(/\W+/g, '-')}-${dark ? 'dark' : 'light'}`;
      if (size === 'phone') await screenshot(page, file);
    }
  });

  it('pages 3: shows where the keyboard is', async () => {
    const { page } = view;
    const focused = `(() => {
      const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement);
      return outlineStyle + ' ' + (parseFloat(outlineWidth) >= 2);
    })()`;
    const all = await page.locator('a[href], button, input:not([type=hidden]), select, summary').count();
    for (let index = 0; index < all; index += 1) {
      await page.keyboard.press('Tab');
      if (await page.evaluate('document.activeElement !== document.body')) {
        expect(await page.evaluate(focused)).toBe('solid true');
      }
    }
  });

  it('W1: breaks no rule of its own security policy, and no script fails', () => {
    expect(view.problems).toEqual([]);
  });
});

describe('the account pages without JavaScript', () => {
  it('pages 1: from the overview a TV is renamed and signed out', async () => {
    await signInTv('bo@example.com', 'play', { device_name: 'Kitchen' });
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'bo@example.com');
    await page.goto(`${site.issuer}/account`);
    await page.getByRole('link', { name: 'My TVs and apps' }).click();
    const card = page.locator('.cards > li').filter({ hasText: 'Kitchen' });
    await card.getByText('Rename').click();
    await card.getByLabel('Name of this device').fill('Grandma');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Grandma' }).waitFor();
    expect(await page.locator('[role=status]').textContent()).toBe('The name is saved.');
    await page
      .locator('.cards > li')
      .filter({ hasText: 'Grandma' })
      .getByRole('button', { name: 'Sign out', exact: true })
      .click();
    await page.getByText('Signed out.').waitFor();
    expect(await page.getByRole('heading', { name: 'Grandma' }).count()).toBe(0);
    await view.context.close();
  });

  it('pages 1, 18: details are changed, and the page says so', async () => {
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'bo@example.com');
    await page.goto(`${site.issuer}/account/details`);
    await page.fill('#fullName', 'Bo Bergman');
    await page.selectOption('#language', 'en');
    await page.click('button.primary');
    await page.getByText('Hello Bo Bergman').waitFor();
    await view.context.close();
  });

  it('pages 18: the data come as a file', async () => {
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'bo@example.com');
    await page.goto(`${site.issuer}/account/data`);
    await page.fill('#currentPassword', password);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('button.primary')]);
    expect(download.suggestedFilename()).toBe('my-data.json');
    await view.context.close();
  });

  it('"it was not me" ends the session that the mail tells of, and leads to a new password', async () => {
    const foreign = visitor(site.service, new URL(site.issuer).host);
    const at = await foreign.authorize(
      Object.fromEntries(new URL(site.authorization({ prompt: 'login' })).searchParams),
    );
    await foreign.signIn(at, member);
    await site.service.delivered();
    const mail = site.service.outbox.sent.findLast(({ name }) => name === 'newBrowser');
    const { page, context } = await site.browser.open({ javaScript: false });
    await page.goto(linkIn(mail ?? { text: '' }));
    await page.getByRole('button').click();
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
    expect((await foreign.send('/account')).status).toBe(303);
    await context.close();
  });
});
