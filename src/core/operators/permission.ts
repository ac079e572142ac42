// What an administrator or a token may do.
import type { UserType } from '../members/member.ts';

/** What a token of the admin API may be allowed to do. */
export const permissions = [
  'access:read',
  'access:write',
  'apis:read',
  'apis:write',
  'audit:read',
  'channels:check',
  'clients:read',
  'clients:write',
  'events:read',
  'events:write',
  'keys:read',
  'keys:write',
  'members:read',
  'members:write',
  'providers:read',
  'providers:write',
  'subscriptions:read',
  'subscriptions:write',
  'tenants:read',
  'tenants:write',
  'tokens:introspect',
  'tokens:read',
  'tokens:write',
] as const;

export type Permission = (typeof permissions)[number];

/** The permissions among some scopes, in the order of the list. No API has a scope that is called like one (`apiProblems`). */
export const permissionsIn = (scopes: readonly string[]): readonly Permission[] =>
  permissions.filter((permission) => scopes.includes(permission));

/** Who operates: on a portal page, with a token of the admin API or a client's own, or at the machine itself. */
export type Actor =
  | {
      readonly kind: 'admin';
      readonly memberId: string;
      /** The tenant whose administrator it is; a system administrator has them all. */
      readonly tenantId: string;
      readonly isSystem: boolean;
    }
  | {
      readonly kind: 'token';
      readonly tokenId: string;
      /** null for every tenant */
      readonly tenantId: string | null;
      readonly permissions: readonly Permission[];
    }
  /** A client in its own name (interop 61): on its tenant alone, with what its token asked for and it still has. */
  | {
      readonly kind: 'client';
      readonly clientId: string;
      readonly tenantId: string;
      readonly permissions: readonly Permission[];
    }
  /** A user of the machine who may read the data folder may do everything. */
  | {
      readonly kind: 'operator';
      /** The user of the system who runs the command, as far as it is known. */
      readonly user?: string;
    };

/** Whether an actor may act on every tenant, and on what belongs to none. */
export function hasAllTenants(actor: Actor): boolean {
  if (actor.kind === 'operator') return true;
  return actor.kind === 'admin' ? actor.isSystem : actor.tenantId === null;
}

/**
 * Whether an actor may make a member of this type, or act on one: an actor who can change an administrator's
 * address or password can sign in as that administrator. A token or a client must be able to do everything itself.
 */
export function mayManage(actor: Actor, userType: UserType): boolean {
  if (userType === 'member') return true;
  if (userType === 'system_admin' && !hasAllTenants(actor)) return false;
  return mayGrant(actor, permissions);
}

/** Whether an actor may grant these permissions: an actor grants only what they have. People have all of them. */
export function mayGrant(actor: Actor, granted: readonly Permission[]): boolean {
  return granted.every((permission) => has(actor, permission));
}

const has = (actor: Actor, permission: Permission): boolean =>
  actor.kind === 'admin' || actor.kind === 'operator' || actor.permissions.includes(permission);

/** What an operation demands of its caller. */
export interface Demand {
  readonly permission: Permission;
  /** `system`: only actors who have all tenants. `tenant`: every actor who has that one. */
  readonly reach: 'system' | 'tenant';
  /** The tenant it is about; null for the whole service. */
  readonly tenantId: string | null;
}

/**
 * Whether an actor may do something. What is out of reach is `unknown`, so that it cannot be told from what
 * does not exist (A17); what is in reach and not permitted is `denied`.
 */
export function permit(
  actor: Actor,
  { permission, reach, tenantId }: Demand,
): 'granted' | 'denied' | 'unknown' {
  if (actor.kind === 'operator') return 'granted';
  const hasAll = hasAllTenants(actor);
  if (tenantId !== null && !hasAll && actor.tenantId !== tenantId) return 'unknown';
  if (reach === 'system' && !hasAll) return 'denied';
  return has(actor, permission) ? 'granted' : 'denied';
}
