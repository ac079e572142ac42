// The operations on clients and their secrets.

import { isoTime } from '../../../core/access/iso-time.ts';
import { sha256 } from '../../../core/hash.ts';
import { liveSecrets, pictureBodyBytes } from '../../../core/limits.ts';
import { hasAllTenants } from '../../../core/operators/permission.ts';
import { findRegisteredClient, listClients } from '../../../storage/clients/client.ts';
import { listLogoutNotices } from '../../../storage/clients/logout-notice.ts';
import { findTenant } from '../../../storage/tenant.ts';
import { changeClient, disableClient, setDeviceFlow } from '../../client/client.ts';
import { needsSecret } from '../../client/client-problems.ts';
import * as s from '../../json-schema.ts';
import { conflict, invalid, unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import { withMemberNames } from '../names.ts';
import type { Operation } from '../operation.ts';
import { type FieldGroup, isNotYet, isSince, type Thing } from '../portal-face.ts';
import {
  changesOf,
  clientAnswer,
  clientFields,
  clientIdField,
  clientOf,
  clientSchema,
  demandPowerOver,
  deviceFlowOnStage,
  foundAnswer,
  nameField,
  secretIdField,
  secretIdOf,
} from './client.ts';
import { createOperation } from './create.ts';
import { listedNoticeSchema, noticeAnswer } from './logout-notices.ts';
import { refusalsOf, refusalsSchema } from './refusals.ts';
import { countedReusesOf, countedReusesSchema } from './reuses.ts';

const fields = { clientId: clientIdField };

const ofClient = { page: 'clients.read', reads: 'clients.read' } as const;

const listed = onTenant(
  keyedList({
    name: 'clients.list',
    summary: 'List the clients of a tenant',
    permission: 'clients:read',
    route: 'GET /clients',
    title: 'Clients',
    lead: 'The apps, web sites and TVs that members sign in to.',
    columns: ['name', 'clientId', 'type', 'deviceFlow', 'disabledAt'],
    entry: { field: 'clientId', key: 'clientId' },
    bulk: ['clients.disable', 'clients.enable'],
    opens: 'clients.read',
    of: 'clients',
    page: 'A page of clients, by client_id',
    schema: clientSchema,
    read: async ({ tx, tenant }, page) => (await listClients(tx, tenant.id, page)).map(clientAnswer),
  }),
);

/** The settings of a client as people look for them. */
const clientGroups: readonly FieldGroup[] = [
  { name: 'basics', fields: ['name', 'logo'] },
  { name: 'addresses', fields: ['redirectUris', 'postLogoutRedirectUris', 'webOrigins'] },
  { name: 'consent', fields: ['signupDisabled', 'thirdParty', 'signInsPerMember'] },
  {
    name: 'tokens',
    fields: [
      'accessTokenSeconds',
      'refreshTokenIdleSeconds',
      'refreshTokenAbsoluteSeconds',
      'replayWindowSeconds',
      'claimsInIdToken',
      'apis',
    ],
  },
  { name: 'service', fields: ['clientCredentials', 'serviceScopes'], isFolded: true },
  {
    name: 'proof',
    fields: [
      'accessTokenAlgorithm',
      'idTokenAlgorithm',
      'authenticationMethod',
      'jwks',
      'jwksUri',
      'signingAlgorithms',
    ],
    isFolded: true,
  },
  { name: 'logout', fields: ['backchannelLogoutUri'], isFolded: true },
  {
    name: 'extensions',
    fields: [
      'profile',
      'pushedRequests',
      'requestObjects',
      'signedResponses',
      'dpop',
      'dpopNonce',
      'claimsParameter',
      'introspection',
    ],
    isFolded: true,
  },
];

/** What a client without a secret cannot have. */
const notForPublic = ({ type }: Thing) =>
  type === 'public'
    ? ['authenticationMethod', 'clientCredentials', 'serviceScopes', 'introspection', 'profile']
    : [];

/** How many notices of sign-outs are shown; a list of their own has all. */
const noticesShown = 5;

const read = onTenant({
  name: 'clients.read',
  summary: 'Show a client, and its last requests that were refused',
  portal: {
    parts: {
      secrets: { entry: { field: 'secretId', key: 'secretId' } },
      logoutNotices: { list: 'logoutNotices.list' },
      reuses: { list: 'reuses.list', columns: ['reuse', 'count', 'lastAt', 'advice'] },
    },
  },
  permission: 'clients:read',
  route: 'GET /clients/{clientId}',
  fields,
  output: s.extended(clientSchema, 'ClientDetails', 'A client', {
    deviceFlowOnStage: s.orNull(
      s.flag(
        'Whether the client of this client_id on the stage tenant has the device flow; null without one',
      ),
    ),
    logoutNotices: s.list('What it was told of sign-outs last, newest first', listedNoticeSchema),
    reuses: countedReusesSchema,
    refusals: refusalsSchema,
  }),
  run: async (context, { clientId }) => {
    const { tx, tenant, now } = context;
    const of = { tenantId: tenant.id, clientId };
    const client = clientAnswer(await clientOf(tx, tenant, clientId));
    const notices = await listLogoutNotices(tx, of, { limit: noticesShown });
    return {
      ...client,
      logoutNotices: await withMemberNames(notices.map(noticeAnswer), context),
      deviceFlowOnStage: await deviceFlowOnStage(tx, tenant, clientId),
      reuses: await countedReusesOf(tx, of, now),
      refusals: await refusalsOf(tx, of),
    };
  },
});

const changed = onTenant({
  name: 'clients.change',
  summary: 'Change a client; its client_id and its type stay',
  portal: { ...ofClient, choices: { apis: 'apis.list' }, groups: clientGroups, without: notForPublic },
  permission: 'clients:write',
  route: 'PATCH /clients/{clientId}',
  bodyBytes: pictureBodyBytes,
  fields,
  optional: { name: nameField, ...clientFields },
  output: clientSchema,
  run: async (context, { clientId, ...given }) => {
    await demandPowerOver(context, clientId, given.serviceScopes);
    return foundAnswer(await changeClient(context.tx, context.tenant.id, clientId, changesOf(given)));
  },
});

const disabled = onTenant({
  name: 'clients.disable',
  summary: 'Disable a client: it is as if it were not there, and its sign-ins end',
  portal: {
    ...ofClient,
    ends: 'forGood',
    undo: { by: 'clients.enable' },
    fits: isNotYet('disabledAt'),
  },
  permission: 'clients:write',
  route: 'POST /clients/{clientId}/disable',
  fields,
  output: clientSchema,
  run: async (context, { clientId }) => {
    const { tx, tenant, now, isTrial } = context;
    await demandPowerOver(context, clientId);
    return foundAnswer(await disableClient(tx, tenant.id, clientId, { now, isTrial }));
  },
});

const enabled = onTenant({
  name: 'clients.enable',
  summary: 'Enable a client again; its sign-ins do not come back',
  portal: {
    ...ofClient,
    atOnce: true,
    undo: { by: 'clients.disable' },
    fits: isSince('disabledAt'),
  },
  permission: 'clients:write',
  route: 'POST /clients/{clientId}/enable',
  fields,
  output: clientSchema,
  run: async (context, { clientId }) => {
    await demandPowerOver(context, clientId);
    return foundAnswer(await changeClient(context.tx, context.tenant.id, clientId, { disabledAt: null }));
  },
});

const deviceFlowSet = onTenant({
  name: 'clients.setDeviceFlow',
  summary: 'Turn the device flow of a client on or off: on the stage tenant first',
  portal: { ...ofClient, readsAs: { enabled: 'deviceFlow' }, endsIf: { force: [true] }, titledFor: true },
  permission: 'clients:write',
  reach: 'system',
  route: 'PUT /clients/{clientId}/device-flow',
  fields: { ...fields, enabled: s.flag('Whether it has the device flow from now on') },
  optional: {
    force: s.option('On here though it is not on at the stage tenant'),
  },
  output: clientSchema,
  run: async ({ tx, tenant, actor, isTrial }, { clientId, enabled, force }) => {
    // Who compares a file may have this tenant alone, and learns nothing of the other (A17).
    const onStage = hasAllTenants(actor) ? await deviceFlowOnStage(tx, tenant, clientId) : null;
    const { deviceFlow } = await clientOf(tx, tenant, clientId);
    if (enabled && !deviceFlow && onStage === false && !force) {
      const { host } = (await findTenant(tx, tenant.stageTenantId ?? '')) ?? { host: '' };
      throw conflict('enabled', 'not_on_stage', { host });
    }
    await setDeviceFlow(tx, tenant.id, clientId, enabled, isTrial);
    return foundAnswer(await findRegisteredClient(tx, tenant.id, clientId));
  },
});

const secretAdded = onTenant({
  name: 'clients.addSecret',
  summary: 'Give a client a second secret, to take the place of the first. It is shown once, in this answer',
  portal: { ...ofClient, fits: ({ type }) => type !== 'public', titledFor: true },
  permission: 'clients:write',
  route: 'POST /clients/{clientId}/secrets',
  fields,
  output: s.resource('NewClientSecret', 'The secret', {
    secretId: secretIdField,
    secret: s.asSecret(
      s.text('The client_secret: shown once', 'cHJvYmFibHktbm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs'),
    ),
    createdAt: s.time('When it was made'),
  }),
  made: 'secretId',
  run: async (context, { clientId }) => {
    const { tx, tenant, random, now } = context;
    await demandPowerOver(context, clientId);
    const client = await clientOf(tx, tenant, clientId);
    if (client.type === 'public') throw invalid([], 'public_client_secret');
    if (client.secrets.length >= liveSecrets) {
      throw conflict([], 'secrets_used_up', { most: liveSecrets });
    }
    const secret = random.secret();
    const stored = { hash: sha256(secret), createdAt: now };
    await changeClient(tx, tenant.id, clientId, { secrets: [...client.secrets, stored] });
    return { secretId: secretIdOf(stored), secret, createdAt: isoTime(now) };
  },
});

const secretRemoved = onTenant({
  name: 'clients.removeSecret',
  summary: 'Take a secret from a client: it works no more from now on',
  portal: { page: 'clients.read', reads: 'clients.read', ends: 'forGood', titledFor: true },
  permission: 'clients:write',
  route: 'DELETE /clients/{clientId}/secrets/{secretId}',
  fields: { ...fields, secretId: secretIdField },
  output: clientSchema,
  run: async (context, { clientId, secretId }) => {
    const { tx, tenant } = context;
    await demandPowerOver(context, clientId);
    const client = await clientOf(tx, tenant, clientId);
    const kept = client.secrets.filter((secret) => secretIdOf(secret) !== secretId);
    if (kept.length === client.secrets.length) throw unknown('secret');
    if (kept.length === 0 && needsSecret(client)) throw conflict('secretId', 'only_secret');
    const changed = await changeClient(tx, tenant.id, clientId, { secrets: kept });
    return clientAnswer(changed ?? client);
  },
});

export const clientOperations: readonly Operation[] = [
  listed,
  read,
  createOperation,
  changed,
  disabled,
  enabled,
  deviceFlowSet,
  secretAdded,
  secretRemoved,
];
