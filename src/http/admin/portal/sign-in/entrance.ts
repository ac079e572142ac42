// Lets administrators into the portal who have proven who they are.
import type { FastifyRequest } from 'fastify';
import { auditEvent } from '../../../../core/operators/audit-event.ts';
import { wayOf } from '../../../../core/strength.ts';
import { type Admission, anyMember } from '../../../../operations/sign-in/credentials.ts';
import type { Entered, Proven } from '../../../../operations/sign-in/enter.ts';
import { insertAuditEvent } from '../../../../storage/operators/audit-event.ts';
import type { Tx } from '../../../../storage/store.ts';
import { sourceOf } from '../../../audit.ts';
import type { Deps } from '../../../deps.ts';
import { enterHere } from '../../../session.ts';
import { isAdmin } from '../visit.ts';

/** A member's right password counts as a wrong one here, before the answer says so: else the limits would tell them apart. */
export const administratorsOnly: Admission = (member, now) =>
  anyMember(member, now) ?? (member !== null && isAdmin(member) ? null : 'the member is no administrator');

/** Where administrators come in. */
export const place = { kind: 'admin', admission: administratorsOnly } as const;

/** Begins the portal's session, or says what waits for the second factor. @returns null if the account changed meanwhile */
export async function enterPortal(
  tx: Tx,
  request: FastifyRequest,
  proven: Proven,
  deps: Deps,
): Promise<Entered | null> {
  const entered = await enterHere(tx, request, proven, deps, place);
  if (entered?.kind !== 'entered') return entered;
  const { member, session } = entered;
  const source = { ...sourceOf(request, deps), actorKind: 'admin', actorId: member.id } as const;
  const facts = { event: 'admin_signed_in', target: session.id, way: wayOf(session) } as const;
  await insertAuditEvent(tx, auditEvent(source, facts));
  return entered;
}
