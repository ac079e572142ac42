import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { wrongEmailCodes } from '../../../src/core/members/limits.ts';
import { tenantLimits } from '../../../src/core/tenant-limits.ts';
import { countPasswords } from '../../../src/http/upkeep/metrics.ts';
import { offerSetup } from '../../../src/operations/service/first-admin.ts';
import { codesFor, forgetWrongCodes, pageOf, phoneOf } from '../../support/device.ts';
import { hosts, secrets } from '../../support/fixtures.ts';
import type { Ask } from '../../support/http.ts';
import { codeIn, linkIn } from '../../support/mails/outbox.ts';
import { accountOf } from '../../support/members/account.ts';
import { askedForCode, setEmailCodes } from '../../support/members/email-code.ts';
import {
  countingPasswords,
  flood,
  type Guessing,
  homeOf,
  type Send,
} from '../../support/members/guessers.ts';
import { addMember, oldPassword, recoveryLink } from '../../support/members/recover.ts';
import { applied, newPassword } from '../../support/members/sign-up.ts';
import { adminToken } from '../../support/operators/api.ts';
import { adminPassword, makeAdmin } from '../../support/operators/portal.ts';
import { useService } from '../../support/use-service.ts';
import { authorizationParameters, field, pkce, type Visitor, visitor } from '../../support/visitor.ts';

const hashed = countingPasswords();
const service = useService({
  data: 'security',
  trustedProxies: ['127.0.0.1'],
  // As the running service has them.
  passwords: countPasswords(hashed).passwords,
  setupOffered: true,
});
const admin = 'guessed.admin@example.test';

beforeAll(async () => {
  await makeAdmin(service, hosts.a, admin);
  await setEmailCodes(service, hosts.a, 'beside');
});
beforeEach(async () => {
  // Each secret is guessed at in a window of its own.
  service.clock.advance(60 * 60_000);
  await forgetWrongCodes(service);
});

const host = hosts.a;
const minutely = tenantLimits.failedSignInsPerAddressAndMinute as number;
const perAccount = tenantLimits.failedSignInsPerAccount as number;

/** As a browser sends it, over a connection of the flood. */
const as = (browser: Visitor, send: Send, path: string, { headers, ...ask }: Ask = {}) => {
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return send(browser.host, path, { ...ask, headers: { cookie, ...headers } });
};
const from = (index: number) => ({ 'x-forwarded-for': homeOf(index) });

const atSignIn = (browser: Visitor) =>
  browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce(), { prompt: 'login' }));

/** Six digits that are not these. */
const otherDigits = (digits: string, index: number) =>
  String((Number(digits.replace(' ', '')) + 1 + index) % 1_000_000).padStart(6, '0');

const is =
  (...statuses: readonly number[]) =>
  ({ status }: { readonly status: number }) =>
    statuses.includes(status);

interface Secret extends Guessing {
  /** Whether a guess is judged by a hash that takes its time. */
  readonly isHashed?: true;
  /** Whether the right one was let in. */
  isIn(answer: { readonly status: number }): boolean;
}

/** Every secret whose guesses are counted. */
const table: Readonly<
  Record<string, { readonly restart: 'counts' | 'forgets'; readonly begin: () => Promise<Secret> }>
