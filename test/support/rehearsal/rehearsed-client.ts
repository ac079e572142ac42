import type { RuleName } from '../../../src/core/rehearsal/card/rules.ts';
import { type DeviceAuthorization, deviceGrant } from '../device.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';
import { pkce, type Tokens, type Visitor, visit } from '../visitor.ts';
import { roomOf } from './rehearsal.ts';

/** An app that is on a TV and on the web, and keeps all rules of the contract but at most one. */
export interface RehearsedClient {
  /** Reads where the endpoints are. */
  start(): Promise<void>;
  /**
   * Signs a TV in.
   *
   * @param meanwhile what happens during each wait
   * @returns what ended the polling: `tokens`, or an error
   */
  signInTv(...meanwhile: readonly ((code: DeviceAuthorization) => unknown)[]): Promise<string>;
  /** Signs in on the web, in a browser of its own. @returns whether it took what came back */
  signInWeb(browser: Visitor): Promise<boolean>;
  /** Two parts of the app find at the same time that their access token is over. */
  refreshInTwoParts(): Promise<void>;
  refresh(): Promise<void>;
  /** Shows the member's profile, where it has tokens. */
  showProfile(): Promise<void>;
  /** Signs out: the tokens are revoked. */
  signOut(): Promise<void>;
  /** Signs out of the browser. */
  signOutWeb(browser: Visitor): Promise<void>;
}

export interface ClientOptions {
  readonly host: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** The one rule that it does not keep; null for none. */
  readonly sin: RuleName | null;
  /** Sees to it that of two requests that are sent at once neither is answered before both have come. */
  readonly together: <T>(send: () => Promise<T>) => Promise<readonly T[]>;
}

/** Its waits take no time, but move the clock of the room on. */
export function rehearsedClient(service: TestService, options: ClientOptions): RehearsedClient {
  const { host, clientId, redirectUri, sin, together } = options;
  const room = roomOf(service, host);
  const issuer = `http://${host}`;
  const always = pkce();
  let endpoints: Readonly<Record<string, string>> = {
    device_authorization_endpoint: `${issuer}/api/oidc/device/auth`,
    token_endpoint: `${issuer}/api/oidc/token`,
    revocation_endpoint: `${issuer}/api/oidc/token/revocation`,
    authorization_endpoint: `${issuer}/api/oidc/auth`,
  };
  let held: Tokens | null = null;
  let refreshing: Promise<void> | null = null;

  const post = (endpoint: string, form: Record<string, string>): Promise<Answer> => {
    const { pathname, search } = new URL(endpoints[endpoint] ?? '');
    return service.http(host, pathname + search, { body: { client_id: clientId, ...form } });
  };
  const wait = (seconds: number) => room.ask('clock', { advance: seconds });
  const tokensIn = (answer: Answer) => answer.json<Tokens & Record<string, unknown>>();

  const poll = async ({ device_code }: DeviceAuthorization): Promise<string> => {
    const answer = await post('token_endpoint', { grant_type: deviceGrant, device_code });
    if (answer.status === 429 || answer.status >= 500) return 'trouble';
    if (answer.status !== 200) return String(answer.json().error);
    held = tokensIn(answer);
    return 'tokens';
  };

  const refresh = async (): Promise<void> => {
    const old = held?.refresh_token;
    if (held === null || old === undefined) return;
    const answer = await post('token_endpoint', { grant_type: 'refresh_token', refresh_token: old });
    if (answer.status !== 200) held = null;
    else held = { ...tokensIn(answer), ...(sin === 'newest_token' ? { refresh_token: old } : {}) };
  };

  return {
    async start() {
      if (sin === 'discovery') return;
      endpoints = (await service.http(host, '/.well-known/openid-configuration')).json();
    },
    async signInTv(...meanwhile) {
      const asked = await post('device_authorization_endpoint', { scope: 'openid offline_access' });
      const code = asked.json<DeviceAuthorization & Record<string, unknown>>();
      let { interval } = code;
      for (let polls = 0; ; polls += 1) {
        await wait(sin === 'interval' && polls === 0 ? 0 : interval);
        await meanwhile[polls]?.(code);
        const send = () => poll(code);
        for (const word of sin === 'one_poll' && polls === 0 ? await together(send) : [await send()]) {
          if (word === 'slow_down') interval += sin === 'slow_down' ? 0 : 5;
          else if (word === 'trouble') interval *= sin === 'back_off' ? 1 : 2;
          else if (word !== 'authorization_pending') {
            if (sin === 'stop' && word !== 'tokens') await send();
            return word;
          }
        }
      }
    },
    async signInWeb(browser) {
      const proof = sin === 'fresh_verifier' ? always : pkce();
      const [state, nonce] = [pkce().verifier, (sin === 'fresh_nonce' ? always : pkce()).verifier];
      const address = new URL(endpoints.authorization_endpoint ?? '');
      address.search = String(
        new URLSearchParams({
          response_type: 'code',
          client_id: clientId,
          redirect_uri: redirectUri,
          scope: 'openid offline_access',
          code_challenge: proof.challenge,
          code_challenge_method: 'S256',
          state,
          nonce,
        }),
      );
      const back = (await visit(browser, address)).searchParams;
      if (sin !== 'state' && back.get('state') !== state) return false;
      const answer = await post('token_endpoint', {
        grant_type: 'authorization_code',
        code: back.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: proof.verifier,
      });
      held = answer.status === 200 ? tokensIn(answer) : null;
      return held !== null;
    },
    async refreshInTwoParts() {
      if (sin === 'one_refresh') return void (await together(refresh));
      const once = () => (refreshing ??= refresh());
      await Promise.all([once(), once()]);
      refreshing = null;
    },
    refresh,
    async showProfile() {
      if (held === null) return;
      await service.http(host, '/api/v1/members/profile/info-with-active-subscriptions', {
        headers: { authorization: `Bearer ${held.access_token}` },
      });
    },
    async signOut() {
      if (held === null) return;
      await post('revocation_endpoint', { token: held.refresh_token ?? '' });
      if (sin !== 'deleted_tokens') held = null;
    },
    async signOutWeb(browser) {
      await browser.send(`/api/oidc/session/end?${new URLSearchParams({ client_id: clientId })}`);
      held = null;
    },
  };
}
