import { beforeAll, describe, expect, it } from 'vitest';
import { registerClient } from '../../../../src/operations/client/client.ts';
import {
  codesFor,
  expectNotValid,
  forgetWrongCodes,
  type Phone,
  pageOf,
  phoneOf,
  poll,
  pollTokens,
  setLimits,
  startUnlimited,
  tenantOf,
  unlimited,
} from '../../../support/device.ts';
import { expectErrorPage, expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer, Ask } from '../../../support/http.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useStarted } from '../../../support/use-service.ts';
import { field, visitor } from '../../../support/visitor.ts';

const service = useStarted(startUnlimited);
let phone: Phone;

beforeAll(async () => {
  await setLimits(service, hosts.b, unlimited);
  phone = await phoneOf(service, hosts.a);
});

const codes = () => codesFor(service, hosts.a);

/** Holds a decision to being refused with 403 and changing nothing of the code. */
const expectRefused = async (work: () => Promise<Answer>) => {
  const { deviceCodes, signIns } = await allRows(service);
  expectErrorPage(await work(), 403);
  expect(await allRows(service)).toMatchObject({ deviceCodes, signIns });
  await forgetWrongCodes(service);
};

const approveWith = (confirm: string, ask: Ask = {}, browser: Phone = phone) =>
  browser.send('/device/approve', { body: { confirm, verdict: 'approve' }, ...ask });

describe('who may decide', () => {
  it('U13: a session that never entered the code cannot approve it with its token for another code', async () => {
    const [own, foreign] = [await codes(), await codes()];
    const confirm = field(await phone.open(own.user_code), 'confirm');
    // The token is of one code; naming another beside it changes nothing.
    const body = { confirm, verdict: 'approve', user_code: foreign.user_code };
    expect((await phone.send('/device/approve', { body })).headers.location).toMatch(/^\/device\/approved\?/);
    await pollTokens(service, hosts.a, own.device_code);
    const answer = await poll(service, hosts.a, foreign.device_code);
    expectJsonError(answer, 400, 'authorization_pending');
  });

  it("U13: with the token of another member's session a decision is 403, and counted as a wrong code", async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const other = await phoneOf(service, hosts.a, 'u2@example.test');
    const confirm = field(await other.open(userCode), 'confirm');
    expectErrorPage(await approveWith(confirm), 403);
    expect((await allRows(service)).wrongUserCodes).toHaveLength(1);
    await forgetWrongCodes(service);
    expectJsonError(await poll(service, hosts.a, deviceCode), 400, 'authorization_pending');
  });

  it("U13: tokens made for other codes in the same way count as guesses, up to the member's limit", async () => {
    const { user_code: userCode } = await codes();
    for (let count = 0; count < 5; count += 1) expectErrorPage(await approveWith('a.b.c'), 403);
    expectErrorPage(await phone.open(userCode), 429);
    await forgetWrongCodes(service);
    expect((await phone.open(userCode)).status).toBe(200);
  });

  it("decision 30: the token of the same member's other browser does not decide here", async () => {
    const { user_code: userCode } = await codes();
    const tablet = await phoneOf(service, hosts.a);
    const confirm = field(await tablet.open(userCode), 'confirm');
    await expectRefused(() => approveWith(confirm));
    expect((await approveWith(confirm, {}, tablet)).headers.location).toMatch(/^\/device\/approved\?/);
  });

  it('decision 30: the token of an earlier session in the same browser does not decide in the next', async () => {
    const { user_code: userCode } = await codes();
    const shared = await phoneOf(service, hosts.a);
    const confirm = field(await shared.open(userCode), 'confirm');
    await shared.signOut();
    const { headers } = await shared.send('/device');
    await shared.signIn(await shared.send(String(headers.location)), 'u2@example.test');
    await expectRefused(() => approveWith(confirm, {}, shared));
  });

  it('X1: a token of tenant A decides nothing at B', async () => {
    const { user_code: userCode } = await codes();
    const confirm = field(await phone.open(userCode), 'confirm');
    const there = await phoneOf(service, hosts.b);
    for (const [name, value] of phone.cookies) {
      if (name.endsWith('browser')) there.cookies.set(name, value);
    }
    await expectRefused(() => approveWith(confirm, {}, there));
  });

  it('X1: a session cookie of tenant A is none at B', async () => {
    const there = visitor(service, hosts.b);
    for (const [name, value] of phone.cookies) there.cookies.set(name, value);
    const answer = await there.send(pageOf((await codes()).user_code));
    expect(answer.headers.location).toMatch(/^\/sign-in\?/);
  });

  it('U22: a code of tenant A typed at B is not valid, and waits at A as before', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const there = await phoneOf(service, hosts.b);
    const before = (await allRows(service)).deviceCodes;
    expectNotValid(await there.open(userCode));
    expect((await allRows(service)).deviceCodes).toEqual(before);
    await forgetWrongCodes(service);
    await phone.approve(userCode);
    await pollTokens(service, hosts.a, deviceCode);
  });
});

