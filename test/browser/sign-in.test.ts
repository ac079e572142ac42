import { afterEach, describe, expect, it } from 'vitest';
import { hostedPages, password, signIn, startSite, submitSignIn } from '../support/browser/site.ts';
import { useStarted } from '../support/use-service.ts';

const site = useStarted(startSite);

afterEach(() => site.browser.closeViews());

const scope = 'openid offline_access profile email';
const lastAnswer = () => site.app.received('/callback').at(-1);

describe.each([
  { javaScript: false, kind: 'without JavaScript' },
  { javaScript: true, kind: 'with JavaScript' },
])('the way through the pages $kind', ({ javaScript }) => {
  it('pages 1, 6: goes from nothing, over a wrong password, to consent and back to the app', async () => {
    const view = await site.browser.open({ javaScript });
    const { page } = view;
    // Each way has a member of its own, since a consent is asked for once.
    const email = javaScript ? 'finn@example.com' : 'bo@example.com';
    await page.goto(site.authorization({ client_id: 'partner', scope, state: `js ${javaScript}` }));

    await page.click('button.primary');
    expect(await page.locator('.summary a').allTextContents()).toEqual([
      'Enter your email address',
      'Enter your password',
    ]);
    expect(await page.locator('#email').getAttribute('aria-describedby')).toBe('email-error');

    await submitSignIn(view, email, 'not the password');
    expect(await page.locator('.summary a').allTextContents()).toHaveLength(1);
    expect(await page.inputValue('#email')).toBe(email);
    expect(await page.inputValue('#password')).toBe('');
    expect(await page.locator('[aria-invalid=true]').count()).toBe(2);

    await page.fill('#password', password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Allow Nordic Weather?' }).waitFor();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('heading', { name: 'App' }).waitFor();

    const { method, url } = lastAnswer() ?? {};
    expect(method).toBe('GET');
    expect([...(url?.searchParams.keys() ?? [])].sort()).toEqual(['code', 'iss', 'state']);
    expect(url?.searchParams.get('state')).toBe(`js ${javaScript}`);
    expect(view.problems).toEqual([]);
  });

  it('I24: "Don’t allow" takes access_denied back to the app', async () => {
    const view = await site.browser.open({ javaScript });
    await signIn(view, site, 'gro+tv@example.com');
    await view.page.goto(site.authorization({ client_id: 'partner', scope }));
    await view.page.getByRole('button', { name: 'Don’t allow' }).click();
    await view.page.getByRole('heading', { name: 'App' }).waitFor();
    expect(lastAnswer()?.url.searchParams.get('error')).toBe('access_denied');
    expect(lastAnswer()?.url.searchParams.get('code')).toBeNull();
  });

  it('I24: "Cancel" takes access_denied back to the app, with both fields empty', async () => {
    const { page } = await site.browser.open({ javaScript });
    await page.goto(site.authorization({ state: 'cancelled' }));
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'App' }).waitFor();
    const answer = lastAnswer()?.url.searchParams;
    expect([answer?.get('error'), answer?.get('state')]).toEqual(['access_denied', 'cancelled']);
  });

  it('I21: form_post brings the code in a POST, and nothing in the address', async () => {
    const view = await site.browser.open({ javaScript });
    await signIn(view, site);
    const before = site.app.received('/callback').length;
    await view.page.goto(site.authorization({ response_mode: 'form_post' }));
    if (!javaScript) await view.page.getByRole('button', { name: 'Continue' }).click();
    await view.page.getByRole('heading', { name: 'App' }).waitFor();
    const posted = site.app.received('/callback').slice(before);
    expect(posted.map(({ method, url, form }) => [method, url.search, [...form.keys()].sort()])).toEqual([
      ['POST', '', ['code', 'iss', 'state']],
    ]);
    expect(view.problems).toEqual([]);
  });

  it('I42: the account page signs out, and the way back in starts at the sign-in page', async () => {
    const view = await site.browser.open({ javaScript });
    const { page } = view;
    await signIn(view, site);
    await page.goto(`${site.issuer}/account`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
    await page.goto(`${site.issuer}/account`);
    expect(new URL(page.url()).pathname).toBe('/sign-in');
    await submitSignIn(view, 'bo@example.com');
    await page.getByRole('heading', { name: 'Hello, Bo' }).waitFor();
    expect(view.problems).toEqual([]);
  });
});

