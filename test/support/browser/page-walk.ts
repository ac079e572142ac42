import { afterAll, beforeAll, describe } from 'vitest';
import type { View } from './browser.ts';
import { pageRules } from './page-rules.ts';
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

/** Pages of one part of the site, each of which keeps the rules of every page. */
export interface PageWalk {
  /** The site, started before the first page is shown. */
  site(): Site;
  /** The part of the site, as titles and pictures name it. */
  readonly part: string;
  /** By the names of the pages; one with "error" in it is a page that says so. */
  readonly ways: Ways;
  /** What the titles of the pages end with: the tenant. */
  readonly tenant: RegExp;
  /** Rules of these pages alone, as tests. */
  more?(name: string, view: () => View): void;
}

/** Shows every page of a walk, one after the other in one view, and holds the rules against it. */
export function walkPages({ site, part, ways, tenant, more }: PageWalk): void {
  let view: View;

  beforeAll(async () => {
    view = await site().browser.open();
  });
  afterAll(() => view.context.close());

  describe.each(Object.entries(ways))(`the ${part} page "%s"`, (name, way) => {
    beforeAll(async () => {
      await view.renew();
      await goWay(view, site(), way);
    });

    pageRules({
      view: () => view,
      issuer: () => site().issuer,
      tenant,
      isError: name.includes('error'),
      picture: `${part}-${name.replaceAll(/\W+/g, '-')}`,
    });
    more?.(name, () => view);
  });
}
