import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sizes, type View } from '../support/browser/browser.ts';
import { walkPages } from '../support/browser/page-walk.ts';
import { resume, startSite } from '../support/browser/site.ts';
import { deviceWalk, living, member } from '../support/browser/walks/device.ts';
import { goWay, type Way } from '../support/browser/way.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
const walk = deviceWalk(site);
let withoutScript: View;

beforeAll(async () => {
  await walk.prepare();
  withoutScript = await site.browser.open({ javaScript: false });
});

walkPages({
  site: () => site,
  part: 'device',
  ways: walk.ways,
  tenant: / – (Acme|Initech)$/,
  more: (name, view) => {
    it('pages 1: reads the same without JavaScript', async () => {
      await withoutScript.renew();
      await goWay(withoutScript, site, walk.ways[name] as Way);
      const [text, textWithout] = await Promise.all(
        [view(), withoutScript].map(({ page }) =>
          page.evaluate<string>('document.querySelector("main").textContent'),
        ),
      );
      const changing = /\d{3} \d{3}|Reference: .*/;
      expect(textWithout?.replace(changing, '')).toBe(text?.replace(changing, ''));
    });
  },
});

describe.each(
  Object.entries(walk.ways).filter(([name]) => name === 'approve' || name.startsWith('approve,')),
)('the verdict on the page "%s"', (_name, way) => {
  let view: View;

  beforeAll(async () => {
    view = await site.browser.open();
    await goWay(view, site, way);
  });
  afterAll(() => view.close());

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
});

/** How far the middle of each slot is from the middle of its digit, in pixels: the digits stand in one line of text. */
const offCentre = `(() => {
  const input = document.querySelector('#user_code');
  const style = getComputedStyle(input);
  const line = document.createElement('span');
  line.style.cssText = 'position:absolute;white-space:pre;font:' + style.font + ';letter-spacing:' + style.letterSpacing;
  line.textContent = input.value;
  document.body.append(line);
  const begin = line.getBoundingClientRect().left;
  const from = input.getBoundingClientRect().left + parseFloat(style.borderLeftWidth) + parseFloat(style.paddingLeft);
  const spacing = parseFloat(style.letterSpacing);
  const range = document.createRange();
  const off = [...document.querySelectorAll('.slots i')].map((slot, index) => {
    range.setStart(line.firstChild, index);
    range.setEnd(line.firstChild, index + 1);
    const { left, right } = range.getBoundingClientRect();
    const box = slot.getBoundingClientRect();
    return from + (left + right - spacing) / 2 - begin - (box.left + box.right) / 2;
  });
  line.remove();
  return Math.max(...off.map(Math.abs));
})()`;

describe('the six slots of the code', () => {
  const slots = (view: View) => view.page.locator('.slots i');
  const lit = (view: View) =>
    view.page.evaluate<number>(
      `[...document.querySelectorAll('.slots i')].findIndex((one) => one.className === 'now')`,
    );
  const openEntry = async (options: Parameters<typeof site.browser.open>[0] = {}) => {
    const view = await site.browser.open(options);
    await resume(view, site, member);
    await view.page.goto(`${site.issuer}/device`);
    await view.page.locator('#user_code:focus').waitFor();
    return view;
  };

  it('pages 13: are drawn over one field that has the focus, and light up where the next digit goes', async () => {
    const view = await openEntry();
    const { page } = view;
    expect(await page.locator('main input:not([type=hidden])').count()).toBe(1);
    expect(await page.evaluate('document.activeElement.id')).toBe('user_code');
    expect([await slots(view).count(), await lit(view)]).toEqual([6, 0]);
    await page.keyboard.type('5243');
    expect(await lit(view)).toBe(4);
    await page.keyboard.press('Backspace');
    expect(await lit(view)).toBe(3);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(() => lit(view)).toBe(2);
    await page.keyboard.press('End');
    await page.keyboard.type('366');
    expect([await page.inputValue('#user_code'), await lit(view)]).toEqual(['524366', 5]);
    // Nothing is sent by itself.
    expect(new URL(page.url()).search).toBe('');
    await view.close();
  });

  it.each([
    '524 366',
    '524-366',
    '524\u2013366',
    '\u0665\u0662\u0664 \u0663\u0666\u0666',
    '\uff15\uff12\uff14\uff13\uff16\uff16',
  ])('pages 13: what is pasted as "%s" stands in them as the TV shows it', async (pasted) => {
    const view = await openEntry();
    await view.page.keyboard.insertText(pasted);
    expect(await view.page.inputValue('#user_code')).toBe('524366');
    await view.close();
  });

  it.each([true, false])(
    'pages 13: hold a digit each, on every screen, with JavaScript (%s) and without',
    async (javaScript) => {
      const view = await openEntry({ javaScript: true });
      const { page } = view;
      if (!javaScript) await page.route('**/assets/*.js', (route) => route.abort());
      await page.reload();
      await page.fill('#user_code', '524366');
      for (const size of Object.values(sizes)) {
        await page.setViewportSize(size);
        expect(await page.evaluate(offCentre)).toBeLessThan(5);
      }
      await view.close();
    },
  );

  it('pages 13: are gone once the field has anything but digits, and then it looks like any other', async () => {
    const view = await openEntry({ javaScript: false });
    await view.page.fill('#user_code', '524 366');
    expect(await slots(view).first().isVisible()).toBe(false);
    await view.page.fill('#user_code', '524366');
    expect(await slots(view).first().isVisible()).toBe(true);
    await view.close();
  });
});

describe('the way back', () => {
  it('decision 45, pages 20: shows what was decided, and after "Undo" that it was undone', async () => {
    const view = await site.browser.open();
    const { page } = view;
    await goWay(view, site, walk.ways.approve as Way);
    await page.click('button[value=approve]');
    await page.getByRole('heading', { name: 'Living room is signed in' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Living room is signed in' }).waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('heading', { name: 'Living room is signed out' }).waitFor();
    await page.getByRole('link', { name: 'See all my TVs' }).click();
    await page.waitForURL('**/account/devices');
    await view.close();
  });
});

describe('the device pages without JavaScript', () => {
  it.each([
    ['approve', 'Living room is signed in'],
    ['reject', 'Sign-in rejected'],
  ])('pages 1: typing a code and pressing %s works', async (verdict, heading) => {
    const view = await site.browser.open({ javaScript: false });
    const { page } = view;
    await resume(view, site, member);
    const { verification_uri: address, user_code: userCode } = await walk.tv().requestCode(living);
    await page.goto(address);
    await page.fill('#user_code', '12 34');
    await page.keyboard.press('Enter');
    await page.locator('#user_code[aria-invalid][aria-describedby~=user_code-error]').waitFor();
    expect(await page.inputValue('#user_code')).toBe('12 34');
    await page.fill('#user_code', userCode);
    await page.keyboard.press('Enter');
    await page.locator(`button[value=${verdict}]`).click();
    await page.getByRole('heading', { name: heading }).waitFor();
    await view.close();
  });
});
