// The operations on the APIs of a tenant.
import { apiLimits } from '../../../core/limits.ts';
import { brandNameLength } from '../../../core/members/limits.ts';
import type { Api } from '../../../core/oidc/api.ts';
import { listApis } from '../../../storage/clients/api.ts';
import { changeApi, registerApi, removeApi } from '../../client/api.ts';
import * as s from '../../json-schema.ts';
import { unknown } from '../../refusal.ts';
import { onTenant } from '../define.ts';
import { keyedList } from '../list.ts';
import type { Operation } from '../operation.ts';

export const apiIdentifierField = s.named(
  'ApiIdentifier',
  s.held(
    s.text(
      'What clients send as resource, and its tokens say as aud: an https address, or a urn; on a development tenant http on loopback too',
      'https://api.example.com',
    ),
    { pattern: '^(?:https?://|urn:)[!-~]+$', maxLength: apiLimits.identifier },
  ),
);

const scopesField: s.Schema<Api['scopes']> = {
  type: 'object',
  description: 'Its scopes: what members read on the page that asks them, by the name of the scope',
  additionalProperties: { type: 'string' },
  examples: [{ 'invoices:read': 'See your invoices' }],
};

/** What can be said of an API when it is registered, and later. */
export const apiFields = {
  name: s.held(s.text('The name that operators read', 'Invoices'), s.nameRule(brandNameLength)),
  scopes: scopesField,
  accessTokenAlgorithm: s.oneOf(
    'AccessTokenAlgorithm',
    'What signs its access tokens: RS256 where it reads nothing else',
    ['ES256', 'RS256'],
  ),
  unverifiedClients: s.flag('Whether clients that no operator registered may ask for its tokens'),
};

const apiSchema = s.resource('Api', 'An API of the tenant', { identifier: apiIdentifierField, ...apiFields });

/** An API as every face shows it. */
export const apiAnswer = (api: Api) => s.pick(apiSchema, api);

const fields = { identifier: apiIdentifierField };
const ofApi = { page: 'apis.read', reads: 'apis.read' } as const;

const listed = onTenant(
  keyedList({
    name: 'apis.list',
    summary: 'List the APIs of a tenant',
    permission: 'apis:read',
    route: 'GET /apis',
    title: 'APIs',
    lead: 'Your own APIs that take access tokens of the tenant, each as an audience of its own.',
    columns: ['identifier', 'name', 'accessTokenAlgorithm'],
    entry: { field: 'identifier', key: 'identifier' },
    opens: 'apis.read',
    of: 'apis',
    page: 'A page of APIs, by identifier',
    schema: apiSchema,
    read: async ({ tx, tenant }, page) => (await listApis(tx, tenant.id, page)).map(apiAnswer),
  }),
);

const read = onTenant({
  name: 'apis.read',
  summary: 'Show an API',
  portal: {},
  permission: 'apis:read',
  route: 'GET /apis/{identifier}',
  fields,
  output: apiSchema,
  run: async ({ tx, tenant }, { identifier }) => {
    const [api] = await listApis(tx, tenant.id, { only: identifier });
    if (api === undefined) throw unknown('API');
    return apiAnswer(api);
  },
});

const created = onTenant({
  name: 'apis.create',
  summary: 'Register an API; clients get tokens for it once they may ask for them',
  portal: { page: 'apis.list', lands: 'apis.read' },
  permission: 'apis:write',
  route: 'POST /apis',
  fields: { ...fields, name: apiFields.name },
  optional: {
    scopes: { ...scopesField, default: {} },
    accessTokenAlgorithm: { ...apiFields.accessTokenAlgorithm, default: 'ES256' },
    unverifiedClients: { ...apiFields.unverifiedClients, default: false },
  },
  output: apiSchema,
  made: 'identifier',
  run: async ({ tx, tenant }, { identifier, ...given }) => {
    const api: Api = { tenantId: tenant.id, identifier, ...given };
    await registerApi(tx, api);
    return apiAnswer(api);
  },
});

const changed = onTenant({
  name: 'apis.change',
  summary: 'Change an API; its identifier stays',
  portal: ofApi,
  permission: 'apis:write',
  route: 'PATCH /apis/{identifier}',
  fields,
  optional: apiFields,
  output: apiSchema,
  run: async ({ tx, tenant }, { identifier, ...changes }) => {
    const api = await changeApi(tx, tenant.id, identifier, changes);
    if (api === null) throw unknown('API');
    return apiAnswer(api);
  },
});

const deleted = onTenant({
  name: 'apis.delete',
  summary:
    'Delete an API: clients get no token for it any more, and those that they have work until they expire',
  portal: { ...ofApi, page: 'apis.list', ends: 'forGood' },
  permission: 'apis:write',
  route: 'DELETE /apis/{identifier}',
  fields,
  output: s.exactly('What was deleted', fields),
  run: async ({ tx, tenant }, { identifier }) => {
    if (!(await removeApi(tx, tenant.id, identifier))) throw unknown('API');
    return { identifier };
  },
});

export const apiOperations: readonly Operation[] = [listed, read, created, changed, deleted];
