import type { CDPSession, Page } from 'playwright-core';

/** How what has the focus shows it. */
export interface Outline {
  readonly tag: string;
  readonly style: string;
  /** Its width in px. */
  readonly width: number;
}

/** Notes before each press what has the focus, and asks nothing of the test meanwhile. */
const watch = `(() => {
  window.outlines = [];
  window.noteOutline = () => {
    const { activeElement } = document;
    if (activeElement === document.body) return outlines.push(null);
    const { outlineStyle, outlineWidth } = getComputedStyle(activeElement);
    outlines.push({ tag: activeElement.tagName, style: outlineStyle, width: parseFloat(outlineWidth) });
  };
  addEventListener('keydown', noteOutline, true);
})()`;

/** What the last press led to is noted by no other; what was noted before the first is of none. */
const noted = `(() => {
  noteOutline();
  removeEventListener('keydown', noteOutline, true);
  return outlines.slice(1);
})()`;

const tab = { type: 'rawKeyDown', key: 'Tab', code: 'Tab', windowsVirtualKeyCode: 9 } as const;

const sessions = new WeakMap<Page, Promise<CDPSession>>();

/** The one of a page: to begin another takes as long as ten presses. */
function sessionOf(page: Page): Promise<CDPSession> {
  const session = sessions.get(page) ?? page.context().newCDPSession(page);
  sessions.set(page, session);
  return session;
}

/**
 * Presses Tab so many times. To wait for each answer and to ask after each press would take four times as long.
 *
 * @returns the outline after each press; null where the focus has left the page
 */
export async function outlinesOfTabs(page: Page, presses: number): Promise<readonly (Outline | null)[]> {
  await page.evaluate(watch);
  const browser = await sessionOf(page);
  await Promise.all(Array.from({ length: presses }, () => browser.send('Input.dispatchKeyEvent', tab)));
  return page.evaluate<readonly (Outline | null)[]>(noted);
}
