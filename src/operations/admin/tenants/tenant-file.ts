// The operations on tenant files.

import { fileBodyBytes } from '../../../core/limits.ts';
import { filesPerMinute } from '../../../core/operators/limits.ts';
import { type Actor, mayGrant, type Permission, permissions } from '../../../core/operators/permission.ts';
import * as s from '../../json-schema.ts';
import { denied, invalid } from '../../refusal.ts';
import type { OpenTenant } from '../../tenant/open-tenants.ts';
import {
  type PreparedFile,
  prepareFile,
  runFile,
  type SentFile,
  type UnderstoodFile,
  understand,
} from '../../tenant-file/apply.ts';
import { nouns } from '../../tenant-file/change.ts';
import { exportTenants, type Format, formats } from '../../tenant-file/export.ts';
import type { References } from '../../tenant-file/references.ts';
import { tenantFileSchema } from '../../tenant-file/tenant-file.ts';
import { fieldChangeSchema } from '../audit.ts';
import { onService, onTenant, tenantField } from '../define.ts';
import type { Operation, OperationContext } from '../operation.ts';

const fields = {
  file: {
    ...s.text(
      'The tenant file, in YAML or JSON',
      'tenants:\n  - issuer: https://login.example.com\n    name: Example\n',
    ),
    minLength: 1,
  },
};

const references: s.Defaulted<References> = {
  type: 'object',
  description:
    'What its sender looked up, by kind and name: of `logoFile logo.svg` the picture as a data: URI, of ' +
    '`secretFile /run/secret` and `secretEnv NAME` the SHA-256 in base64url, and of `clientSecretFile` and ' +
    '`clientSecretEnv` the secret itself, which is sealed',
  additionalProperties: { type: 'string' },
  default: {},
  examples: [{ 'logoFile logo.svg': 'data:image/svg+xml;base64,PHN2Zy8+' }],
};

const optional = {
  references,
  prune: s.option('Whether what is only in the database is to end, in the sections that the file has'),
  force: s.option(
    'Whether a device flow may be turned on that is not on at the stage tenant; at the command also whether ' +
      'the service may be left without a system administrator',
  ),
};

const changesSchema = s.resource('TenantFileChanges', 'What a file changes', {
  changes: s.list(
    'The entries in which file and database differ, in the order of the file',
    s.resource('TenantFileEntry', 'An entry', {
      tenant: s.text('The host of its tenant', 'login.example.com'),
      noun: s.oneOf('TenantFileNoun', 'What it is', nouns),
      name: s.text('What the file calls it', 'example-app'),
      change: s.oneOf(
        'TenantFileChange',
        'kept: only in the database, and left alone; ended: only in the database, and pruned',
        ['added', 'changed', 'ended', 'kept'],
      ),
      fields: s.list('What is another from then on', fieldChangeSchema),
      note: s.text('How it ends, or would; empty for the others', 'disabled'),
      calls: s.list(
        'The operations that do it, in their order; none leave it alone',
        s.text('One', 'clients.change'),
      ),
    }),
  ),
});

/** Everything that a file can say, but for members. */
const readNeeds: readonly Permission[] = ['tenants:read', 'clients:read', 'access:read'];
const membersReadNeeds: readonly Permission[] = ['members:read', 'subscriptions:read'];

/** @throws OperationRefused if the token may not do all of this */
function demand(actor: Actor, needed: readonly Permission[], what: string): void {
  if (mayGrant(actor, needed)) return;
  throw denied([], 'permissions_needed_for', { what, permissions: needed });
}

/** A tenant's administrator describes that tenant, and learns of no other (A17). @throws OperationRefused */
async function understandAlone(sent: SentFile, { issuer }: OpenTenant): Promise<UnderstoodFile> {
  const understood = await understand(sent);
  const { tenants } = understood.file;
  if (tenants.length === 1 && tenants[0]?.issuer === issuer) return understood;
  throw invalid([], 'file_of_another_tenant', { issuer });
}

/**
 * What a file says is met by what is stored: which entries differ, and whether applying it is refused, tells
 * its sender what that is.
 *
 * @throws OperationRefused if the token may not read all that the file speaks of
 */
function demandReading(actor: Actor, { tenants }: UnderstoodFile['file'], verb: 'apply' | 'compare'): void {
  demand(actor, readNeeds, `to ${verb} a file`);
  // Whether a secret is among the changes says whether it is the one that is stored.
  if (tenants.some(({ clients = [] }) => clients.some(({ secretHash }) => secretHash !== undefined))) {
    demand(actor, ['clients:write'], `to ${verb} secrets`);
  }
  if (tenants.some(({ identityProviders }) => identityProviders !== undefined)) {
    demand(actor, ['providers:read'], `to ${verb} providers`);
  }
  const hasSecrets = tenants.some(({ identityProviders = [] }) =>
    identityProviders.some(({ clientSecret }) => clientSecret !== undefined),
  );
  if (hasSecrets) demand(actor, ['providers:write'], `to ${verb} secrets`);
  if (tenants.some(({ members }) => members !== undefined)) {
    demand(actor, membersReadNeeds, `to ${verb} members`);
  }
}