describe('forged decisions', () => {
  const form = 'application/x-www-form-urlencoded';
  it.each<[string, Ask['headers'], (confirm: string) => string]>([
    ['without a token', { 'content-type': form }, () => 'verdict=approve'],
    ['with an empty token', { 'content-type': form }, () => 'verdict=approve&confirm='],
    ['with a made-up token', { 'content-type': form }, () => 'verdict=approve&confirm=a.b.c'],
    [
      'with a changed token',
      { 'content-type': form },
      (confirm) => `verdict=approve&confirm=x${encodeURIComponent(confirm)}`,
    ],
    [
      'from another origin',
      { 'content-type': form, origin: 'https://evil.test' },
      (confirm) => `verdict=approve&confirm=${encodeURIComponent(confirm)}`,
    ],
    [
      'from another tenant’s origin',
      { 'content-type': form, origin: 'https://b.test' },
      (confirm) => `verdict=approve&confirm=${encodeURIComponent(confirm)}`,
    ],
    [
      'from another site',
      { 'content-type': form, 'sec-fetch-site': 'cross-site' },
      (confirm) => `verdict=approve&confirm=${encodeURIComponent(confirm)}`,
    ],
    [
      'from another host of the site',
      { 'content-type': form, 'sec-fetch-site': 'same-site' },
      (confirm) => `verdict=approve&confirm=${encodeURIComponent(confirm)}`,
    ],
    [
      'as text/plain',
      { 'content-type': 'text/plain' },
      (confirm) => `verdict=approve&confirm=${encodeURIComponent(confirm)}`,
    ],
    [
      'as JSON',
      { 'content-type': 'application/json' },
      (confirm) => JSON.stringify({ verdict: 'approve', confirm }),
    ],
    ['without a content type', {}, (confirm) => `verdict=approve&confirm=${encodeURIComponent(confirm)}`],
  ])('U14: a decision %s is 403 and changes nothing', async (_what, headers = {}, body) => {
    const { user_code: userCode } = await codes();
    const confirm = field(await phone.open(userCode), 'confirm');
    await expectRefused(() =>
      phone.send('/device/approve', { method: 'POST', headers, body: body(confirm) }),
    );
    // The page it was taken from still decides.
    expect((await approveWith(confirm)).headers.location).toMatch(/^\/device\/approved\?/);
  });

  it('U14: a code entered from another site is 403', async () => {
    const { user_code: userCode } = await codes();
    const headers = { 'sec-fetch-site': 'cross-site' };
    const answer = await phone.send('/device', { body: { user_code: userCode }, headers });
    expectErrorPage(answer, 403);
  });

  it.each([
    ['GET', 303],
    ['HEAD', 303],
    ['PUT', 405],
    ['PATCH', 405],
    ['DELETE', 405],
  ])('U2: %s decides nothing', async (method, status) => {
    const { user_code: userCode } = await codes();
    const confirm = field(await phone.open(userCode), 'confirm');
    const before = await allRows(service);
    const path = `/device/approve?${new URLSearchParams({ confirm, verdict: 'approve' })}`;
    const answer = await phone.send(path, { method });
    expect(answer.status).toBe(status);
    expect(await allRows(service)).toEqual(before);
  });

  it('a decision that says neither approve nor reject approves nothing', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const confirm = field(await phone.open(userCode), 'confirm');
    await phone.send('/device/approve', { body: { confirm, verdict: 'APPROVE' } });
    expect((await poll(service, hosts.a, deviceCode)).status).toBe(400);
  });
});

describe('frames', () => {
  it('U24: no device page lets itself be framed, whatever its status', async () => {
    const { user_code: userCode } = await codes();
    const approve = await phone.open(userCode);
    const answers = {
      entry: await phone.send('/device'),
      approve,
      approved: await phone.send(String((await phone.press(approve, 'approve')).headers.location)),
      rejected: await phone.send(String((await phone.press(approve, 'reject')).headers.location)),
      'not a code': await phone.open('x'),
      'not valid': await phone.open('000 000'),
      foreign: await approveWith('a.b.c'),
      elsewhere: await visitor(service, hosts.c).send('/device'),
      nowhere: await phone.send('/device/nowhere'),
    };
    for (let count = 1; count < 5; count += 1) await phone.open(`000 00${count}`);
    const all = { ...answers, limited: await phone.open('000 000') };
    await forgetWrongCodes(service);
    const statuses = Object.values(all).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 200, 200, 422, 422, 403, 404, 404, 429]);
    for (const [name, { headers }] of Object.entries(all)) {
      expect(headers['content-security-policy'], name).toContain("frame-ancestors 'none'");
      expect(headers['x-frame-options'], name).toBe('DENY');
      expect(headers['cache-control'], name).toBe('no-store');
    }
  });

  it('W1: a form of the approve page leads to this tenant alone, and no inline script runs', async () => {
    const { headers, text } = await phone.open((await codes()).user_code);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("form-action 'self';");
    expect(policy).not.toContain('unsafe-inline');
    expect([...text.matchAll(/<script(?![^>]* src=)/g)]).toEqual([]);
  });
});

it('a client of the device flow needs no redirect_uri for its approve page', async () => {
  const registration = { clientId: 'tv', name: 'The TV', type: 'public', deviceFlow: true } as const;
  const { id } = tenantOf(service, hosts.a);
  await service.store.transaction((tx) => registerClient(tx, id, registration, service.clock.now()));
  const { user_code: userCode } = await codesFor(service, hosts.a, { clientId: 'tv' });
  expect((await phone.open(userCode)).text).toContain('The TV wants to sign in');
});
