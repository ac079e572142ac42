// @modelcontextprotocol/sdk: its client signs in for a tool of the MCP server that docs/resource-servers.md shows.
import { match, notStrictEqual, rejects, strictEqual } from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import { fileURLToPath } from 'node:url';
import { decodeJwt } from 'jose';
import { submitSignIn } from '../../../../test/support/browser/site.ts';
import { codeOf, type RunningProgram, runProgram } from '../../../../test/support/documents/documents.ts';
import { freePort } from '../../../../test/support/service.ts';
import { visit } from '../../../../test/support/visitor.ts';
import { type Case, type Door, email } from '../../case.ts';
import { library } from '../../library.ts';
import { withWebServer } from '../../web-server.ts';

interface Client {
  connect(transport: Transport): Promise<void>;
  callTool(call: object): Promise<{ readonly content: readonly { readonly text: string }[] }>;
  close(): Promise<void>;
}

interface Transport {
  finishAuth(code: string): Promise<void>;
}

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
}

const sdk = '@modelcontextprotocol/sdk';
/** Below the packages of the trial, so that the program of the document finds them. */
const folder = fileURLToPath(new URL('../../node_modules/.documents/', import.meta.url));

/** The server of the document, as an API of the tenant. */
interface Served {
  readonly url: URL;
  readonly program: RunningProgram;
}

async function serve({ issuer, registerApi }: Door, scope: string): Promise<Served> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const url = new URL('/mcp', origin);
  await registerApi(url.href, scope);
  const [block = ''] = codeOf('resource-servers.md', 'js').filter((code) => code.includes('new McpServer('));
  const places = {
    'https://www.example.com': issuer,
    'https://tools.example.com': origin,
    'tools:use': scope,
    'listen(4000,': `listen(${port},`,
  };
  const program = runProgram(block, places, folder);
  await program.says(/^listening$/);
  return { url, program };
}

/** How the service knows the client: by an operator, or by a document; else it registers itself. */
interface Known {
  readonly registered?: { readonly client_id: string };
  readonly document?: string;
}

/** What the SDK asks its app to keep, and the address that the app shall open. */
function providerOf(redirectUri: string, known: Known) {
  const kept = {
    client: known.registered as object | undefined,
    tokens: undefined as Tokens | undefined,
    verifier: '',
  };
  const opened: URL[] = [];
  const provider = {
    redirectUrl: redirectUri,
    clientMetadataUrl: known.document,
    clientMetadata: {
      client_name: 'Client of the trial',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'a state',
    clientInformation: () => kept.client,
    saveClientInformation: (client: object) => {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: Tokens) => {
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

/** Calls the tool, signing in on the way. @returns the access token */
async function callTool(
  door: Door,
  url: URL,
  redirectUri: string,
  { known = {}, refreshes = true }: { readonly known?: Known; readonly refreshes?: boolean } = {},
): Promise<string> {
  const { Client } = await library<{ Client: new (about: object) => Client }>(`${sdk}/client/index.js`);
  const { StreamableHTTPClientTransport } = await library<{
    StreamableHTTPClientTransport: new (url: URL, options: object) => Transport;
  }>(`${sdk}/client/streamableHttp.js`);
  const { provider, opened, kept } = providerOf(redirectUri, known);
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
  strictEqual(address.searchParams.get('resource'), url.href);
  if (known.document !== undefined) strictEqual(address.searchParams.get('client_id'), known.document);
  const back = await signIn(door, address, redirectUri, known.registered === undefined);
  strictEqual(back.searchParams.get('state'), 'a state');
  await first.finishAuth(back.searchParams.get('code') ?? '');
  const client = newClient();
  await client.connect(newTransport());
  const { content } = await client.callTool({ name: 'whoami', arguments: {} });
  match(content[0]?.text ?? '', /^\S+$/);
  await client.close();
  const before = kept.tokens;
  const token = before?.access_token ?? '';
  strictEqual(decodeJwt(token).aud, url.href);
  strictEqual(before?.refresh_token !== undefined, refreshes);
  if (!refreshes) return token;
  // With a refresh token it asks for new tokens, and not for another sign-in.
  const { auth } = await library<{ auth(provider: object, options: object): Promise<string> }>(
    `${sdk}/client/auth.js`,
  );
  strictEqual(await auth(provider, { serverUrl: url }), 'AUTHORIZED');
  notStrictEqual(kept.tokens, before);
  strictEqual(opened.length, 1);
  strictEqual(decodeJwt(kept.tokens?.access_token ?? '').aud, url.href);
  return token;
}

/** Serves a client ID metadata document: by https, as the SDK takes no other. */
async function withDocument(
  { certificate }: Door,
  redirectUri: string,
  use: (document: string) => Promise<unknown>,
): Promise<void> {
  const server = createServer({ ...certificate }, (request, response) => {
    const client_id = `https://${request.headers.host}${request.url}`;
    const said = { client_id, client_name: 'Client of the trial', redirect_uris: [redirectUri] };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  const port = await freePort();
  await once(server.listen(port, 'localhost'), 'listening');
  try {
    await use(`https://localhost:${port}/client`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** How the server answers a call with a token. */
const statusAt = async ({ url }: Served, token: string) =>
  (await fetch(url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })).status;

async function tryAll(door: Door, tools: Served, others: Served, redirectUri: string): Promise<void> {
  const apis = [tools.url.href];
  const { clientId } = await door.register({ type: 'public', redirectUris: [redirectUri], apis });
  await callTool(door, tools.url, redirectUri, { known: { registered: { client_id: clientId } } });
  await rejects(callTool(door, tools.url, redirectUri), /does not support dynamic client registration/);
  await door.changeTenant({ clientRegistration: 'open' });
  await callTool(door, tools.url, redirectUri, { refreshes: false });
  await door.changeTenant({ unverifiedOfflineAccess: true });
  const token = await callTool(door, tools.url, redirectUri);
  notStrictEqual(await statusAt(tools, token), 401);
  strictEqual(await statusAt(others, token), 401);
  await door.changeTenant({ clientRegistration: 'off', clientMetadataDocuments: 'any' });
  await withDocument(door, redirectUri, (document) =>
    callTool(door, tools.url, redirectUri, { known: { document } }),
  );
}

export const mcp: Case = {
  name: sdk,
  kind: 'Node',
  settings:
    'MCP, with [the server of the manual](resource-servers.md#an-mcp-server). The tenant has `clientRegistration` `open`, or `clientMetadataDocuments` where the app has `clientMetadataUrl` (https), and `unverifiedOfflineAccess` for refresh tokens; or `clientInformation` answers the id of a registered client. Without any of them the SDK says `Incompatible auth server: does not support dynamic client registration`',
  run: (door) =>
    withWebServer(
      async (app) => app.get('/callback', (_request, response) => response.json({})),
      async (origin) => {
        const served: Served[] = [];
        try {
          const tools = await serve(door, 'tools:use');
          served.push(tools);
          const others = await serve(door, 'others:use');
          served.push(others);
          await tryAll(door, tools, others, `${origin}/callback`);
        } finally {
          const off = { clientRegistration: 'off', clientMetadataDocuments: 'off' };
          await door.changeTenant({ ...off, unverifiedOfflineAccess: false });
          for (const { url, program } of served) {
            await program.stop();
            await door.deleteApi(url.href);
          }
        }
      },
    ),
};
