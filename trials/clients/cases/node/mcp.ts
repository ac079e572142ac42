// @modelcontextprotocol/sdk: its client signs in for a tool of an MCP server, which is the SDK's own too.
import { match, notStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { apiAudience } from '../../../../test/support/service.ts';
import { visit } from '../../../../test/support/visitor.ts';
import { type Case, type Door, email, scope } from '../../case.ts';
import { library } from '../../library.ts';
import { type Express, type Handler, type Request, type Response, withWebServer } from '../../web-server.ts';

interface Tool {
  readonly content: readonly { readonly text: string }[];
}

interface Client {
  connect(transport: Transport): Promise<void>;
  callTool(call: object): Promise<Tool>;
  close(): Promise<void>;
}

interface Transport {
  finishAuth(code: string): Promise<void>;
}

interface McpServer {
  registerTool(
    name: string,
    about: object,
    run: (extra: { authInfo: { extra: { sub: string } } }) => Tool,
  ): void;
  connect(transport: ServerTransport): Promise<void>;
}

interface ServerTransport {
  handleRequest(request: Request, response: Response): Promise<void>;
}

const sdk = '@modelcontextprotocol/sdk';

/** An MCP server with one tool, which says who calls it. */
async function serve(app: Express, origin: string, { issuer }: Door): Promise<URL> {
  const server = await library<{ McpServer: new (about: object) => McpServer }>(`${sdk}/server/mcp.js`);
  const http = await library<{ StreamableHTTPServerTransport: new (options: object) => ServerTransport }>(
    `${sdk}/server/streamableHttp.js`,
  );
  const bearer = await library<{ requireBearerAuth(options: object): Handler }>(
    `${sdk}/server/auth/middleware/bearerAuth.js`,
  );
  const metadata = await library<{ mcpAuthMetadataRouter(options: object): Handler }>(
    `${sdk}/server/auth/router.js`,
  );
  const resourceServerUrl = new URL('/mcp', origin);
  const discovery = await fetch(`${issuer}/.well-known/openid-configuration`);
  const oauthMetadata = (await discovery.json()) as { jwks_uri: string };
  const scopesSupported = scope.split(' ');
  app.use(metadata.mcpAuthMetadataRouter({ oauthMetadata, resourceServerUrl, scopesSupported }));
  const keys = createRemoteJWKSet(new URL(oauthMetadata.jwks_uri));
  const verifyAccessToken = async (token: string) => {
    const { payload } = await jwtVerify(token, keys, { issuer, audience: apiAudience, typ: 'at+jwt' });
    const scopes = String(payload.scope).split(' ');
    return {
      token,
      clientId: payload.client_id,
      scopes,
      expiresAt: payload.exp,
      extra: { sub: payload.sub },
    };
  };
  app.get('/callback', (_request, response) => response.json({}));
  const resourceMetadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`;
  const guard = bearer.requireBearerAuth({ verifier: { verifyAccessToken }, resourceMetadataUrl });
  app.all('/mcp', guard, async (request, response) => {
    const mcp = new server.McpServer({ name: 'Tools', version: '1' });
    mcp.registerTool('whoami', { description: 'Says who calls' }, ({ authInfo }) => ({
      content: [{ type: 'text', text: authInfo.extra.sub }],
    }));
    const transport = new http.StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await mcp.connect(transport);
    await transport.handleRequest(request, response);
  });
  return resourceServerUrl;
}

/** What the SDK asks its app to keep, and the address that the app shall open. */
function providerOf(redirectUri: string, registered?: { readonly client_id: string }) {
  const kept = {
    client: registered as object | undefined,
    tokens: undefined as object | undefined,
    verifier: '',
  };
  const opened: URL[] = [];
  const provider = {
    redirectUrl: redirectUri,
    clientMetadata: {
      client_name: 'Client of the trial',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope,
    },
    state: () => 'a state',
    clientInformation: () => kept.client,
    saveClientInformation: (client: object) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: object) => {
      kept.tokens = tokens;
    },
    redirectToAuthorization: (address: URL) => {
      opened.push(address);
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
  };
  return { provider, opened, kept };
}

/** Signs in, and answers where the browser was led back to: a client that came by itself asks the member. */
async function signIn(door: Door, address: URL, redirectUri: string, isAsked: boolean): Promise<URL> {
  if (!isAsked) return visit(door.visitor(), address);
  const view = await door.view();
  await view.page.goto(address.href);
  await submitSignIn(view, email);
  await view.page.click('button[value=allow]');
  await view.page.waitForURL(`${redirectUri}?*`);
  return new URL(view.page.url());
}

/** Calls the tool, signing in on the way. */
async function callTool(door: Door, url: URL, registered?: { readonly client_id: string }): Promise<void> {
  const redirectUri = new URL('/callback', url).href;
  const { Client } = await library<{ Client: new (about: object) => Client }>(`${sdk}/client/index.js`);
  const { StreamableHTTPClientTransport } = await library<{
    StreamableHTTPClientTransport: new (url: URL, options: object) => Transport;
  }>(`${sdk}/client/streamableHttp.js`);
  const { provider, opened, kept } = providerOf(redirectUri, registered);
  const newTransport = () => new StreamableHTTPClientTransport(url, { authProvider: provider });
  const newClient = () => new Client({ name: 'Client', version: '1' });
  const first = newTransport();
  await newClient()
    .connect(first)
    .catch((error: Error) => {
      if (error.name !== 'UnauthorizedError' && error.constructor.name !== 'UnauthorizedError') throw error;
    });
  const [address] = opened;
  if (address === undefined) throw new Error('no sign-in was asked for');
  const back = await signIn(door, address, redirectUri, registered === undefined);
  strictEqual(back.searchParams.get('state'), 'a state');
  await first.finishAuth(back.searchParams.get('code') ?? '');
  const client = newClient();
  await client.connect(newTransport());
  const { content } = await client.callTool({ name: 'whoami', arguments: {} });
  match(content[0]?.text ?? '', /^\S+$/);
  await client.close();
  // With a refresh token it asks for new tokens, and not for another sign-in.
  const { auth } = await library<{ auth(provider: object, options: object): Promise<string> }>(
    `${sdk}/client/auth.js`,
  );
  const before = kept.tokens;
  strictEqual(await auth(provider, { serverUrl: url }), 'AUTHORIZED');
  notStrictEqual(kept.tokens, before);
  strictEqual(opened.length, 1);
}

export const mcp: Case = {
  name: sdk,
  kind: 'Node',
  settings:
    'MCP. The tenant has `clientRegistration` `open`, and `unverifiedOfflineAccess` for refresh tokens; or `clientInformation` answers the id of a registered client. Without either the SDK says `Incompatible auth server: does not support dynamic client registration`',
  run: (door) =>
    withWebServer(
      (app, origin) => serve(app, origin, door),
      async (origin, url) => {
        const redirectUris = [`${origin}/callback`];
        const { clientId } = await door.register({ type: 'public', redirectUris });
        await callTool(door, url, { client_id: clientId });
        await rejects(callTool(door, url), /does not support dynamic client registration/);
        await door.changeTenant({ clientRegistration: 'open', unverifiedOfflineAccess: true });
        await callTool(door, url);
        await door.changeTenant({ clientRegistration: 'off', unverifiedOfflineAccess: false });
      },
    ),
};