/** A file is compared by doing what it asks for, which is taken back: what is refused then is what apply refuses. */
const running =
  (verb: 'apply' | 'compare') =>
  async (context: OperationContext, sent: SentFile, prepared: PreparedFile) => {
    demandReading(context.actor, prepared.file, verb);
    const entries = await runFile(prepared, sent, context);
    return {
      changes: entries.map(({ change, calls }) => ({
        ...change,
        calls: calls.map(({ operation }) => operation),
      })),
    };
  };

const fileFace = {
  tellsChanges: true,
  endsIf: { prune: [true], force: [true] },
  parts: { changes: { columns: ['tenant', 'noun', 'name', 'change', 'fields', 'note'] } },
} as const;

const ofFile = {
  bodyBytes: fileBodyBytes,
  callsPerMinute: filesPerMinute,
  fields,
  optional,
  output: changesSchema,
} as const;
const comparing = { ...ofFile, permission: 'tenants:read', isTrial: true, run: running('compare') } as const;
const applying = { ...ofFile, permission: 'tenants:write', run: running('apply') } as const;

const compared = onTenant({
  ...comparing,
  name: 'tenantFiles.compare',
  summary: 'Show what a tenant file would change of a tenant',
  portal: { ...fileFace, page: 'tenants.read', label: 'Compare a file', doneBy: 'tenantFiles.apply' },
  route: 'POST /file/compare',
  prepare: async (sent, context) => prepareFile(await understandAlone(sent, context.tenant), context),
});

const applied = onTenant({
  ...applying,
  name: 'tenantFiles.apply',
  summary: 'Change a tenant into what a tenant file describes, in one step',
  portal: { ...fileFace, page: 'tenants.read', label: 'Apply a file' },
  route: 'PUT /file',
  prepare: async (sent, context) => prepareFile(await understandAlone(sent, context.tenant), context),
});

const formatField = { ...s.oneOf('TenantFileFormat', 'How it is written', formats), default: 'yaml' };
/** YAML by RFC 9512. */
const mediaTypes = {
  yaml: 'application/yaml; charset=utf-8',
  json: 'application/json; charset=utf-8',
} as const satisfies Record<Format, string>;
const written = { mediaType: mediaTypes.yaml, formats: mediaTypes, fileSchema: tenantFileSchema };
const textSchema = s.exactly('A file', { text: s.text('The tenant file', 'tenants: []\n') });

const exported = onTenant({
  name: 'tenantFiles.export',
  summary: 'Write a tenant as a tenant file; secrets as hashes, and no members',
  portal: { page: 'tenants.read', label: 'Export as a file' },
  permission: 'tenants:read',
  route: 'GET /file',
  optional: { format: formatField },
  output: textSchema,
  ...written,
  run: async ({ tx, tenant, tenants, actor }, { format }) => {
    // Who knows a hash could try secrets on it.
    demand(actor, [...readNeeds, 'providers:read', 'clients:write'], 'to export a tenant');
    return { text: await exportTenants(tx, [tenant], tenants.all(), { format, members: false }) };
  },
});

const serviceCompared = onService({
  ...comparing,
  name: 'serviceTenantFiles.compare',
  summary: 'Show what a tenant file would change of the tenants that it describes',
  portal: { ...fileFace, page: 'tenants.list', label: 'Compare a file', doneBy: 'serviceTenantFiles.apply' },
  route: 'POST /tenant-file/compare',
  prepare: async (sent, context) => prepareFile(await understand(sent), context),
});

const serviceApplied = onService({
  ...applying,
  name: 'serviceTenantFiles.apply',
  summary: 'Make the tenants that a tenant file describes, or change them into that, in one step',
  portal: { ...fileFace, page: 'tenants.list', label: 'Apply a file' },
  route: 'PUT /tenant-file',
  prepare: async (sent, context) => prepareFile(await understand(sent), context),
});

const serviceExported = onService({
  name: 'serviceTenantFiles.export',
  summary: 'Write every tenant, or one, as a tenant file; secrets and passwords as hashes',
  portal: { page: 'tenants.list', label: 'Export as a file' },
  permission: 'tenants:read',
  route: 'GET /tenant-file',
  optional: {
    tenant: { ...tenantField, description: 'Only this tenant' },
    format: formatField,
    members: s.option('Whether its members are written too, with the hashes of their passwords'),
  },
  output: textSchema,
  ...written,
  // Of too many members.
  mayConflict: true,
  run: async ({ tx, tenant, tenants, actor }, { format, members }) => {
    // Who knows the hash of an administrator's password could become that administrator.
    const needed = members ? permissions : ([...readNeeds, 'providers:read', 'clients:write'] as const);
    demand(actor, needed, members ? 'to export members' : 'to export tenants');
    const all = tenants.all();
    return { text: await exportTenants(tx, tenant === null ? all : [tenant], all, { format, members }) };
  },
});

/** What the commands `apply` and `export` are made of. */
export const serviceTenantFiles = {
  export: serviceExported,
  compare: serviceCompared,
  apply: serviceApplied,
} as const;

export const tenantFileOperations: readonly Operation[] = [
  exported,
  compared,
  applied,
  serviceExported,
  serviceCompared,
  serviceApplied,
];
