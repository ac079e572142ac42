// The way of an MCP client, by plain fetch: from the address of an API to a token for it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { expect, it, onTestFinished } from 'vitest';
import { run } from '../../support/operators/desk.ts';
import { allowClients, metadata } from '../../support/requests/registration.ts';
import { profilePath } from '../../support/tokens.ts';
import { useService } from '../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  pkce,
  type Tokens,
  visitor,
} from '../../support/visitor.ts';

const service = useService({ data: 'development' });
const redirectUri = 'http://127.0.0.1:4711/cb';

const read = async <Body>(address: string, init?: RequestInit): Promise<Body> => {
  const answer = await fetch(address, init);
  expect(answer.ok, address).toBe(true);
  return (await answer.json()) as Body;
};

/** An API on this machine that takes its own tokens alone, and tells others whom to ask. @returns its address */
async function startApi(issuer: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const origin = `http://${request.headers.host}`;
    const resource = `${origin}/mcp`;
    const described = '/.well-known/oauth-protected-resource/mcp';
    if (request.url === described) {
      response.setHeader('content-type', 'application/json');
      return response.end(JSON.stringify({ resource, authorization_servers: [issuer] }));
    }
    const token = request.headers.authorization?.slice('Bearer '.length) ?? '';
    const keys = createRemoteJWKSet(new URL(`${issuer}/api/oidc/jwks`));
    const isTaken = await jwtVerify(token, keys, { issuer, audience: resource, typ: 'at+jwt' }).then(
      () => true,
      () => false,
    );
    response.setHeader('www-authenticate', `Bearer resource_metadata="${origin}${described}"`);
    return response.writeHead(isTaken ? 200 : 401).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const statusAt = async (address: string, token: string) =>
  (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).status;

it('I63: a client that knows the address of an API alone registers itself, and gets a token for it', async () => {
  // jose compares the times in tokens with the machine's clock.
  service.clock.set(Date.now());
  const host = `localhost:${service.port}`;
  await allowClients(service, host, { clientRegistration: 'open' });
  const tools = await startApi(`http://${host}`);
  const others = await startApi(`http://${host}`);
  for (const [identifier, scope] of [
    [tools, 'tools:use'],
    [others, 'others:use'],
  ] as const) {
    const scopes = { [scope]: 'Use your tools' };
    await run(service, 'apis.create', {
      tenant: host,
      identifier,
      name: 'Tools',
      scopes,
      unverifiedClients: true,
    });
  }

  const refused = await fetch(tools);
  expect(refused.status).toBe(401);
  const [, where = ''] =
    /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
  const described = await read<{ resource: string; authorization_servers: [string] }>(where);
  const [issuer] = described.authorization_servers;
  const found = await read<{ issuer: string; registration_endpoint: string; token_endpoint: string }>(
    `${issuer}/.well-known/oauth-authorization-server`,
  );
  expect(found.issuer).toBe(issuer);
  const { client_id: clientId } = await read<{ client_id: string }>(found.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...metadata, redirect_uris: [redirectUri] }),
  });

  const proof = pkce();
  const browser = visitor(service, host);
  const more = { scope: 'tools:use', resource: described.resource };
  const asked = authorizationParameters(clientId, redirectUri, proof, more);
  let page = await browser.signIn(await browser.authorize(asked), 'ada@example.com');
  while (page.headers.location?.startsWith('/')) page = await browser.send(page.headers.location);
  expect(page.text).toContain('Use your tools');
  const answer = await browser.send('/consent', { body: { flow: field(page, 'flow'), action: 'allow' } });
  const { access_token: token } = await read<Tokens>(found.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code: answerOf(answer).get('code') ?? '',
      code_verifier: proof.verifier,
      resource: described.resource,
    }),
  });

  expect(await statusAt(tools, token)).toBe(200);
  expect(await statusAt(others, token)).toBe(401);
  expect(await statusAt(`${issuer}${profilePath}`, token)).toBe(401);
  expect(await statusAt(`${issuer}/api/oidc/me`, token)).toBe(401);
});
