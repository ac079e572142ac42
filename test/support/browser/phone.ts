import { patience } from '../run/patience.ts';
import type { TestBrowser, View } from './browser.ts';
import { password } from './site.ts';

/** A member's phone: a browser that remembers every page it showed and counts the taps. */
export interface Phone {
  readonly view: View;
  /** Taps on buttons and links so far; typing is not one. */
  taps(): number;
  /** Opens an address, as scanning a QR code or typing it does. */
  open(address: string): Promise<void>;
  /** @param part the landmark in which the button is, where more than one has such */
  tap(button: string, part?: 'banner' | 'main'): Promise<void>;
  /** Fills in the sign-in form and sends it. */
  signIn(email?: string): Promise<void>;
  /** The text of the page's heading. */
  heading(): Promise<string>;
  /** Every document that was shown, as it was sent; addresses are in `view.requests`. */
  pages(): Promise<readonly string[]>;
}

export async function openPhone(browser: TestBrowser): Promise<Phone> {
  const view = await browser.open({ size: 'phone' });
  const { page } = view;
  page.setDefaultTimeout(patience);
  const bodies: Promise<string>[] = [];
  let taps = 0;
  page.on('response', (response) => {
    const isPage = response.request().resourceType() === 'document' && response.status() !== 303;
    if (isPage) bodies.push(response.text());
  });
  // The browser lets go of a document's bytes when it leaves it: they are read before that.
  const readAll = () => Promise.all(bodies);
  const tap: Phone['tap'] = async (button, part) => {
    taps += 1;
    const where = part === undefined ? page : page.getByRole(part);
    const target = where.getByRole('button', { name: button, exact: true });
    await target.waitFor();
    await readAll();
    await target.click();
    await page.waitForLoadState();
    await readAll();
  };
  return {
    view,
    taps: () => taps,
    open: async (address) => {
      await readAll();
      await page.goto(address);
      await readAll();
    },
    tap,
    signIn: async (email = 'bo@example.com') => {
      await page.fill('#email', email);
      await page.fill('#password', password);
      await tap('Sign in');
    },
    heading: async () => (await page.locator('h1').textContent()) ?? '',
    pages: readAll,
  };
}