> = {
  'the password of a sign-in': {
    restart: 'counts',
    begin: async () => {
      const { email } = await addMember(service, host);
      const browser = visitor(service, host);
      const flow = field(await atSignIn(browser), 'flow');
      return {
        isHashed: true,
        allowed: perAccount,
        guess: (send, index, isRight) =>
          as(browser, send, '/sign-in', {
            body: { flow, email, password: isRight ? oldPassword : `wrong ${index}` },
            headers: from(index),
          }),
        isWrong: is(422),
        isIn: is(303),
      };
    },
  },
  'the passwords of many accounts, from one address': {
    restart: 'forgets',
    begin: async () => {
      const { email } = await addMember(service, host);
      const browser = visitor(service, host);
      const flow = field(await atSignIn(browser), 'flow');
      return {
        isHashed: true,
        allowed: minutely,
        guess: (send, index, isRight) =>
          as(browser, send, '/sign-in', {
            body: {
              flow,
              email: isRight ? email : `many${index}@example.test`,
              password: isRight ? oldPassword : 'wrong',
            },
          }),
        isWrong: is(422),
        isIn: is(303),
      };
    },
  },
  'the password of a sign-in, in a browser that the member knows': {
    restart: 'forgets',
    begin: async () => {
      const { email } = await addMember(service, host);
      const browser = visitor(service, host);
      await browser.signIn(await atSignIn(browser), email, oldPassword);
      const flow = field(await atSignIn(browser), 'flow');
      return {
        isHashed: true,
        allowed: minutely,
        guess: (send, index, isRight) =>
          as(browser, send, '/sign-in', {
            body: { flow, email, password: isRight ? oldPassword : `wrong ${index}` },
            headers: from(index),
          }),
        isWrong: is(422),
        isIn: is(303),
      };
    },
  },
  'the digits of a code to sign in with': {
    restart: 'counts',
    begin: async () => {
      const { email } = await addMember(service, host);
      const browser = visitor(service, host);
      const { page, code } = await askedForCode(service, browser, email);
      const flow = field(page, 'flow');
      return {
        allowed: wrongEmailCodes,
        guess: (send, index, isRight) =>
          as(browser, send, '/sign-in/code', {
            body: { flow, code: isRight ? code : otherDigits(code, index) },
            headers: from(index),
          }),
        isWrong: is(422),
        isIn: is(303),
      };
    },
  },
  'the password of an administrator': {
    restart: 'counts',
    begin: async () => {
      const browser = visitor(service, host);
      const page = await browser.send('/admin/sign-in');
      const body = { token: field(page, 'token'), next: field(page, 'next'), email: admin };
      return {
        isHashed: true,
        allowed: perAccount,
        guess: (send, index, isRight) =>
          as(browser, send, '/admin/sign-in', {
            body: { ...body, password: isRight ? adminPassword : `wrong ${index}` },
            headers: from(index),
          }),
        isWrong: is(422),
        isIn: is(303),
      };
    },
  },
  'the password, asked for once more by the account': {
    restart: 'counts',
    begin: async () => {
      const { email } = await addMember(service, host);
      const browser = await accountOf(service, host, email, { password: oldPassword });
      const token = field(await browser.send('/account/data'), 'token');
      return {
        isHashed: true,
        allowed: perAccount,
        guess: (send, index, isRight) =>
          as(browser, send, '/account/data', {
            body: { token, currentPassword: isRight ? oldPassword : `wrong ${index}` },
            headers: from(index),
          }),
        isWrong: is(422),
        isIn: is(200),
      };
    },
  },
  'the password of a sign-up, in another browser': {
    restart: 'counts',
    begin: async () => {
      const { link } = await applied(service, host, { email: 'sign.up.password@example.test' });
      return {
        isHashed: true,
        allowed: wrongEmailCodes,
        guess: (send, index, isRight) =>
          send(host, link, { body: { password: isRight ? newPassword : `wrong ${index}` } }),
        isWrong: is(422),
        isIn: is(200),
      };
    },
  },
  'the digits of a sign-up': {
    restart: 'counts',
    begin: async () => {
      const { browser, verify, code } = await applied(service, host, {
        email: 'sign.up.digits@example.test',
      });
      const proof = field(verify, 'proof');
      return {
        // The last one already says that only a new mail helps.
        allowed: wrongEmailCodes - 1,
        guess: (send, index, isRight) =>
          as(browser, send, '/sign-up/verify', {
            body: { proof, code: isRight ? code : otherDigits(code, index) },
          }),
        isWrong: is(422),
        isIn: is(303),
      };
    },
  },
  'the digits of a new address': {
    restart: 'counts',
    begin: async () => {
      const { email } = await addMember(service, host);
      const browser = await accountOf(service, host, email, { password: oldPassword });
      const next = 'not.mine@example.test';
      const asked = await browser.submit('/account/email', { email: next, currentPassword: oldPassword });
      await service.delivered();
      const code = codeIn(service.outbox.last(next));
      const path = String(asked.headers.location);
      const token = field(await browser.send(path), 'token');
      return {
        allowed: wrongEmailCodes - 1,
        guess: (send, index, isRight) =>
          as(browser, send, path, { body: { token, code: isRight ? code : otherDigits(code, index) } }),
        isWrong: is(422),
        isIn: is(303),
      };
    },
  },
  'the user code of a TV': {
    restart: 'counts',
    begin: async () => {
      const phone = await phoneOf(service, host);
      const { user_code: code } = await codesFor(service, host);
      return {
        allowed: tenantLimits.wrongUserCodesPerMember as number,
        guess: (send, index, isRight) =>
          as(phone, send, pageOf(isRight ? code : otherDigits(code, index)), { headers: from(index) }),
        isWrong: is(422),
        isIn: is(200),
      };
    },
  },
  'the user code of a TV, by many members from one address': {
    restart: 'counts',
    begin: async () => {
      const phones: Visitor[] = [];
      for (let count = 0; count < 10; count += 1) {
        const { email } = await addMember(service, host);
        phones.push(await accountOf(service, host, email, { password: oldPassword }));
      }
      const { user_code: code } = await codesFor(service, host);
      return {
        allowed: tenantLimits.wrongUserCodesPerAddress as number,
        guess: (send, index, isRight) =>
          as(
            phones[index % phones.length] as Visitor,
            send,
            pageOf(isRight ? code : otherDigits(code, index)),
          ),
        isWrong: is(422),
        isIn: is(200),
      };
    },
  },
  'the secret of a client': {
    restart: 'forgets',
    begin: async () => ({
      allowed: tenantLimits.failedClientAuthenticationsPerAddressAndMinute as number,
      guess: (send, index, isRight) =>
        send(host, '/api/oidc/token', {
          body: {
            grant_type: 'refresh_token',
            client_id: 'conf1',
            client_secret: isRight ? secrets.conf1 : `wrong ${index}`,
            refresh_token: 'none',
          },
        }),
      isWrong: is(401),
      isIn: is(400),
    }),
  },
  'the link of a forgotten password': {
    restart: 'forgets',
    begin: async () => {
      const { email } = await addMember(service, host);
      const link = await recoveryLink(service, host, email);
      return {
        allowed: 30,
        guess: (send, index, isRight) =>
          send(host, isRight ? link : `/recover/reset/wrong${index}`, { body: { password: newPassword } }),
        isWrong: is(410),
        isIn: is(200),
      };
    },
  },
  'the link of a sign-up': {
    restart: 'forgets',
    begin: async () => {
      const { browser, link } = await applied(service, host, { email: 'sign.up.link@example.test' });
      return {
        allowed: 30,
        guess: (send, index, isRight) =>
          as(browser, send, isRight ? link : `/sign-up/confirm/wrong${index}`, { body: { password: '' } }),
        isWrong: is(410),
        isIn: is(303),
      };
    },
  },
  'the link of a new address': {
    restart: 'forgets',
    begin: async () => {
      const { email } = await addMember(service, host);
      const browser = await accountOf(service, host, email, { password: oldPassword });
      const next = 'by.link@example.test';
      await browser.submit('/account/email', { email: next, currentPassword: oldPassword });
      await service.delivered();
      const { pathname } = new URL(linkIn(service.outbox.last(next)));
      const token = field(await browser.send('/account/email'), 'token');
      return {
        allowed: 30,
        guess: (send, index, isRight) =>
          as(browser, send, isRight ? pathname : `/account/email/confirm/wrong${index}`, { body: { token } }),
        isWrong: is(410),
        isIn: is(303),
      };
    },
  },
  'the set-up link': {
    restart: 'forgets',
    begin: async () => {
      const link = `/setup/${await offerSetup(service.store, service.deps)}`;
      return {
        allowed: 30,
        guess: (send, index, isRight) => send(host, isRight ? link : `/setup/wrong${index}`),
        isWrong: is(404),
        isIn: is(200),
      };
    },
  },
  'a token of the admin API': {
    restart: 'forgets',
    begin: async () => {
      const token = await adminToken(service);
      return {
        allowed: 30,
        guess: (send, index, isRight) =>
          send(host, '/api/v1/admin/tenants', {
            headers: { authorization: `Bearer ${isRight ? token : `mda_wrong${index}`}` },
          }),
        isWrong: is(401),
        isIn: is(200),
      };
    },
  },
};

