// What a form begins with: the address that was typed on the way, or a client's `login_hint`.
import type { FastifyRequest } from 'fastify';
import { idIn } from '../../core/id.ts';
import { transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import type { Flow } from '../oidc/flow.ts';
import { currentSession } from '../session.ts';

/** The address that a form begins with: what was typed on the way, or the hint as it was sent; the id of a member is no address (interop 69). */
export function hintedAddress({ email, parameters }: Flow): string {
  const hint = email ?? parameters?.login_hint ?? '';
  return idIn(hint) === null ? hint : '';
}

/**
 * The same on the sign-in page, where an id stands for the address of its member, if that member is signed in in this
 * very browser and only has to sign in anew. Of no other member an address is shown: an id is no secret.
 */
export async function addressToSignIn(request: FastifyRequest, flow: Flow, deps: Deps): Promise<string> {
  const memberId = idIn(flow.parameters?.login_hint ?? '');
  if (flow.email !== undefined || memberId === null) return hintedAddress(flow);
  const current = await transactionOf(request, deps, (tx) => currentSession(tx, request, deps.clock()));
  return current?.member.id === memberId ? current.member.email : '';
}
