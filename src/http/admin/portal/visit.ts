/** Visits of administrators at pages of the portal: who is let in, and what a visit calls. */

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Member } from '../../../core/members/member.ts';
import { endSession } from '../../../core/session.ts';
import type { Call } from '../../../operations/admin/call.ts';
import type { Operation } from '../../../operations/admin/operation.ts';
import { conflict, OperationRefused } from '../../../operations/refusal.ts';
import { apply } from '../../../storage/apply.ts';
import { StorageUnavailable, type Tx } from '../../../storage/store.ts';
import { say } from '../../../text/portal.ts';
import { transactionOf } from '../../audit.ts';
import { sessionCookie } from '../../cookies.ts';
import {
  type Act,
  type Guard,
  type GuardedPage,
  guardedPage,
  visitForm,
  visitToken,
} from '../../pages/guarded-page.ts';
import { type CurrentSession, currentSession, SessionOver } from '../../session.ts';
import { callOperation, mayCall, TooManyCalls } from '../call.ts';
import { operationNamed, proofUrl, readReturn, signInAddress } from './addresses.ts';
import { type Counts, countsOf } from './counts.ts';
import { inputProperties } from './form/read.ts';
import { isGrave, isGraveForm, needsProof, ProofNeeded } from './grave.ts';
import { shownTenant } from './menu.ts';
import { notePortalMethod, sendPortalPage, sendPortalProblem } from './page.ts';
import type { Facts, OperationVisit, Portal, Visit } from './visitor.ts';

/** Answers a visit that was let in: what it reads and changes are operations, which look again (`demandAdmin`). */
export type Answer<V = OperationVisit> = (visit: V) => Promise<FastifyReply> | FastifyReply;

/** Registers a page of the portal whose answer calls operations. */
export function portalPage(
  app: FastifyInstance,
  portal: Portal,
  {
    show,
    submit,
    ...page
  }: Pick<GuardedPage<Visit>, 'url' | 'bodyBytes' | 'takesFiles'> & {
    readonly show?: Answer<Visit>;
    readonly submit?: Answer<Visit>;
  },
): void {
  const after =
    (answer: Answer<Visit>): Act<Visit> =>
    (_tx, visit) =>
    async () => {
      try {
        return await answer(visit);
      } catch (error) {
        if (error instanceof ProofNeeded) return goToProof(visit);
        throw error;
      }
    };
  guardedPage(app, adminGuard(portal, show !== undefined), {
    ...page,
    show: show && after(show),
    submit: submit && after(submit),
  });
}

/**
 * Lets administrators in; others go to the portal's own sign-in.
 *
 * @param isPage whether there is a page to come back to
 */
export function adminGuard(portal: Portal, isPage: boolean): Guard<Visit> {
  const { deps } = portal;
  return {
    deps,
    async admit(tx, reply) {
      const { request } = reply;
      const current = await currentAdmin(tx, request, deps.clock());
      if (current === null) return null;
      const actor = actorOf(current.member);
      const newToken = () => visitToken({ purposeOf }, visit);
      const denial = { isWritten: false };
      const counts = (isAnew = false) => countsHere(visit, isAnew);
      const read = (name: string, input: Facts) => callIfMay(visit, name, input);
      const visit: Visit = { ...portal, ...current, request, reply, actor, denial, counts, read, newToken };
      return visit;
    },
    signIn(reply) {
      const { request } = reply;
      const returnTo = isPage ? request.url : '';
      return isArrival(request) ? sendArrival(reply, returnTo) : reply.redirect(signInAddress(returnTo), 303);
    },
    purposeOf,
    refuseForm: (visit) => sendPortalProblem(visit.reply, 'stale', visit),
    noteMethod: notePortalMethod,
  };
}

/**
 * Whether a link of another site led here: our Strict cookie stays behind then (W3), so that it is not known yet
 * whether the browser is signed in.
 */
function isArrival(request: FastifyRequest): boolean {
  const isLink = request.method !== 'POST' && request.headers['sec-fetch-site'] === 'cross-site';
  return isLink && sessionCookie(request, 'admin') === undefined;
}

/** A page that opens the same address once more, by itself: now the cookie comes along. */
function sendArrival(reply: FastifyReply, address: string): Promise<FastifyReply> {
  const data = { address: readReturn(address) };
  return sendPortalPage(reply, { template: 'arrival', title: say('arrival.title'), visit: null, data });
}

export const isAdmin = ({ userType }: Pick<Member, 'userType'>) =>
  userType === 'tenant_admin' || userType === 'system_admin';

/** An administrator as the operations know one. */
const actorOf = ({ id: memberId, tenantId, userType }: Member) =>
  ({ kind: 'admin', memberId, tenantId, isSystem: userType === 'system_admin' }) as const;

/** The portal's session of the browser; one of a member who administers nothing any more ends. */
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
const purposeOf = ({ session }: Pick<Visit, 'session'>) => `admin ${session.id}`;

