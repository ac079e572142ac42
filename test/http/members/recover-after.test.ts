import { describe, expect, it } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import type { Answer } from '../../support/http.ts';
import { codeIn, linkIn } from '../../support/mails/outbox.ts';
import { accountOf } from '../../support/members/account.ts';
import {
  addMember,
  askForRecovery,
  oldPassword,
  recoveryLink,
  submitRecovery,
  submitReset,
} from '../../support/members/recover.ts';
import {
  expectArrival,
  expectUsed,
  expectWorkDone,
  newPassword,
  storedMember,
  wayOn,
} from '../../support/members/sign-up.ts';
import { givePasskey } from '../../support/members/soft-passkey.ts';
import { run } from '../../support/operators/desk.ts';
import { makeAdmin } from '../../support/operators/portal.ts';
import { allRows } from '../../support/records/rows.ts';
import { apps, refreshAs } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, tokensFor, visitor, wayFrom } from '../../support/visitor.ts';

const service = useService({ data: 'security' });

/** One more member of tenant a, whose password is the old one. */
const newMember = () => addMember(service, hosts.a);

/** A sign-in page of pub1 in a new browser, the form sent with this password. */
const signInWith = async (email: string, password: string, browser = visitor(service, hosts.a)) => {
  const parameters = authorizationParameters('pub1', apps.pub1.redirectUri, pkce(), { prompt: 'login' });
  return browser.signIn(await browser.authorize(parameters), email, password);
};

describe('what a new password does not end', () => {
  it('WA23: the page that confirms it says what still opens the account, where anything does', async () => {
    await run(service, 'tenants.change', { tenant: hosts.a, passkeys: 'on' });
    const recovered = async (email: string) =>
      submitReset(visitor(service, hosts.a), await recoveryLink(service, hosts.a, email), newPassword);
    const note = 'Passkeys and connected accounts still sign you in. Check that they’re all yours.';
    const [left, plain] = [await newMember(), await newMember()];
    await givePasskey(service, left.id);
    const told = await recovered(left.email);
    expect(told.text).toContain(note);
    expect(told.text).toContain('href="/account/sessions"');
    expect((await recovered(plain.email)).text).not.toContain(note);
  });
});

describe('what a new password ends', () => {
  /** A browser that is signed in, and the refresh token of its app. */
  const signedIn = async (email: string) => {
    const browser = visitor(service, hosts.a);
    await signInWith(email, oldPassword, browser);
    const tokens = await tokensFor(service, hosts.a, {}, browser);
    return { browser, refresh: () => refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token) };
  };
  const statusOf = async ({ browser, refresh }: Awaited<ReturnType<typeof signedIn>>) =>
    [(await browser.send('/account')).status, (await refresh()).status] as const;

  it.each([
    ['"everywhere" ends every session and every sign-in', true, [303, 400]],
    ['without it they stay', false, [200, 200]],
  ])('%s', async (_what, everywhere, expected) => {
    const { email } = await newMember();
    const before = await signedIn(email);
    const link = await recoveryLink(service, hosts.a, email);
    await submitReset(visitor(service, hosts.a), link, newPassword, everywhere);
    expect(await statusOf(before)).toEqual(expected);
  });

  it('the box is ticked unless the member unticks it', async () => {
    const link = await recoveryLink(service, hosts.a, (await newMember()).email);
    const page: Answer = await visitor(service, hosts.a).send(link);
    expect(/<input[^>]*name="everywhere"[^>]*>/.exec(page.text)?.[0]).toContain('checked');
  });

  it('A6: a member who was locked out by wrong passwords gets in with the new one at once', async () => {
    const { email } = await newMember();
    for (let tries = 0; tries < 6; tries += 1) await signInWith(email, 'wrong one');
    expect((await signInWith(email, oldPassword)).status).toBe(429);
    const link = await recoveryLink(service, hosts.a, email);
    await submitReset(visitor(service, hosts.a), link, newPassword);
    expect((await signInWith(email, newPassword)).status).toBe(303);
  });
});

describe('pages 10: what ends a link that was mailed before', () => {
  /** The member's own browser, which also waits for the proof of a new address. */
  const atAccount = async (email: string, newEmail: string) => {
    const browser = await accountOf(service, hosts.a, email, { password: oldPassword });
    const form = { email: newEmail, currentPassword: oldPassword };
    const verify = String((await browser.submit('/account/email', form)).headers.location);
    await service.delivered();
    return { browser, verify, mail: service.outbox.last(newEmail) };
  };
  const expectDead = async (link: string, email: string) => {
    const before = await storedMember(service, hosts.a, email);
    expectUsed(await visitor(service, hosts.a).send(link));
    expectUsed(await submitReset(visitor(service, hosts.a), link, 'the choice of a stranger'));
    expect(await storedMember(service, hosts.a, email)).toEqual(before);
  };
  const changePassword = { currentPassword: oldPassword, password: newPassword };

  it('pages 10: another address of the account ends a recovery link to the old one', async () => {
    const { email } = await newMember();
    const link = await recoveryLink(service, hosts.a, email);
    const { browser, verify, mail } = await atAccount(email, `new.${email}`);
    expect((await browser.submit(verify, { code: codeIn(mail) })).status).toBe(303);
    await expectDead(link, `new.${email}`);
  });

  it('pages 10: another password ends it, and an address that waits for its proof', async () => {
    const { email } = await newMember();
    const link = await recoveryLink(service, hosts.a, email);
    const { browser, verify, mail } = await atAccount(email, `new.${email}`);
    expect((await browser.submit('/account/password', changePassword)).status).toBe(303);
    await expectDead(link, email);
    expect((await browser.send(verify)).status).toBe(410);
    expectUsed(await browser.send(new URL(linkIn(mail)).pathname));
  });

  it('pages 10: a password by a recovery link ends an address that waits for its proof', async () => {
    const { email } = await newMember();
    const { browser, verify } = await atAccount(email, `new.${email}`);
    const link = await recoveryLink(service, hosts.a, email);
    await submitReset(visitor(service, hosts.a), link, newPassword, false);
    expect((await browser.send(verify)).status).toBe(410);
  });
});

