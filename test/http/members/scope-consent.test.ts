import { describe, expect, it } from 'vitest';
import { expectErrorPage, expectErrorRedirect } from '../../support/expected/expectations.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';
import {
  authorizationParameters,
  codeFor,
  field,
  pkce,
  type Visitor,
  visitor,
} from '../../support/visitor.ts';

const redirectUri = 'https://third.test/cb';

const service = useService({ data: 'security' });

/** Asks for a code of the third party's client, in a browser signed in through a client of our own. */
const asked = async (more: Record<string, string> = {}, email = 'u1@example.test') => {
  const browser = visitor(service, hosts.a);
  await codeFor(browser, 'pub1', 'https://pub1.test/cb', {}, email);
  return { browser, answer: await again(browser, more) };
};

const again = (browser: Visitor, more: Record<string, string> = {}) =>
  browser.authorize(
    authorizationParameters('third', redirectUri, pkce(), { scope: 'openid', state: 's', ...more }),
  );

const decide = (browser: Visitor, page: Answer, action: string, headers: Record<string, string> = {}) =>
  browser.send('/consent', { body: { flow: field(page, 'flow'), action }, headers });

const expectConsentPage = (answer: Answer) => {
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('<h1>Allow Third Party?</h1>');
};

const expectCode = (answer: Answer) => {
  expect(answer.status).toBe(303);
  expect(answer.headers.location).toMatch(/^https:\/\/third\.test\/cb\?code=[\w-]{43}&state=s&iss=/);
};

describe("a third party's client", () => {
  it('decision 14: gets no code before the member has read who asks for what and as whom', async () => {
    const { answer } = await asked({ scope: 'openid email address' });
    expectConsentPage(answer);
    expect(answer.text).toContain('your email address');
    expect(answer.text).toContain('your postal address');
    expect(answer.text).not.toContain('your phone number');
    expect(answer.text.match(/<li>\s*<svg class="icon"/g)).toHaveLength(3);
    expect(answer.text).toContain('u1@example.test');
  });

  it('decision 14: is refused with access_denied when the member denies, and asks again later', async () => {
    const { browser, answer } = await asked();
    const before = await allRows(service);
    const denied = await decide(browser, answer, 'deny');
    expectErrorRedirect(denied, { redirectUri, error: 'access_denied', state: 's' });
    expect(await allRows(service)).toEqual(before);
    expectConsentPage(await again(browser));
  });

  it('decision 14: gets consent_required with prompt=none', async () => {
    const { answer } = await asked({ prompt: 'none' });
    expectErrorRedirect(answer, { redirectUri, error: 'consent_required', state: 's' });
  });

  it('decision 14: comes to the consent page after the sign-in page too', async () => {
    const browser = visitor(service, hosts.a);
    const page = await again(browser);
    const next = await browser.signIn(page, 'u1@example.test');
    expect(next.status).toBe(303);
    expect(next.headers.location).toMatch(/^\/consent\?flow=/);
    expectConsentPage(await browser.send(next.headers.location ?? ''));
  });

  it('decision 14: asks once, again for a wider scope, and again on prompt=consent', async () => {
    const { browser, answer } = await asked({ scope: 'openid email' }, 'u2@example.test');
    expectCode(await decide(browser, answer, 'allow'));
    expectCode(await again(browser, { scope: 'openid email' }));
    expectCode(await again(browser, { scope: 'openid', prompt: 'none' }));
    const wider = await again(browser, { scope: 'openid email phone' });
    expectConsentPage(wider);
    const anew = await again(browser, { scope: 'openid', prompt: 'consent' });
    expectConsentPage(anew);
    expectCode(await decide(browser, anew, 'allow'));
  });

  it("decision 14: one member's consent is not another's", async () => {
    const { browser, answer } = await asked({}, 'u2@example.test');
    if (answer.status === 200) expectCode(await decide(browser, answer, 'allow'));
    expectConsentPage((await asked()).answer);
  });
});

