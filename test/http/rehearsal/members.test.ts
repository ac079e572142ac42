import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { codesFor, poll } from '../../support/device.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { useService } from '../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../../support/visitor.ts';

const service = useService({ data: 'development' });
const tv = { clientId: 'tv' };
const redirectUri = 'http://localhost:9879/callback';
let acme: string;
let room: Room;

beforeAll(() => {
  acme = `localhost:${service.port}`;
  room = roomOf(service, acme);
});

afterEach(async () => {
  await room.ask('phone', { answer: null });
});

const json = { 'content-type': 'application/json' };
const signIn = (browser: Visitor, member: string) =>
  browser.send('/rehearsal/sign-in', { body: JSON.stringify({ member }), headers: json });

describe('a member of a development tenant', () => {
  it('signs in without a password, by the one door', async () => {
    const browser = visitor(service, acme);
    const answer = await signIn(browser, 'ADA@example.com');
    expect(answer.json()).toEqual({
      member: { id: expect.any(String), email: 'ada@example.com', fullName: expect.any(String) },
    });
    const proof = pkce();
    const led = await browser.authorize(authorizationParameters('spa', redirectUri, proof));
    const code = answerOf(led).get('code') ?? '';
    const body = { grant_type: 'authorization_code', client_id: 'spa', code, code_verifier: proof.verifier };
    expect((await token(service, acme, body)).status).toBe(200);
    expect(service.logLines.some((line) => line.includes('"event":"sign_in"'))).toBe(true);
  });

  it.each([
    ['nobody@example.com', 404],
    ['eve@example.com', 409],
    ['', 404],
  ])('who is %s does not', async (member, status) => {
    const browser = visitor(service, acme);
    expect((await signIn(browser, member)).status).toBe(status);
    expect((await browser.send('/account')).status).toBe(303);
  });

  it('is chosen on a page that the sign-in page leads to, and goes on to the client', async () => {
    const browser = visitor(service, acme);
    const asked = await browser.authorize(authorizationParameters('spa', redirectUri, pkce()));
    const [, href = ''] =
      /<a href="([^"]+)">Sign in without a password \(rehearsal\)</.exec(asked.text) ?? [];
    const page = await browser.send(href);
    expect(page.status).toBe(200);
    expect(page.text).toContain('value="ada@example.com"');
    expect(page.text).not.toContain('eve@example.com');
    const body = { flow: field(page, 'flow'), member: 'cy@example.com' };
    const answer = await browser.send('/rehearsal/sign-in', { body });
    expect(answer.status).toBe(303);
    expect(answerOf(answer).get('code')).not.toBeNull();
  });

  it('A11: goes on in no flow of another browser', async () => {
    const browser = visitor(service, acme);
    const asked = await browser.authorize(authorizationParameters('spa', redirectUri, pkce()));
    const other = visitor(service, acme);
    await other.send('/sign-in');
    const body = { flow: field(asked, 'flow'), member: 'ada@example.com' };
    expect((await other.send('/rehearsal/sign-in', { body })).status).toBe(403);
    expect((await other.send('/account')).status).toBe(303);
  });
});

describe('the phone that answers by itself', () => {
  const answers = [
    ['approve', 200, undefined],
    ['reject', 400, 'access_denied'],
    ['expire', 400, 'expired_token'],
  ] as const;

  it.each(answers)('lets each new TV be answered: %s', async (answer, status, error) => {
    expect((await room.ask('phone', { answer, member: 'bo@example.com' })).json()).toEqual({
      answer,
      member: 'bo@example.com',
    });
    for (let round = 0; round < 2; round += 1) {
      const { device_code: code } = await codesFor(service, acme, tv);
      const polled = await poll(service, acme, code, tv);
      expect(polled.status, polled.text).toBe(status);
      expect(polled.json().error).toBe(error);
    }
    await room.ask('phone', { answer: null });
    const { device_code: code } = await codesFor(service, acme, tv);
    expect((await poll(service, acme, code, tv)).json().error).toBe('authorization_pending');
  });

  it.each(answers)('answers one TV by its user code: %s', async (answer, status) => {
    const { device_code: code, user_code: userCode } = await codesFor(service, acme, tv);
    expect((await room.ask('device', { user_code: userCode, answer })).status).toBe(200);
    expect((await poll(service, acme, code, tv)).status).toBe(status);
    expect((await room.ask('device', { user_code: userCode, answer })).status).toBe(409);
  });

  it('answers for a session that ends as a member’s does', async () => {
    await room.ask('phone', { answer: 'approve', member: 'ada@example.com' });
    const { device_code: code } = await codesFor(service, acme, tv, { scope: 'openid' });
    const { access_token: accessToken } = (await poll(service, acme, code, tv)).json();
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await service.http(acme, '/api/oidc/me', { headers })).status).toBe(200);
  });

  it.each([
    ['phone', { answer: 'approve', member: 'nobody@example.com' }, 404],
    ['phone', { answer: 'approve', member: 'eve@example.com' }, 409],
    ['phone', {}, 400],
    ['device', { user_code: '000 000', answer: 'approve' }, 404],
    ['device', { user_code: 'abc', answer: 'approve' }, 400],
  ])('is refused: %s %j', async (path, body, status) => {
    expect((await room.ask(path, body)).status).toBe(status);
  });

  it('is the phone of the first member unless another is named', async () => {
    expect((await room.ask('phone', { answer: 'approve' })).json()).toMatchObject({
      member: 'ada@example.com',
    });
  });

  it('X1: answers for no TV of another tenant', async () => {
    await room.ask('phone', { answer: 'approve' });
    const globex = `127.0.0.1:${service.port}`;
    const { device_code: code, user_code: userCode } = await codesFor(service, globex, tv);
    expect((await poll(service, globex, code, tv)).json().error).toBe('authorization_pending');
    expect((await room.ask('device', { user_code: userCode, answer: 'approve' })).status).toBe(404);
  });
});

describe('the mails of a development tenant', () => {
  it('are told to programs, those that were just caused too', async () => {
    const { user_code: userCode } = await codesFor(service, acme, tv);
    await room.ask('device', { user_code: userCode, answer: 'approve', member: 'dee@example.com' });
    const { mails } = (await service.http(acme, '/rehearsal/mails?to=dee@example.com')).json<{
      mails: readonly object[];
    }>();
    expect(mails).toMatchObject([
      {
        to: 'dee@example.com',
        subject: expect.stringContaining('TV'),
        code: null,
        link: expect.stringContaining(`http://${acme}/`),
        sentAt: expect.stringMatching(/Z$/),
      },
    ]);
    expect((await service.http(`127.0.0.1:${service.port}`, '/rehearsal/mails')).json()).toEqual({
      mails: [],
    });
  });
});
