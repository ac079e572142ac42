import type { View } from '../../browser/browser.ts';
import { send } from '../../browser/forms.ts';
import { password, type Site } from '../../browser/site.ts';
import { givePasskey } from '../../browser/walks/account.ts';
import { providerPages } from '../../browser/walks/providers.ts';
import { codeIn, linkIn } from '../../mails/outbox.ts';
import { run } from '../../operators/desk.ts';

/** A password that the rules take. */
export const newPassword = 'kvist og eld i skogen';

/** Fills in the sign-up form and sends it. */
export async function submitSignUp(
  { page }: View,
  { fullName = 'Ada Berg', email = 'new@example.test', password = newPassword } = {},
): Promise<void> {
  await page.fill('#fullName', fullName);
  await page.fill('#email', email);
  await page.fill('#password', password);
  await page.click('button.primary');
}

/** The newest mail to an address: its digits and its link. */
export async function mailTo({ service }: Site, email: string): Promise<{ code: string; link: string }> {
  await service.delivered();
  const mail = service.outbox.last(email);
  return { code: mail.name === 'signUp' ? codeIn(mail) : '', link: linkIn(mail) };
}

/** Opens the second step of a member who has a passkey and no app, where there must be one. */
async function openPasskeyStep(view: View, site: Site, more: Record<string, string> = {}): Promise<void> {
  const { host: tenant } = new URL(site.issuer);
  await givePasskey(site, 'max@example.com');
  await run(site.service, 'tenants.change', { tenant, secondFactor: 'required' });
  await view.page.goto(site.authorization({ prompt: 'login', ...more }));
  await send(view.page, { '#email': 'MAX@Example.com', '#password': password });
  await view.page.waitForURL(/second-factor/);
  await run(site.service, 'tenants.change', { tenant, secondFactor: 'optional' });
}

let newcomers = 0;

/** Signs up as far as the page that asks for the digits, with a new address. */
export async function openVerify(view: View, site: Site, more: Record<string, string> = {}): Promise<string> {
  newcomers += 1;
  const email = `newcomer${newcomers}@example.test`;
  await view.page.goto(site.authorization({ prompt: 'create', ...more }));
  await send(view.page, { '#fullName': 'Ada Berg', '#email': email, '#password': newPassword });
  await view.page.waitForURL('**/sign-up/verify?*');
  return email;
}

/** Goes on from a sign-in page: the page that is gone has fields of the same names. */
async function toRecover(page: View['page']): Promise<void> {
  await send(page, {}, 'button[value=recover]');
  await page.waitForURL('**/recover?*');
}

/** Asks for a new password, and returns the link of the mail. */
export async function openSent({ page }: View, site: Site, email = 'finn@example.com'): Promise<string> {
  // Only five mails an hour go to one address.
  site.service.clock.advance(15 * 60_000);
  await page.goto(site.authorization());
  await toRecover(page);
  await send(page, { '#email': email });
  await page.waitForURL('**/recover/sent?*');
  return (await mailTo(site, email)).link;
}

const english = 'ida@example.com';

/** The pages of sign-up and recovery, and the way a browser comes to see each. */
export const memberPages: Readonly<Record<string, (view: View, site: Site) => Promise<unknown>>> = {
  'sign-up': ({ page }, site) => page.goto(site.authorization({ prompt: 'create' })),
  'sign-up in Arabic': ({ page }, site) =>
    page.goto(site.authorization({ prompt: 'create', ui_locales: 'ar' })),
  'sign-up with errors': async (view, site) => {
    await view.page.goto(site.authorization({ prompt: 'create' }));
    await send(view.page, { '#fullName': '', '#email': 'ada@example', '#password': 'short' });
  },
  'sign-up code': openVerify,
  'sign-up code in Arabic': (view, site) => openVerify(view, site, { ui_locales: 'ar' }),
  'sign-up code with an error': async (view, site) => {
    await openVerify(view, site);
    await send(view.page, { '#code': '12' });
  },
  'sign-up code, another address with an error': async (view, site) => {
    await openVerify(view, site);
    await view.page.evaluate('document.querySelector("details.other summary").click()');
    await send(view.page, { '#email': 'no address' }, 'button[value=correct]');
  },
  'sign-up confirm': async (view, site) => {
    const { link } = await mailTo(site, await openVerify(view, site));
    await view.page.goto(link);
  },
  'sign-up confirm elsewhere, with an error': async (view, site) => {
    const { link } = await mailTo(site, await openVerify(view, site));
    await view.context.clearCookies();
    await view.page.goto(link);
    await send(view.page, { '#password': 'not the password' });
  },
  'sign-up confirmed': async (view, site) => {
    const { link } = await mailTo(site, await openVerify(view, site));
    await view.context.clearCookies();
    await view.page.goto(link);
    await send(view.page, { '#password': newPassword });
  },
  'sign-up code after the link': async (view, site) => {
    const { link } = await mailTo(site, await openVerify(view, site));
    await site.service.http(new URL(link).host, new URL(link).pathname, { body: { password: newPassword } });
    await view.page.reload();
  },
  'sign-up link used': async (view, site) => {
    const { link } = await mailTo(site, await openVerify(view, site));
    await view.page.goto(link);
    await send(view.page);
    await view.page.waitForURL('**/callback?*');
    await view.page.goto(link);
  },
  recover: async ({ page }, site) => {
    await page.goto(site.authorization());
    await toRecover(page);
  },
  'recover in Arabic': async ({ page }, site) => {
    await page.goto(site.authorization({ ui_locales: 'ar' }));
    await toRecover(page);
  },
  'recover with an error': async ({ page }, site) => {
    await page.goto(site.authorization());
    await toRecover(page);
    await send(page);
  },
  'recover sent': (view, site) => openSent(view, site, english),
  'recover reset': async (view, site) => {
    await view.page.goto(await openSent(view, site, english));
  },
  'recover reset with an error': async (view, site) => {
    await view.page.goto(await openSent(view, site, english));
    await send(view.page, { '#password': 'password1234' });
  },
  'recover done': async (view, site) => {
    await view.page.goto(await openSent(view, site, english));
    await send(view.page, { '#password': newPassword });
  },
  'recover link used': async (view, site) => {
    const link = await openSent(view, site, english);
    await view.page.goto(link);
    await send(view.page, { '#password': newPassword });
    await view.page.goto(link);
  },
  'second step by a passkey': (view, site) => openPasskeyStep(view, site),
  'second step by a passkey, Arabic': (view, site) => openPasskeyStep(view, site, { ui_locales: 'ar' }),
  'too many wrong sign-ins, an error': async ({ page }, site) => {
    await page.goto(site.authorization());
    for (let tries = 0; tries < 6; tries += 1) {
      await send(page, { '#email': 'nobody@example.com', '#password': 'wrong one' });
    }
  },
  ...providerPages,
};
