import type { Page } from 'playwright-core';

/** How what has the focus shows it. */
export interface Outline {
  readonly tag: string;
  readonly style: string;
  /** Its width in px. */
  readonly width: number;
}

/** Notes at the end of each press what has the focus, and asks nothing of the test meanwhile. */
const watch = `(() => {
  window.outlines = [];
  addEventListener('keyup', () => {
    const { activeElement } = document;
    if (activeElement === document.body) return outlines.push(null);
    const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
    outlines.push({ tag: activeElement.tagName, style: outlineStyle, width: parseFloat(outlineWidth) });
  });
})()`;

const tab = { key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 };

/**
 * Presses Tab so many times. To wait for each answer and to ask after each press would take four times as long.
 *
 * @returns the outline after each press; null where the focus has left the page
 */
export async function outlinesOfTabs(page: Page, presses: number): Promise<readonly (Outline | null)[]> {
  await page.evaluate(watch);
  const browser = await page.context().newCDPSession(page);
  const events = Array.from({ length: presses }, () => ['rawKeyDown', 'keyUp'] as const).flat();
  await Promise.all(events.map((type) => browser.send('Input.dispatchKeyEvent', { type, ...tab })));
  await browser.detach();
  return page.evaluate<readonly (Outline | null)[]>('outlines');
}
