import { expect } from 'vitest';
import type { Door } from '../../../src/testing/door.ts';
import { deviceGrant } from '../device.ts';
import { type Answer, httpClient } from '../http.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  headingOf,
  pkce,
  type Visitor,
  visitor,
} from '../visitor.ts';

const redirectUri = 'http://localhost:9879/callback';

export type AtDoor = ReturnType<typeof atDoor>;

/** What members, TVs and apps do at a door, and what each is told: nothing but HTTP is spoken. */
export function atDoor(door: Door) {
  const http = httpClient(door.port);
  const { host } = new URL(door.issuer);
  const browser = () => visitor({ http }, host);
  const ask = (body: Record<string, string>) => http(host, '/api/oidc/token', { body });

  async function signedIn(member: string): Promise<Visitor> {
    const own = browser();
    const headers = { 'content-type': 'application/json' };
    const answer = await own.send('/rehearsal/sign-in', { body: JSON.stringify({ member }), headers });
    expect(answer.status, answer.text).toBe(200);
    return own;
  }

  async function mailTo(address: string) {
    const [mail] = await door.mails(address);
    if (mail === undefined) throw new Error(`no mail to ${address}`);
    return { digits: mail.code ?? '', path: new URL(mail.link ?? 'http://none').pathname };
  }

  /** Opens the sign-in page, and presses one of its other buttons with an address. */
  async function pressed(action: string, email: string) {
    const own = browser();
    const form = await own.send(String((await own.send('/sign-in')).headers.location));
    const answer = await own.send('/sign-in', { body: { flow: field(form, 'flow'), email, action } });
    return { own, page: await own.send(String(answer.headers.location)) };
  }

  return {
    http,
    host,
    browser,
    ask,
    signedIn,
    /** An authorization code of the single-page app, and what exchanges it. */
    async code(member: string, own?: Visitor, scope?: string) {
      const { verifier, challenge } = pkce();
      const asked = {
        ...authorizationParameters('spa', redirectUri, { verifier, challenge }),
        ...(scope === undefined ? {} : { scope }),
      };
      const led = await (own ?? (await signedIn(member))).authorize(asked);
      const sent = answerOf(led).get('code') ?? '';
      return () =>
        ask({ grant_type: 'authorization_code', client_id: 'spa', code: sent, code_verifier: verifier });
    },
    tokens: (member: string) => door.signIn(member, { client: 'spa' }),
    refresh: (token: string | undefined) =>
      ask({ grant_type: 'refresh_token', client_id: 'spa', refresh_token: token ?? '' }),
    /** A TV that waits for its member. @returns how it polls */
    async tv(): Promise<() => Promise<string>> {
      const body = { client_id: 'tv', scope: 'openid offline_access' };
      const codes = (await http(host, '/api/oidc/device/auth', { body })).json<{ device_code: string }>();
      return () => said(ask({ grant_type: deviceGrant, client_id: 'tv', device_code: codes.device_code }));
    },
    me: (token: string) =>
      said(http(host, '/api/oidc/me', { headers: { authorization: `Bearer ${token}` } })),
    async codeByMail(email: string) {
      const { own, page } = await pressed('code', email);
      const { digits } = await mailTo(email);
      const body = { flow: field(page, 'flow'), code: digits };
      return async () => String((await own.send('/sign-in/code', { body })).status);
    },
    async newPasswordLink(email: string) {
      const { own, page } = await pressed('recover', email);
      await own.send('/recover', { body: { flow: field(page, 'flow'), email } });
      const { path } = await mailTo(email);
      return () => statusAt(browser(), path);
    },
    async signUpLink(email: string) {
      const { own, page } = await pressed('sign-up', '');
      const password = 'kvist og eld i skogen';
      await own.send('/sign-up', {
        body: { flow: field(page, 'flow'), fullName: 'Grace Hopper', email, password },
      });
      const { path } = await mailTo(email);
      return () => statusAt(browser(), path);
    },
    async passwordIn(own: Visitor, email: string, password: string): Promise<string> {
      const form = await own.send(String((await own.send('/sign-in')).headers.location));
      const body = { flow: field(form, 'flow'), email, password };
      return String((await own.send('/sign-in', { body })).status);
    },
    async checkout(member: string) {
      const own = await signedIn(member);
      const page = await own.send('/checkout?packageId=1');
      const body = { order: field(page, 'order'), action: 'continue' };
      const begun = await own.send(String((await own.send('/checkout', { body })).headers.location));
      return async () => headingOf(await own.send(String(begun.headers.location)));
    },
    async keys(): Promise<readonly string[]> {
      const answer = await http(host, '/api/oidc/jwks');
      return answer
        .json<{ keys: { kid: string; alg: string }[] }>()
        .keys.flatMap(({ kid, alg }) => (alg === 'RS256' ? [kid] : []));
    },
  };
}

/** The error of an answer, or its status. */
export const said = async (answer: Promise<Answer>) => {
  const { status, text } = await answer;
  return text.startsWith('{"error"') ? String(JSON.parse(text).error) : String(status);
};

export const statusAt = async (own: Visitor, path: string) => String((await own.send(path)).status);
