// How operations take and answer a client.

import { isoTime, isoTimeOrNull } from '../../../core/access/iso-time.ts';
import type { Client, ClientSecret } from '../../../core/client.ts';
import { accessTokenSeconds, replayWindow, signInsPerMember } from '../../../core/limits.ts';
import { brandNameLength, pictureRules } from '../../../core/members/limits.ts';
import { foreignAlgorithms } from '../../../core/oidc/client/foreign-key.ts';
import { type Actor, mayGrant, permissions, permissionsIn } from '../../../core/operators/permission.ts';
import { isUnverified } from '../../../core/registration/unverified-client.ts';
import { findRegisteredClient } from '../../../storage/clients/client.ts';
import type { Tx } from '../../../storage/store.ts';
import type { ClientChanges } from '../../client/client.ts';
import * as s from '../../json-schema.ts';
import { denied, unknown } from '../../refusal.ts';
import type { OpenTenant } from '../../tenant/open-tenants.ts';
import { textOrNone } from '../define.ts';
import type { OperationContext } from '../operation.ts';

const longest = 10 * 366 * 24 * 60 * 60;

/** What can be said of a client when it is registered, and later (contract, "OIDC client"). */
export const clientFields = {
  logo: s.picture(
    'A PNG, WebP or SVG picture in a data: URI, shown beside the name',
    'the letter of the name',
    pictureRules.clientLogo.length,
  ),
  redirectUris: s.texts(
    'Where sign-ins lead: https, http on this machine alone, or a scheme of an app',
    'https://app.example.com/callback',
  ),
  postLogoutRedirectUris: s.texts(
    'Where logout leads; the first unless another is asked for',
    'https://app.example.com/',
  ),
  webOrigins: s.texts('Origins whose scripts may read tokens and profiles', 'https://app.example.com'),
  signupDisabled: s.flag('"Disable signup": only who has an account can sign in'),
  thirdParty: s.flag('Whether it is of a third party: it asks each member for consent'),
  accessTokenAlgorithm: s.oneOf(
    'AccessTokenAlgorithm',
    'What signs its access tokens: RS256 where an API that takes them reads nothing else',
    ['ES256', 'RS256'],
  ),
  idTokenAlgorithm: s.oneOf(
    'SigningAlgorithm',
    'What signs its id_tokens: every library takes RS256; ES256 costs the service a fifth of it, so choose that where the library takes it too. EdDSA is Ed25519',
    ['RS256', 'ES256', 'PS256', 'EdDSA'],
  ),
  claimsInIdToken: s.flag('Whether the id_token repeats the claims of profile, email, phone and address'),
  accessTokenSeconds: s.secondsFrom(1, accessTokenSeconds.most, 'How long its access tokens work', 3_600),
  refreshTokenIdleSeconds: s.secondsFrom(1, longest, 'How long a refresh token works unused', 7_776_000),
  refreshTokenAbsoluteSeconds: s.secondsFrom(1, longest, 'How long a sign-in lasts in all', 31_536_000),
  replayWindowSeconds: s.secondsFrom(
    0,
    replayWindow.most / 1_000,
    'How long a used refresh token gets the same answer again; 0 is never',
    0,
  ),
  signInsPerMember: s.numberFrom(
    1,
    signInsPerMember.most,
    'How many live sign-ins a member has with it; one more ends the oldest',
    signInsPerMember.default,
  ),
  // Extensions, which are off unless they are said: as docs/extensions.md has them.
  authenticationMethod: s.oneOf(
    'AuthenticationMethod',
    'How a confidential client proves who it is: by a secret, or by assertions that it signs',
    ['client_secret', 'private_key_jwt'],
  ),
  jwks: s.textOrNull('Its public keys: the JSON of a JWKS', null),
  jwksUri: s.textOrNull('Where it publishes its public keys itself', null),
  signingAlgorithms: s.someOfTexts(
    'What its own signatures may be made by',
    s.oneOf('ClientSigningAlgorithm', 'One of them', foreignAlgorithms),
    ...foreignAlgorithms,
  ),
  pushedRequests: s.oneOf(
    'ExtensionUse',
    'Whether it may push its authorization requests before it sends a browser with them, or must',
    ['off', 'allowed', 'required'],
  ),
  requestObjects: s.oneOf(
    'ExtensionUse',
    'Whether it may sign its authorization requests by a key of its own, or must',
    ['off', 'allowed', 'required'],
  ),
  signedResponses: s.flag('Whether it may have the answers to its authorization requests signed'),
  dpop: s.oneOf(
    'ExtensionUse',
    'Whether its tokens are bound to a key of its own (DPoP): never, if it sends a proof of the key, or always',
    ['off', 'allowed', 'required'],
  ),
  dpopNonce: s.flag('Whether its proofs of that key must carry a nonce that it was given'),
  profile: s.oneOf(
    'ClientProfile',
    'What it is held to as a whole: fapi2 is the FAPI 2.0 Security Profile, which needs other settings to go with it',
    ['none', 'fapi2'],
  ),
  claimsParameter: s.flag('Whether it may ask for single claims (`claims`) and for an acr (`acr_values`)'),
  backchannelLogoutUri: s.textOrNull(
    'Where it is told that a member signed out, by https; null where it is not told',
    null,
  ),
  apis: s.texts('Identifiers of the APIs that it may ask access tokens for', 'https://api.example.com'),
  clientCredentials: s.flag('Whether it gets access tokens in its own name, without a member'),
  serviceScopes: s.texts(
    'What it may ask for then: scopes of those APIs, and permissions at the admin API',
    'invoices:read',
  ),
  introspection: s.flag('Whether it may ask what a token says, and whether it lives (introspection)'),
};

