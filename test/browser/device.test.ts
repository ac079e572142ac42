import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sizes, type View } from '../support/browser/browser.ts';
import { goWay, type Way, type Ways, walkPages } from '../support/browser/page-walk.ts';
import { registerClients, resume, startSite } from '../support/browser/site.ts';
import { type Television, television } from '../support/browser/television.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
let tv: Television;
/** The same app under a name that no line can hold. */
let longTv: Television;
let withoutScript: View;

beforeAll(async () => {
  const app = { type: 'public', deviceFlow: true } as const;
  await registerClients(site.service, [
    { ...app, clientId: 'play', name: 'Acme Play' },
    { ...app, clientId: 'play-long', name: `The ${'very'.repeat(11)} Long Name` },
  ]);
  [tv, longTv] = [await television(site.issuer, 'play'), await television(site.issuer, 'play-long')];
  withoutScript = await site.browser.open({ javaScript: false });
});

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

/** Presses the other button of an approve page that was left open in another tab. */
async function pressAgain({ page }: View, verdict: string, confirm: string): Promise<void> {
  await page.goto(`${site.issuer}/device`);
  const fields = `<input name="confirm" value="${confirm}"><input name="verdict" value="${verdict}">`;
  await page.evaluate(`(() => {
    document.body.insertAdjacentHTML('beforeend', '<form method="post" action="/device/approve">${fields}</form>');
    document.querySelector('form[action="/device/approve"]').submit();
  })()`);
  await page.waitForURL('**/device/*?decided=*');
}

const member = 'ida@example.com';

const approve: Way = { email: member, go: (view) => openApprove(view, tv, living) };

/** Each device page, and how a signed-in member comes to see it. */
const ways: Ways = {
  entry: { email: member, go: ({ page }) => page.goto(`${site.issuer}/device`) },
  'entry with an error': {
    email: member,
    go: async ({ page }) => {
      await page.goto(`${site.issuer}/device`);
      await page.fill('#user_code', '12345');
      await page.click('button.primary');
    },
  },
  approve,
  'approve, a device that says nothing': { email: member, go: (view) => openApprove(view, tv, {}) },
  'approve, long and hostile names': {
    email: longMember,
    go: (view) => openApprove(view, longTv, hostile),
  },
  approved: {
    email: member,
    go: async (view) => {
      await approve.go(view);
      await view.page.click('button[value=approve]');
    },
  },
  rejected: {
    email: member,
    go: async (view) => {
      await approve.go(view);
      await view.page.click('button[value=reject]');
    },
  },
  'approved, then rejected in another tab': {
    email: member,
    go: async (view) => {
      await approve.go(view);
      const confirm = await view.page.inputValue('input[name=confirm]');
      await view.page.click('button[value=approve]');
      await view.page.waitForURL('**/device/approved?*');
      await pressAgain(view, 'reject', confirm);
    },
  },
  'rejected, then approved in another tab': {
    email: member,
    go: async (view) => {
      await approve.go(view);
      const confirm = await view.page.inputValue('input[name=confirm]');
      await view.page.click('button[value=reject]');
      await view.page.waitForURL('**/device/rejected?*');
      await pressAgain(view, 'approve', confirm);
    },
  },
  'approved, then signed out': {
    email: longMember,
    go: async (view) => {
      await openApprove(view, longTv, hostile);
      await view.page.click('button[value=approve]');
      await view.page.waitForURL('**/device/approved?*');
      await view.page.click('form[action="/device/sign-out"] button');
      await view.page.waitForURL('**/device/approved?*');
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
    email: member,
    go: ({ page }) => page.goto(`http://initech.localhost:${site.service.port}/device`),
  },
};

walkPages({
  site: () => site,
  part: 'device',
  ways,
  tenant: / – (Acme|Initech)$/,
  more: (name, view) => {
    it('pages 1: reads the same without JavaScript', async () => {
      await withoutScript.renew();
      await goWay(withoutScript, site, ways[name] as Way);
      const [text, textWithout] = await Promise.all(
        [view(), withoutScript].map(({ page }) => page.locator('main').textContent()),
      );
      const changing = /\d{3} \d{3}|Reference: .*/;
      expect(textWithout?.replace(changing, '')).toBe(text?.replace(changing, ''));
    });
  },
});

describe.each(Object.entries(ways).filter(([name]) => name === 'approve' || name.startsWith('approve,')))(
  'the verdict on the page "%s"',
  (_name, way) => {
    let view: View;

    beforeAll(async () => {
      view = await site.browser.open();
      await goWay(view, site, way);
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
    await resume(view, site, member);
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
