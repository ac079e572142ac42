import { beforeAll, describe, expect, it } from 'vitest';
import { refreshTokenIdle } from '../../../src/core/limits.ts';
import {
  approvedCodes,
  codesFor,
  expectEndedSignIn,
  phoneOf,
  poll,
  pollTokens,
  setLimits,
  textOf,
  unlimited,
} from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import {
  type AccountVisitor,
  accountOf,
  chromeOnAndroid,
  expectDone,
  valuesOf,
} from '../../support/members/account.ts';
import { apps, refreshAs } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { codeFor, field, token, tokensFor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: AccountVisitor;

beforeAll(async () => {
  for (const host of [hosts.a, hosts.b]) await setLimits(service, host, unlimited);
});

const url = '/account/devices';
const living = { device_name: 'Living room', device_model: 'Telly 9' };

/** A TV that a member has approved, with its tokens. */
const tvOf = async (host: string, email?: string, more: Record<string, string> = living) => {
  const phone = await phoneOf(service, host, email);
  const codes = await codesFor(service, host, apps.pub1, more);
  await phone.approve(codes.user_code);
  return pollTokens(service, host, codes.device_code);
};

const signOutAll = async (account: AccountVisitor) => {
  const page = await account.send(url);
  if (page.text.includes('sign-out-all')) await account.submit(url, { action: 'sign-out-all' });
};

const works = async (host: string, refreshToken: string | undefined) =>
  (await refreshAs(service, host, apps.pub1, refreshToken)).status;

describe('my TVs and apps', () => {
  it('pages 17: nothing is listed before anything was signed in', async () => {
    browser = await accountOf(service, hosts.a);
    expect(textOf(await browser.send(url))).toContain('No TV or app is signed in yet.');
  });

  it('pages 17: a TV is listed with its app, name, model, address and times', async () => {
    await tvOf(hosts.a);
    const text = textOf(await browser.send(url));
    for (const part of [
      'Living room',
      'Public One',
      'Telly 9',
      'Address 127.0.0.1',
      'First used January 15, 2026',
      'Last used Now',
    ]) {
      expect(text).toContain(part);
    }
    await signOutAll(browser);
  });

  it('pages 17: an app of the web is listed with the browser it was signed in with', async () => {
    await tokensFor(service, hosts.a, {}, browser);
    expect(textOf(await browser.send(url))).toContain('Public One Chrome on Android');
    await signOutAll(browser);
  });

  it('pages 17: last used is when the app last fetched new tokens', async () => {
    const tokens = await tvOf(hosts.a);
    service.clock.advance(3 * 60 * 60 * 1_000);
    expect(textOf(await browser.send(url))).toContain('Last used 3 hours ago');
    expect(await works(hosts.a, tokens.refresh_token)).toBe(200);
    expect(textOf(await browser.send(url))).toContain('Last used Now');
    await signOutAll(browser);
  });

  it('D14: what a device says of itself is text', async () => {
    await tvOf(hosts.a, undefined, { device_name: '<script>alert(1)</script>', device_model: '<%= 1 %>' });
    const page = await browser.send(url);
    expect(page.text).not.toContain('<script>alert');
    expect(textOf(page)).toContain('<%= 1 %>');
    await signOutAll(browser);
  });

  it('pages 17: a sign-in without offline_access is listed as long as its token and its session live', async () => {
    await tokensFor(service, hosts.a, { scope: 'openid' }, browser);
    expect(textOf(await browser.send(url))).toContain('Public One');
    service.clock.advance(3_600_000);
    expect(textOf(await browser.send(url))).toContain('No TV or app is signed in yet.');
    const other = await accountOf(service, hosts.a);
    await tokensFor(service, hosts.a, { scope: 'openid' }, other);
    expect(textOf(await browser.send(url))).toContain('Public One');
    await other.send('/api/oidc/session/end?client_id=conf1');
    expect(textOf(await browser.send(url))).toContain('No TV or app is signed in yet.');
  });

  it('pages 17: what has not been used for its whole lifetime is not listed', async () => {
    await tvOf(hosts.a);
    service.clock.advance(refreshTokenIdle);
    browser = await accountOf(service, hosts.a);
    expect(textOf(await browser.send(url))).toContain('No TV or app is signed in yet.');
  });
});

describe('signing a TV out', () => {
  it('pages 17: ends its sign-in at once, and no other', async () => {
    const first = await tvOf(hosts.a, undefined, { device_name: 'First' });
    const second = await tvOf(hosts.a, undefined, { device_name: 'Second' });
    const page = await browser.send(url);
    // The last used comes first, and each card has two forms.
    const ids = valuesOf(page, 'signIn');
    expect(ids).toHaveLength(4);
    const form = { signIn: String(ids[2]), action: 'sign-out' };
    expectDone(await browser.submit(url, form), url, 'signedOut');
    await expectEndedSignIn(service, hosts.a, first);
    expect(await works(hosts.a, second.refresh_token)).toBe(200);
    expect(textOf(await browser.send(url))).not.toContain('First used First');
    expectDone(await browser.submit(url, form), url, 'signedOut');
    await signOutAll(browser);
  });

  it('pages 17: signing out all ends every one, and what was approved and not fetched yet', async () => {
    const tokens = [await tvOf(hosts.a), await tokensFor(service, hosts.a, {}, browser)];
    const waiting = await approvedCodes(service, await phoneOf(service, hosts.a));
    const others = await tvOf(hosts.a, 'u2@example.test');
    const { code, verifier } = await codeFor(browser, 'pub1', apps.pub1.redirectUri);
    expectDone(await browser.submit(url, { action: 'sign-out-all' }), url, 'signedOutAll');
    for (const ended of tokens) await expectEndedSignIn(service, hosts.a, ended);
    const answer = await poll(service, hosts.a, waiting.device_code);
    expect(answer.json().error).toBe('invalid_grant');
    const fields = { grant_type: 'authorization_code', client_id: 'pub1', code, code_verifier: verifier };
    expect((await token(service, hosts.a, fields)).json().error).toBe('invalid_grant');
    expect(await works(hosts.a, others.refresh_token)).toBe(200);
  });
});

describe('renaming a TV', () => {
  const cardOf = async () => ({ signIn: String(valuesOf(await browser.send(url), 'signIn')[0]) });

  it('pages 17: gives it a name of the member’s, and an empty one takes it away', async () => {
    await tvOf(hosts.a);
    const card = await cardOf();
    const renamed = await browser.submit(url, { ...card, action: 'rename', label: ' Grandma’s TV ' });
    expectDone(renamed, url, 'renamed');
    expect((await browser.send(url)).text).toContain('<bdi>Grandma’s TV</bdi></strong>');
    await browser.submit(url, { ...card, action: 'rename', label: '' });
    expect((await browser.send(url)).text).toContain('<bdi>Living room</bdi></strong>');
  });

  it.each([
    ['of 61 characters', 'x'.repeat(61), 'Use at most 60 characters'],
    ['with a control character', 'a\u0007b', 'Remove the invisible characters'],
  ])('pages 6: a name %s is refused beside its field, and kept there', async (_what, label, text) => {
    const answer = await browser.submit(url, { ...(await cardOf()), action: 'rename', label });
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('<title>Error: ');
    expect(answer.text).toContain('href="#label-0"');
    expect(textOf(answer)).toContain(text);
    expect(field(answer, 'label')).toBe(label);
  });

  it('a name of 60 characters that are written as pairs is taken', async () => {
    const answer = await browser.submit(url, {
      ...(await cardOf()),
      action: 'rename',
      label: '📺'.repeat(60),
    });
    expectDone(answer, url, 'renamed');
  });
});

describe("another's TV", () => {
  it.each([
    ['another member', hosts.a, 'u2@example.test'],
    ['another tenant', hosts.b, 'u1@example.test'],
  ])('X1: that of %s is not found, and nothing happens to it', async (_who, host, email) => {
    const theirs = await accountOf(service, host, email);
    await signOutAll(theirs);
    const tokens = await tvOf(host, email);
    const signIn = String(valuesOf(await theirs.send(url), 'signIn')[0]);
    await tvOf(hosts.a);
    for (const form of [{ action: 'sign-out' }, { action: 'rename', label: 'Mine' }]) {
      expect((await browser.submit(url, { signIn, ...form })).status).toBe(404);
    }
    expect(await works(host, tokens.refresh_token)).toBe(200);
    expect((await theirs.send(url)).text).not.toContain('Mine');
  });

  it('an unknown id is not found', async () => {
    const form = { signIn: '0199aaaa-0000-7000-8000-000000000000', action: 'sign-out' };
    expect((await browser.submit(url, form)).status).toBe(404);
    expect((await browser.submit(url, { action: 'sign-out' })).status).toBe(404);
  });
});

describe('the browser’s name', () => {
  it('is what a browser says of itself, and unknown where it says nothing', async () => {
    expect(chromeOnAndroid).toContain('Chrome');
    const silent = await accountOf(service, hosts.a, 'u2@example.test', { userAgent: '' });
    await tokensFor(service, hosts.a, {}, silent);
    expect(textOf(await silent.send(url))).toContain('Unknown browser');
  });
});