/** The id of the form that was sent; null if the form is not of this session. */
export const formOf = (visit: Visit) => visitForm({ purposeOf }, visit)?.id ?? null;

/**
 * Runs an operation for the administrator: the portal has no other way to read or to change anything.
 *
 * @param told hears what it changed
 * @throws OperationRefused, TooManyCalls, or SessionOver
 */
export async function call(
  visit: Visit,
  operation: Operation,
  input: Facts,
  told?: Call['told'],
): Promise<Facts> {
  try {
    const answer = await callOperation(
      { ...callOf(visit, operation, input), ...(told && { told }) },
      visit.deps,
      ({ isWritten }) => isWritten,
    );
    if (operation.acts) forgetCounts(visit);
    return answer as Facts;
  } catch (error) {
    if (error instanceof OperationRefused && error.isWritten) visit.denial.isWritten = true;
    // A form is kept, with what was written in it.
    if (error instanceof TooManyCalls && error.limit === 'costly_calls') {
      throw conflict([], 'too_often', { seconds: error.retryAfter });
    }
    throw error;
  }
}

/** The counts of the shown tenant: if they cannot be read, the page is shown without them. */
async function countsHere(visit: Visit, isAnew: boolean): Promise<Counts | null> {
  const { host, id } = shownTenant(visit);
  if (isAnew) forgetCounts(visit);
  const { knownCounts, deps } = visit;
  try {
    return await countsOf(knownCounts, id, deps.clock(), () =>
      callIfMay(visit, 'counts.read', { tenant: host }),
    );
  } catch (error) {
    if ([SessionOver, StorageUnavailable, TooManyCalls].some((known) => error instanceof known)) return null;
    throw error;
  }
}

const forgetCounts = (visit: Visit) => visit.knownCounts.delete(shownTenant(visit).id);

/** An operation as the administrator calls it. */
export function callOf(visit: Visit, operation: Operation, input: Facts): Call {
  const { actor, request } = visit;
  return {
    operation,
    actor,
    input,
    address: request.address,
    demand: (tx) => demandFor(tx, visit, operation, input),
  };
}

/** The administrator is still signed in, and still administers as much. @throws SessionOver */
async function demandAdmin(tx: Tx, { request, session, actor, deps }: Visit): Promise<CurrentSession> {
  const current = await currentAdmin(tx, request, deps.clock());
  if (current?.session.id !== session.id || actorOf(current.member).isSystem !== actor.isSystem) {
    throw new SessionOver();
  }
  return current;
}

/**
 * The same, with the second factor fresh where the act is grave and the administrator has one.
 *
 * @throws SessionOver, or ProofNeeded
 */
async function demandFor(tx: Tx, visit: Visit, operation: Operation, input: Facts): Promise<void> {
  const current = await demandAdmin(tx, visit);
  if (isGrave(operation, input) && (await needsProof(tx, visit.request.tenant, current, visit.deps.clock())))
    throw new ProofNeeded();
}

/**
 * Asks for the second factor before the form of a grave act is filled in: what was written in it would be lost.
 *
 * @throws ProofNeeded
 */
export async function proveBefore(visit: OperationVisit): Promise<void> {
  const { request, deps, operation } = visit;
  if (!isGraveForm(operation, Object.keys(inputProperties(visit)))) return;
  if (await transactionOf(request, deps, (tx) => needsProof(tx, request.tenant, visit, deps.clock())))
    throw new ProofNeeded();
}

/** Leads to the page that asks for the second factor, and back to this one from there. */
const goToProof = ({ request, reply }: Visit): FastifyReply =>
  reply.redirect(`${proofUrl}?next=${encodeURIComponent(request.url)}`, 303);

/** What an operation answers; null where it has nothing of it for this administrator, which the audit then says. */
export async function callOrNull(visit: Visit, operation: Operation, input: Facts): Promise<Facts | null> {
  try {
    return await call(visit, operation, input);
  } catch (error) {
    if (error instanceof OperationRefused) return null;
    throw error;
  }
}

/**
 * What an operation answers that a page shows beside its own; null where there is no such operation, or
 * nothing of it for this administrator: that was not asked for, and no audit tells of it.
 */
export async function callIfMay(visit: Visit, name: string, input: Facts): Promise<Facts | null> {
  const operation = operationNamed(visit, name);
  if (operation === null || !mayCall(visit, operation) || !hasTenant(visit, input.tenant)) return null;
  return callOrNull(visit, operation, input);
}

/** Whether a tenant, by host or id, is one of the administrator's; what names none is. */
export function hasTenant({ actor, deps }: Visit, named: unknown): boolean {
  if (actor.isSystem || named === undefined) return true;
  return deps.tenants.all().some(({ id, host }) => id === actor.tenantId && (id === named || host === named));
}
