import { beforeAll, describe, expect, it } from 'vitest';
import {
  codesFor,
  expectNotValid,
  forgetWrongCodes,
  newPhone,
  type Phone,
  pageOf,
  phoneOf,
  poll,
  pollTokens,
  startUnlimited,
  textOf,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useStarted } from '../../../support/use-service.ts';

const service = useStarted(startUnlimited);
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, hosts.a);
});

const codes = (more: Record<string, string> = {}) => codesFor(service, hosts.a, undefined, more);
const expectError = async (deviceCode: string, error: string) =>
  expectJsonError(await poll(service, hosts.a, deviceCode), 400, error);
const expectPending = async (deviceCode: string) => {
  // Beyond the interval, so that a poll says what the member has decided and nothing else.
  service.clock.advance(60_000);
  await expectError(deviceCode, 'authorization_pending');
};

describe('opening', () => {
  it('U1: without a session the member signs in first, then sees the same code, not yet approved', async () => {
    const fresh = newPhone(service, hosts.a);
    const { device_code: deviceCode, user_code: userCode, verification_uri_complete: uri } = await codes();
    const { pathname, search } = new URL(uri);
    const first = await fresh.send(pathname + search);
    expect(first.status).toBe(303);
    expect(first.headers.location).toMatch(/^\/sign-in\?/);
    const signIn = await fresh.send(String(first.headers.location));
    expect(signIn.status).toBe(200);
    const back = await fresh.signIn(signIn, 'u1@example.test');
    expect(back.status).toBe(303);
    expect(back.headers.location).toBe(pageOf(userCode));
    await expectPending(deviceCode);
    const page = await fresh.send(String(back.headers.location));
    expect(textOf(page)).toContain(userCode);
    await expectPending(deviceCode);
    expect((await fresh.press(page, 'approve')).headers.location).toMatch(/^\/device\/approved\?/);
    await pollTokens(service, hosts.a, deviceCode);
  });

  it('decision 29: before the member is signed in no code is looked up, and a wrong one is not counted', async () => {
    const before = await allRows(service);
    const fresh = newPhone(service, hosts.a);
    const { headers: first } = await fresh.open('000 000');
    const { headers: second } = await fresh.open((await codes()).user_code);
    const strip = (location: string | undefined) => location?.replace(/flow=.*/, '');
    expect(strip(first.location)).toBe(strip(second.location));
    const { deviceCodes: _, ...rest } = await allRows(service);
    expect(rest).toEqual({ ...before, deviceCodes: undefined });
  });

  it.each([
    ['GET', {}],
    ['HEAD', {}],
    ['GET', { 'sec-purpose': 'prefetch' }],
    ['GET', { 'sec-purpose': 'prefetch;prerender' }],
    ['GET', { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' }],
  ])('U2: a %s of the code’s page %o approves nothing', async (method, headers) => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const before = await allRows(service);
    await phone.send(pageOf(userCode), { method, headers });
    expect(await allRows(service)).toEqual(before);
    await expectPending(deviceCode);
  });

  it('U2: a prefetch is not even a try: it counts no wrong code', async () => {
    for (let count = 0; count < 10; count += 1) {
      const answer = await phone.send(pageOf('000 000'), { headers: { 'sec-purpose': 'prefetch' } });
      expect({ status: answer.status, text: answer.text }).toEqual({ status: 503, text: '' });
    }
    expect((await allRows(service)).wrongUserCodes).toEqual([]);
  });

  it('U2: a link preview bot, which has no session, changes nothing', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const bot = newPhone(service, hosts.a);
    const before = await allRows(service);
    const headers = { 'user-agent': 'WhatsApp/2.23' };
    expect((await bot.send(pageOf(userCode), { headers })).status).toBe(303);
    expect(await allRows(service)).toEqual(before);
    await expectPending(deviceCode);
  });
});

