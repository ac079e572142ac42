import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { View } from '../support/browser/browser.ts';
import { axeFindings, htmlFindings } from '../support/browser/page-checks.ts';
import { password, startSite, submitSignIn } from '../support/browser/site.ts';
import {
  mailTo,
  memberPages,
  newPassword,
  openSent,
  openVerify,
  submitSignUp,
} from '../support/members/pages/member-pages.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);

const lastAnswer = () => site.app.received('/callback').at(-1)?.url.searchParams;

/** Waits for the app, and holds what came back to the state of its request. */
const expectArrival = async ({ page, problems }: View, state: string) => {
  await page.getByRole('heading', { name: 'App' }).waitFor();
  expect(lastAnswer()?.get('state')).toBe(state);
  expect(lastAnswer()?.get('code')).toBeTypeOf('string');
  expect(problems).toEqual([]);
};

describe.each([
  { javaScript: false, kind: 'without JavaScript' },
  { javaScript: true, kind: 'with JavaScript' },
])('the way of a newcomer $kind', ({ javaScript }) => {
  afterEach(() => site.browser.closeViews());

  const state = `new, ${javaScript}`;

  it('pages 1, 6, 11: goes from the sign-in page over errors and a wrong code to the app', async () => {
    const view = await site.browser.open({ javaScript });
    const { page } = view;
    const email = `first.${javaScript}@example.test`;
    await page.goto(site.authorization({ state }));
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.waitForURL('**/sign-up?*');

    await submitSignUp(view, { fullName: '', email, password: 'too short' });
    expect(await page.locator('.summary a').allTextContents()).toEqual([
      'Enter your name',
      'Enter at least 12 characters',
    ]);
    expect(await page.inputValue('#email')).toBe(email);
    expect(await page.inputValue('#password')).toBe('');

    await submitSignUp(view, { email });
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    const { code } = await mailTo(site, email);
    await page.fill('#code', code === '000 000' ? '111111' : '000000');
    await page.click('button.primary');
    expect(await page.locator('#code').getAttribute('aria-invalid')).toBe('true');
    await page.fill('#code', code);
    await page.keyboard.press('Enter');
    await expectArrival(view, state);
  });

  it('pages 11: goes on with the link of the mail in the same browser', async () => {
    const view = await site.browser.open({ javaScript });
    const email = await openVerify(view, site, { state });
    await view.page.goto((await mailTo(site, email)).link);
    await view.page.getByRole('button', { name: 'Confirm' }).click();
    await expectArrival(view, state);
  });

  it('pages 11: goes on where it began after the link was opened on a phone', async () => {
    const desk = await site.browser.open({ javaScript, size: 'desk' });
    const email = await openVerify(desk, site, { state });
    const phone = await site.browser.open({ javaScript });
    await phone.page.goto((await mailTo(site, email)).link);
    await phone.page.fill('#password', newPassword);
    await phone.page.getByRole('button', { name: 'Confirm' }).click();
    await phone.page.getByText('Go back to where you started').waitFor();
    expect(phone.problems).toEqual([]);
    await desk.page.reload();
    expect(await desk.page.locator('#code').count()).toBe(0);
    await desk.page.click('button.primary');
    await expectArrival(desk, state);
  });

  it('pages 11: ends on the consent page of a third party, and then in its app', async () => {
    const view = await site.browser.open({ javaScript });
    const email = await openVerify(view, site, { state, client_id: 'partner' });
    await view.page.fill('#code', (await mailTo(site, email)).code);
    await view.page.click('button.primary');
    await view.page.getByRole('button', { name: 'Allow', exact: true }).click();
    await expectArrival(view, state);
  });

  it('pages 10: chooses a new password by mail, and signs in with it for the app that asked', async () => {
    const view = await site.browser.open({ javaScript });
    const { page } = view;
    const email = javaScript ? 'finn@example.com' : 'gro+tv@example.com';
    await page.goto(await openSent(view, site, email));
    await page.fill('#password', newPassword);
    await page.click('button.primary');
    await page.getByRole('link', { name: 'Sign in' }).click();
    await submitSignIn(view, email, password);
    expect(await page.locator('.summary').count()).toBe(1);
    await submitSignIn(view, email, newPassword);
    await expectArrival(view, 'state of the app');
  });
});

