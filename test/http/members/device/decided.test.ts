import { beforeAll, describe, expect, it } from 'vitest';
import { deviceCodeLifetime, deviceCodeMemory } from '../../../../src/core/limits.ts';
import { registerClient } from '../../../../src/operations/client/client.ts';
import {
  codesFor,
  expectNotValid,
  type Phone,
  phoneOf,
  poll,
  pollTokens,
  startUnlimited,
  tenantOf,
  textOf,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { allRows } from '../../../support/records/rows.ts';
import { apps, refreshAs } from '../../../support/tokens.ts';
import { useStarted } from '../../../support/use-service.ts';
import { field, headingOf } from '../../../support/visitor.ts';

const service = useStarted(startUnlimited);
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, hosts.a);
});

const codes = () => codesFor(service, hosts.a, apps.pub1, { device_name: 'Living room' });
const follow = async (answer: Answer, browser = phone) =>
  browser.send(String((answer.status === 303 ? answer : null)?.headers.location));

/** Presses the button of a page after a decision. */
const pressSignOut = (page: Answer, browser = phone) =>
  browser.send('/device/sign-out', { body: { decided: field(page, 'decided') } });

describe('a decision that was made in another tab', () => {
  it('decision 45: "Reject" after an approval says that it was approved, and signs the device out', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const [first, second] = [await phone.open(userCode), await phone.open(userCode)];
    await phone.press(first, 'approve');
    const page = await follow(await phone.press(second, 'reject'));
    expect(headingOf(page)).toBe('Living room is signed in');
    expect(textOf(page)).toContain('You already approved this TV, so it was not rejected.');
    expect(textOf(page)).not.toContain('Your TV continues');
    const ended = await follow(await pressSignOut(page));
    expect(headingOf(ended)).toBe('Living room is signed out');
    expectJsonError(await poll(service, hosts.a, deviceCode), 400, 'invalid_grant');
  });

  it('decision 45: so does it after the TV has gone on, whose sign-in ends', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const [first, second] = [await phone.open(userCode), await phone.open(userCode)];
    await phone.press(first, 'approve');
    const { refresh_token: refreshToken } = await pollTokens(service, hosts.a, deviceCode);
    const page = await follow(await phone.press(second, 'reject'));
    expect(textOf(page)).toContain('You already approved this TV, so it was not rejected.');
    expect(headingOf(await follow(await pressSignOut(page)))).toBe('Living room is signed out');
    expectJsonError(await refreshAs(service, hosts.a, apps.pub1, refreshToken), 400, 'invalid_grant');
    const ended = (await auditEvents(service)).filter(({ event }) => event === 'sign_in_ended');
    expect(ended.at(-1)).toMatchObject({ reason: 'signed out', actorKind: 'member' });
  });

  it('decision 45: "Approve" after a rejection says that it was rejected', async () => {
    const { user_code: userCode } = await codes();
    const [first, second] = [await phone.open(userCode), await phone.open(userCode)];
    await phone.press(first, 'reject');
    const page = await follow(await phone.press(second, 'approve'));
    expect(headingOf(page)).toBe('Sign-in rejected');
    expect(textOf(page)).toContain('You already rejected this TV, so it was not approved.');
  });

  it('decision 14: "Reject" agrees to nothing of what a third party asked for, though it was approved before', async () => {
    const { id } = tenantOf(service, hosts.a);
    const registration = { name: 'Other TV', type: 'public', deviceFlow: true, thirdParty: true } as const;
    await service.store.transaction((tx) =>
      registerClient(tx, id, { ...registration, clientId: 'other-tv' }, service.clock.now()),
    );
    const { user_code: userCode } = await codesFor(service, hosts.a, { clientId: 'other-tv' });
    const [first, second] = [await phone.open(userCode), await phone.open(userCode)];
    await phone.press(first, 'approve');
    const { scopeConsents } = await allRows(service);
    expect(scopeConsents).toHaveLength(1);
    service.clock.advance(1_000);
    await phone.press(second, 'reject');
    expect((await allRows(service)).scopeConsents).toEqual(scopeConsents);
  });
});

