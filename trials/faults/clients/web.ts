import { apps } from '../../../test/support/tokens.ts';
import {
  answerOf,
  authorizationParameters,
  type Code,
  codeFor,
  pkce,
  token,
  type Visitor,
  visitor,
} from '../../../test/support/visitor.ts';
import type { Served } from '../site.ts';
import { email, type LedgerClient, next, nextOf } from './client.ts';

interface Redeemed {
  readonly code: Code;
  readonly token: string;
}

/** Signs in over and over in one browser, and redeems each code. */
export function webClient(name: string, member = email): LedgerClient {
  const { clientId, redirectUri } = apps.spa;
  let browser: Visitor | null = null;
  let isSignedIn = false;
  let issued: Code | null = null;
  let isSent = false;
  let redeemed: Redeemed[] = [];

  const redeem = async ({ service, host }: Served, { code, verifier }: Code) => {
    const grant = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
    return nextOf(await token(service, host, grant));
  };

  /** The browser that was signed in still is. */
  const checkSession = async ({ service, host }: Served) => {
    if (browser === null || !isSignedIn) return [];
    const known = visitor(service, host);
    for (const [cookie, value] of browser.cookies) known.cookies.set(cookie, value);
    browser = known;
    const answer = await known.authorize(authorizationParameters(clientId, redirectUri, pkce()));
    const isIn = answer.headers.location !== undefined && answerOf(answer).has('code');
    if (!isIn) [browser, isSignedIn] = [null, false];
    return isIn ? [] : ['a browser that was signed in is not any more'];
  };

  const checkIssued = async (site: Served) => {
    if (issued === null) return [];
    const [code, wasSent] = [issued, isSent];
    [issued, isSent] = [null, false];
    if ((await redeem(site, code)) === null && !wasSent) return ['an acknowledged code does not work'];
    return (await redeem(site, code)) === null ? [] : ['a code was redeemed twice'];
  };

  /** All tokens work; one code is sent again, which ends what it began. */
  const checkRedeemed = async (site: Served) => {
    const problems: string[] = [];
    const [reused, ...others] = redeemed.slice(-10);
    redeemed = [];
    for (const { token: current } of others) {
      if ((await next(site, current)) === null) problems.push('the tokens of a redeemed code do not work');
    }
    if (reused === undefined) return problems;
    if ((await redeem(site, reused.code)) !== null) problems.push('a code that was redeemed worked again');
    if ((await next(site, reused.token)) !== null) problems.push('a code sent twice did not end its sign-in');
    return problems;
  };

  return {
    name,
    act: async ({ service, host, ...site }, ledger) => {
      browser ??= visitor(service, host);
      ledger.intent('code');
      const code = await codeFor(browser, clientId, redirectUri, {}, member);
      [issued, isSent, isSignedIn] = [code, false, true];
      ledger.ack('code');
      ledger.intent('redeem');
      isSent = true;
      const current = await redeem({ service, host, ...site }, code);
      if (current === null) throw new Error('a fresh code was refused');
      [issued, isSent] = [null, false];
      redeemed.push({ code, token: current });
      ledger.ack('redeem');
    },
    check: async (site) => [
      ...(await checkSession(site)),
      ...(await checkIssued(site)),
      ...(await checkRedeemed(site)),
    ],
  };
}
