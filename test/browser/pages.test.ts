import { beforeAll, describe } from 'vitest';
import type { View } from '../support/browser/browser.ts';
import { isArabic, pageRules } from '../support/browser/page-rules.ts';
import { hostedPages, startSite } from '../support/browser/site.ts';
import { memberPages } from '../support/members/pages/member-pages.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
let view: View;

beforeAll(async () => {
  view = await site.browser.open();
});

describe.each(Object.entries({ ...hostedPages, ...memberPages }))('the page "%s"', (name, show) => {
  beforeAll(async () => {
    await view.renew();
    await show(view, site);
    await view.page.waitForLoadState();
  });

  pageRules({
    view: () => view,
    issuer: () => site.issuer,
    tenant: / – Acme$/,
    isError: /error|wrong|nothing|stale|not found/.test(name),
    language: isArabic(name) ? 'ar' : 'en',
  });
});
