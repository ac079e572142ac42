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
        [view(), withoutScript].map(({ page }) => page.locator('main').textContent()),
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
});

describe('the device pages without JavaScript', () => {
  it.each([
    ['approve', 'Approved'],
    ['reject', 'Rejected'],
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
    await view.context.close();
  });
});
