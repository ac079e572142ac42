// The operations on clients.
import { isoTime } from '../../../core/access/iso-time.ts';
import type { Client } from '../../../core/client.ts';
import { hasAllTenants } from '../../../core/operators/permission.ts';
import {
  asSecret,
  exactly,
  extended,
  flag,
  list,
  resource,
  text,
  textOrNull,
  time,
} from '../../../json-schema.ts';
import { findRegisteredClient, listClients } from '../../../storage/client.ts';
import type { ListPage } from '../../../storage/list-page.ts';
import { listAuditEvents } from '../../../storage/operators/audit-event.ts';
import type { Tx } from '../../../storage/store.ts';
import { findTenant } from '../../../storage/tenant.ts';
import { changeClient, disableClient, registerClient, setDeviceFlow } from '../../client/client.ts';
import { conflict, unknown } from '../../refusal.ts';
import type { OpenTenant } from '../../tenant/open-tenants.ts';
import { onTenant } from '../define.ts';
import { type ListInput, listFields, nextOf, readPage } from '../list.ts';
import type { Operation } from '../operation.ts';
import { isNotYet, isSince } from '../portal-face.ts';
import {
  type ClientInput,
  changesOf,
  clientAnswer,
  clientFields,
  clientIdField,
  clientSchema,
  nameField,
  typeField,
} from './client-answer.ts';

/** Which client. */
interface Named {
  readonly tenant: string;
  readonly clientId: string;
}

const clientId = { clientId: clientIdField };

const ofClient = { page: 'clients.read', reads: 'clients.read' } as const;

const listed = onTenant<ListInput<string> & { readonly clientId?: string }>({
  name: 'clients.list',
  summary: 'List the clients of a tenant',
  portal: {
    list: {
      title: 'Clients',
      columns: ['clientId', 'name', 'type', 'deviceFlow', 'disabledAt'],
      lead: 'The apps, web sites and TVs that members sign in to.',
      entry: { field: 'clientId', key: 'clientId' },
      opens: 'clients.read',
    },
  },
  permission: 'clients:read',
  method: 'GET',
  path: '/clients',
  optional: listFields('clientId', clientIdField),
  output: exactly('A page of clients, by client_id', {
    clients: list('Clients', clientSchema),
    next: nextOf(clientIdField),
  }),
  run: async ({ tx, tenant }, { clientId: only, ...input }) => {
    const read = (page: ListPage<string>) => listClients(tx, tenant.id, page);
    const { page, next } = await readPage(input, only, read, (client) => client.clientId);
    return { clients: page.map(clientAnswer), next };
  },
});

/** How many refused requests of a client are shown. */
const refusalsShown = 20;

const read = onTenant<Named>({
  name: 'clients.read',
  summary: 'Show a client, and its last requests that were refused',
  portal: { parts: { secrets: { entry: { field: 'secretId', key: 'secretId' } } } },
  permission: 'clients:read',
  method: 'GET',
  path: '/clients/{clientId}',
  fields: clientId,
  output: extended(clientSchema, 'ClientDetails', 'A client', {
    deviceFlowOnStage: {
      ...flag(
        'Whether the client of this client_id on the stage tenant has the device flow; null without one',
      ),
      type: ['boolean', 'null'],
    },
    refusals: list(
      'The last requests that were refused, newest first',
      resource('RefusedRequest', 'A refused request', {
        at: time('When'),
        event: text('What was refused', 'client_authentication_failed'),
        reason: textOrNull('Why, in words', 'the client_secret is wrong'),
        address: textOrNull('Where it came from', '192.0.2.1'),
      }),
    ),
  }),
  run: async ({ tx, tenant }, { clientId }) => ({
    ...clientAnswer(await clientOf(tx, tenant, clientId)),
    deviceFlowOnStage: await deviceFlowOnStage(tx, tenant, clientId),
    refusals: (
      await listAuditEvents(tx, { tenantId: tenant.id, clientId, result: 'refused' }, refusalsShown)
    ).map(({ at, event, reason, address }) => ({ at: isoTime(at), event, reason, address })),
  }),
});