describe('the forms', () => {
  afterEach(() => site.browser.closeViews());

  const attributes = ({ page }: View, selector: string) =>
    page.evaluate(
      `(({ name, type, autocomplete, inputMode }) => ({ name, type, autocomplete, inputMode }))
        (document.querySelector('${selector}'))`,
    );

  it('pages 9: sign-up is one form that password managers know, with one password field', async () => {
    const view = await site.browser.open();
    await view.page.goto(site.authorization({ prompt: 'create', login_hint: 'hinted@example.test' }));
    expect(await view.page.locator('main form').count()).toBe(1);
    expect(await view.page.locator('input[type=password]').count()).toBe(1);
    expect(await view.page.inputValue('#email')).toBe('hinted@example.test');
    const field = (name: string, type: string, autocomplete: string, inputMode = '') => ({
      name,
      type,
      autocomplete,
      inputMode,
    });
    expect(await attributes(view, '#fullName')).toEqual(field('fullName', 'text', 'name'));
    expect(await attributes(view, '#email')).toEqual(field('email', 'email', 'username', 'email'));
    expect(await attributes(view, '#password')).toEqual(field('password', 'password', 'new-password'));
    expect(await view.page.evaluate('document.querySelector("[onpaste], [autocomplete=off]")')).toBeNull();
  });

  it('pages 9: the digits are a one-time code, typed with the keys for numbers', async () => {
    const view = await site.browser.open();
    await openVerify(view, site);
    expect(await attributes(view, '#code')).toEqual({
      name: 'code',
      type: 'text',
      autocomplete: 'one-time-code',
      inputMode: 'numeric',
    });
  });

  it('pages 9: a new password is kept under its address, and can be looked at before it is sent', async () => {
    const view = await site.browser.open();
    const { page } = view;
    await page.goto(await openSent(view, site, 'ida@example.com'));
    expect(await page.locator('input[autocomplete=username]').inputValue()).toBe('ida@example.com');
    expect(await attributes(view, '#password')).toMatchObject({ autocomplete: 'new-password' });
    await page.fill('#password', newPassword);
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await page.locator('#password').getAttribute('type')).toBe('text');
  });

  it('a new password gets a word while it is typed, and nothing of it is sent', async () => {
    const view = await site.browser.open();
    const { page, requests } = view;
    await page.goto(site.authorization({ prompt: 'create' }));
    await page.fill('#fullName', 'Ada Berg');
    await page.fill('#email', 'ada.nilsen@example.test');
    const before = requests.length;
    const note = page.locator('[aria-live=polite]');
    expect(await note.textContent()).toBe('');
    const said: [string, string | null][] = [];
    for (const typed of ['kvist', 'acme20252026', 'Berg-Ada-2024', 'nilsen123456', 'password2024']) {
      await page.fill('#password', typed);
      said.push([typed, await note.textContent()]);
    }
    await page.getByRole('button', { name: 'Show password' }).click();
    for (const typed of ['qwertyuiop12', 'abc1abc1abc1', 'kvist og eld', 'x7Kq9mTzPw2v', '']) {
      await page.fill('#password', typed);
      said.push([typed, await note.textContent()]);
    }
    const weak = 'Easy to guess. Add another word or two';

    expect(said).toEqual([
      ['kvist', ''],
      ['acme20252026', weak],
      ['Berg-Ada-2024', weak],
      ['nilsen123456', weak],
      ['password2024', weak],
      ['qwertyuiop12', weak],
      ['abc1abc1abc1', weak],
      ['kvist og eld', 'Long enough'],
      ['x7Kq9mTzPw2v', 'Long enough'],
      ['', ''],
    ]);
    expect(requests).toHaveLength(before);
  });

  it('pages 4: a language chosen on the sign-up page goes with its flow, into the mail too', async () => {
    const view = await site.browser.open();
    const { page } = view;
    await page.goto(site.authorization({ prompt: 'create', state: 'in Norwegian' }));
    await page.click('summary');
    await page.click('button[value=nb]');
    const email = 'norwegian@example.test';
    await submitSignUp(view, { email });
    await page.waitForURL('**/sign-up/verify?*');
    expect(await page.locator('html').getAttribute('lang')).toBe('nb');
    const { code } = await mailTo(site, email);
    expect(site.service.outbox.last(email).subject).toContain('Bekreft');
    await page.fill('#code', code);
    await page.click('button.primary');
    await expectArrival(view, 'in Norwegian');
  });

  it('pages 7: a double click on the button signs up once, and arrives', async () => {
    const view = await site.browser.open();
    const email = 'twice@example.test';
    await view.page.goto(site.authorization({ prompt: 'create', state: 'twice' }));
    await view.page.fill('#fullName', 'Ada Berg');
    await view.page.fill('#email', email);
    await view.page.fill('#password', newPassword);
    await view.page.dblclick('button.primary', { noWaitAfter: true });
    await view.page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await view.page.waitForLoadState('networkidle');
    await view.page.fill('#code', (await mailTo(site, email)).code);
    await view.page.click('button.primary');
    await expectArrival(view, 'twice');
  });
});

describe('without JavaScript the pages are the same', () => {
  let view: View;

  beforeAll(async () => {
    view = await site.browser.open({ javaScript: false, size: 'narrow' });
  });

  it.each(Object.keys(memberPages))(
    'pages 1: "%s" is whole, and asks for nothing but itself',
    async (name) => {
      await view.renew();
      await memberPages[name]?.(view, site);
      await view.page.waitForLoadState();
      expect(await htmlFindings((await view.documents.at(-1)?.text()) ?? '')).toEqual([]);
      expect(await view.page.evaluate('document.querySelectorAll("h1").length')).toBe(1);
      expect(
        view.requests.filter((url) => !url.startsWith(site.issuer) && !url.startsWith(site.app.origin)),
      ).toEqual([]);
      expect(view.problems).toEqual([]);
    },
  );

  it('pages 3: the sign-up page has no axe violations in Arabic, from right to left, when it is dark', async () => {
    const view = await site.browser.open({ dark: true, language: 'ar' });
    await memberPages['sign-up with errors']?.(view, site);
    expect(await view.page.locator('html').getAttribute('dir')).toBe('rtl');
    expect(await axeFindings(view)).toEqual([]);
  });
});