describe('no dead ends', () => {
  it('pages 7: a stale page starts the same flow again', async () => {
    const view = await site.browser.open();
    await hostedPages['stale page']?.(view, site);
    await view.page.getByRole('link', { name: 'Start again' }).click();
    await submitSignIn(view, 'ada@example.com');
    await view.page.getByRole('heading', { name: 'App' }).waitFor();
    expect(lastAnswer()?.url.searchParams.get('state')).toBe('state of the app');
  });

  it('pages 7: the back button after signing in leads on to the app, not to the form again', async () => {
    const view = await site.browser.open();
    await view.page.goto(site.authorization());
    await submitSignIn(view, 'ada@example.com');
    await view.page.getByRole('heading', { name: 'App' }).waitFor();
    const before = site.app.received('/callback').length;
    await view.page.goBack();
    await view.page.getByRole('heading', { name: 'App' }).waitFor();
    expect(site.app.received('/callback').length).toBe(before + 1);
    expect(lastAnswer()?.url.searchParams.get('code')).toBeTypeOf('string');
  });

  it('pages 7: two tabs of one browser can both be finished', async () => {
    const view = await site.browser.open();
    const other = await view.context.newPage();
    await view.page.goto(site.authorization({ state: 'first tab' }));
    await other.goto(site.authorization({ state: 'second tab' }));
    for (const [page, state] of [
      [other, 'second tab'],
      [view.page, 'first tab'],
    ] as const) {
      await submitSignIn({ ...view, page }, 'ada@example.com');
      await page.getByRole('heading', { name: 'App' }).waitFor();
      expect(lastAnswer()?.url.searchParams.get('state')).toBe(state);
    }
  });

  it('pages 7: a double click on the button signs in once, and arrives', async () => {
    const view = await site.browser.open();
    await view.page.goto(site.authorization({ state: 'twice' }));
    await view.page.fill('#email', 'ada@example.com');
    await view.page.fill('#password', password);
    await view.page.dblclick('button.primary', { noWaitAfter: true });
    await view.page.getByRole('heading', { name: 'App' }).waitFor();
    expect(lastAnswer()?.url.searchParams.get('state')).toBe('twice');
    expect(lastAnswer()?.url.searchParams.get('code')).toBeTypeOf('string');
  });
});

describe('the sign-in form', () => {
  it('pages 9: is one form that password managers know, with one password field', async () => {
    const { page } = await site.browser.open();
    await page.goto(site.authorization({ login_hint: 'ada@example.com' }));
    expect(await page.locator('main form').count()).toBe(1);
    expect(await page.locator('input[type=password]').count()).toBe(1);
    const attributes = (selector: string) =>
      page.evaluate(
        `(({ name, type, autocomplete, value, required }) => ({ name, type, autocomplete, value, required }))
          (document.querySelector('${selector}'))`,
      );
    expect(await attributes('#email')).toEqual({
      name: 'email',
      type: 'email',
      autocomplete: 'username webauthn',
      value: 'ada@example.com',
      required: true,
    });
    expect(await attributes('#password')).toEqual({
      name: 'password',
      type: 'password',
      autocomplete: 'current-password',
      value: '',
      required: true,
    });
    expect(await page.evaluate('document.querySelector("[onpaste], [autocomplete=off]")')).toBeNull();
  });

  it('pages 9: the button shows the password, and hides it again before it is sent', async () => {
    const { page } = await site.browser.open();
    await page.goto(site.authorization());
    await page.fill('#password', 'secret');
    const typeNow = () => page.locator('#password').getAttribute('type');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await typeNow()).toBe('text');
    expect(await page.evaluate('document.activeElement.id')).toBe('password');
    await page.getByRole('button', { name: 'Hide password' }).click();
    expect(await typeNow()).toBe('password');

    await page.getByRole('button', { name: 'Show password' }).click();
    await page.evaluate(
      `document.forms[0].addEventListener('submit', (event) => {
        event.preventDefault();
        document.title = document.querySelector('#password').type;
      })`,
    );
    await page.click('button.primary');
    expect(await page.title()).toBe('password');
  });

  it('pages 1: without JavaScript there is no button that does nothing', async () => {
    const { page } = await site.browser.open({ javaScript: false });
    await page.goto(site.authorization());
    const texts = await page.getByRole('button').allTextContents();
    expect(texts.map((text) => text.trim())).toEqual([
      'Sign in',
      'Forgot it?',
      'Email me a code',
      'Create an account',
      'Cancel',
    ]);
  });

  it('pages 6: a link of the summary leads to its field', async () => {
    const view = await site.browser.open();
    await hostedPages['sign-in with nothing filled in']?.(view, site);
    await view.page.getByRole('link', { name: 'Enter your password' }).click();
    await view.page.keyboard.type('typed');
    expect(await view.page.inputValue('#password')).toBe('typed');
  });

  it('pages 4: a browser of a language that we do not speak gets English', async () => {
    const { page } = await site.browser.open({ language: 'tlh' });
    await page.goto(site.authorization());
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
  });
});
