// The operations on tokens of the admin API.

import { isoTime, isoTimeOrNull } from '../../core/access/iso-time.ts';
import { sha256 } from '../../core/hash.ts';
import { auditTextLength } from '../../core/limits.ts';
import { nameProblem } from '../../core/members/details.ts';
import { brandNameLength } from '../../core/members/limits.ts';
import { type AdminToken, adminTokenPrefix } from '../../core/operators/admin-token.ts';
import { mayGrant, permissions } from '../../core/operators/permission.ts';
import {
  findAdminToken,
  insertAdminToken,
  listAdminTokens,
  listTokensBelow,
  revokeAdminToken,
} from '../../storage/operators/admin-token.ts';
import type { ListPage } from '../../storage/rows.ts';
import { auditDeed } from '../audit/audit.ts';
import * as s from '../json-schema.ts';
import { denied, invalid, refuseIfAny, unknown } from '../refusal.ts';
import { onService, onTenant } from './define.ts';
import { keyedList } from './list.ts';
import type { Operation, OperationContext } from './operation.ts';
import { isNotYet } from './portal-face.ts';

const tokenIdField = s.named(
  'AdminTokenId',
  s.text('The id of the token', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a06'),
);
const nameField = { ...s.text('What it is for', 'deployment'), pattern: '\\S', maxLength: auditTextLength };
const permissionsField = {
  ...s.list('What it may be used for', s.oneOf('Permission', 'A permission', permissions)),
  minItems: 1,
  uniqueItems: true,
  examples: [['clients:read', 'clients:write']],
};

const tokenSchema = s.resource('AdminToken', 'A token of the admin API', {
  id: tokenIdField,
  name: nameField,
  permissions: permissionsField,
  createdAt: s.time('When it was made'),
  expiresAt: s.timeOrNull('When it stops working; null if it never does', null),
  revokedAt: s.timeOrNull('When it was revoked', null),
  parentId: s.textOrNull('The token that made it: it is revoked with that one', null),
  makerId: s.textOrNull(
    'The administrator behind it: it works while that one may do the same; null where it was made at the machine',
    '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02',
  ),
});
const newTokenSchema = s.extended(tokenSchema, 'NewAdminToken', 'The token', {
  secret: s.asSecret(
    s.text('The token itself: shown once', 'mda_cHJvYmFibHktbm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs'),
  ),
});

function tokenAnswer(token: AdminToken) {
  return s.pick(tokenSchema, {
    ...token,
    createdAt: isoTime(token.createdAt),
    expiresAt: isoTimeOrNull(token.expiresAt),
    revokedAt: isoTimeOrNull(token.revokedAt),
  });
}

// One that was made before may have a longer name.
const newTokenFields = {
  name: { ...nameField, maxLength: brandNameLength },
  permissions: permissionsField,
};
const expiryField = {
  expiresAt: s.timeOrNull(
    'When it stops working; it never does where this is left out',
    '2036-01-01T00:00:00.000Z',
  ),
};

async function create(
  { tx, tenant, actor, random, now }: OperationContext,
  { name, permissions, ...input }: s.ObjectOf<typeof newTokenFields, typeof expiryField>,
): Promise<object> {
  const expiresAt = input.expiresAt ? Date.parse(input.expiresAt) : null;
  if (expiresAt !== null && expiresAt <= now) {
    throw invalid('expiresAt', 'past');
  }
  refuseIfAny([nameProblem(name)].filter((found) => found !== null));
  // No token is tied to a client, so that it would end with it.
  if (actor.kind === 'client') throw denied([], 'client_makes_no_tokens');
  const own = actor.kind === 'token' ? await findAdminToken(tx, actor.tokenId) : null;
  // It may have been revoked since it was looked at.
  if (own?.revokedAt) throw denied([], 'token_revoked');
  if (!mayGrant(actor, permissions) || outlives(expiresAt, own?.expiresAt ?? null)) {
    throw denied([], 'token_exceeds_maker');
  }
  const secret = `${adminTokenPrefix}${random.secret()}`;
  const token: AdminToken = {
    id: random.id(now),
    tenantId: tenant?.id ?? null,
    name: name.trim(),
    secretHash: sha256(secret),
    permissions,
    createdAt: now,
    expiresAt,
    revokedAt: null,
    parentId: own?.id ?? null,
    makerId: actor.kind === 'admin' ? actor.memberId : (own?.makerId ?? null),
  };
  await insertAdminToken(tx, token);
  return { ...tokenAnswer(token), secret };
}

/** @param limit when its maker can act no more; null if that is not known to end */
function outlives(expiresAt: number | null, limit: number | null): boolean {
  return limit !== null && (expiresAt === null || expiresAt > limit);
}

/**
 * Revokes a token with all that it made, and they made: what was made by a thief of it ends with it. People may
 * revoke every token of their tenant, a token none that can do more than itself.
 */
async function revoke({ tx, tenant, actor, now }: OperationContext, tokenId: string): Promise<object> {
  const tenantId = tenant?.id ?? null;
  const token = await findAdminToken(tx, tokenId);
  if (token === null || token.tenantId !== tenantId) throw unknown('token');
  if (!mayGrant(actor, token.permissions)) {
    throw denied('tokenId', 'token_exceeds_revoker');
  }
  await revokeAdminToken(tx, tenantId, tokenId, now);
  for (const below of await listTokensBelow(tx, tokenId)) {
    await revokeAdminToken(tx, below.tenantId, below.id, now);
    const reason = `tokens.revoke: made by ${tokenId}`;
    const { tenantId, id: target } = below;
    await auditDeed(tx, { event: 'admin_acted', operation: 'tokens.revoke', tenantId, target, reason });
  }
  return tokenAnswer({ ...token, revokedAt: token.revokedAt ?? now });
}

const revocation = { ends: 'forGood', fits: isNotYet('revokedAt') } as const;

const listing = {
  permission: 'tokens:read',
  route: 'GET /tokens',
  columns: ['name', 'permissions', 'createdAt', 'expiresAt', 'revokedAt'],
  entry: { field: 'tokenId', key: 'id' },
  of: 'tokens',
  page: 'A page of tokens, oldest first',
  pageName: 'AdminTokens',
  schema: tokenSchema,
  read: async ({ tx, tenant }: OperationContext, page: ListPage<string>) =>
    (await listAdminTokens(tx, tenant?.id ?? null, page)).map(tokenAnswer),
} as const;

const making = {
  permission: 'tokens:write',
  route: 'POST /tokens',
  fields: newTokenFields,
  optional: expiryField,
  output: newTokenSchema,
  made: 'id',
  run: create,
} as const;

const revoking = {
  permission: 'tokens:write',
  route: 'DELETE /tokens/{tokenId}',
  fields: { tokenId: tokenIdField },
  output: tokenSchema,
  run: (context: OperationContext, { tokenId }: { readonly tokenId: string }) => revoke(context, tokenId),
} as const;

/** A token is one tenant's or the service's; otherwise the same is done to it. */
export const tokenOperations: readonly Operation[] = [
  onTenant(
    keyedList({
      ...listing,
      name: 'tokens.list',
      summary: 'List the tokens of the admin API for a tenant',
      title: 'API tokens',
      bulk: ['tokens.revoke'],
      lead: 'Bearer tokens of the admin API. A secret is shown once, when its token is made.',
    }),
  ),
  onTenant({
    ...making,
    name: 'tokens.create',
    summary: 'Create a token for the admin API of a tenant. It is shown once, in this answer',
    portal: { page: 'tokens.list' },
  }),
  onTenant({
    ...revoking,
    name: 'tokens.revoke',
    summary: 'Revoke a token of a tenant, with all that it made: they work no more from now on',
    portal: { page: 'tokens.list', reads: 'tokens.list', ...revocation },
  }),
  onService(
    keyedList({
      ...listing,
      name: 'serviceTokens.list',
      summary: 'List the tokens of the admin API for every tenant',
      title: 'API tokens for all',
      bulk: ['serviceTokens.revoke'],
      lead: 'Bearer tokens of the admin API that reach every tenant.',
    }),
  ),
  onService({
    ...making,
    name: 'serviceTokens.create',
    summary: 'Create a token for the admin API of every tenant. It is shown once, in this answer',
    portal: { page: 'serviceTokens.list' },
  }),
  onService({
    ...revoking,
    name: 'serviceTokens.revoke',
    summary: 'Revoke a token for every tenant, with all that it made: they work no more from now on',
    portal: { page: 'serviceTokens.list', reads: 'serviceTokens.list', ...revocation },
  }),
];
