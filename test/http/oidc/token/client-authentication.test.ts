import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerClient } from '../../../../src/operations/client/client.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts, secrets } from '../../../support/fixtures.ts';
import { useService } from '../../../support/use-service.ts';
import { codeFor, token, type Visitor, visitor } from '../../../support/visitor.ts';

/** A secret that an operator brought along from another service: its `%-` is no form encoding of anything. */
const foreignSecret = '100%-Ü:secret';

const service = useService({ data: 'security' });
let browser: Visitor;

beforeAll(async () => {
  browser = visitor(service, hosts.a);
  await service.store.transaction((tx) =>
    registerClient(
      tx,
      service.tenants.byHost(hosts.a)?.id ?? '',
      {
        clientId: 'foreign',
        name: 'Foreign',
        type: 'confidential',
        secret: foreignSecret,
        redirectUris: ['https://foreign.test/cb'],
      },
      0,
    ),
  );
});
// A minute between the tests: what they fail on purpose must not add up to a limit of failures a minute.
beforeEach(() => service.clock.advance(60_000));

const basic = (credentials: string) => ({
  authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
});

const redirectUris = {
  conf1: 'https://app.test/cb',
  pub1: 'https://pub1.test/cb',
  foreign: 'https://foreign.test/cb',
} as const;
type ClientName = keyof typeof redirectUris;

/** A fresh code of a client, and how to exchange it with these credentials. */
const exchangeOf = async (client: ClientName) => {
  const { code, verifier } = await codeFor(browser, client, redirectUris[client]);
  return (body: Record<string, string>, headers: Record<string, string> = {}) =>
    token(
      service,
      hosts.a,
      { grant_type: 'authorization_code', code, code_verifier: verifier, ...body },
      headers,
    );
};

const right: Record<ClientName, Record<string, string>> = {
  conf1: { client_id: 'conf1', client_secret: secrets.conf1 },
  pub1: { client_id: 'pub1' },
  foreign: { client_id: 'foreign', client_secret: foreignSecret },
};

describe('a client authenticates', () => {
  it.each<[string, ClientName, Record<string, string>, Record<string, string>]>([
    ['id and secret in the body', 'conf1', right.conf1, {}],
    ['Basic, and no client_id in the body', 'conf1', {}, basic('conf1:conf1-secret')],
    [
      'Basic, and the same client_id in the body',
      'conf1',
      { client_id: 'conf1' },
      basic('conf1:conf1-secret'),
    ],
    ['Basic, and an empty secret in the body', 'conf1', { client_secret: '' }, basic('conf1:conf1-secret')],
    ['Basic, form-encoded', 'conf1', {}, basic('%63onf1:conf1%2Dsecret')],
    [
      'Basic in small letters',
      'conf1',
      {},
      { authorization: basic('conf1:conf1-secret').authorization.replace('Basic', 'basic') },
    ],
    ['no secret of a public client', 'pub1', { client_id: 'pub1' }, {}],
    ['an empty secret of a public client', 'pub1', { client_id: 'pub1', client_secret: '' }, {}],
    ['Basic with an empty password of a public client', 'pub1', {}, basic('pub1:')],
    ['Basic that is no form encoding, taken raw', 'foreign', {}, basic(`foreign:${foreignSecret}`)],
    [
      'Basic, form-encoded, of a secret with any characters',
      'foreign',
      {},
      basic(`foreign:${encodeURIComponent(foreignSecret)}`),
    ],
    ['a secret with any characters in the body', 'foreign', right.foreign, {}],
  ])('I26: by %s (decision 15)', async (_way, client, body, headers) => {
    const exchange = await exchangeOf(client);
    expect((await exchange(body, headers)).status).toBe(200);
  });
});

describe('a client does not authenticate, and nothing is burned,', () => {
  it.each<[string, ClientName, Record<string, string>, Record<string, string>, number, string]>([
    ['with a wrong secret', 'conf1', { ...right.conf1, client_secret: 'x' }, {}, 401, 'invalid_client'],
    ['without its secret', 'conf1', { client_id: 'conf1' }, {}, 401, 'invalid_client'],
    ['with an empty secret', 'conf1', { client_id: 'conf1', client_secret: '' }, {}, 401, 'invalid_client'],
    ['with a wrong Basic secret', 'conf1', {}, basic('conf1:x'), 401, 'invalid_client'],
    ['with an empty Basic password', 'conf1', {}, basic('conf1:'), 401, 'invalid_client'],
    ['under an unknown id', 'conf1', { ...right.conf1, client_id: 'x' }, {}, 401, 'invalid_client'],
    ['under an unknown id by Basic', 'conf1', {}, basic('x:conf1-secret'), 401, 'invalid_client'],
    ['in two ways at once', 'conf1', right.conf1, basic('conf1:conf1-secret'), 400, 'invalid_request'],
    [
      'under two ids that disagree',
      'conf1',
      { client_id: 'pub1' },
      basic('conf1:conf1-secret'),
      400,
      'invalid_request',
    ],
    ['under no id', 'conf1', { client_secret: secrets.conf1 }, {}, 400, 'invalid_request'],
    ['by another scheme', 'conf1', {}, { authorization: 'Bearer conf1-secret' }, 401, 'invalid_client'],
    ['by Basic that is no base64', 'conf1', {}, { authorization: 'Basic *' }, 401, 'invalid_client'],
    ['by Basic without a colon', 'conf1', {}, basic('conf1'), 401, 'invalid_client'],
    [
      'as a public client with a secret',
      'pub1',
      { client_id: 'pub1', client_secret: 'x' },
      {},
      401,
      'invalid_client',
    ],
    ['as a public client with a Basic password', 'pub1', {}, basic('pub1:x'), 401, 'invalid_client'],
  ])('I26: %s (decision 15)', async (_way, client, body, headers, status, error) => {
    const exchange = await exchangeOf(client);
    const answer = await exchange(body, headers);
    expectJsonError(answer, status, error);
    const challenge = status === 401 && headers.authorization !== undefined;
    expect(answer.headers['www-authenticate']).toBe(challenge ? 'Basic realm="memberdoor"' : undefined);
    expect((await exchange(right[client])).status).toBe(200);
  });

  it('decision 11: with a parameter sent twice', async () => {
    const { code, verifier } = await codeFor(browser, 'pub1', redirectUris.pub1);
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      client_id: 'pub1',
    });
    for (const name of [...body.keys()]) {
      const twice = new URLSearchParams(body);
      twice.append(name, body.get(name) ?? '');
      expectJsonError(
        await service.http(hosts.a, '/api/oidc/token', { body: twice }),
        400,
        'invalid_request',
      );
    }
    expect((await service.http(hosts.a, '/api/oidc/token', { body })).status).toBe(200);
  });
});

describe('a tenant without a client that signs assertions', () => {
  it.each([{ client_assertion: 'x.y.z' }, { client_assertion_type: 'x' }])(
    'decision 11: ignores %o',
    async (more) => {
      const fields = { grant_type: 'refresh_token', refresh_token: 'none', ...more };
      for (const client of [{ client_id: 'pub1' }, { client_id: 'conf1', client_secret: secrets.conf1 }]) {
        const answer = await token(service, hosts.a, { ...fields, ...client });
        expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
      }
    },
  );
});
