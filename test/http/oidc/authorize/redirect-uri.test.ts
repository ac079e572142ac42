import { describe, expect, it } from 'vitest';
import { expectErrorPage } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { allRows } from '../../../support/records/rows.ts';
import { serviceForTest, useService } from '../../../support/use-service.ts';
import { answerOf, authorizationParameters, pkce, token, visitor } from '../../../support/visitor.ts';

const service = useService({ data: 'security' });

/** Asks for a code, in a browser that has a session already if `signedIn`: then nothing else stands between. */
const ask = async (clientId: string, redirectUri: string | undefined, signedIn = false) => {
  const browser = visitor(service, hosts.a);
  if (signedIn) {
    const page = await browser.authorize(authorizationParameters('pub1', 'https://pub1.test/cb', pkce()));
    await browser.signIn(page, 'u1@example.test');
  }
  const parameters = authorizationParameters(clientId, redirectUri ?? '', pkce(), { state: 'a state' });
  if (redirectUri === undefined) delete parameters.redirect_uri;
  return { browser, answer: await browser.authorize(parameters) };
};

describe('a redirect_uri that is registered', () => {
  it('R1, I23: leads to the sign-in page, and then the browser goes to it with code, state and iss', async () => {
    const { browser, answer } = await ask('conf1', 'https://app.test/cb2');
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('<h1>Sign in</h1>');
    const done = await browser.signIn(answer, 'u1@example.test');
    expect(done.status).toBe(303);
    expect(done.headers.location).toMatch(/^https:\/\/app\.test\/cb2\?/);
    const { code, ...rest } = Object.fromEntries(answerOf(done));
    expect(code).toMatch(/^[\w-]{43}$/);
    expect(rest).toEqual({ state: 'a state', iss: 'https://a.test' });
  });

  it.each(['http://127.0.0.1:53211/cb', 'http://[::1]:61000/cb', 'http://127.0.0.1/cb'])(
    'R10, I8: a loopback address keeps the port that the app listens on: %s',
    async (redirectUri) => {
      const { browser, answer } = await ask('native1', redirectUri);
      const done = await browser.signIn(answer, 'u1@example.test');
      expect(done.headers.location?.split('?')[0]).toBe(redirectUri);
    },
  );

  it('R16, I8: the one that is registered is used where the request names none', async () => {
    const { browser, answer } = await ask('conf2', undefined);
    const done = await browser.signIn(answer, 'u1@example.test');
    expect(done.headers.location).toMatch(/^https:\/\/app2\.test\/cb\?code=/);
  });

  it('R16, I8: a code got without redirect_uri is exchanged with the registered one named, or with none', async () => {
    for (const named of [{}, { redirect_uri: 'https://app2.test/cb' }]) {
      const browser = visitor(service, hosts.a);
      const proof = pkce();
      const { redirect_uri: _, ...parameters } = authorizationParameters('conf2', '', proof);
      const done = await browser.signIn(await browser.authorize(parameters), 'u1@example.test');
      const answer = await token(service, hosts.a, {
        grant_type: 'authorization_code',
        client_id: 'conf2',
        client_secret: 'conf2-secret',
        code: answerOf(done).get('code') ?? '',
        code_verifier: proof.verifier,
        ...named,
      });
      expect(answer.status).toBe(200);
    }
  });
});

