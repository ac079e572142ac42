import { expect, it } from 'vitest';
import { phoneOf, setLimits } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { accountOf } from '../../support/members/account.ts';
import { askForRecovery } from '../../support/members/recover.ts';
import { atSignUp, submitSignUp } from '../../support/members/sign-up.ts';
import { apps } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, type Visitor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

/** The page of a limit, and the browser that met it. */
interface Met {
  readonly browser: Visitor;
  readonly page: Answer;
}

const limits: Readonly<Record<string, () => Promise<Met>>> = {
  'wrong sign-ins': async () => {
    const browser = visitor(service, hosts.a);
    const parameters = authorizationParameters('pub1', apps.pub1.redirectUri, pkce());
    const form = await browser.authorize(parameters);
    let page = form;
    for (let tries = 0; tries < 6; tries += 1)
      page = await browser.signIn(form, 'nobody@example.test', 'x y z');
    return { browser, page };
  },
  'wrong passwords on the account page': async () => {
    const browser = await accountOf(service, hosts.a);
    const form = { email: 'else@example.test', currentPassword: 'not the password' };
    let page = await browser.submit('/account/email', form);
    for (let tries = 0; tries < 6; tries += 1) page = await browser.submit('/account/email', form);
    return { browser, page };
  },
  'wrong TV codes': async () => {
    const browser = await phoneOf(service, hosts.a, 'u2@example.test');
    for (let guess = 0; guess < 5; guess += 1) await browser.open(`000 00${guess}`);
    return { browser, page: await browser.open('000 009') };
  },
  'sign-ups': async () => {
    await setLimits(service, hosts.a, { signUpsPerAddressAndHour: 0 });
    const { browser, page } = await atSignUp(service, hosts.a);
    return { browser, page: await submitSignUp(browser, page, { email: 'limited@example.test' }) };
  },
  'requests for a new password': async () => {
    await setLimits(service, hosts.a, { recoveriesPerAddressAndHour: 0 });
    const { browser, answer } = await askForRecovery(service, hosts.a, 'u1@example.test');
    return { browser, page: answer };
  },
  'answers to consents': async () => {
    const browser = await accountOf(service, hosts.a, 'u2@example.test');
    const token = field(await browser.send('/account/details'), 'token');
    let page = await browser.send('/account/consents', { body: { token } });
    for (let answers = 0; answers < 30; answers += 1) {
      page = await browser.send('/account/consents', { body: { token } });
    }
    return { browser, page };
  },
};

it.each(Object.entries(limits))('pages 7: too many %s is no dead end', async (_what, meet) => {
  await setLimits(service, hosts.a, {});
  const { browser, page } = await meet();
  expect(page.status, /<title>.*/.exec(page.text)?.[0]).toBe(429);
  const main = page.text.slice(page.text.indexOf('<main'));
  const ways = [...main.matchAll(/<a [^>]*href="([^"]*)"/g)].map(([, href]) =>
    String(href).replaceAll('&amp;', '&'),
  );
  expect(ways.length).toBeGreaterThan(0);
  for (const way of ways) expect((await browser.send(way)).status, way).toBe(200);
});