/** What an input says of a client. */
type ClientInput = Partial<s.ValuesOf<typeof clientFields> & Pick<Client, 'name'>>;

/** What an input changes; seconds become milliseconds. */
export function changesOf({
  logo,
  jwks,
  jwksUri,
  backchannelLogoutUri,
  refreshTokenIdleSeconds: idle,
  refreshTokenAbsoluteSeconds: absolute,
  replayWindowSeconds: replay,
  ...same
}: ClientInput): ClientChanges {
  return {
    ...same,
    ...(logo === undefined ? {} : { logo: textOrNone(logo) }),
    ...(jwks === undefined ? {} : { jwks: textOrNone(jwks) }),
    ...(jwksUri === undefined ? {} : { jwksUri: textOrNone(jwksUri) }),
    ...(backchannelLogoutUri === undefined ? {} : { backchannelLogoutUri: textOrNone(backchannelLogoutUri) }),
    ...(idle === undefined ? {} : { refreshTokenIdle: idle * 1_000 }),
    ...(absolute === undefined ? {} : { refreshTokenAbsolute: absolute * 1_000 }),
    ...(replay === undefined ? {} : { replayWindow: replay * 1_000 }),
  };
}

export const clientIdField = s.named(
  'ClientId',
  s.held(s.text('The client_id: letters, digits, _ and -', 'example-app'), {
    pattern: '^[A-Za-z0-9_-]{1,64}$',
  }),
);
export const nameField = s.held(
  s.text('The name that members read', 'Example app'),
  s.nameRule(brandNameLength),
);
export const typeField = s.oneOf(
  'ClientType',
  'public, as apps and TVs are, or confidential, with a secret',
  ['confidential', 'public'],
);

export const secretIdField = s.named('ClientSecretId', s.text('The id of the secret', 'Zk3vBq8L'));

const secretSchema = s.resource('ClientSecret', 'A live secret', {
  secretId: secretIdField,
  createdAt: s.time('When it was made'),
});

/** The fields of a client that every face shows; its secrets by their ids alone (A18). */
export const clientSchema = s.resource('Client', 'A client', {
  clientId: clientIdField,
  name: nameField,
  type: typeField,
  ...clientFields,
  deviceFlow: s.flag('Whether it has the device flow'),
  secrets: s.list('Its live secrets', secretSchema),
  disabledAt: s.timeOrNull('From when on it is as if it were not there', null),
});

/** The id of a secret: the beginning of its hash, from which the secret cannot be found. */
export function secretIdOf({ hash }: ClientSecret): string {
  return hash.slice(0, 8);
}

const seconds = (ms: number) => Math.round(ms / 1_000);

export function clientAnswer(client: Client) {
  return s.pick(clientSchema, {
    ...client,
    refreshTokenIdleSeconds: seconds(client.refreshTokenIdle),
    refreshTokenAbsoluteSeconds: seconds(client.refreshTokenAbsolute),
    replayWindowSeconds: seconds(client.replayWindow),
    secrets: client.secrets.map((secret) => ({
      secretId: secretIdOf(secret),
      createdAt: isoTime(secret.createdAt),
    })),
    disabledAt: isoTimeOrNull(client.disabledAt),
  });
}

/**
 * Holds an actor to what they have where a client has permissions of its own: an actor who changes it, or has a secret or a key of
 * it, can act as it. As with API tokens, none hands on or ends what can do more (`mayGrant`).
 *
 * @param clientId of a client that is there or not
 * @param given what it is to be able to ask for from then on; left out where that stays
 * @throws OperationRefused
 */
export async function demandPowerOver(
  {
    tx,
    tenant,
    actor,
    isTrial,
  }: Pick<OperationContext, 'tx' | 'isTrial'> & {
    readonly tenant: { readonly id: string };
    readonly actor: Actor;
  },
  clientId: string,
  given: readonly string[] = [],
): Promise<void> {
  // What is only tried is taken back, and asks for no permission to write.
  if (isTrial || mayGrant(actor, permissions)) return;
  const before = (await findRegisteredClient(tx, tenant.id, clientId))?.serviceScopes ?? [];
  const needed = permissionsIn([...before, ...given]);
  if (mayGrant(actor, needed)) return;
  throw denied('clientId', 'client_exceeds_changer', { permissions: needed });
}

/** Whether the client of the same client_id on the stage tenant has the device flow; null without such a tenant. */
export async function deviceFlowOnStage(
  tx: Tx,
  tenant: OpenTenant,
  clientId: string,
): Promise<boolean | null> {
  if (tenant.stageTenantId === null) return null;
  const client = await findRegisteredClient(tx, tenant.stageTenantId, clientId);
  return client?.deviceFlow === true && client.disabledAt === null;
}

/** @throws OperationRefused */
export async function clientOf(tx: Tx, tenant: OpenTenant, clientId: string): Promise<Client> {
  const client = await findRegisteredClient(tx, tenant.id, clientId);
  if (client === null || isUnverified(client)) throw unknown('client');
  return client;
}

/** @throws OperationRefused if there is none */
export function foundAnswer(client: Client | null): object {
  // What is undone with this transaction: an unverified client has operations of its own.
  if (client === null || isUnverified(client)) throw unknown('client');
  return clientAnswer(client);
}