describe('the approve page', () => {
  it('U3: it names the app, the code as the TV shows it, what the device reports and what we observe', async () => {
    const { user_code: userCode } = await codes({ device_name: 'Living room', device_model: 'KD-55' });
    const page = await phone.open(userCode);
    expect(page.status).toBe(200);
    const text = textOf(page);
    expect(text).toContain('Public One wants to sign in as u1@example.test');
    expect(text).toContain(`The code on the TV ${userCode}`);
    expect(text).toContain('Reported by the device Name Living room Model KD-55');
    expect(text).toContain('What we see Address 127.0.0.1 Asked Just now');
    expect(text).toContain('Approve only if this code is on a screen in front of you.');
    expect(text).toContain('Approve Reject');
  });

  it('U3: Approve and Reject are equal but for their word, and neither has the focus', async () => {
    const page = await phone.open((await codes()).user_code);
    const buttons = [...page.text.matchAll(/<button[^>]*name="verdict"[^>]*>[^<]*<\/button>/g)].map(
      ([button]) => button,
    );
    expect(buttons).toHaveLength(2);
    const [approve = '', reject = ''] = buttons;
    expect(approve.replace('"approve"', '"reject"').replace('>Approve<', '>Reject<')).toBe(reject);
    expect(approve).not.toMatch(/autofocus| id=/);
    expect(page.text).toMatch(/<h1[^>]* autofocus/);
  });

  it('pages 15: it says how long ago the device asked', async () => {
    const { user_code: userCode } = await codes();
    service.clock.advance(125_000);
    expect(textOf(await phone.open(userCode))).toContain('Asked 2 minutes ago');
  });

  it('pages 16: after approving it says that the TV continues, after rejecting that nothing was shared', async () => {
    const [first, second] = [await codes(), await codes()];
    const approved = await phone.approve(first.user_code);
    const rejected = await phone.reject(second.user_code);
    expect(textOf(await phone.send(String(approved.headers.location)))).toContain(
      'Your TV continues in a few seconds. You can put the phone away.',
    );
    const after = await phone.send(String(rejected.headers.location));
    expect(textOf(after)).toContain('Nothing was shared.');
    expect(textOf(after)).toContain('Report it to Tenant A');
  });
});

describe('typing', () => {
  it.each([
    ['123456', (d: string) => d],
    ['123 456', (d: string) => `${d.slice(0, 3)} ${d.slice(3)}`],
    ['123-456', (d: string) => `${d.slice(0, 3)}-${d.slice(3)}`],
    [' 123 456 ', (d: string) => ` ${d.slice(0, 3)} ${d.slice(3)} `],
    ['123\\u00a0456', (d: string) => `${d.slice(0, 3)}\u00a0${d.slice(3)}`],
    ['123\\u2009456', (d: string) => `${d.slice(0, 3)}\u2009${d.slice(3)}`],
    ['123–456', (d: string) => `${d.slice(0, 3)}–${d.slice(3)}`],
    ['1 2 3 4 5 6', (d: string) => [...d].join(' ')],
    ['１２３４５６', (d: string) => d.replace(/\d/g, (c) => String.fromCodePoint(0xff10 + Number(c)))],
  ])('U5: a code typed as "%s" is accepted', async (_example, type) => {
    const { user_code: userCode } = await codes();
    const body = { user_code: type(userCode.replace(' ', '')) };
    const entered = await phone.send('/device', { body });
    expect(entered.status, entered.text).toBe(303);
    expect(entered.headers.location).toBe(pageOf(userCode));
    expect((await phone.send(pageOf(body.user_code))).text).toContain('name="confirm"');
  });

  it.each(['', '12345', '1234567', 'abcdef', '12345x', '<script>', '12.34.56', '１２３４５'])(
    'decision 29: "%s" is no code, which is said at once and counts as no guess',
    async (typed) => {
      const typedIn = await phone.send('/device', { body: { user_code: typed } });
      const scanned = await phone.send(pageOf(typed || 'none'));
      for (const answer of [typedIn, scanned]) {
        expect(answer.status).toBe(422);
        expect(textOf(answer)).toContain('Enter the six digits shown on your TV');
        expect(answer.text).not.toContain('<script>');
      }
      expect((await allRows(service)).wrongUserCodes).toEqual([]);
    },
  );

  it('pages 13: the field takes digits, is not filled in by the browser, and the address is short', async () => {
    const page = await phone.send('/device');
    expect(page.status).toBe(200);
    const input = /<input[^>]*name="user_code"[^>]*>/.exec(page.text)?.[0];
    expect(input).toContain('inputmode="numeric"');
    expect(input).toContain('autocomplete="off"');
    expect(page.text).toContain('<a href="/account/devices">My TVs</a>');
    const { verification_uri: uri } = await codes();
    expect(uri.replace('https://', '').length).toBeLessThan(40);
  });
});

