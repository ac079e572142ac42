import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { noticeLifetime } from '../../../src/core/members/limits.ts';
import {
  approvedCodes,
  codesFor,
  expectEndedSignIn,
  phoneOf,
  poll,
  pollTokens,
  startUnlimited,
  textOf,
} from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { linkIn } from '../../support/mails/outbox.ts';
import { accountOf, chromeOnAndroid, expectLeadsTo } from '../../support/members/account.ts';
import { wayOn } from '../../support/members/sign-up.ts';
import { apps } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';
import { field, tokensFor, type Visitor, visitor } from '../../support/visitor.ts';

const service = useStarted(startUnlimited);

beforeAll(async () => {
  // The first browser of all: no news.
  await accountOf(service, hosts.a);
  await accountOf(service, hosts.b);
});
beforeEach(() => service.delivered());

const named = (name: string) => service.outbox.sent.filter((mail) => mail.name === name);
const isSignedIn = async (browser: { send(path: string): Promise<{ status: number }> }) =>
  (await browser.send('/account')).status === 200;

/** The path of the newest notice's link. */
const noticeOf = async (name: 'newBrowser' | 'newTv') => {
  await service.delivered();
  const mail = named(name).at(-1);
  if (mail === undefined) throw new Error(`no mail ${name}`);
  return { mail, path: new URL(linkIn(mail)).pathname };
};

const press = async (path: string) => {
  const reader = visitor(service, hosts.a);
  const token = field(await reader.send(path), 'token');
  return reader.send(path, { body: { token } });
};