describe('the consent page', () => {
  const expectNothingGiven = async (send: () => Promise<Answer>, status: number) => {
    const before = await allRows(service);
    expectErrorPage(await send(), status);
    expect(await allRows(service)).toEqual(before);
  };

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.test' },
    { origin: 'https://b.test' },
  ])('decision 14: a form of another site (%j) is refused and gives nothing', async (headers) => {
    const { browser, answer } = await asked();
    await expectNothingGiven(() => decide(browser, answer, 'allow', headers as Record<string, string>), 403);
  });

  it("decision 14: another browser's form is refused, even with a session of the same member", async () => {
    const { answer } = await asked();
    const { browser: other } = await asked();
    await expectNothingGiven(() => decide(other, answer, 'allow'), 403);
  });

  it('decision 14: a form that comes without the cookie of its browser is refused', async () => {
    const { browser, answer } = await asked();
    browser.cookies.delete('__Host-memberdoor-browser');
    await expectNothingGiven(() => decide(browser, answer, 'allow'), 403);
  });

  it('decision 14: a form that was changed, or has none of our flows, is refused', async () => {
    const { browser, answer } = await asked();
    const [payload = '', ...macs] = field(answer, 'flow').split('.');
    const flow = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { parameters: object };
    const wider = { ...flow, parameters: { ...flow.parameters, scope: 'openid email' } };
    const forged = [Buffer.from(JSON.stringify(wider)).toString('base64url'), ...macs].join('.');
    for (const body of [
      { flow: forged, action: 'allow' },
      { flow: 'x', action: 'allow' },
      { action: 'allow' },
    ]) {
      await expectNothingGiven(() => browser.send('/consent', { body: body as Record<string, string> }), 400);
    }
  });

  it('decision 14: without a session the question is not even shown', async () => {
    const { browser, answer } = await asked();
    browser.cookies.delete('__Host-memberdoor-session');
    const before = await allRows(service);
    const next = await decide(browser, answer, 'allow');
    expect(next.status).toBe(303);
    expect(next.headers.location).toMatch(/^\/sign-in\?flow=/);
    expect(await allRows(service)).toEqual(before);
  });

  it.each(['allow', 'deny'])(
    'F2: sent after another member signed in, it records nothing (%s), and asks the member of now',
    async (action) => {
      const { browser, answer } = await asked({ scope: 'openid address' });
      expect(answer.text).toContain('u1@example.test');
      await codeFor(browser, 'pub1', 'https://pub1.test/cb', { prompt: 'login' }, 'u2@example.test');
      const consents = () =>
        service.store.transaction((tx) => tx.selectFrom('scopeConsents').selectAll().execute());
      const before = await consents();
      const refused = await decide(browser, answer, action);
      expect(refused.status, refused.headers.location).toBe(403);
      expect(refused.text).toContain('<h1>Allow Third Party?</h1>');
      expect(refused.text).toContain('u2@example.test');
      expect(refused.text).not.toContain('u1@example.test');
      expect(await consents()).toEqual(before);
      expectErrorRedirect(await decide(browser, refused, 'deny'), {
        redirectUri,
        error: 'access_denied',
        state: 's',
      });
    },
  );

  it('F2: nor does it lead on for another member who has agreed before', async () => {
    const { browser, answer } = await asked({ scope: 'openid' });
    const consented = await asked({ scope: 'openid' }, 'u2@example.test');
    if (consented.answer.status === 200) await decide(consented.browser, consented.answer, 'allow');
    await codeFor(browser, 'pub1', 'https://pub1.test/cb', { prompt: 'login' }, 'u2@example.test');
    expectErrorPage(await decide(browser, answer, 'allow'), 403);
  });

  it('F2: of a member who signed in anew in the same browser it is still the page', async () => {
    const { browser, answer } = await asked({ scope: 'openid phone' });
    await codeFor(browser, 'pub1', 'https://pub1.test/cb', { prompt: 'login' });
    const denied = await decide(browser, answer, 'deny');
    expectErrorRedirect(denied, { redirectUri, error: 'access_denied', state: 's' });
  });

  it('decision 14: opening it gives nothing, and nor does an action it does not have', async () => {
    const { browser, answer } = await asked();
    const before = await allRows(service);
    expectConsentPage(await browser.send(`/consent?flow=${field(answer, 'flow')}&action=allow`));
    expectConsentPage(await decide(browser, answer, 'ALLOW'));
    expect(await allRows(service)).toEqual(before);
  });
});
