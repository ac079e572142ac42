// How a browser comes to see a page: what the tests of pages walk, and what takes pictures of them.
import type { View } from './browser.ts';
import { resume, type Site } from './site.ts';

/** How a browser comes to see a page. */
export interface Way {
  /** The address of the signed-in member; null without a session. */
  readonly email: string | null;
  go(view: View): Promise<unknown>;
}

export type Ways = Readonly<Record<string, Way>>;

/** Goes a way in a view that is new, and waits until the page is there. */
export async function goWay(view: View, site: Site, { email, go }: Way): Promise<void> {
  if (email !== null) await resume(view, site, email);
  await go(view);
  await view.page.waitForLoadState();
}

/** The pages of one part of the site. */
export interface Walk {
  /** Puts what the pages show into the site, before the first of them is shown. */
  prepare(): Promise<void>;
  readonly ways: Ways;
}
