// Grave acts, for which an administrator who has a second factor proves it once more.
import { freshFactor } from '../../../core/members/limits.ts';
import { isFresh } from '../../../core/session.ts';
import type { Operation } from '../../../operations/admin/operation.ts';
import { findSecondFactor } from '../../../storage/members/second-factor.ts';
import type { Tx } from '../../../storage/store.ts';
import type { CurrentSession } from '../../session.ts';
import { endsForGood } from './form/ending.ts';
import type { Facts } from './visitor.ts';

/** Acts that give power over a tenant, beside those that end something for good. */
const powers: ReadonlySet<string> = new Set([
  'clients.addSecret',
  'keys.rotate',
  'members.resetSecondFactor',
  'registrationTokens.create',
  'serviceTokens.create',
  'tokens.create',
]);

/** Fields that do so: with any value, or with this one. */
const powerful: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  'members.change': { password: null, userType: null },
  'members.create': { userType: null },
  'tenants.change': { adminSecondFactor: 'optional' },
};

/** Whether an act is grave, with what is said in its form. */
export function isGrave(operation: Operation, said: Facts): boolean {
  if (!operation.acts) return false;
  if (powers.has(operation.name) || endsForGood(operation, said)) return true;
  return Object.entries(powerful[operation.name] ?? {}).some(([field, value]) =>
    value === null ? said[field] !== undefined : said[field] === value,
  );
}

/** A grave act was asked for in a session whose second factor was proven too long ago: nothing was done. */
export class ProofNeeded extends Error {
  override readonly name = 'ProofNeeded';
}

/** Whether an administrator proves the second factor once more before a grave act; who has none is not asked. */
export async function needsProof(tx: Tx, { session, member }: CurrentSession, now: number): Promise<boolean> {
  if (isFresh(session, freshFactor, now)) return false;
  return (await findSecondFactor(tx, member.id)) !== null;
}