describe('the flow that asked', () => {
  it('goes on to its client after signing in, in the browser that asked', async () => {
    const { email } = await newMember();
    const newcomer = { proof: pkce(), state: '{ "a" : 1 }', browser: visitor(service, hosts.a) };
    const link = await recoveryLink(service, hosts.a, email, newcomer);
    const { browser } = newcomer;
    const done = await submitReset(browser, link, newPassword);
    const page = await browser.send(String(wayOn(done)));
    expect(page.text).toContain('to continue to <strong><bdi>Public One</bdi></strong>');
    const answer = await browser.signIn(page, email, newPassword);
    await expectArrival(service, hosts.a, answer, { ...newcomer, page });
  });

  it('F5: a link opened in another browser ends on the account page, and the flow goes on where it began', async () => {
    const { email } = await newMember();
    const stranger = { proof: pkce(), state: 'of a stranger', browser: visitor(service, hosts.a) };
    const { sent } = await askForRecovery(service, hosts.a, email, stranger);
    const link = await recoveryLink(service, hosts.a, email, stranger);
    const owner = visitor(service, hosts.a);
    const done = await submitReset(owner, link, newPassword);
    const page = await owner.send(String(wayOn(done)));
    expect(page.text).not.toContain('Public One');
    expect((await owner.signIn(page, email, newPassword)).headers.location).toBe('/account');
    // In the browser where it began, the way is still there for the owner of the password.
    const signIn = /href="(\/sign-in\?flow=[^"]*)"/.exec(sent.text)?.[1];
    const again = await stranger.browser.send(String(signIn));
    const answer = await stranger.browser.signIn(again, email, newPassword);
    await expectArrival(service, hosts.a, answer, { ...stranger, page: again });
  });

  it('F5: a link that is over carries no flow of another browser either', async () => {
    const { email } = await newMember();
    const link = await recoveryLink(service, hosts.a, email);
    const owner = visitor(service, hosts.a);
    await submitReset(owner, link, newPassword);
    const again = await owner.send(String(wayOn(await owner.send(link))));
    const signIn = await wayFrom(owner, again, '/recover', 'sign-in');
    expect(signIn.text).toContain('<h1>Sign in</h1>');
    expect(signIn.text).not.toContain('Public One');
  });

  it('pages 7: a link that is over leads to the recovery page of the same flow', async () => {
    const { email } = await newMember();
    const browser = visitor(service, hosts.a);
    const link = await recoveryLink(service, hosts.a, email, { browser });
    service.clock.advance(30 * 60_000);
    const again = await browser.send(String(wayOn(await browser.send(link))));
    const signIn = await wayFrom(browser, again, '/recover', 'sign-in');
    expect(signIn.text).toContain('to continue to <strong><bdi>Public One</bdi></strong>');
  });

  it('pages 20: a link that was used says so, and leads to the sign-in page of the same flow', async () => {
    const { email } = await newMember();
    const browser = visitor(service, hosts.a);
    const link = await recoveryLink(service, hosts.a, email, { browser });
    await submitReset(browser, link, newPassword);
    const used = await browser.send(link);
    expectWorkDone(used, 'Your password is changed');
    expect((await browser.send(String(wayOn(used)))).text).toContain(
      'to continue to <strong><bdi>Public One</bdi></strong>',
    );
    expect(used.text).toMatch(/href="\/recover\?flow=~/);
  });

  it('pages 7: a visitor who mistyped the address finds the form and the sign-in page again', async () => {
    const { browser, sent } = await askForRecovery(service, hosts.a, 'mistyped@example.test');
    const links = [...sent.text.matchAll(/href="(\/(?:recover|sign-in)\?flow=[^"]*)"/g)].map(
      ([, url]) => url,
    );
    const [form, signIn] = await Promise.all(links.map((link) => browser.send(String(link))));
    expect(form?.text).toContain('<h1>Choose a new password</h1>');
    expect(signIn?.text).toContain('to continue to <strong><bdi>Public One</bdi></strong>');
  });

  it('W9: an id_token_hint goes into no row', async () => {
    const { id_token: hint } = await tokensFor(service, hosts.a);
    const browser = visitor(service, hosts.a);
    const parameters = authorizationParameters('pub1', apps.pub1.redirectUri, pkce(), {
      id_token_hint: hint,
    });
    const signIn = await browser.authorize(parameters);
    const form = await browser.send(`/recover?flow=${field(signIn, 'flow')}`);
    expect((await submitRecovery(browser, form, 'u1@example.test')).status).toBe(303);
    expect(JSON.stringify(await allRows(service))).not.toContain(hint);
  });
});

it('pages 20: an administrator is led to the portal, and a member is not', async () => {
  const done = async (email: string) => {
    const link = await recoveryLink(service, hosts.a, email);
    return (await submitReset(visitor(service, hosts.a), link, newPassword, false)).text;
  };
  const { email } = await newMember();
  await makeAdmin(service, hosts.a, 'invited@example.test', 'tenant_admin');
  expect(await done('invited@example.test')).toContain('<a class="button primary" href="/admin">');
  expect(await done(email)).not.toContain('href="/admin"');
});
