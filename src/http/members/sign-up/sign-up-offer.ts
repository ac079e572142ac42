// Whether a page may lead to a new account.
import type { FastifyRequest } from 'fastify';
import { isFromReader } from '../../cookies.ts';
import { type Flow, type FlowRequest, isCheckout } from '../../oidc/flow.ts';

/**
 * Whether a flow may end with a new account (pages 12; S4). With an app that is for the app to say. Without one the
 * visitor is on the way to a subscription, or comes to pages of our own: the account, or that of a TV. There an account is
 * made where the tenant's apps make them, unless this browser comes from an app that does not: a store that
 * forbids it follows every way that leads on from there, and which app shows the address of a TV is not known.
 *
 * @param asked what an app asks for; null where none does
 */
export function maySignUp(request: FastifyRequest, flow: Flow, asked: FlowRequest | null): boolean {
  if (asked !== null) return !asked.client.signupDisabled;
  if (isCheckout(flow)) return true;
  if (isFromReader(request)) return false;
  const { signUp, signUpOnTv } = request.tenant;
  return flow.returnTo.startsWith('/device') ? signUpOnTv : signUp;
}
