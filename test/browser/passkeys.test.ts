import { afterEach, describe, expect, it } from 'vitest';
import { type VirtualAuthenticator, virtualAuthenticator } from '../support/browser/authenticator.ts';
import type { View } from '../support/browser/browser.ts';
import { signIn, startSite } from '../support/browser/site.ts';
import { run } from '../support/operators/desk.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);
afterEach(() => site.browser.closeViews());

const heading = (view: View, name: string) => view.page.getByRole('heading', { name }).waitFor();

/** A view in which a member has just made a passkey on the account page, and signed out. */
async function withPasskey(email: string) {
  const view = await site.browser.open({ own: true });
  const authenticator = await virtualAuthenticator(view);
  await signIn(view, site, email);
  await view.page.goto(`${site.issuer}/account/passkeys/new`);
  await view.page.getByRole('button', { name: 'Create a passkey' }).click();
  await view.page.getByText('Passkey added.').waitFor();
  await view.context.clearCookies();
  return { view, authenticator };
}

/** Writes on the page what its script asks the browser for, and what the browser refuses. */
const watching = `
  const get = navigator.credentials.get.bind(navigator.credentials);
  navigator.credentials.get = (asked) => {
    const got = get(asked);
    const { dataset } = document.documentElement;
    dataset.asked = asked.mediation ?? 'button';
    got.catch(({ name }) => { dataset.refused = name; });
    return got;
  };
`;

/** Presses the button at the sign-in page of an app, while the browser waits to fill a passkey in. */
async function press({ page }: View, authenticator: VirtualAuthenticator, state: string): Promise<void> {
  await page.addInitScript(watching);
  await authenticator.setPresence(false);
  await page.goto(site.authorization({ state }));
  await page.waitForSelector('[data-asked=conditional]');
  await authenticator.setPresence(true);
  await page.getByRole('button', { name: 'Use a passkey' }).click();
}

const isRefused = ({ page }: View) => page.getByText('That passkey didn’t work').first().waitFor();