const created = onTenant<Named & ClientInput & Pick<Client, 'name' | 'type'>>({
  name: 'clients.create',
  summary: 'Register a client; the secret of a confidential one is in this answer and nowhere else',
  portal: { page: 'clients.list', lands: 'clients.read' },
  permission: 'clients:write',
  method: 'POST',
  path: '/clients',
  fields: { ...clientId, name: nameField, type: typeField },
  optional: clientFields,
  output: extended(clientSchema, 'NewClient', 'The client', {
    secret: asSecret(textOrNull('The client_secret: shown once; null for a public client', null)),
  }),
  made: 'clientId',
  run: async ({ tx, tenant, random, now }, { tenant: _, clientId, name, type, ...given }) => {
    if ((await findRegisteredClient(tx, tenant.id, clientId)) !== null) {
      throw conflict('clientId', 'client_exists', { clientId });
    }
    const secret = type === 'confidential' ? random.secret() : null;
    const registration = {
      ...changesOf(given),
      clientId,
      name,
      type,
      ...(secret === null ? {} : { secret }),
    };
    return { ...clientAnswer(await registerClient(tx, tenant.id, registration, now)), secret };
  },
});

const changed = onTenant<Named & ClientInput>({
  name: 'clients.change',
  summary: 'Change a client; its client_id and its type stay',
  portal: ofClient,
  permission: 'clients:write',
  method: 'PATCH',
  path: '/clients/{clientId}',
  fields: clientId,
  optional: { name: nameField, ...clientFields },
  output: clientSchema,
  run: async ({ tx, tenant }, { tenant: _, clientId, ...given }) =>
    answer(await changeClient(tx, tenant.id, clientId, changesOf(given))),
});

const disabled = onTenant<Named>({
  name: 'clients.disable',
  summary: 'Disable a client: it is as if it were not there, and its sign-ins end',
  portal: { ...ofClient, ends: true, fits: isNotYet('disabledAt') },
  permission: 'clients:write',
  method: 'POST',
  path: '/clients/{clientId}/disable',
  fields: clientId,
  output: clientSchema,
  run: async ({ tx, tenant, now, isTrial }, { clientId }) =>
    answer(await disableClient(tx, tenant.id, clientId, { now, isTrial })),
});

const enabled = onTenant<Named>({
  name: 'clients.enable',
  summary: 'Enable a client again; its sign-ins do not come back',
  portal: { ...ofClient, fits: isSince('disabledAt') },
  permission: 'clients:write',
  method: 'POST',
  path: '/clients/{clientId}/enable',
  fields: clientId,
  output: clientSchema,
  run: async ({ tx, tenant }, { clientId }) =>
    answer(await changeClient(tx, tenant.id, clientId, { disabledAt: null })),
});

const deviceFlowSet = onTenant<Named & { readonly enabled: boolean; readonly force: boolean }>({
  name: 'clients.setDeviceFlow',
  summary: 'Turn the device flow of a client on or off: on the stage tenant first',
  portal: { ...ofClient, readsAs: { enabled: 'deviceFlow' }, endsIf: { force: [true] } },
  permission: 'clients:write',
  reach: 'system',
  method: 'PUT',
  path: '/clients/{clientId}/device-flow',
  fields: { ...clientId, enabled: flag('Whether it has the device flow from now on') },
  optional: {
    force: { ...flag('On here though it is not on at the stage tenant'), default: false, examples: [false] },
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
    return answer(await findRegisteredClient(tx, tenant.id, clientId));
  },
});

/** Whether the client of the same client_id on the stage tenant has the device flow; null without such a tenant. */
async function deviceFlowOnStage(tx: Tx, tenant: OpenTenant, clientId: string): Promise<boolean | null> {
  if (tenant.stageTenantId === null) return null;
  const client = await findRegisteredClient(tx, tenant.stageTenantId, clientId);
  return client?.deviceFlow === true && client.disabledAt === null;
}

async function clientOf(tx: Tx, tenant: OpenTenant, clientId: string): Promise<Client> {
  const client = await findRegisteredClient(tx, tenant.id, clientId);
  if (client === null) throw unknown('client');
  return client;
}

function answer(client: Client | null): object {
  if (client === null) throw unknown('client');
  return clientAnswer(client);
}

export const clientOperations: readonly Operation[] = [
  listed,
  read,
  created,
  changed,
  disabled,
  enabled,
  deviceFlowSet,
];
