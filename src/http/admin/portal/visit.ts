import type { FastifyRequest } from 'fastify';
import type { Member } from '../../../core/members/member.ts';
import type { Actor } from '../../../core/operators/permission.ts';
import { endSession } from '../../../core/session.ts';
import type { Operation } from '../../../operations/admin/operation.ts';
import { apply } from '../../../storage/apply.ts';
import type { Tx } from '../../../storage/store.ts';
import type { Deps } from '../../deps.ts';
import { type Visit as GuardedVisit, visitForm } from '../../pages/guarded-page.ts';
import { type CurrentSession, currentSession } from '../../session.ts';
import type { UsedForms } from './used-forms.ts';

/** What every page of the portal is made of. */
export interface Portal {
  readonly deps: Deps;
  readonly operations: readonly Operation[];
  readonly usedForms: UsedForms;
}

/** A signed-in administrator at a page of the portal. */
export interface Visit extends GuardedVisit, Portal {
  readonly deps: Deps;
  readonly actor: Extract<Actor, { kind: 'admin' }>;
  /** Whether the audit tells already of what this visit was denied. */
  readonly denial: { isWritten: boolean };
}

export const isAdmin = ({ userType }: Pick<Member, 'userType'>) =>
  userType === 'tenant_admin' || userType === 'system_admin';

/** An administrator as the operations know one. */
export const actorOf = ({ id: memberId, tenantId, userType }: Member) =>
  ({ kind: 'admin', memberId, tenantId, isSystem: userType === 'system_admin' }) as const;

/** The portal's session of the browser; one of somebody who administers nothing any more ends. */
export async function currentAdmin(
  tx: Tx,
  request: FastifyRequest,
  now: number,
): Promise<CurrentSession | null> {
  const current = await currentSession(tx, request, now, 'admin');
  if (current === null || isAdmin(current.member)) return current;
  await apply(tx, endSession(current.session));
  return null;
}

/** What the forms of a session are for. */
export const purposeOf = ({ session }: Pick<Visit, 'session'>) => `admin ${session.id}`;

/** The id of the form that was sent; null if it is none of this session's. */
export const formOf = (visit: Visit) => visitForm({ purposeOf }, visit)?.id ?? null;
