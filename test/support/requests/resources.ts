import { beforeAll, expect } from 'vitest';
import { hosts } from '../fixtures.ts';
import { run } from '../operators/desk.ts';
import { apps, claimsOf, credentialsOf } from '../tokens.ts';
import { useService } from '../use-service.ts';
import { answerOf, authorizationParameters, type Code, pkce, visitor } from '../visitor.ts';

export const { a: host } = hosts;
export const invoices = 'https://invoices.test/v1';
export const films = 'urn:example:films';
export const unasked = 'urn:example:unasked';
export const foreign = 'https://foreign.test';
export const own = `https://${host}/api/v1`;

export const allScopes = 'openid offline_access email invoices:read films:watch';

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly id_token?: string;
  readonly scope: string;
}

export const audienceOf = ({ access_token: jwt }: Tokens) => claimsOf(jwt).aud;

/** A service with APIs, and how its clients ask for tokens for them. */
export function useResources() {
  const service = useService({ data: 'security' });

  beforeAll(async () => {
    const api = (tenant: string, identifier: string, scopes: object, more: object = {}) =>
      run(service, 'apis.create', { tenant, identifier, name: 'API', scopes, ...more });
    await api(host, invoices, { 'invoices:read': 'See your invoices', 'invoices:pay': 'Pay your invoices' });
    await api(host, films, { 'films:watch': 'Watch films' }, { accessTokenAlgorithm: 'RS256' });
    await api(host, unasked, { 'unasked:all': 'All' });
    await api(hosts.b, foreign, { 'foreign:all': 'All' });
    for (const clientId of ['pub1', 'conf1', 'third']) {
      await run(service, 'clients.change', { tenant: host, clientId, apis: [invoices, films] });
    }
  });

  /** The answer to an authorization request of pub1 that names these resources. */
  async function ask(resources: readonly string[], scope = allScopes, more: Record<string, string> = {}) {
    const proof = pkce();
    const { clientId, redirectUri } = apps.pub1;
    const query = new URLSearchParams(
      authorizationParameters(clientId, redirectUri, proof, { scope, ...more }),
    );
    for (const resource of resources) query.append('resource', resource);
    const browser = visitor(service, host);
    let answer = await browser.send(`/api/oidc/auth?${query}`);
    // The sign-in page is where the redirect leads.
    if (answer.headers.location?.startsWith('/') === true) {
      answer = await browser.signIn(await browser.send(answer.headers.location), 'u1@example.test');
    }
    return { ...proof, answer: answerOf(answer) };
  }

  async function codeOf(resources: readonly string[], scope?: string): Promise<Code> {
    const { answer, ...proof } = await ask(resources, scope);
    const code = answer.get('code');
    expect(code, String(answer)).not.toBeNull();
    return { ...proof, code: String(code) };
  }

  const exchange = ({ code, verifier }: Code, resources: readonly string[] = []) => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      ...credentialsOf(apps.pub1),
      code,
      code_verifier: verifier,
    });
    for (const resource of resources) body.append('resource', resource);
    return service.http(host, '/api/oidc/token', { body });
  };

  const tokensAt = async (resources: readonly string[], choice: readonly string[] = [], scope?: string) => {
    const answer = await exchange(await codeOf(resources, scope), choice);
    expect(answer.status, answer.text).toBe(200);
    return answer.json<Tokens & Record<string, unknown>>();
  };

  return { service, ask, codeOf, exchange, tokensAt };
}
