import { type App, refreshAs, revoke } from '../../../test/support/tokens.ts';
import {
  type Code,
  codeFor,
  type Tokens,
  token,
  type Visitor,
  visitor,
} from '../../../test/support/visitor.ts';
import { type Actor, expectRefused, expectSo, expectStatus, type Stage } from '../actor.ts';
import { apps, emailOf, host, otherHost } from '../site.ts';

/** A browser keeps its session for so many rounds. */
const roundsOfSession = 8;

/** Signs in with a password or with a session, refreshes, and ends the sign-in in one of the ways there are. */
export const webMember: Actor = { name: 'web sign-in', count: 6, pause: 700, begin };

function begin({ service, number }: Stage): () => Promise<void> {
  const app: App = number % 2 === 0 ? apps.web : apps.spa;
  const email = emailOf('honest', number);
  let browser: Visitor = visitor(service, host);
  let round = 0;
  return async () => {
    round += 1;
    const code = await codeFor(browser, app.clientId, app.redirectUri, {}, email);
    let tokens = tokensIn(await exchange(code), 'an exchange');
    for (let count = 0; count < 3; count += 1) {
      const next = tokensIn(await refreshAs(service, host, app, tokens.refresh_token), 'a refresh');
      expectSo(next.refresh_token !== tokens.refresh_token, 'a refresh token did not change');
      const before = tokens;
      tokens = next;
      if (count === 2) await end(before, tokens, code);
    }
    if (round % roundsOfSession !== 0) return;
    const { headers } = await browser.send('/api/oidc/session/end?client_id=web');
    expectSo(headers.location === 'https://web.soak.test/', 'a logout does not lead on');
    browser = visitor(service, host);
  };

  function exchange({ code, verifier }: Code) {
    const secret = app.secret === undefined ? {} : { client_secret: app.secret };
    const grant = { grant_type: 'authorization_code', client_id: app.clientId, ...secret };
    return token(service, host, { ...grant, code, code_verifier: verifier });
  }

  /** A replay, a second exchange, or a revocation: each ends the sign-in. */
  async function end(before: Tokens, current: Tokens, code: Code): Promise<void> {
    const refresh = (at: string, value: Tokens) => refreshAs(service, at, app, value.refresh_token);
    expectRefused(await refresh(otherHost, current), 'a refresh at another tenant', 'invalid_grant');
    if (round % 3 === 0) expectRefused(await refresh(host, before), 'a replay', 'invalid_grant');
    else if (round % 3 === 1) expectRefused(await exchange(code), 'a second exchange', 'invalid_grant');
    else {
      const body = { client_id: app.clientId, token: String(current.refresh_token) };
      expectStatus(await revoke(service, host, body), 'a revocation', 200);
    }
    expectRefused(await refresh(host, current), 'a refresh after the end', 'invalid_grant');
  }
}

/** The tokens of an answer. @throws unless there are any */
export function tokensIn(answer: Parameters<typeof expectStatus>[0], what: string): Tokens {
  return expectStatus(answer, what, 200).json<Tokens & Record<string, unknown>>();
}
