import { sha256 } from '../../../src/core/hash.ts';
import type { Tenant } from '../../../src/core/tenant.ts';
import { changeTenant } from '../../../src/operations/tenant/tenant.ts';
import { insertRegistrationToken } from '../../../src/storage/registration/registration-token.ts';
import { systemRandom } from '../../../src/system/random.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';

export const registrationUrl = '/api/oidc/register';

/** Changes what a tenant allows. */
export async function allowClients(
  service: TestService,
  host: string,
  changes: Partial<Tenant>,
): Promise<void> {
  const { id = '' } = service.deps.tenants.byHost(host) ?? {};
  await service.store.transaction(async (tx) => {
    await changeTenant(tx, id, changes);
    await service.deps.tenants.reload(tx);
  });
}

/** Makes an initial access token. */
export async function initialToken(service: TestService, host: string, uses = 1): Promise<string> {
  const now = service.clock.now();
  const secret = systemRandom.secret();
  const row = {
    id: systemRandom.id(now),
    tenantId: service.deps.tenants.byHost(host)?.id ?? '',
    name: 'of a test',
    secretHash: sha256(secret),
    usesLeft: uses,
    createdAt: now,
    expiresAt: now + 60_000,
  };
  await service.store.transaction((tx) => insertRegistrationToken(tx, row));
  return secret;
}

/** What a client says of itself, as MCP clients do. */
export const metadata = {
  client_name: 'Lamp',
  redirect_uris: ['https://lamp.test/cb', 'http://127.0.0.1/cb'],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

/** A registration as it is answered. */
export interface Registration {
  readonly client_id: string;
  readonly registration_access_token: string;
  readonly registration_client_uri: string;
}

/** POST /api/oidc/register. */
export function registerAt(
  service: TestService,
  host: string,
  body: unknown = metadata,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return service.http(host, registrationUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

/** GET, PUT or DELETE of a registration. */
export function manageAt(
  service: TestService,
  host: string,
  clientId: string,
  { method = 'GET', token = '', body }: { method?: string; token?: string; body?: object },
): Promise<Answer> {
  return service.http(host, `${registrationUrl}/${encodeURIComponent(clientId)}`, {
    method,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** A client that registered itself. */
export async function registeredAt(
  service: TestService,
  host: string,
  body: object = metadata,
): Promise<Registration> {
  const answer = await registerAt(service, host, body);
  if (answer.status !== 201) throw new Error(`not registered: ${answer.text}`);
  return answer.json<Registration & Record<string, unknown>>();
}
