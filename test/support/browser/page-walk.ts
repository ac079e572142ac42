import { afterAll, beforeAll, describe } from 'vitest';
import type { View } from './browser.ts';
import { isArabic, pageRules } from './page-rules.ts';
import type { Site } from './site.ts';
import { goWay, type Ways } from './way.ts';

/** Pages of one part of the site: each keeps the rules of every page. */
export interface PageWalk {
  /** The site, started before the first page is shown. */
  site(): Site;
  /** The part of the site, as titles name it. */
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
  afterAll(() => view.close());

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
      language: isArabic(name) ? 'ar' : null,
    });
    more?.(name, () => view);
  });
}
