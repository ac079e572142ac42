// How a page that is only passed through is left: what a member types and presses there is tested elsewhere.
import type { Page } from 'playwright-core';

/**
 * Fills in fields, presses a button or a link by its selector, and waits for the page that comes. It does so from
 * within the page: the ways of Playwright bring a script into each, which takes as long as to show it.
 */
export async function send(
  page: Page,
  fields: Readonly<Record<string, string>> = {},
  button = 'button.primary',
): Promise<void> {
  await Promise.all([
    page.waitForEvent('load'),
    page.evaluate(`(() => {
      const find = (selector) => {
        const found = [...document.querySelectorAll(selector)].find((one) => one.checkVisibility());
        if (found === undefined) throw new Error('nothing to see is ' + selector);
        return found;
      };
      for (const [selector, value] of ${JSON.stringify(Object.entries(fields))}) {
        const field = find(selector);
        if (field.type === 'checkbox') field.checked = value === 'on';
        else field.value = value;
        for (const name of ['input', 'change']) field.dispatchEvent(new Event(name, { bubbles: true }));
      }
      find(${JSON.stringify(button)}).click();
    })()`),
  ]);
}
