// Grave acts, for which an administrator who has a second factor proves it once more.
import { freshFactor } from '../../../core/members/limits.ts';
import { isFresh } from '../../../core/session.ts';
import type { Operation } from '../../../operations/admin/operation.ts';
import { factorStepOf } from '../../../operations/sign-in/factor-step.ts';
import type { OpenTenant } from '../../../operations/tenant/open-tenants.ts';
import type { Tx } from '../../../storage/store.ts';
import type { CurrentSession } from '../../session.ts';
import { endsForGood } from './form/ending.ts';
import type { Facts } from './visitor.ts';

/**
 * Acts that give power over a tenant, beside those that end something for good: a finder of a portal left open could come
 * back by them. A client may act in its own name, a provider says who a member is, and a file does all of that.
 */
const powers: ReadonlySet<string> = new Set([
  'clients.addSecret',
  'clients.create',
  'identityProviders.create',
  'imports.start',
  'keys.rotate',
  'members.resetSecondFactor',
  'registrationTokens.create',
  'serviceTenantFiles.apply',
  'serviceTokens.create',
  'tenantFiles.apply',
  'tokens.create',
]);

const administrators = ['tenant_admin', 'system_admin'];

/** Fields that do so: with any value (null), or with these. */
const powerful: Readonly<Record<string, Readonly<Record<string, readonly string[] | null>>>> = {
  'clients.change': {
    redirectUris: null,
    authenticationMethod: null,
    jwks: null,
    jwksUri: null,
    clientCredentials: null,
    serviceScopes: null,
  },
  'identityProviders.change': { issuer: null, clientId: null, secret: null, trustsVerifiedEmail: null },
  'members.change': { email: null, password: null, userType: null },
  'members.create': { userType: administrators },
  'tenants.change': { adminSecondFactor: ['optional'], secondFactor: ['off'] },
};

/** Whether an act is grave, with what is said in its form. */
export function isGrave(operation: Operation, said: Facts): boolean {
  if (!operation.acts) return false;
  if (powers.has(operation.name) || endsForGood(operation, said)) return true;
  return Object.entries(powerful[operation.name] ?? {}).some(([field, values]) =>
    values === null ? said[field] !== undefined : values.includes(String(said[field])),
  );
}

/** Whether a form with these fields makes its act a grave one, whatever is said in it. */
export function isGraveForm(operation: Operation, fields: readonly string[]): boolean {
  return isGrave(operation, {}) || fields.some((field) => powerful[operation.name]?.[field] === null);
}

/** A grave act was asked for in a session whose second factor was proven too long ago: nothing was done. */
export class ProofNeeded extends Error {
  override readonly name = 'ProofNeeded';
}

/** Whether an administrator proves the second factor once more before a grave act; one with neither that nor a passkey is not asked. */
export async function needsProof(
  tx: Tx,
  tenant: OpenTenant,
  { session, member }: CurrentSession,
  now: number,
): Promise<boolean> {
  if (isFresh(session, freshFactor, now)) return false;
  return (await factorStepOf(tx, tenant, member.id)) !== 'set-up';
}
