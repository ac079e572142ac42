// The operation that registers a client: by what is built and where it runs, or setting by setting.
import type { Client } from '../../../core/client.ts';
import { type ClientKind, clientIdOf, clientKinds, followingFrom } from '../../../core/oidc/client/kind.ts';
import { clientIdTries, parameterLength } from '../../../core/oidc/limits.ts';
import { hasAllTenants } from '../../../core/operators/permission.ts';
import { findRegisteredClient } from '../../../storage/clients/client.ts';
import { clientDefaults, registerClient } from '../../client/client.ts';
import { needsSecret } from '../../client/client-problems.ts';
import * as s from '../../json-schema.ts';
import { conflict, invalid, OperationRefused } from '../../refusal.ts';
import { type OnTenant, onTenant } from '../define.ts';
import type { Operation, OperationContext } from '../operation.ts';
import {
  changesOf,
  clientAnswer,
  clientFields,
  clientIdField,
  clientSchema,
  demandPowerOver,
  deviceFlowOnStage,
  nameField,
  typeField,
} from './client.ts';

/** What is built, which most settings follow from. */
const kindField = s.oneOf(
  'ClientKind',
  'What is built: the settings that are left out follow from it, and from where it runs',
  clientKinds,
);

const addressField = s.held(
  s.text('Where it runs: the addresses that are left out follow from it', 'https://app.example.com'),
  s.lineRule(parameterLength.other),
);

export const createOperation: Operation = onTenant({
  name: 'clients.create',
  summary: 'Register a client. The secret of a confidential one is shown once, in this answer',
  portal: {
    page: 'clients.list',
    lands: 'clients.read',
    choices: { apis: 'apis.list' },
    cards: 'kind',
    groups: [
      { name: 'what', fields: ['kind', 'name', 'address'] },
      {
        name: 'rest',
        fields: [
          'clientId',
          'redirectUris',
          'postLogoutRedirectUris',
          'webOrigins',
          'apis',
          'serviceScopes',
          'accessTokenSeconds',
          'refreshTokenIdleSeconds',
          'refreshTokenAbsoluteSeconds',
          'idTokenAlgorithm',
          'accessTokenAlgorithm',
        ],
        isFolded: true,
      },
    ],
  },
  permission: 'clients:write',
  route: 'POST /clients',
  fields: { name: nameField },
  optional: {
    kind: kindField,
    address: addressField,
    clientId: clientIdField,
    type: typeField,
    ...clientFields,
  },
  output: s.extended(clientSchema, 'NewClient', 'The client', {
    secret: s.asSecret(s.textOrNull('The client_secret: shown once; null for a client without one', null)),
  }),
  made: 'clientId',
  run: async (context, { clientId: named, kind, address, name, type: said, ...given }) => {
    const { tx, tenant, random, now } = context;
    const { deviceFlow, ...follows } = followsFrom(kind, address);
    const type = said ?? follows.type;
    if (type === undefined) throw invalid('type', 'kind_or_type');
    const clientId = named ?? (await freeClientId(context, name));
    await demandPowerOver(context, clientId, given.serviceScopes);
    if ((await findRegisteredClient(tx, tenant.id, clientId)) !== null) {
      throw conflict('clientId', 'client_exists', { clientId });
    }
    const changes = { ...follows, ...changesOf(given) };
    const secret = needsSecret({ ...clientDefaults, ...changes, type }) ? random.secret() : null;
    const registration = {
      ...changes,
      clientId,
      name,
      type,
      deviceFlow: deviceFlow === true && (await mayHaveDeviceFlow(context, clientId)),
      ...(secret !== null && { secret }),
    };
    return { ...clientAnswer(await registerClient(tx, tenant.id, registration, now)), secret };
  },
});

/** What follows from the kind, if one is said. @throws OperationRefused */
function followsFrom(kind: ClientKind | undefined, address = ''): Partial<Client> {
  if (kind === undefined) return {};
  const following = followingFrom(kind, address);
  if (!following.ok) throw new OperationRefused('invalid', [following.problem]);
  return following.settings;
}

/** With the right to turn it on, the device flow is on at once, unless the stage tenant tries it first (contract 5). */
async function mayHaveDeviceFlow(
  { tx, tenant, actor }: OnTenant<OperationContext>,
  clientId: string,
): Promise<boolean> {
  return hasAllTenants(actor) && (await deviceFlowOnStage(tx, tenant, clientId)) !== false;
}

/** The first client_id of a name that no client of the tenant has. @throws OperationRefused */
async function freeClientId({ tx, tenant }: OnTenant<OperationContext>, name: string): Promise<string> {
  for (let number = 1; number <= clientIdTries; number += 1) {
    const clientId = clientIdOf(name, number);
    if ((await findRegisteredClient(tx, tenant.id, clientId)) === null) return clientId;
  }
  throw conflict('clientId', 'missing');
}
