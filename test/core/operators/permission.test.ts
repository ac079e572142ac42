import { describe, expect, it } from 'vitest';
import type { Member, UserType } from '../../../src/core/members/member.ts';
import { type AdminToken, isUsable } from '../../../src/core/operators/admin-token.ts';
import {
  type Actor,
  type Demand,
  hasAllTenants,
  mayGrant,
  mayManage,
  type Permission,
  permissions,
  permit,
} from '../../../src/core/operators/permission.ts';
import { memberRecord } from '../../support/records/records.ts';

const operator: Actor = { kind: 'operator' };
const admin = (isSystem: boolean): Actor => ({ kind: 'admin', memberId: 'm', tenantId: 'a', isSystem });
const token = (tenantId: string | null, granted: readonly Permission[] = permissions): Actor => ({
  kind: 'token',
  tokenId: 't',
  tenantId,
  permissions: granted,
});

const client = (granted: readonly Permission[] = permissions): Actor => ({
  kind: 'client',
  clientId: 'c',
  tenantId: 'a',
  permissions: granted,
});

/** What each hears of: own tenant, another tenant, the service; then of what is for those with all tenants. */
const table: readonly (readonly [string, Actor, string, readonly string[]])[] = [
  ['the operator', operator, 'granted granted granted', ['granted', 'granted']],
  ['a system administrator', admin(true), 'granted granted granted', ['granted', 'granted']],
  ['a tenant’s administrator', admin(false), 'granted unknown granted', ['denied', 'unknown']],
  ['a token of every tenant', token(null), 'granted granted granted', ['granted', 'granted']],
  ['a token of the tenant', token('a'), 'granted unknown granted', ['denied', 'unknown']],
  ['a token without it', token(null, ['keys:read']), 'denied denied denied', ['denied', 'denied']],
  ['a client of the tenant', client(), 'granted unknown granted', ['denied', 'unknown']],
  ['a client without it', client(['keys:read']), 'denied unknown denied', ['denied', 'unknown']],
  ['a tenant’s token without it', token('a', ['keys:read']), 'denied unknown denied', ['denied', 'unknown']],
];

describe('A17: who may do what', () => {
  it.each(table)('%s', (_who, actor, ofTenants, ofSystem) => {
    const ask = (demand: Partial<Demand>) =>
      permit(actor, { permission: 'clients:read', reach: 'tenant', tenantId: null, ...demand });
    expect([ask({ tenantId: 'a' }), ask({ tenantId: 'b' }), ask({})].join(' ')).toBe(ofTenants);
    const reach = 'system';
    expect([ask({ reach, tenantId: 'a' }), ask({ reach, tenantId: 'b' })]).toEqual(ofSystem);
    expect(hasAllTenants(actor)).toBe(ask({ tenantId: 'b' }) !== 'unknown');
  });
});

describe('who may act on an account', () => {
  const types: readonly UserType[] = ['member', 'tenant_admin', 'system_admin'];
  it.each([
    ['the operator', operator, types],
    ['a system administrator', admin(true), types],
    ['a tenant’s administrator', admin(false), ['member', 'tenant_admin']],
    ['a token of every tenant that may do everything', token(null), types],
    ['a token of a tenant that may do everything', token('a'), ['member', 'tenant_admin']],
    ['a client that may do everything', client(), ['member', 'tenant_admin']],
    ['a client that may do less', client(permissions.slice(1)), ['member']],
    ['a token that may do less', token(null, permissions.slice(1)), ['member']],
  ] as const)('%s: only those whose power is not greater', (_who, actor, managed) => {
    expect(types.filter((type) => mayManage(actor, type))).toEqual(managed);
  });

  it('tokens and clients can pass on only their own permissions, and people all of them', () => {
    const own: readonly Permission[] = ['clients:read', 'keys:read'];
    for (const some of [token('a', own), client(own)]) {
      expect(mayGrant(some, ['keys:read'])).toBe(true);
      expect(mayGrant(some, ['keys:read', 'keys:write'])).toBe(false);
    }
    expect(mayGrant(admin(false), permissions)).toBe(true);
    expect(mayGrant(operator, permissions)).toBe(true);
  });
});

describe('a token', () => {
  const made: AdminToken = {
    id: 't',
    tenantId: null,
    name: 'x',
    secretHash: 'h',
    permissions: ['keys:read'],
    createdAt: 0,
    expiresAt: null,
    revokedAt: null,
    parentId: null,
    makerId: null,
  };

  it.each([
    ['without an end works', {}, true],
    ['works until its end', { expiresAt: 101 }, true],
    ['works no more at its end (decision 20)', { expiresAt: 100 }, false],
    ['that is revoked works no more', { revokedAt: 99 }, false],
  ])('%s', (_what, changes, isGood) => {
    expect(isUsable({ ...made, ...changes }, null, 100)).toBe(isGood);
  });

  const own = { tenantId: 'tenant-a', makerId: 'maker' };
  const all = { ...own, tenantId: null };
  it.each<[string, Partial<AdminToken>, Partial<Member> | null, boolean]>([
    ['of a tenant works while its maker administers the tenant', own, {}, true],
    ['of a tenant works while its maker administers everything', own, { userType: 'system_admin' }, true],
    ['of a tenant works no more when its maker is a member alone', own, { userType: 'member' }, false],
    ['of a tenant works no more when its maker is disabled', own, { status: 'disabled' }, false],
    ['of a tenant works no more when its maker is deleted', own, { deletionDueAt: 100 }, false],
    ['of a tenant works while its maker is yet to be deleted', own, { deletionDueAt: 101 }, true],
    ['of a tenant works no more when its maker administers another', own, { tenantId: 'tenant-b' }, false],
    ['whose maker is unknown does not work', own, null, false],
    ['of every tenant works while its maker has them all', all, { userType: 'system_admin' }, true],
    ['of every tenant works no more when its maker has one', all, {}, false],
  ])('%s', (_what, changes, maker, isGood) => {
    const member = memberRecord({ id: 'maker', tenantId: 'tenant-a', userType: 'tenant_admin' });
    const found =
      maker === null ? null : { ...member, status: 'active' as const, deletionDueAt: null, ...maker };
    expect(isUsable({ ...made, ...changes }, found, 100)).toBe(isGood);
  });
});