describe('the notice of a new browser', () => {
  it('goes out when a member signs in with one more, not with the first and not with a known one', async () => {
    expect(named('newBrowser')).toEqual([]);
    const second = await accountOf(service, hosts.a);
    const { mail } = await noticeOf('newBrowser');
    expect(mail.to).toBe('u1@example.test');
    expect(mail.text).toContain('Browser: Chrome on Android');
    expect(mail.text).toContain('Place: 127.0.0.1');
    const before = named('newBrowser').length;
    await second.send('/api/oidc/session/end?client_id=conf1');
    const page = await second.send(String((await second.send('/sign-in')).headers.location));
    expect((await second.signIn(page, 'u1@example.test')).status).toBe(303);
    await service.delivered();
    expect(named('newBrowser')).toHaveLength(before);
  });

  it('opening its link shows what happened and changes nothing', async () => {
    const browser = await accountOf(service, hosts.a);
    const { path } = await noticeOf('newBrowser');
    const page = await visitor(service, hosts.a).send(path);
    expect(page.status).toBe(200);
    const text = textOf(page);
    for (const part of ['Was it you?', 'Chrome on Android', '127.0.0.1', 'UTC']) expect(text).toContain(part);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('its button ends that session with its apps and its TVs, says so, and leads to a new password', async () => {
    const known = await accountOf(service, hosts.a);
    const foreign = await accountOf(service, hosts.a);
    const { path } = await noticeOf('newBrowser');
    const tokens = await tokensFor(service, hosts.a, {}, foreign);
    const own = await tokensFor(service, hosts.a, {}, known);
    expectLeadsTo(await press(path), path);
    expect([await isSignedIn(known), await isSignedIn(foreign)]).toEqual([true, false]);
    await expectEndedSignIn(service, hosts.a, tokens);
    expect(own.refresh_token).toBeDefined();
    for (const reader of [visitor(service, hosts.a), known]) await expectSaidSo(reader, path);
  });

  it('pages 20: its link says so too where the member has signed that browser out', async () => {
    await accountOf(service, hosts.a);
    const foreign = await accountOf(service, hosts.a);
    const { path } = await noticeOf('newBrowser');
    const confirm = field(await foreign.send('/account'), 'confirm');
    await foreign.send('/api/oidc/session/end', { body: { confirm } });
    await expectSaidSo(visitor(service, hosts.a), path);
  });

  it('a TV that was approved in that session and has not polled gets nothing', async () => {
    const foreign = await phoneOf(service, hosts.a);
    const { path } = await noticeOf('newBrowser');
    const codes = await approvedCodes(service, foreign);
    await press(path);
    expect((await poll(service, hosts.a, codes.device_code)).json().error).toBe('invalid_grant');
  });
});

/** Holds a link to saying that what it was about is signed out, and to asking no more. */
async function expectSaidSo(reader: Visitor, path: string): Promise<void> {
  const page = await reader.send(path);
  expect(page.status).toBe(200);
  expect(page.text).toContain('<h1>Signed out</h1>');
  expect(page.text).not.toContain('name="token"');
  expect(wayOn(page)).toBe('/recover');
}

describe('the notice of a new TV', () => {
  it('goes out once when a TV is approved, with what it says of itself', async () => {
    const phone = await phoneOf(service, hosts.a);
    const codes = await codesFor(service, hosts.a, apps.pub1, { device_name: 'Den', device_model: 'T9' });
    const page = await phone.open(codes.user_code);
    const before = named('newTv').length;
    await phone.press(page, 'approve');
    await phone.press(page, 'approve');
    const { mail, path } = await noticeOf('newTv');
    expect(named('newTv')).toHaveLength(before + 1);
    expect(mail.text).toContain('App: Public One');
    expect(mail.text).toContain('Device: Den, T9');
    const text = textOf(await visitor(service, hosts.a).send(path));
    for (const part of ['App Public One', 'Device Den', 'Model T9']) expect(text).toContain(part);
  });

  it('none goes out for a TV that was rejected', async () => {
    const phone = await phoneOf(service, hosts.a);
    const codes = await codesFor(service, hosts.a);
    await service.delivered();
    const before = named('newTv').length;
    await phone.reject(codes.user_code);
    await service.delivered();
    expect(named('newTv')).toHaveLength(before);
  });

  it('its button takes the approval back before the TV polls', async () => {
    const codes = await approvedCodes(service, await phoneOf(service, hosts.a));
    const { path } = await noticeOf('newTv');
    expectLeadsTo(await press(path), path);
    await expectSaidSo(visitor(service, hosts.a), path);
    expect((await poll(service, hosts.a, codes.device_code)).json().error).toBe('invalid_grant');
  });

  it('its button ends the sign-in of a TV that polled, and not the session that approved it', async () => {
    const phone = await phoneOf(service, hosts.a);
    const codes = await approvedCodes(service, phone);
    const tokens = await pollTokens(service, hosts.a, codes.device_code);
    const { path } = await noticeOf('newTv');
    await press(path);
    await expectEndedSignIn(service, hosts.a, tokens);
    expect(await isSignedIn(phone)).toBe(true);
  });
});

describe('the link of a notice', () => {
  it('U14: its form takes a token of this browser and this very notice', async () => {
    const browser = await accountOf(service, hosts.a);
    const { path } = await noticeOf('newBrowser');
    const [reader, other] = [visitor(service, hosts.a), visitor(service, hosts.a)];
    await reader.send(path);
    const token = field(await other.send(path), 'token');
    for (const body of [{}, { token }] as Record<string, string>[]) {
      expect((await reader.send(path, { body })).status).toBe(403);
    }
    const headers = { origin: 'https://evil.test' };
    expect((await other.send(path, { body: { token }, headers })).status).toBe(403);
    expect(await isSignedIn(browser)).toBe(true);
  });

  it('works for thirty days', async () => {
    await accountOf(service, hosts.a);
    const { path } = await noticeOf('newBrowser');
    service.clock.advance(noticeLifetime - 60_000);
    expect((await visitor(service, hosts.a).send(path)).status).toBe(200);
    service.clock.advance(60_000);
    expect((await visitor(service, hosts.a).send(path)).status).toBe(410);
  });

  it('a changed one, and one of another tenant, is none', async () => {
    const browser = await accountOf(service, hosts.a, 'u1@example.test', { userAgent: chromeOnAndroid });
    const { path } = await noticeOf('newBrowser');
    const reader = visitor(service, hosts.a);
    for (const wrong of [path.slice(0, -1), `${path}x`, '/not-me/x', '/not-me/a.b.c']) {
      expect((await reader.send(wrong)).status).toBe(410);
    }
    expect((await visitor(service, hosts.b).send(path)).status).toBe(410);
    expect(await isSignedIn(browser)).toBe(true);
  });
});
