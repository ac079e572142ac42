// The operations on tokens of the admin API.
import { isoTime, isoTimeOrNull } from '../../core/access/iso-time.ts';
import { sha256 } from '../../core/hash.ts';
import { auditTextLength } from '../../core/limits.ts';
import { nameProblem } from '../../core/members/details.ts';
import { brandNameLength } from '../../core/members/limits.ts';
import { type AdminToken, adminTokenPrefix } from '../../core/operators/admin-token.ts';
import { mayGrant, type Permission, permissions } from '../../core/operators/permission.ts';
import {
  asSecret,
  extended,
  list,
  named,
  oneOf,
  resource,
  type Schema,
  text,
  textOrNull,
  time,
  timeOrNull,
} from '../../json-schema.ts';
import type { ListPage } from '../../storage/list-page.ts';
import {
  findAdminToken,
  insertAdminToken,
  listAdminTokens,
  listTokensBelow,
  revokeAdminToken,
} from '../../storage/operators/admin-token.ts';
import { auditDeed } from '../audit/audit.ts';
import { denied, invalid, refuseIfAny, unknown } from '../refusal.ts';
import { onService, onTenant } from './define.ts';
import { type ListInput, listFields, nextOf, readPage } from './list.ts';
import type { Operation, OperationContext } from './operation.ts';
import { isNotYet } from './portal-face.ts';

const tokenIdField = named(
  'AdminTokenId',
  text('The id of the token', '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a06'),
);
const nameField: Schema = {
  ...text('What it is for', 'deployment'),
  pattern: '\\S',
  maxLength: auditTextLength,
};
const permissionsField: Schema = {
  type: 'array',
  description: 'What it may be used for',
  items: oneOf('Permission', 'A permission', permissions),
  minItems: 1,
  uniqueItems: true,
  examples: [['clients:read', 'clients:write']],
};

const tokenSchema = resource('AdminToken', 'A token of the admin API', {
  id: tokenIdField,
  name: nameField,
  permissions: permissionsField,
  createdAt: time('When it was made'),
  expiresAt: timeOrNull('When it stops to work; null if it does not', null),
  revokedAt: timeOrNull('When it was revoked', null),
  parentId: textOrNull('The token that made it: it is revoked with that one', null),
  makerId: textOrNull(
    'The administrator behind it: it works while that one may do the same; null where it was made at the machine',
    '019a7c1e-4b57-7cc2-9d0e-3f2f6f6b9a02',
  ),
});
const tokensSchema = resource('AdminTokens', 'A page of tokens, oldest first', {
  tokens: list('Tokens', tokenSchema),
  next: nextOf(tokenIdField),
});
const newTokenSchema = extended(tokenSchema, 'NewAdminToken', 'The token', {
  secret: asSecret(text('The token itself: shown once', 'mda_cHJvYmFibHktbm90LWEtcmVhbC1zZWNyZXQtYXQtYWxs')),
});

/** Each field is listed by hand, so that no hash gets into an answer (A18). */
function tokenAnswer(token: AdminToken) {
  const { id, name, permissions, createdAt, expiresAt, revokedAt, parentId, makerId } = token;
  return {
    id,
    name,
    permissions,
    createdAt: isoTime(createdAt),
    expiresAt: isoTimeOrNull(expiresAt),
    revokedAt: isoTimeOrNull(revokedAt),
    parentId,
    makerId,
  };
}

interface NewToken {
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly expiresAt?: string | null;
}

// One that was made before may have a longer name.
const newTokenFields = {
  name: { ...nameField, maxLength: brandNameLength },
  permissions: permissionsField,
};
const expiryField = {
  expiresAt: timeOrNull('When it stops to work; if it is left out it does not', '2036-01-01T00:00:00.000Z'),
};

type TokensInput = ListInput<string> & { readonly tokenId?: string };

async function listFor(
  { tx, tenant }: OperationContext,
  { tokenId, ...input }: TokensInput,
): Promise<object> {
  const read = (page: ListPage<string>) => listAdminTokens(tx, tenant?.id ?? null, page);
  const { page, next } = await readPage(input, tokenId, read, ({ id }) => id);
  return { tokens: page.map(tokenAnswer), next };
}

async function create(
  { tx, tenant, actor, random, now }: OperationContext,
  { name, permissions, ...input }: NewToken,
): Promise<object> {
  const expiresAt = input.expiresAt ? Date.parse(input.expiresAt) : null;
  if (expiresAt !== null && expiresAt <= now) {
    throw invalid('expiresAt', 'past');
  }
  refuseIfAny([nameProblem(name)].filter((found) => found !== null));
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
    await auditDeed(tx, { event: 'admin_acted', tenantId: below.tenantId, target: below.id, reason });
  }
  return tokenAnswer({ ...token, revokedAt: token.revokedAt ?? now });
}

const listFace = {
  columns: ['name', 'permissions', 'createdAt', 'expiresAt', 'revokedAt'],
  entry: { field: 'tokenId', key: 'id' },
};
const revocation = { ends: true, fits: isNotYet('revokedAt') } as const;

const listing = {
  permission: 'tokens:read',
  method: 'GET',
  path: '/tokens',
  optional: listFields('tokenId', tokenIdField),
  output: tokensSchema,
  run: listFor,
} as const;

const making = {
  permission: 'tokens:write',
  method: 'POST',
  path: '/tokens',
  fields: newTokenFields,
  optional: expiryField,
  output: newTokenSchema,
  made: 'id',
  run: create,
} as const;

const revoking = {
  permission: 'tokens:write',
  method: 'DELETE',
  path: '/tokens/{tokenId}',
  fields: { tokenId: tokenIdField },
  output: tokenSchema,
  run: (context: OperationContext, { tokenId }: { readonly tokenId: string }) => revoke(context, tokenId),
} as const;

/** A token is one tenant's or the service's; but for whose it is, the same is done to it. */
export const tokenOperations: readonly Operation[] = [
  onTenant<TokensInput>({
    ...listing,
    name: 'tokens.list',
    summary: 'List the tokens of the admin API for a tenant',
    portal: {
      list: {
        ...listFace,
        title: 'API tokens',
        lead: 'Bearer tokens of the admin API. A secret is shown once, when its token is made.',
      },
    },
  }),
  onTenant<NewToken>({
    ...making,
    name: 'tokens.create',
    summary: 'Make a token of the admin API for a tenant; it is in this answer and nowhere else',
    portal: { page: 'tokens.list' },
  }),
  onTenant<{ readonly tokenId: string }>({
    ...revoking,
    name: 'tokens.revoke',
    summary: 'Revoke a token of a tenant, with all that it made: they work no more from now on',
    portal: { page: 'tokens.list', reads: 'tokens.list', ...revocation },
  }),
  onService<TokensInput>({
    ...listing,
    name: 'serviceTokens.list',
    summary: 'List the tokens of the admin API for every tenant',
    portal: {
      list: {
        ...listFace,
        title: 'API tokens for all',
        lead: 'Bearer tokens of the admin API that reach every tenant.',
      },
    },
  }),
  onService<NewToken>({
    ...making,
    name: 'serviceTokens.create',
    summary: 'Make a token of the admin API for every tenant; it is in this answer and nowhere else',
    portal: { page: 'serviceTokens.list' },
  }),
  onService<{ readonly tokenId: string }>({
    ...revoking,
    name: 'serviceTokens.revoke',
    summary: 'Revoke a token for every tenant, with all that it made: they work no more from now on',
    portal: { page: 'serviceTokens.list', reads: 'serviceTokens.list', ...revocation },
  }),
];