describe('a redirect_uri that is not registered', () => {
  const refused = async (clientId: string, redirectUri: string | undefined): Promise<void> => {
    const { browser } = await ask(clientId, redirectUri, true);
    const before = await allRows(service, ['auditEvents']);
    const parameters = authorizationParameters(clientId, redirectUri ?? '', pkce());
    if (redirectUri === undefined) delete parameters.redirect_uri;
    const answer = await browser.authorize(parameters);
    expectErrorPage(answer);
    expect(await allRows(service, ['auditEvents'])).toEqual(before);
  };

  it('R2, I8: a trailing slash more gets the error page', () => refused('conf1', 'https://app.test/cb/'));

  it('R5, I8: an unregistered query gets the error page', () => refused('conf1', 'https://app.test/cb?x=1'));

  it.each([
    'https://app.test@evil.test/cb',
    'https://evil.test#app.test/cb',
    'https://app.test.evil.test/cb',
    'https://evil.test\\@app.test/cb',
  ])('R7, I8: %s only looks like the registered one and gets the error page', (redirectUri) =>
    refused('conf1', redirectUri),
  );

  it.each([
    'http://localhost:1/cb',
    'http://127.0.0.1.evil.test:1/cb',
    'http://127.1:1/cb',
    'http://2130706433/cb',
    'http://127.0.0.1:80@evil.test/cb',
    'http://127.0.0.1:65536/cb',
    'https://127.0.0.1:53211/cb',
    'http://127.0.0.1:53211/cb/',
  ])('R13, I8: %s is not the registered loopback address and gets the error page', (redirectUri) =>
    refused('native1', redirectUri),
  );

  it('R15, I8: none at all, where several are registered, gets the error page', () =>
    refused('conf1', undefined));

  it.each([
    'https://app.test/cb/more',
    'https://app.test:8443/cb',
    'https://app.test:443/cb',
    'https://APP.test/cb',
    'https://app.test/CB',
    'https://app.test/cb#',
    'https://app.test/%63b',
    ' https://app.test/cb',
    'https://app2.test/cb',
  ])('I8: %j differs from the registered string and gets the error page', (redirectUri) =>
    refused('conf1', redirectUri),
  );

  it.each(['unknown', '', '__proto__', 'CONF1', "conf1' or 1=1 --"])(
    'I8: the client_id %j is not known and gets the error page',
    (clientId) => refused(clientId, 'https://app.test/cb'),
  );

  it('I8: two redirect_uris, one of them registered, get the error page', async () => {
    const parameters = new URLSearchParams(authorizationParameters('conf1', 'https://app.test/cb', pkce()));
    parameters.append('redirect_uri', 'https://evil.test/cb');
    expectErrorPage(await service.http(hosts.a, `/api/oidc/auth?${parameters}`));
  });
});

describe('the error page', () => {
  it('decision 6: shows what was sent, as text', async () => {
    const { answer } = await ask('conf1', 'https://evil.test/"><script>alert(1)</script>');
    expectErrorPage(answer);
    expect(answer.text).toContain('client_id=conf1');
    expect(answer.text).toContain('redirect_uri=https://evil.test/');
    expect(answer.text).not.toContain('<script>alert');
    expect(answer.text).not.toMatch(/(?:href|action|src)="?https:\/\/evil/);
  });

  it('decision 6: does not show what is registered', async () => {
    const { answer } = await ask('conf1', 'https://evil.test/cb');
    expect(answer.text).not.toContain('https://app.test');
    expect(answer.text).not.toContain('Registered');
  });

  it('decision 6: shows what is registered on a development tenant', async () => {
    const development = await serviceForTest({ data: 'development' });
    const browser = visitor(development, `localhost:${development.port}`);
    const parameters = authorizationParameters('web', 'http://localhost:9876/other', pkce());
    const answer = await browser.authorize(parameters);
    expectErrorPage(answer);
    expect(answer.text).toContain('redirect_uri=http://localhost:9876/other');
    expect(answer.text).toContain('http://localhost:9876/callback');
    expect(answer.text).toContain('http://localhost:9877/callback');
  });

  it('decision 6: bears a reference that stands in the log too', async () => {
    const { answer } = await ask('conf1', 'https://evil.test/cb');
    const reference = /Reference: (\w+)/.exec(answer.text)?.[1] ?? '';
    expect(reference).toMatch(/^[0-9a-z]{8}$/);
    expect(service.logLines.some((line) => line.includes(reference))).toBe(true);
  });
});
