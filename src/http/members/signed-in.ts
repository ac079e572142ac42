/** Signs a member in and takes the flow on that they came in: in one transaction, and then to where it leads. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Member } from '../../core/members/member.ts';
import { type AuthorizationOutcome, takeStep } from '../../operations/authorization/authorization.ts';
import type { Tx } from '../../storage/store.ts';
import { setSessionCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { answerAuthorization } from '../oidc/authorize.ts';
import { contextOf, type Flow, type FlowStep } from '../oidc/flow.ts';
import { beginSessionHere } from '../session.ts';

/** A session that began, and what comes of the flow's request; null where it has none. */
export interface SignedIn {
  readonly flow: Flow;
  readonly secret: string;
  readonly outcome: AuthorizationOutcome | null;
}

/** @param step where the flow stands (`stepOf`) */
export async function signInTo(
  tx: Tx,
  request: FastifyRequest,
  { flow, step }: { readonly flow: Flow; readonly step: FlowStep | null },
  { member, newHash }: { readonly member: Member; readonly newHash: string | null },
  deps: Deps,
): Promise<SignedIn> {
  const { session, secret } = await beginSessionHere(tx, request, member, newHash, deps);
  const outcome = step === null ? null : await takeStep(tx, { ...step, now: deps.clock() }, session, deps);
  return { flow, secret, outcome };
}

/** Leads on, signed in. */
export function answerSignedIn(
  reply: FastifyReply,
  { flow, secret, outcome }: SignedIn,
  deps: Deps,
): Promise<FastifyReply> | FastifyReply {
  setSessionCookie(reply, secret);
  if (outcome === null) return reply.redirect(flow.returnTo, 303);
  return answerAuthorization(reply, outcome, contextOf(flow), deps);
}
