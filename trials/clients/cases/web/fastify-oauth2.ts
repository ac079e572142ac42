// @fastify/oauth2: OAuth alone, with discovery, PKCE, UserInfo and refresh.
import { notStrictEqual, strictEqual } from 'node:assert/strict';
import type { Server } from 'node:http';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { freePort } from '../../../../test/support/service.ts';
import { type Case, email, scopes } from '../../case.ts';
import { library } from '../../library.ts';
import { shown } from '../../web-server.ts';

interface Token {
  readonly access_token: string;
  readonly refresh_token: string;
}

interface Plugin {
  getAccessTokenFromAuthorizationCodeFlow(request: object): Promise<{ token: Token }>;
  getNewAccessTokenUsingRefreshToken(token: Token, parameters: object): Promise<{ token: Token }>;
  userinfo(accessToken: string): Promise<{ name: string }>;
}

interface Fastify {
  readonly door: Plugin;
  readonly server: Server;
  register(plugin: object, options: object): void;
  get(path: string, handler: (request: object) => unknown): void;
  listen(options: object): Promise<string>;
  close(): Promise<void>;
}

interface Told {
  readonly name: string;
  readonly tokens: readonly string[];
}

export const fastifyOauth2: Case = {
  name: '@fastify/oauth2',
  kind: 'web server',
  settings: '`discovery: { issuer }` alone: it finds PKCE there',
  run: async (door) => {
    const { default: makeFastify } = await library<{ default(): Fastify }>('fastify');
    const { default: plugin } = await library<{ default: object }>('@fastify/oauth2');
    const port = await freePort();
    const origin = `http://localhost:${port}`;
    const callbackUri = `${origin}/callback`;
    const { clientId, secret } = await door.register({ type: 'confidential', redirectUris: [callbackUri] });
    const fastify = makeFastify();
    fastify.register(plugin, {
      name: 'door',
      scope: scopes,
      credentials: { client: { id: clientId, secret } },
      discovery: { issuer: door.issuer },
      startRedirectPath: '/login',
      callbackUri,
    });
    fastify.get('/callback', async (request): Promise<Told> => {
      const { token: first } = await fastify.door.getAccessTokenFromAuthorizationCodeFlow(request);
      const { token: second } = await fastify.door.getNewAccessTokenUsingRefreshToken(first, {});
      const { name } = await fastify.door.userinfo(second.access_token);
      return { name, tokens: [first.refresh_token, second.refresh_token] };
    });
    try {
      await fastify.listen({ port, host: 'localhost' });
      const view = await door.view();
      await view.page.goto(`${origin}/login`);
      await submitSignIn(view, email);
      await view.page.waitForURL(`${callbackUri}?*`);
      const { name, tokens } = await shown<Told>(view.page);
      strictEqual(name, 'Ada Nilsen');
      notStrictEqual(tokens[0], tokens[1]);
    } finally {
      fastify.server.closeAllConnections();
      await fastify.close();
    }
  },
};
