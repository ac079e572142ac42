import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { foreignPair } from '../../support/clients/foreign-jwt.ts';
import { jwksOf } from '../../support/clients/signed-client.ts';
import { hosts } from '../../support/fixtures.ts';
import { run } from '../../support/operators/desk.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });

type Document = Readonly<Record<string, unknown>>;

const tenant = hosts.c;
const base = `https://${tenant}`;
const documentOf = async () =>
  (await service.http(tenant, '/.well-known/openid-configuration')).json<Document>();

/** What a switch adds to lists, and the members that it adds or changes. */
interface Told {
  readonly adds?: Readonly<Record<string, readonly string[]>>;
  readonly has?: Document;
}

let keys: object;
let before: Document;
let made = 0;

beforeAll(async () => {
  keys = { authenticationMethod: 'private_key_jwt', jwks: jwksOf(await foreignPair()) };
  before = await documentOf();
});

/** Registers a client of the tenant with these settings and no others. */
async function register(settings: object, type = 'confidential'): Promise<string> {
  made += 1;
  const clientId = `switched-${made}`;
  const redirectUris = ['https://switched.test/cb'];
  await run(service, 'clients.create', {
    tenant,
    clientId,
    name: 'Switched',
    type,
    redirectUris,
    ...settings,
  });
  return clientId;
}

async function expectTold({ adds = {}, has = {} }: Told): Promise<void> {
  const longer = Object.entries(adds).map(([name, more]) => [name, [...(before[name] as []), ...more]]);
  expect(await documentOf()).toEqual({ ...before, ...Object.fromEntries(longer), ...has });
}

const algorithms = ['ES256', 'PS256', 'EdDSA', 'RS256'];
/** Such clients may prove who they are by assertions, and in no other way. */
const ofUnverified: Told = {
  adds: { token_endpoint_auth_methods_supported: ['private_key_jwt'] },
  has: { token_endpoint_auth_signing_alg_values_supported: algorithms },
};
const par = `${base}/api/oidc/par`;
const introspection = {
  introspection_endpoint: `${base}/api/oidc/introspect`,
  introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  introspection_signing_alg_values_supported: ['RS256', 'ES256'],
};

describe('I3: discovery tells what a client has switched on, and nothing else', () => {
  const clients: readonly (readonly [what: string, settings: () => object, told: Told])[] = [
    ['nothing', () => ({}), {}],
    [
      'settings that are no extensions',
      () => ({ webOrigins: ['https://switched.test'], claimsInIdToken: true, thirdParty: true }),
      {},
    ],
    [
      'private_key_jwt',
      () => keys,
      {
        adds: { token_endpoint_auth_methods_supported: ['private_key_jwt'] },
        has: { token_endpoint_auth_signing_alg_values_supported: algorithms },
      },
    ],
    [
      'pushed requests, which this one must use and others not',
      () => ({ pushedRequests: 'required' }),
      {
        has: { pushed_authorization_request_endpoint: par, require_pushed_authorization_requests: false },
      },
    ],
    [
      'signed requests',
      () => ({ ...keys, authenticationMethod: 'client_secret', requestObjects: 'allowed' }),
      {
        has: {
          request_parameter_supported: true,
          request_object_signing_alg_values_supported: algorithms,
          require_signed_request_object: false,
        },
      },
    ],
    [
      'signed answers',
      () => ({ signedResponses: true }),
      {
        adds: { response_modes_supported: ['jwt', 'query.jwt', 'form_post.jwt'] },
        has: { authorization_signing_alg_values_supported: ['RS256'] },
      },
    ],
    ['DPoP', () => ({ dpop: 'allowed' }), { has: { dpop_signing_alg_values_supported: algorithms } }],
    ['introspection', () => ({ introspection: true }), { has: introspection }],
    [
      'back-channel logout',
      () => ({ backchannelLogoutUri: 'https://switched.test/signed-out' }),
      { has: { backchannel_logout_supported: true, backchannel_logout_session_supported: true } },
    ],
    [
      'the claims parameter',
      () => ({ claimsParameter: true }),
      {
        has: {
          claims_parameter_supported: true,
          acr_values_supported: ['urn:memberdoor:2', 'urn:memberdoor:1'],
        },
      },
    ],
    [
      'id_tokens signed with PS256',
      () => ({ idTokenAlgorithm: 'PS256' }),
      { adds: { id_token_signing_alg_values_supported: ['PS256'] } },
    ],
    [
      'id_tokens signed with EdDSA',
      () => ({ idTokenAlgorithm: 'EdDSA' }),
      { adds: { id_token_signing_alg_values_supported: ['EdDSA'] } },
    ],
    [
      'client_credentials',
      () => ({ clientCredentials: true }),
      { adds: { grant_types_supported: ['client_credentials'] } },
    ],
  ];

  it.each(clients)('%s', async (_what, settings, told) => {
    const clientId = await register(settings());
    const { claims_supported: claims, ...document } = await documentOf();
    const named = 'acr_values_supported' in document ? ['acr', 'amr'] : [];
    expect([...(claims as string[])].sort()).toEqual([...(before.claims_supported as []), ...named].sort());
    await expectTold({ ...told, has: { ...told.has, claims_supported: claims } });
    await run(service, 'clients.disable', { tenant, clientId });
    expect(await documentOf()).toEqual(before);
  });
});

describe('I3: discovery tells what a tenant has switched on, and nothing else', () => {
  const off = { revocationListed: false, clientRegistration: 'off', clientMetadataDocuments: 'off' };

  afterEach(async () => {
    await run(service, 'tenants.change', { tenant, ...off });
    expect(await documentOf()).toEqual(before);
  });

  it('revocation', async () => {
    await run(service, 'tenants.change', { tenant, revocationListed: true });
    await expectTold({
      has: {
        revocation_endpoint: `${base}/api/oidc/token/revocation`,
        revocation_endpoint_auth_methods_supported: before.token_endpoint_auth_methods_supported,
      },
    });
  });

  it('registration', async () => {
    await run(service, 'tenants.change', { tenant, clientRegistration: 'token' });
    await expectTold({
      ...ofUnverified,
      has: { ...ofUnverified.has, registration_endpoint: `${base}/api/oidc/register` },
    });
  });

  it('documents as clients', async () => {
    await run(service, 'tenants.change', { tenant, clientMetadataDocuments: 'any' });
    await expectTold({
      ...ofUnverified,
      has: { ...ofUnverified.has, client_id_metadata_document_supported: true },
    });
  });
});