describe('a code that was decided on, opened again', () => {
  it('decision 45: by the back button shows what was decided, and is no guess', async () => {
    for (const [verdict, heading] of [
      ['approve', 'Living room is signed in'],
      ['reject', 'Sign-in rejected'],
    ] as const) {
      const { user_code: userCode } = await codes();
      await phone.press(await phone.open(userCode), verdict);
      for (let again = 0; again < 6; again += 1) {
        expect(headingOf(await follow(await phone.open(userCode)))).toBe(heading);
      }
    }
    expect((await allRows(service)).wrongUserCodes).toEqual([]);
  });

  it('decision 45: shows an approval that was taken back as taken back, and takes back one that was not', async () => {
    const { user_code: userCode } = await codes();
    await phone.approve(userCode);
    const page = await follow(await phone.open(userCode));
    await pressSignOut(page);
    expect(headingOf(await follow(await phone.open(userCode)))).toBe('Living room is signed out');
  });

  it('decision 29: is not valid to another member, and to no member once its time is long over', async () => {
    const { user_code: userCode, device_code: deviceCode } = await codes();
    await phone.approve(userCode);
    await pollTokens(service, hosts.a, deviceCode);
    expectNotValid(await (await phoneOf(service, hosts.a, 'u2@example.test')).open(userCode));
    service.clock.advance(deviceCodeLifetime + deviceCodeMemory);
    expectNotValid(await phone.open(userCode));
  });
});

describe('the page after a decision', () => {
  it('pages 20: names the device, and says what is so whenever it is opened', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const answer = await phone.approve(userCode);
    const before = await follow(answer);
    expect(textOf(before)).toContain('Your TV continues in a few seconds.');
    expect(before.text).toContain('<bdi>Living room</bdi>');
    expect(before.text).toContain('<bdi>Public One</bdi> · <bdi>127.0.0.1</bdi> · <bdi>now</bdi>');
    expect(before.text).toContain('href="/account/devices"');
    await pollTokens(service, hosts.a, deviceCode);
    expect(textOf(await follow(answer))).toContain('Your TV is ready.');
    expect((await pressSignOut(before)).status).toBe(303);
    const after = await follow(answer);
    expect(headingOf(after)).toBe('Living room is signed out');
    expect(after.text).toContain('href="/device"');
  });

  it.each(['/device/approved', '/device/rejected', '/device/approved?decided=x.y.z'])(
    'pages 20: %s typed by hand claims nothing',
    async (path) => {
      const answer = await phone.send(path);
      expect([answer.status, answer.headers.location]).toEqual([303, '/device']);
    },
  );

  it('says nothing to another browser, to another member and without a session', async () => {
    const { user_code: userCode } = await codes();
    const { location = '' } = (await phone.approve(userCode)).headers;
    const other = await phoneOf(service, hosts.a, 'u2@example.test');
    expect((await other.send(String(location))).headers.location).toBe('/device');
    const shared = await phoneOf(service, hosts.a);
    const approved = await shared.approve((await codes()).user_code);
    await shared.signOut();
    const away = await shared.send(String(approved.headers.location));
    expect(away.headers.location).toMatch(/^\/sign-in\?flow=/);
    const signIn = await shared.send(String(away.headers.location));
    const back = await shared.signIn(signIn, 'u2@example.test');
    expect((await shared.send(String(back.headers.location))).headers.location).toBe('/device');
  });

  it('A10: a sign-out from another site, or without the page, ends nothing', async () => {
    const { device_code: deviceCode, user_code: userCode } = await codes();
    const page = await follow(await phone.approve(userCode));
    const body = { decided: field(page, 'decided') };
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await phone.send('/device/sign-out', { body, headers })).status).toBe(403);
    expect((await phone.send('/device/sign-out', { body: { decided: 'x.y.z' } })).status).toBe(303);
    await pollTokens(service, hosts.a, deviceCode);
  });
});
