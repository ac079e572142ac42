import { profile, tokensOf } from '../../../test/support/tokens.ts';
import {
  authorizationParameters,
  pkce,
  type Tokens,
  type Visitor,
  visitor,
} from '../../../test/support/visitor.ts';
import { type Actor, anyOf, expectStatus, type Stage } from '../actor.ts';
import { apps, emailOf, host } from '../site.ts';

/** For how long a token is used (ms): access tokens of these clients work for two minutes. */
const tokenLife = 90_000;

/** Looks at pages and documents, and asks the member API with one token over and over. */
export const reader: Actor = { name: 'pages and member API', count: 6, pause: 120, begin };

function begin({ service, number }: Stage): () => Promise<void> {
  const email = emailOf('honest', 14 + number);
  const stranger = visitor(service, host);
  let member: Visitor = visitor(service, host);
  let tokens: Tokens | null = null;
  let tokensAt = 0;
  const fresh = async (): Promise<string> => {
    if (tokens !== null && performance.now() - tokensAt < tokenLife) return tokens.access_token;
    member = visitor(service, host);
    tokens = await tokensOf(service, host, apps.spa, { email, browser: member });
    tokensAt = performance.now();
    return tokens.access_token;
  };
  const api = async (path: string) =>
    service.http(host, path, { headers: { authorization: `Bearer ${await fresh()}` } });
  const { clientId, redirectUri } = apps.spa;
  const looks: readonly (() => Promise<unknown>)[] = [
    async () => expectStatus(await profile(service, host, await fresh()), 'the profile', 200),
    async () => expectStatus(await api('/api/v1/members/profile/info-with-content-access'), 'access', 200),
    async () => expectStatus(await api('/api/v1/members/profile/consents'), 'consents', 200),
    async () => expectStatus(await api('/api/oidc/me'), 'UserInfo', 200),
    async () => expectStatus(await profile(service, host, 'not.a.token'), 'a wrong token', 401),
    async () => expectStatus(await stranger.send('/.well-known/openid-configuration'), 'discovery', 200),
    async () => expectStatus(await stranger.send('/api/oidc/jwks'), 'the keys', 200),
    async () => {
      const parameters = authorizationParameters(clientId, redirectUri, pkce());
      expectStatus(await stranger.authorize(parameters), 'the sign-in page', 200);
    },
    async () => {
      await fresh();
      expectStatus(await member.send('/account'), 'the account page', 200);
    },
    async () => expectStatus(await stranger.send('/device'), 'the device page', 303),
    async () => expectStatus(await stranger.send('/nothing-here'), 'an unknown page', 404),
  ];
  return async () => {
    await anyOf(looks)();
  };
}