describe('200 guesses at once', () => {
  it.each(Object.entries(table))(
    'F1: at %s: no more are looked at than are allowed, the right one that comes last is refused, and none fails',
    async (_name, { restart, begin }) => {
      const secret = await begin();
      hashed.looked();
      const { wrong, right } = await flood(service, secret);
      const statuses = wrong.map(({ status }) => status);
      expect(statuses.filter((status) => status >= 500)).toEqual([]);
      expect(wrong.filter(secret.isWrong)).toHaveLength(secret.allowed);
      expect({ status: right.status, isIn: secret.isIn(right) }).toEqual({
        status: right.status,
        isIn: false,
      });
      expect(hashed.looked()).toBe(secret.isHashed === true ? secret.allowed : 0);
      if (restart === 'forgets') return;
      await service.restart();
      const again = await secret.guess(service.http, 200, true);
      expect({ status: again.status, isIn: secret.isIn(again) }).toEqual({
        status: again.status,
        isIn: false,
      });
    },
  );
});

it('F1: guesses at links from the same address do not block a link that was opened before', async () => {
  const { email } = await addMember(service, host);
  const link = await recoveryLink(service, host, email);
  expect((await service.http(host, link)).status).toBe(200);
  const wrong = await Promise.all(
    Array.from({ length: 40 }, (_, index) => service.http(host, `/recover/reset/wrong${index}`)),
  );
  expect(wrong.filter(is(429))).toHaveLength(10);
  const limited = wrong.find(is(429));
  expect(limited?.text).toContain('<title>Error: Too many wrong links – Tenant A</title>');
  expect(Number(limited?.headers['retry-after'])).toBeLessThanOrEqual(60);
  expect((await service.http(host, link, { body: { password: newPassword } })).status).toBe(200);
});
