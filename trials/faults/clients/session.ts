import { accountOf } from '../../../test/support/members/account.ts';
import { apps, profile, tokensOf } from '../../../test/support/tokens.ts';
import type { Tokens, Visitor } from '../../../test/support/visitor.ts';
import { visitor } from '../../../test/support/visitor.ts';
import { otherEmail as email, expectStatus, type LedgerClient } from './client.ts';

interface Browser {
  readonly cookies: Map<string, string>;
  readonly tokens: Tokens;
  isOut: boolean | null;
}

/** Signs browsers in, and every other one out again; their tokens are tied to the session. */
export function sessionClient(name: string): LedgerClient {
  let browsers: Browser[] = [];
  let count = 0;
  return {
    name,
    act: async ({ service, host }, ledger) => {
      count += 1;
      ledger.intent('sign-in');
      const account = await accountOf(service, host, email);
      const cookies = new Map(account.cookies);
      const tokens = await tokensOf(service, host, apps.spa, { more: { scope: 'openid' }, browser: account });
      const browser: Browser = { cookies, tokens, isOut: false };
      browsers.push(browser);
      ledger.ack('sign-in');
      if (count % 2 === 0) return;
      ledger.intent('sign-out');
      browser.isOut = null;
      const answer = await account.send('/api/oidc/session/end?client_id=web');
      expectStatus(answer, 303, 'a sign-out');
      browser.isOut = true;
      ledger.ack('sign-out');
    },
    check: async ({ service, host }) => {
      const some = browsers.slice(-10);
      browsers = [];
      const problems: string[] = [];
      for (const { cookies, tokens, isOut } of some) {
        const browser: Visitor = visitor(service, host);
        for (const [cookie, value] of cookies) browser.cookies.set(cookie, value);
        const isIn = (await browser.send('/account')).status === 200;
        const opens = (await profile(service, host, tokens.access_token)).status === 200;
        if (isIn !== opens) problems.push('a session and the tokens that are tied to it disagree');
        if (isOut !== null && isIn === isOut) {
          problems.push(isOut ? 'a browser that was signed out is signed in' : 'a signed-in browser is not');
        }
      }
      return problems;
    },
  };
}
