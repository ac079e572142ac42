import { beforeAll, describe, expect, it } from 'vitest';
import { expectErrorRedirect, expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { run } from '../../../support/operators/desk.ts';
import { allowClients, registeredAt } from '../../../support/requests/registration.ts';
import { claimsOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import {
  answerOf,
  authorizationParameters,
  field,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../../../support/visitor.ts';

const service = useService({ data: 'security' });
const tools = 'https://tools.test/mcp';
const closed = 'https://closed.test/mcp';
const redirectUri = 'http://127.0.0.1:4711/cb';

beforeAll(async () => {
  await allowClients(service, hosts.a, { clientRegistration: 'open' });
  const api = (identifier: string, scope: string, more: object) =>
    run(service, 'apis.create', {
      tenant: hosts.a,
      identifier,
      name: 'Tools',
      scopes: { [scope]: 'Use your tools' },
      ...more,
    });
  await api(tools, 'tools:use', { unverifiedClients: true });
  await api(closed, 'closed:use', {});
});

/** Asks for a code of a client that registered itself, for a resource. */
const ask = async (resource: string, scope: string, redirect = redirectUri) => {
  const { client_id: clientId } = await registeredAt(service, hosts.a);
  const proof = pkce();
  const browser = visitor(service, hosts.a);
  const parameters = authorizationParameters(clientId, redirect, proof, { scope, resource, state: 's' });
  let page = await browser.authorize(parameters);
  if (page.text.includes('name="password"')) page = await browser.signIn(page, 'u1@example.test');
  while (page.headers.location?.startsWith('/')) page = await browser.send(page.headers.location);
  return { clientId, proof, browser, page };
};

const tokensFor = async (scope: string) => {
  const { clientId, proof, browser, page } = await ask(tools, scope);
  expect(page.text).toContain('Use your tools');
  const answer = await browser.send('/consent', { body: { flow: field(page, 'flow'), action: 'allow' } });
  const exchanged = await token(service, hosts.a, {
    grant_type: 'authorization_code',
    client_id: clientId,
    code: answerOf(answer).get('code') ?? '',
    code_verifier: proof.verifier,
    resource: tools,
  });
  expect(exchanged.status).toBe(200);
  return { clientId, tokens: exchanged.json<Tokens>() };
};

describe('a client that no operator registered, at an API', () => {
  it('decision 53: it gets plain OAuth tokens for an API that is open to such clients', async () => {
    const { clientId, tokens } = await tokensFor('tools:use');
    expect(tokens.scope).toBe('tools:use');
    expect(tokens.id_token).toBeUndefined();
    expect(claimsOf(tokens.access_token)).toMatchObject({
      aud: tools,
      client_id: clientId,
      scope: 'tools:use',
    });
  });

  it('decision 53: with openid there is an id_token beside it', async () => {
    const { clientId, tokens } = await tokensFor('openid tools:use');
    expect(claimsOf(tokens.id_token)).toMatchObject({ aud: clientId });
  });

  it('UR30: an API that is not open to it, or of another name, is invalid_target', async () => {
    for (const resource of [closed, 'https://unknown.test/mcp', `${tools}/`]) {
      const { page } = await ask(resource, 'closed:use');
      expectErrorRedirect(page, { redirectUri, error: 'invalid_target', state: 's' });
    }
  });

  it('UR31: what the operator closes again is refused at the next exchange', async () => {
    const { clientId, proof, browser, page } = await ask(tools, 'tools:use');
    const answer = await browser.send('/consent', { body: { flow: field(page, 'flow'), action: 'allow' } });
    await run(service, 'apis.change', { tenant: hosts.a, identifier: tools, unverifiedClients: false });
    const exchanged = await token(service, hosts.a, {
      grant_type: 'authorization_code',
      client_id: clientId,
      code: answerOf(answer).get('code') ?? '',
      code_verifier: proof.verifier,
      resource: tools,
    });
    expectJsonError(exchanged, 400, 'invalid_target');
    await run(service, 'apis.change', { tenant: hosts.a, identifier: tools, unverifiedClients: true });
  });
});
