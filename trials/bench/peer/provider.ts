import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type SQLite from 'better-sqlite3';
import Provider from 'oidc-provider';
import { type Addresses, redirectUri } from '../generator/plan.ts';
import { openPeerDatabase, sqliteModels } from './adapter.ts';
import { openPostgresModels } from './postgres.ts';

export const peerHost = 'login.bench.test';

/** The audience of access tokens, which makes them JWTs (RFC 8707, RFC 9068). */
export const resource = 'urn:bench:api';

/** What is asked for: its own offline_access would ask for consent each time, so the setting below gives refresh tokens. */
export const peerScope = 'openid profile email phone address api';

export const peerAddresses: Addresses = {
  authorization: '/auth',
  token: '/token',
  deviceAuthorization: '/device/auth',
  revocation: '/token/revocation',
  discovery: '/.well-known/openid-configuration',
  jwks: '/jwks',
  profile: '/me',
};

const day = 86_400;

/**
 * oidc-provider as a careful operator of one machine sets it up: keys imported once, rotation, revocation and
 * device flow on, unused features off, JWT access tokens, members and grants in the database.
 *
 * @param url of the PostgreSQL database that takes the place of the folder's
 */
export function openPeer(folder: string, url?: string): { provider: Provider; database: SQLite.Database } {
  const database = openPeerDatabase(join(folder, 'peer.db'));
  const models = url === undefined ? sqliteModels(database) : openPostgresModels(url);
  const clientOf = (clientId: string, algorithm: string) => ({
    client_id: clientId,
    token_endpoint_auth_method: 'none',
    redirect_uris: [redirectUri],
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
    id_token_signed_response_alg: algorithm,
  });
  const provider = new Provider(`https://${peerHost}`, {
    adapter: models.adapter,
    jwks: { keys: keysOf(folder) },
    clients: [clientOf('bench-rs256', 'RS256'), clientOf('bench-es256', 'ES256')],
    scopes: ['openid', 'offline_access'],
    claims: {
      openid: ['sub'],
      profile: ['name', 'nickname', 'picture', 'updated_at'],
      email: ['email', 'email_verified'],
      phone: ['phone_number', 'phone_number_verified'],
      address: ['address'],
    },
    findAccount: async (_context: unknown, id: string) => {
      const claims = await models.claimsOf(id);
      return claims === undefined ? undefined : { accountId: id, claims: async () => JSON.parse(claims) };
    },
    issueRefreshToken: async (_context: unknown, client: { grantTypeAllowed(grant: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    rotateRefreshToken: true,
    responseTypes: ['code'],
    interactions: { url: () => '/sign-in' },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: true },
      pushedAuthorizationRequests: { enabled: false },
      // Its adapter has no word for a code that another request drew already, so they are too long for that.
      deviceFlow: { enabled: true, charset: 'base-20', mask: '****-****-****' },
      revocation: { enabled: true, allowedPolicy: async () => true },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => resource,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => ({
          scope: 'api',
          accessTokenFormat: 'jwt',
          accessTokenTTL: 3_600,
          jwt: { sign: { alg: 'ES256' } },
        }),
      },
    },
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256'] },
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 600,
      DeviceCode: 900,
      Grant: 365 * day,
      IdToken: 3_600,
      Interaction: 3_600,
      RefreshToken: 90 * day,
      Session: 14 * day,
    },
  });
  provider.proxy = true;
  return { provider, database };
}

/** The signing keys of a folder, made when it is new. */
function keysOf(folder: string): readonly object[] {
  const path = join(folder, 'keys.json');
  if (!existsSync(path)) {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const keys = [
      { ...rsa.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' },
      { ...ec.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' },
    ];
    writeFileSync(path, JSON.stringify(keys), { mode: 0o600 });
  }
  return JSON.parse(readFileSync(path, 'utf8')) as object[];
}