describe('deciding', () => {
  it('U18: Approve on a page opened before the code expired is refused, and the poll is expired_token', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const page = await phone.open(userCode);
    service.clock.advance(900_000);
    expectNotValid(await phone.press(page, 'approve'));
    await expectError(deviceCode, 'expired_token');
    expectNotValid(await phone.press(page, 'approve'));
    await expectError(deviceCode, 'expired_token');
  });

  it('U19: Reject, then Approve by the back button: it stays denied', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const page = await phone.open(userCode);
    expect((await phone.press(page, 'reject')).headers.location).toMatch(/^\/device\/rejected\?/);
    expect((await phone.press(page, 'approve')).headers.location).toMatch(/^\/device\/rejected\?/);
    await expectError(deviceCode, 'access_denied');
  });

  it('Approve, then Reject by the back button: it stays approved, and the page says so', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const page = await phone.open(userCode);
    expect((await phone.press(page, 'approve')).headers.location).toMatch(/^\/device\/approved\?/);
    expect((await phone.press(page, 'reject')).headers.location).toMatch(/^\/device\/approved\?/);
    await pollTokens(service, hosts.a, deviceCode);
  });

  it('Approve twice, also after the TV went on, says approved twice and begins one sign-in', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const page = await phone.open(userCode);
    expect((await phone.press(page, 'approve')).headers.location).toMatch(/^\/device\/approved\?/);
    expect((await phone.press(page, 'approve')).headers.location).toMatch(/^\/device\/approved\?/);
    await pollTokens(service, hosts.a, deviceCode);
    const before = await allRows(service);
    expect((await phone.press(page, 'approve')).headers.location).toMatch(/^\/device\/approved\?/);
    expect(await allRows(service)).toEqual(before);
  });

  it('in two tabs the first answer counts', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const [first, second] = [await phone.open(userCode), await phone.open(userCode)];
    const answers = await Promise.all([phone.press(first, 'approve'), phone.press(second, 'reject')]);
    const ends = new Set(answers.map(({ headers }) => headers.location?.split('?')[0]));
    expect(ends.size).toBe(1);
    const answer = await poll(service, hosts.a, deviceCode);
    expect(answer.status).toBe(ends.has('/device/approved') ? 200 : 400);
  });

  it('of two members who opened the code the first to decide has it, the other sees a code that is not valid', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const other = await phoneOf(service, hosts.a, 'u2@example.test');
    const [mine, theirs] = [await phone.open(userCode), await other.open(userCode)];
    expect((await phone.press(mine, 'approve')).headers.location).toMatch(/^\/device\/approved\?/);
    expectNotValid(await other.press(theirs, 'approve'));
    expectNotValid(await other.press(theirs, 'reject'));
    await pollTokens(service, hosts.a, deviceCode);
    await forgetWrongCodes(service);
  });

  it('a session that ended meanwhile approves nothing: the member signs in again and sees the code', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const own = await phoneOf(service, hosts.a);
    const page = await own.open(userCode);
    await own.signOut();
    const answer = await own.press(page, 'approve');
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toMatch(/^\/sign-in\?/);
    await expectPending(deviceCode);
    const back = await own.signIn(await own.send(String(answer.headers.location)), 'u1@example.test');
    expect(back.headers.location).toBe(pageOf(userCode));
    expect((await own.approve(userCode)).headers.location).toMatch(/^\/device\/approved\?/);
  });
});
