import { beforeAll, describe, expect, it } from 'vitest';
import { setLimits } from '../../support/device.ts';
import { claimsOf } from '../../support/expected/claims.ts';
import { hosts } from '../../support/fixtures.ts';
import { codeIn } from '../../support/mails/outbox.ts';
import { hashingPasswords } from '../../support/members/moving-in/hashing.ts';
import {
  applied,
  atSignUp,
  countMembers,
  expectArrival,
  problemsOf,
  storedMember,
  submitCode,
  submitSignUp,
} from '../../support/members/sign-up.ts';
import { median } from '../../support/process/median.ts';
import { workOf } from '../../support/process/work.ts';
import { allRows } from '../../support/records/rows.ts';
import { quickPasswords } from '../../support/run/fixture-folders.ts';
import { apps, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  codeFor,
  field,
  pkce,
  tokensFor,
  visitor,
  wayFrom,
  withoutSeals,
} from '../../support/visitor.ts';

const passwords = hashingPasswords(quickPasswords());
const service = useService({ data: 'security', passwords });

beforeAll(async () => {
  await setLimits(service, hosts.a, { signUpsPerAddressAndHour: null, signUpsPerAddressAndDay: null });
});

const hour = 60 * 60_000;

describe('the way to the sign-up page', () => {
  it.each([
    ['S2: state asks for it', { state: '{"action":"signup","csrf":"x"}', prompt: '' }],
    [
      'S2: state with spaces and other keys asks for it',
      { state: '{ "csrf" : "x",  "action":"signup" }', prompt: '' },
    ],
    ['decision 13: prompt=create asks for it', { prompt: 'create' }],
  ])('%s: the page is shown, and the state stays as it is', async (_what, more) => {
    const email = `${pkce().verifier}@example.test`.toLowerCase();
    const { page } = await atSignUp(service, hosts.a, more);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<title>Create an account – Tenant A</title>');
    expect(page.text).toContain('to continue to <strong><bdi>Public One</bdi></strong>');
    const { browser, verify, code, state } = await applied(service, hosts.a, { email }, more);
    const done = await submitCode(browser, verify, code);
    // Decoded by percent-decoding alone: byte for byte.
    const sent = /[?&]state=([^&#]*)/.exec(String(done.headers.location))?.[1];
    expect(decodeURIComponent(String(sent))).toBe(state);
  });

  it('I68: prompt=create shows it to a browser that is signed in; the code is of the new member', async () => {
    const browser = visitor(service, hosts.a);
    const old = await tokensOf(service, hosts.a, apps.pub1, { browser });
    const newcomer = await atSignUp(service, hosts.a, { prompt: 'create' }, browser);
    expect(newcomer.page.text).toContain('<title>Create an account – Tenant A</title>');
    const email = 'created@example.test';
    const sent = await submitSignUp(browser, newcomer.page, { email });
    const verify = await browser.send(String(sent.headers.location));
    await service.delivered();
    const done = await submitCode(browser, verify, codeIn(service.outbox.last(email)));
    const { sub } = claimsOf(await expectArrival(service, hosts.a, done, newcomer));
    expect(sub).toBe((await storedMember(service, hosts.a, email))?.id);
    expect(sub).not.toBe(claimsOf(old.access_token).sub);
  });

  it('I68: a member who has an account after all signs in from there, in the same flow', async () => {
    const browser = visitor(service, hosts.a);
    const { clientId, redirectUri } = apps.pub1;
    const more = { prompt: 'create', state: 'x' };
    const page = await browser.authorize(authorizationParameters(clientId, redirectUri, pkce(), more));
    const signIn = await wayFrom(browser, page, '/sign-up', 'sign-in', { email: 'u1@example.test' });
    expect(field(signIn, 'email')).toBe('u1@example.test');
    const answer = await browser.signIn(signIn, 'u1@example.test');
    expect(answerOf(answer).get('state')).toBe('x');
    expect(answerOf(answer).has('code')).toBe(true);
  });

  it('S1: a random state of 43 characters comes back through the whole sign-up', async () => {
    const { challenge: state } = pkce();
    const { browser, verify, code } = await applied(
      service,
      hosts.a,
      { email: 's1@example.test' },
      { state },
    );
    const done = await submitCode(browser, verify, code);
    expect(new URL(String(done.headers.location)).searchParams.get('state')).toBe(state);
  });

  it('the sign-in page of a client that allows it leads there, in the same flow', async () => {
    const browser = visitor(service, hosts.a);
    const page = await browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
    const form = await wayFrom(browser, page, '/sign-in', 'sign-up', { email: 'new@example.test' });
    expect(form.text).toContain('<h1>Create an account</h1>');
    expect(field(form, 'email')).toBe('new@example.test');
  });
});

describe('what the form takes', () => {
  it('pages 6: each error is named, the values are kept, and the password is not', async () => {
    const { browser, page } = await atSignUp(service, hosts.a);
    const empty = await submitSignUp(browser, page, { fullName: ' ', email: '', password: '' });
    expect([empty.status, ...problemsOf(empty)]).toEqual([
      422,
      'Enter your name',
      'Enter your email address',
      'Enter a password',
    ]);
    const given = { fullName: 'Ada "B" <i>', email: 'ada@example', password: 'too short x' };
    const answer = await submitSignUp(browser, empty, given);
    expect(answer.text).toContain('<title>Error: Create an account – Tenant A</title>');
    expect(problemsOf(answer)).toHaveLength(2);
    expect([
      field(answer, 'fullName').replaceAll('&lt;', '<').replaceAll('&gt;', '>'),
      field(answer, 'email'),
    ]).toEqual([given.fullName, given.email]);
    expect(answer.text).not.toContain(given.password);
    expect(answer.text).not.toContain('<i>');
    expect(answer.text.match(/aria-invalid="true"/g)).toHaveLength(2);
  });

  it.each([
    [
      'a common password',
      { password: 'password1234' },
      'Choose a less common password. Add another word or two',
    ],
    ['its own address', { password: 'LIMITS@example.test' }, 'Your password can’t be your email address'],
    ['1,025 bytes', { password: 'ø'.repeat(513) }, 'Enter a shorter password'],
    ['a name of 201 characters', { fullName: 'x'.repeat(201) }, 'Shorten the name'],
    [
      'a name with a line break',
      { fullName: 'Ada\r\nBcc: eve@evil.test' },
      'Remove the invisible characters',
    ],
    ['an address of 255 bytes', { email: `${'x'.repeat(64)}@${'y'.repeat(185)}.test` }, 'for example name@'],
    ['two addresses', { email: 'a@example.test,b@example.test' }, 'for example name@'],
  ])('%s is 422, says so, and nothing is stored', async (_what, more, text) => {
    const { browser, page } = await atSignUp(service, hosts.a);
    const before = await allRows(service);
    const answer = await submitSignUp(browser, page, { email: 'limits@example.test', ...more });
    expect(answer.status).toBe(422);
    expect(problemsOf(answer).join()).toContain(text);
    expect(await allRows(service)).toEqual(before);
  });

  it('a name of markup stays text: in the mail, and in the account', async () => {
    const details = { fullName: '<script>alert(1)</script> & "Co"', email: 'markup@example.test' };
    const { browser, verify, code } = await applied(service, hosts.a, details);
    const mail = service.outbox.last(details.email);
    expect(mail.html).not.toContain('<script>');
    expect((await submitCode(browser, verify, code)).status).toBe(303);
    expect((await storedMember(service, hosts.a, details.email))?.fullName).toBe(details.fullName);
  });

  it('A10: a form of another site is 403 and does nothing', async () => {
    const { browser, page } = await atSignUp(service, hosts.a);
    const before = await allRows(service, ['auditEvents']);
    for (const headers of [{ origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }]) {
      expect((await submitSignUp(browser, page, { email: 'a10@example.test' }, headers)).status).toBe(403);
    }
    expect(await allRows(service, ['auditEvents'])).toEqual(before);
  });
});

describe('pages 10: whether there is an account stays with its owner', () => {
  it('pages 10: a known address gets the same answer and the same page, and its owner a mail', async () => {
    const seen = [];
    for (const email of ['u1@example.test', 'u9@example.test']) {
      const { browser, page } = await atSignUp(service, hosts.a, { state: 'same' });
      const answer = await submitSignUp(browser, page, { email });
      const { date: _, location, ...headers } = answer.headers;
      const verify = await browser.send(String(location));
      const wrong = await submitCode(browser, verify, '000 000');
      const shown = [verify, wrong].map(({ status, text }) => ({
        status,
        text: withoutSeals(text, email),
      }));
      seen.push({ status: answer.status, headers: Object.keys(headers), text: answer.text, shown });
    }
    expect(seen[1]).toEqual(seen[0]);
    await service.delivered();
    expect(service.outbox.last('u1@example.test').name).toBe('signUpKnown');
    expect(service.outbox.last('u9@example.test').name).toBe('signUp');
  });

  it('pages 10: the account of a known address stays as it was: name, password and session', async () => {
    const before = await storedMember(service, hosts.a, 'u2@example.test');
    const { browser, page } = await atSignUp(service, hosts.a);
    await submitSignUp(browser, page, { email: ' U2@Example.Test', fullName: 'Eve' });
    expect(await storedMember(service, hosts.a, 'u2@example.test')).toEqual(before);
    await codeFor(visitor(service, hosts.a), 'pub1', 'https://pub1.test/cb', {}, 'u2@example.test');
  });

  it('pages 10: both take one hash, and as much work', async () => {
    const works: Record<string, number[]> = { known: [], unknown: [] };
    for (let sample = 0; sample < 31; sample += 1) {
      const { browser, page } = await atSignUp(service, hosts.a);
      // Each goes first in turn, so that what else the machine does meets both alike.
      for (const kind of sample % 2 === 0 ? ['known', 'unknown'] : ['unknown', 'known']) {
        const email = kind === 'known' ? 'u1@example.test' : `t${sample}@example.test`;
        const before = passwords.hashed();
        const worked = await workOf(async () => {
          expect((await submitSignUp(browser, page, { email })).status).toBe(303);
        });
        works[kind]?.push(worked);
        expect([kind, passwords.hashed() - before]).toEqual([kind, 1]);
      }
      // As many mails an hour go to the one as to the others.
      service.clock.advance(hour);
    }
    const [known = 0, unknown = 0] = Object.values(works).map(median);
    expect(Math.abs(known - unknown), `${known} ms, ${unknown} ms`).toBeLessThan(15);
  });
});

describe('secrets of a sign-up', () => {
  it('W7, W9: the password, the digits and the link stand in no log line and in no row', async () => {
    const details = { email: 'w7@example.test', password: 'hemmelig ord i skogen', fullName: 'Ada' };
    const from = service.logLines.length;
    const { browser, verify, code, link } = await applied(service, hosts.a, details);
    const before = await countMembers(service);
    const rows = JSON.stringify(await allRows(service));
    await browser.send(link);
    expect(await countMembers(service)).toBe(before);
    await submitCode(browser, verify, '000000');
    await submitCode(browser, verify, code);
    const secrets = [details.password, code, code.replace(' ', ''), String(link.split('/').at(-1))];
    const logged = service.logLines.slice(from).join('');
    const later = JSON.stringify(await allRows(service));
    for (const secret of secrets) {
      expect(logged).not.toContain(secret);
      expect(verify.text).not.toContain(secret);
    }
    for (const secret of [secrets[0], secrets[3]]) {
      expect(rows).not.toContain(String(secret));
      expect(later).not.toContain(String(secret));
    }
  });

  it('W9: an id_token_hint goes into no row, and the flow goes on without it', async () => {
    const { id_token: hint } = await tokensFor(service, hosts.a);
    const email = 'hint@example.test';
    const { browser, verify, code } = await applied(service, hosts.a, { email }, { id_token_hint: hint });
    expect(JSON.stringify(await allRows(service))).not.toContain(hint);
    const done = await submitCode(browser, verify, code);
    expect(new URL(String(done.headers.location)).searchParams.get('code')).toBeTypeOf('string');
  });
});
