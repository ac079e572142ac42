// Walks through a page of `apps` that has a button for each thing that its library does.
import { strictEqual } from 'node:assert/strict';
import { submitSignIn } from '../../test/support/browser/site.ts';
import { type Door, email, scope } from './case.ts';

/** What each of these libraries has to know, in words of its own. */
export interface PageSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly postLogoutRedirectUri: string;
  readonly scope: string;
}

/** Signs in, renews and signs out by the buttons `#in`, `#renew` and `#out`; the page shows `#name` and `#token`. */
export async function walkThrough(
  door: Door,
  file: string,
  settingsOf: (known: PageSettings) => object,
): Promise<void> {
  const app = await door.page(file, async (origin) => {
    const addresses = { redirectUri: `${origin}/callback`, postLogoutRedirectUri: `${origin}/` };
    const { clientId } = await door.register({
      type: 'public',
      redirectUris: [addresses.redirectUri],
      postLogoutRedirectUris: [addresses.postLogoutRedirectUri],
      webOrigins: [origin],
    });
    return settingsOf({ issuer: door.issuer, clientId, scope, ...addresses });
  });
  const view = await door.view();
  const { page } = view;
  const text = (selector: string) => page.locator(selector).textContent();
  try {
    await page.goto(app.origin);
    await page.click('#in');
    await page.waitForURL(`${door.issuer}/sign-in?*`);
    await submitSignIn(view, email);
    strictEqual(await text('#name'), 'Ada Nilsen');
    const token = await text('#token');
    await page.click('#renew');
    await page.waitForFunction(
      `![null, ${JSON.stringify(token)}].includes(document.querySelector('#token')?.textContent ?? null)`,
    );
    strictEqual(await text('#name'), 'Ada Nilsen');
    await page.click('#out');
    await page.locator('#in').waitFor();
    strictEqual(new URL(page.url()).origin, app.origin);
    await page.click('#in');
    await page.waitForURL(`${door.issuer}/sign-in?*`);
    strictEqual(await page.locator('#password').count(), 1);
  } catch (error) {
    throw new Error(`${error}\nat ${page.url()}: ${view.problems.join('\n')}`, { cause: error });
  }
}
