import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts, secrets } from '../../../support/fixtures.ts';
import type { Answer } from '../../../support/http.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  type Code,
  codeFor,
  pkce,
  refresh,
  token,
  type Visitor,
  visitor,
} from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
let browser: Visitor;

beforeAll(() => {
  browser = visitor(service, hosts.a);
});
// A minute between the tests: what they fail on purpose must not add up to a limit of failures a minute.
beforeEach(() => service.clock.advance(60_000));

/** An exchange of this code by the public client pub1, with what is said otherwise. */
const exchange = ({ code, verifier }: Code, more: Record<string, string> = {}) =>
  token(service, hosts.a, {
    grant_type: 'authorization_code',
    client_id: 'pub1',
    code,
    code_verifier: verifier,
    ...more,
  });

const codeOfPub1 = () => codeFor(browser, 'pub1', 'https://pub1.test/cb');
const codeOfConf1 = () => codeFor(browser, 'conf1', 'https://app.test/cb');
const asConf1 = { client_id: 'conf1', client_secret: secrets.conf1 };

describe('an authorization code', () => {
  it('C9, I22: of 50 parallel exchanges exactly one gets tokens, which then stop working', async () => {
    await Promise.all(Array.from({ length: 50 }, () => service.http(hosts.a, '/api/oidc/jwks')));
    for (let round = 0; round < 20; round++) {
      service.clock.advance(60_000);
      const code = await codeOfPub1();
      const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(code)));
      const won = answers.filter(({ status }) => status === 200);
      expect(won).toHaveLength(1);
      for (const lost of answers.filter(({ status }) => status !== 200)) {
        expectJsonError(lost, 400, 'invalid_grant');
      }
      const { refresh_token: refreshToken } = won[0]?.json<{ refresh_token: string }>() ?? {};
      expectJsonError(await refresh(service, hosts.a, refreshToken), 400, 'invalid_grant');
    }
  });

  it('C14, I22, I31: of one client presented by another is invalid_grant, and its own client still gets tokens', async () => {
    const code = await codeOfConf1();
    const before = await allRows(service, ['auditEvents']);
    const asConf2 = { client_id: 'conf2', client_secret: secrets.conf2 };
    expectJsonError(await exchange(code, asConf2), 400, 'invalid_grant');
    expect(await allRows(service, ['auditEvents'])).toEqual(before);
    expect((await exchange(code, asConf1)).status).toBe(200);
  });

  it('C17, I22: is good 599 s after its issue', async () => {
    const code = await codeOfPub1();
    service.clock.advance(599_000);
    expect((await exchange(code)).status).toBe(200);
  });

  it('C17, I22: is invalid_grant 601 s after its issue', async () => {
    const code = await codeOfPub1();
    service.clock.advance(601_000);
    expectJsonError(await exchange(code), 400, 'invalid_grant');
  });

  it.each(['unknown', 'x'.repeat(10_000), "' or 1=1 --", '\u0000', 'é'])(
    'I31: that is unknown is invalid_grant: %j',
    async (code) => expectJsonError(await exchange({ ...(await codeOfPub1()), code }), 400, 'invalid_grant'),
  );

  it('I31: that is missing is invalid_request', async () => {
    expectJsonError(await exchange({ ...(await codeOfPub1()), code: '' }), 400, 'invalid_request');
  });
});

describe('code_verifier', () => {
  const burns = async (verifier: string): Promise<void> => {
    const code = await codeOfPub1();
    expectJsonError(await exchange({ ...code, verifier }), 400, 'invalid_grant');
    expectJsonError(await exchange(code), 400, 'invalid_grant');
  };

  it('C10, I29: absent, it gives no tokens and burns the code', () => burns(''));

  it('I29: wrong, from the right client, it burns the code (decision 18)', () => burns(pkce().verifier));

  it.each(['short', 'x'.repeat(42), 'x'.repeat(129), `${'x'.repeat(43)} `, `${'x'.repeat(43)}é`])(
    'I29: malformed, it burns the code: %j (decision 18)',
    (verifier) => burns(verifier),
  );

  it('decision 18: the challenge sent as the verifier burns the code', async () => {
    const code = await codeOfPub1();
    expectJsonError(await exchange({ ...code, verifier: code.challenge }), 400, 'invalid_grant');
    expectJsonError(await exchange(code), 400, 'invalid_grant');
  });
});

describe('redirect_uri', () => {
  it('I28: sent and the same, it is fine (decision 18)', async () => {
    expect((await exchange(await codeOfPub1(), { redirect_uri: 'https://pub1.test/cb' })).status).toBe(200);
  });

  it('I28: sent and different, it is invalid_grant and leaves the code (decision 18)', async () => {
    const code = await codeOfConf1();
    const other = { ...asConf1, redirect_uri: 'https://app.test/cb2' };
    expectJsonError(await exchange(code, other), 400, 'invalid_grant');
    expect((await exchange(code, asConf1)).status).toBe(200);
  });

  it('decision 18: of a loopback address the port counts too', async () => {
    const uri = 'http://127.0.0.1:50001/cb';
    const code = await codeFor(browser, 'native1', uri);
    const other = { client_id: 'native1', redirect_uri: 'http://127.0.0.1:50002/cb' };
    expectJsonError(await exchange(code, other), 400, 'invalid_grant');
    expect((await exchange(code, { client_id: 'native1', redirect_uri: uri })).status).toBe(200);
  });
});

describe('grant_type', () => {
  it.each([
    ['', 'invalid_request'],
    ['password', 'unsupported_grant_type'],
    ['client_credentials', 'unsupported_grant_type'],
    ['implicit', 'unsupported_grant_type'],
    ['Authorization_Code', 'unsupported_grant_type'],
    ['authorization_code ', 'unsupported_grant_type'],
    ['__proto__', 'unsupported_grant_type'],
    ['toString', 'unsupported_grant_type'],
  ])('C20, I31: %j is %s, and the code is not consumed', async (grantType, error) => {
    const code = await codeOfPub1();
    expectJsonError(await exchange(code, { grant_type: grantType }), 400, error);
    expect((await exchange(code)).status).toBe(200);
  });
});

describe('tokens that a code gives', () => {
  it('decision 10: say in scope what was granted, without unknown scopes', async () => {
    const more = { scope: 'unknown email openid' };
    const answer = await exchange(await codeFor(browser, 'pub1', 'https://pub1.test/cb', more));
    expect(answer.json()).toMatchObject({ scope: 'openid email' });
    expect(answer.json()).not.toHaveProperty('refresh_token');
  });

  it("I35: are of visible ASCII, and no two exchanges' are the same", async () => {
    const answers: Answer[] = [];
    for (let count = 0; count < 3; count++) answers.push(await exchange(await codeOfPub1()));
    const tokens = answers.flatMap((answer) => {
      const { access_token, refresh_token } = answer.json<Record<string, string>>();
      return [String(access_token), String(refresh_token)];
    });
    expect(new Set(tokens).size).toBe(6);
    for (const text of tokens) expect(text).toMatch(/^[\x21-\x7e]+$/);
  });

  it('decision 18: a code that was got by form POST is as good as another', async () => {
    const proof = pkce();
    const parameters = authorizationParameters('pub1', 'https://pub1.test/cb', proof);
    const answer = await browser.send('/api/oidc/auth', { body: parameters });
    const code = answerOf(answer).get('code') ?? '';
    expect((await exchange({ ...proof, code })).status).toBe(200);
  });
});
