import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sizes, type View, type ViewOptions } from '../support/browser/browser.ts';
import { pageRules } from '../support/browser/page-rules.ts';
import { registerClients, type Site, signIn, startSite } from '../support/browser/site.ts';
import { type Television, television } from '../support/browser/television.ts';

let site: Site;
let tv: Television;
/** The same app under a name that no line can hold. */
let longTv: Television;

beforeAll(async () => {
  site = await startSite();
  const app = { type: 'public', deviceFlow: true } as const;
  await registerClients(site.service, [
    { ...app, clientId: 'play', name: 'Acme Play' },
    { ...app, clientId: 'play-long', name: `The ${'very'.repeat(20)} Long Name` },
  ]);
  [tv, longTv] = [await television(site.issuer, 'play'), await television(site.issuer, 'play-long')];
});
afterAll(() => site.stop());

const living = { device_name: 'Living room', device_model: 'Telly 9' };
const hostile = {
  device_name: '<b>Approve now</b> {{7*7}} <%= 1 %> '.padEnd(64, 'W'),
  device_model: `"><img src=x onerror=alert(1)> ${'\u0643\u062a\u0627\u0628 '.repeat(6)}`,
};
/** Reads German, whose words are the longest. */
const longMember = 'a.very.long.address.that.still.is.an.address@subdomain.of.a.long.domain.example.com';

async function openApprove({ page }: View, from: Television, more: Record<string, string>): Promise<void> {
  await page.goto((await from.requestCode(more)).verification_uri_complete);
}

interface Way {
  readonly email?: string;
  go(view: View): Promise<unknown>;
}

/** Each device page, and how a signed-in member comes to see it. */
const ways: Readonly<Record<string, Way>> = {
  entry: { go: ({ page }) => page.goto(`${site.issuer}/device`) },
  'entry with an error': {
    go: async ({ page }) => {
      await page.goto(`${site.issuer}/device`);
      await page.fill('#user_code', '12345');
      await page.click('button.primary');
    },
  },
  approve: { go: (view) => openApprove(view, tv, living) },
  'approve, a device that says nothing': { go: (view) => openApprove(view, tv, {}) },
  'approve, long and hostile names': {
    email: longMember,
    go: (view) => openApprove(view, longTv, hostile),
  },
  approved: {
    go: async (view) => {
      await openApprove(view, tv, living);
      await view.page.click('button[value=approve]');
    },
  },
  rejected: {
    go: async (view) => {
      await openApprove(view, tv, living);
      await view.page.click('button[value=reject]');
    },
  },
  'error: too many codes': {
    email: 'tina@example.com',
    go: async ({ page }) => {
      for (let guess = 0; guess < 6; guess += 1) {
        await page.goto(`${site.issuer}/device?user_code=00000${guess}`);
      }
    },
  },
  'error: no device flow here': {
    go: ({ page }) => page.goto(`http://initech.localhost:${site.service.port}/device`),
  },
};

async function show(name: string, options?: ViewOptions): Promise<View> {
  const way = ways[name];
  if (way === undefined) throw new Error(`there is no page ${name}`);
  const view = await site.browser.open(options);
  await signIn(view, site, way.email ?? 'ida@example.com');
  await way.go(view);
  await view.page.waitForLoadState();
  return view;
}

describe.each(Object.keys(ways))('the device page "%s"', (name) => {
  let view: View;

  beforeAll(async () => {
    view = await show(name);
  });
  afterAll(() => view.context.close());

  pageRules({
    view: () => view,
    issuer: () => site.issuer,
    tenant: / – (Acme|Initech)$/,
    isError: name.includes('error'),
    picture: `device-${name.replaceAll(/\W+/g, '-')}`,
  });

  it('pages 1: reads the same without JavaScript', async () => {
    const without = await show(name, { javaScript: false });
    const [text, textWithout] = await Promise.all(
      [view, without].map(({ page }) => page.locator('main').textContent()),
    );
    const changing = /\d{3} \d{3}|Reference: .*/;
    expect(textWithout?.replace(changing, '')).toBe(text?.replace(changing, ''));
    await without.context.close();
  });
});

describe.each(['approve', 'approve, a device that says nothing', 'approve, long and hostile names'])(
  'the verdict on the page "%s"',
  (name) => {
    let view: View;

    beforeAll(async () => {
      view = await show(name);
    });
    afterAll(() => view.context.close());

    it.each(Object.keys(sizes) as (keyof typeof sizes)[])(
      'pages 15: Approve and Reject are of equal size and look on a %s',
      async (size) => {
        const { page } = view;
        await page.setViewportSize(sizes[size]);
        const [approve, reject] = await Promise.all(
          ['approve', 'reject'].map(async (value) => {
            const button = page.locator(`button[value=${value}]`);
            const { width, height } = (await button.boundingBox()) ?? { width: 0, height: 0 };
            const look = await page.evaluate(
              `(({ color, backgroundColor, borderColor, fontSize, fontWeight }) =>
                ({ color, backgroundColor, borderColor, fontSize, fontWeight }))
                (getComputedStyle(document.querySelector('button[value=${value}]')))`,
            );
            return { width, height, look };
          }),
        );
        expect(approve).toEqual(reject);
        expect(approve?.height).toBeGreaterThanOrEqual(44);
      },
    );

    it('pages 15: neither has autofocus or an id, and the focus is on the heading', async () => {
      const { page } = view;
      expect(await page.locator('button[name=verdict]').count()).toBe(2);
      expect(await page.locator('button[autofocus], button[id]').count()).toBe(0);
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    });

    it('pages 15: the code is the largest text, and on a phone the two boxes stand side by side', async () => {
      const { page } = view;
      await page.setViewportSize(sizes.phone);
      const fontSize = (selector: string) =>
        page.evaluate<number>(`parseFloat(getComputedStyle(document.querySelector('${selector}')).fontSize)`);
      expect(await fontSize('.shown-code strong')).toBeGreaterThan(1.5 * (await fontSize('h1')));
      const [reported, observed] = await Promise.all(
        [0, 1].map((index) => page.locator('.facts section').nth(index).boundingBox()),
      );
      expect([observed?.y, observed?.width]).toEqual([reported?.y, reported?.width]);
      expect(observed?.x).toBeGreaterThan(reported?.x ?? 0);
    });
  },
);

describe('the device pages without JavaScript', () => {
  it.each([
    ['approve', 'Approved'],
    ['reject', 'Rejected'],
  ])('pages 1: typing a code and pressing %s works', async (verdict, heading) => {
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await signIn(view, site, 'ida@example.com');
    const { verification_uri: address, user_code: userCode } = await tv.requestCode(living);
    await page.goto(address);
    await page.fill('#user_code', '12 34');
    await page.keyboard.press('Enter');
    await page.locator('#user_code[aria-invalid][aria-describedby~=user_code-error]').waitFor();
    expect(await page.inputValue('#user_code')).toBe('12 34');
    await page.fill('#user_code', userCode);
    await page.keyboard.press('Enter');
    await page.locator(`button[value=${verdict}]`).click();
    await page.getByRole('heading', { name: heading }).waitFor();
    await view.context.close();
  });
});
