import { describe, expect, it } from 'vitest';
import { hosts } from '../../support/fixtures.ts';
import type { Answer, Ask } from '../../support/http.ts';
import { apps, badHints, hasSession, tokensOf } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import { type Visitor, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'security' });
const out = 'https://app.test/out';

/** A browser in which u1 is signed in to conf1, with the tokens of that sign-in. */
const signedIn = async (more: Record<string, string> = {}) => {
  const browser = visitor(service, hosts.a);
  return { browser, tokens: await tokensOf(service, hosts.a, apps.conf1, { browser, more }) };
};

const end = (browser: Visitor, parameters: Record<string, string> | URLSearchParams = {}, ask: Ask = {}) =>
  browser.send(`/api/oidc/session/end?${new URLSearchParams(parameters)}`, ask);

const expectPage = (answer: Answer, title: string) => {
  expect(answer.status).toBe(200);
  expect(answer.headers.location).toBeUndefined();
  expect(answer.text).toContain(`<title>${title} – Tenant A</title>`);
};

describe('a hint that proves nothing', () => {
  it('I40, I41: the member is asked, and neither the address nor the session is touched', async () => {
    for (const [kind, hint] of await badHints(service)) {
      const { browser } = await signedIn();
      const answer = await end(browser, { id_token_hint: hint, post_logout_redirect_uri: out });
      expect(answer.headers.location, kind).toBeUndefined();
      expectPage(answer, 'Sign out?');
      expect(await hasSession(browser), kind).toBe(true);
    }
  });

  it('I40: a client_id beside it lends it nothing (decision 36)', async () => {
    for (const [kind, hint] of await badHints(service)) {
      for (const address of [{}, { post_logout_redirect_uri: out }]) {
        const { browser } = await signedIn();
        const answer = await end(browser, { id_token_hint: hint, client_id: 'conf1', ...address });
        expect(answer.headers.location, kind).toBeUndefined();
        expectPage(answer, 'Sign out?');
        expect(await hasSession(browser), kind).toBe(true);
      }
    }
  });

  it('decision 36: without a session it leads nowhere either', async () => {
    for (const [kind, hint] of await badHints(service)) {
      const sent = { id_token_hint: hint, client_id: 'conf1', post_logout_redirect_uri: out };
      const answer = await end(visitor(service, hosts.a), sent);
      expect(answer.headers.location, kind).toBeUndefined();
      expectPage(answer, 'You are signed out');
    }
  });

  it("decision 36: a hint of another member ends nothing of this browser's member", async () => {
    const u2 = await tokensOf(service, hosts.a, apps.conf1, { email: 'u2@example.test' });
    for (const more of [{}, { client_id: 'conf1' }]) {
      const { browser } = await signedIn();
      const sent = { id_token_hint: u2.id_token, post_logout_redirect_uri: out, ...more };
      expectPage(await end(browser, sent), 'Sign out?');
      expect(await hasSession(browser)).toBe(true);
    }
  });

  it("decision 36: a hint of the same member's session in another browser ends nothing here", async () => {
    const { tokens } = await signedIn();
    const { browser } = await signedIn();
    const sent = { id_token_hint: tokens.id_token, post_logout_redirect_uri: out };
    expectPage(await end(browser, sent), 'Sign out?');
    expect(await hasSession(browser)).toBe(true);
  });

  it("I40: a hint of one client with another's client_id leads nowhere (decision 36)", async () => {
    const { browser, tokens } = await signedIn();
    for (const address of [{}, { post_logout_redirect_uri: 'https://app2.test/out' }]) {
      const answer = await end(browser, { id_token_hint: tokens.id_token, client_id: 'conf2', ...address });
      expectPage(answer, 'Sign out?');
      expect(await hasSession(browser)).toBe(true);
    }
  });
});