describe('passkeys in a browser', () => {
  it('are offered once, made on the account page and sign in by the button, without an address', async () => {
    const view = await site.browser.open({ own: true });
    const authenticator = await virtualAuthenticator(view);
    await signIn(view, site, 'bo@example.com');
    await view.page.goto(`${site.issuer}/account`);
    await heading(view, 'Next time without a password');
    await view.page.getByRole('link', { name: 'Create a passkey' }).click();
    await view.page.getByRole('button', { name: 'Create a passkey' }).click();
    await view.page.getByText('Passkey added.').waitFor();
    expect(await authenticator.credentials()).toMatchObject([
      { isResidentCredential: true, rpId: 'localhost' },
    ]);
    await view.page.goto(`${site.issuer}/account`);
    expect(await view.page.getByText('Next time without a password').count()).toBe(0);

    await view.context.clearCookies();
    await press(view, authenticator, 'by the button');
    await heading(view, 'App');
    const answer = site.app.received('/callback').at(-1)?.url.searchParams;
    expect([answer?.get('state'), answer?.has('code')]).toEqual(['by the button', true]);
    expect(view.problems).toEqual([]);
  });

  it('open the portal too, by the button and among what the browser fills in', async () => {
    const { view, authenticator } = await withPasskey('tina@example.com');
    await view.page.addInitScript(watching);
    await authenticator.setPresence(false);
    await view.page.goto(`${site.issuer}/admin`);
    await view.page.waitForSelector('[data-asked=conditional]');
    await authenticator.setPresence(true);
    await view.page.getByRole('button', { name: 'Use a passkey' }).click();
    await view.page.waitForURL(({ pathname }) => pathname !== '/admin/sign-in');
    await view.page.goto(`${site.issuer}/admin`);
    expect(new URL(view.page.url()).pathname).not.toBe('/admin/sign-in');
    expect(view.problems).toEqual([]);
  });

  it('are among what the browser fills in', async () => {
    const { view, authenticator } = await withPasskey('cy@example.com');
    expect(await authenticator.credentials()).toHaveLength(1);
    await view.page.goto(site.authorization({ state: 'filled in' }));
    // Nothing is pressed: the virtual authenticator chooses what the browser offers.
    await heading(view, 'App');
    expect(site.app.received('/callback').at(-1)?.url.searchParams.get('state')).toBe('filled in');
  });

  it('are refused once they were removed, as any that there is not', async () => {
    const { view, authenticator } = await withPasskey('dee@example.com');
    await authenticator.setPresence(false);
    await signIn(view, site, 'dee@example.com');
    await view.page.goto(`${site.issuer}/account/passkeys`);
    await view.page.getByRole('link', { name: 'Remove' }).click();
    await view.page.fill('[name=currentPassword]', 'memberdoor-development');
    await view.page.getByRole('button', { name: 'Remove passkey' }).click();
    await view.page.getByText('Passkey removed.').waitFor();
    await view.context.clearCookies();
    await press(view, authenticator, 'removed');
    await isRefused(view);
  });

  it('are refused where the counter went back, and the audit tells of it', async () => {
    const { view, authenticator } = await withPasskey('gro+tv@example.com');
    const [credential] = await authenticator.credentials();
    if (credential === undefined) throw new Error('no passkey was made');
    await authenticator.setCounter(credential, 40);
    await press(view, authenticator, 'the one');
    await heading(view, 'App');
    await view.context.clearCookies();
    await authenticator.setCounter(credential, 3);
    await press(view, authenticator, 'the clone');
    await isRefused(view);
    const told = await site.service.store.transaction((tx) =>
      tx.selectFrom('auditEvents').select('reason').where('event', '=', 'passkey_refused').execute(),
    );
    expect(told).toEqual([{ reason: 'its counter did not go on: two devices may have the same passkey' }]);
  });

  it('sign in no one whom the device did not verify', async () => {
    const { view, authenticator } = await withPasskey('ada@example.com');
    await authenticator.setVerified(false);
    await press(view, authenticator, 'not verified');
    // The browser refuses by itself: the page stays, and its other ways do.
    await view.page.waitForSelector('[data-refused=NotAllowedError]');
    expect(await view.page.locator('#password').isVisible()).toBe(true);
  });

  it('of one tenant are unknown to another, whose address in numbers has none', async () => {
    const view = await site.browser.open({ own: true });
    const globex = site.issuer.replace('localhost', '127.0.0.1');
    await view.page.goto(`${globex}/sign-in`);
    expect(await view.page.locator('[data-passkey]').count()).toBe(0);
    expect(await view.page.locator('#email').getAttribute('autocomplete')).toBe('username');
  });

  it('prove once more who it is where there is no password, and the last way in stays', async () => {
    // A code by mail would be another way in.
    await run(site.service, 'tenants.change', { tenant: new URL(site.issuer).host, emailCodes: 'off' });
    const { view, authenticator } = await withPasskey('ida@example.com');
    const { page } = view;
    await authenticator.setPresence(false);
    await signIn(view, site, 'ida@example.com');
    await page.goto(`${site.issuer}/account/password/remove`);
    await page.fill('[name=currentPassword]', 'memberdoor-development');
    await page.locator('button[type=submit].danger').click();
    await page.getByText('Your password is removed.').waitFor();
    expect(await page.getByText('No password').count()).toBe(1);
    await authenticator.setPresence(true);
    await page.goto(`${site.issuer}/account/passkeys`);
    await page.getByRole('link', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove passkey' }).click();
    await page.getByText('This is your only way to sign in').first().waitFor();
    await page.goto(`${site.issuer}/account/password`);
    await heading(view, 'Choose a password');
    await page.fill('[name=password]', 'four words by chance here');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('Your password is changed.').waitFor();
    expect(view.problems).toEqual([]);
  });
});
