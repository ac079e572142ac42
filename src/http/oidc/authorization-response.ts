// Sends the answer to an authorization request to its client.
import type { FastifyReply } from 'fastify';
import { second } from '../../core/limits.ts';
import { signedResponseSeconds } from '../../core/oidc/limits.ts';
import type { AnswerTarget } from '../../core/oidc/request/authorization-request.ts';
import type {
  AuthorizationContext,
  AuthorizationOutcome,
} from '../../operations/authorization/authorization.ts';
import { keyToSign } from '../../operations/tenant/keys.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { signToken } from '../../secrets/signing.ts';
import type { Deps } from '../deps.ts';
import { formTarget } from '../headers.ts';
import { requestLanguage, sendPage } from '../pages/pages.ts';

type Parameters = Readonly<Record<string, string>>;

/**
 * A code or an error, to the redirect_uri: by 303, or by a form that sends itself (decisions 9, 13). Where the client
 * asked for it, as one JWT (JARM §2.3).
 */
export async function respondToClient(
  reply: FastifyReply,
  { target, parameters }: Extract<AuthorizationOutcome, { kind: 'respond' }>,
  { sent, language: chosen }: AuthorizationContext,
  deps: Pick<Deps, 'clock' | 'store' | 'tenants' | 'vault'>,
): Promise<FastifyReply> {
  const { tenant } = reply.request;
  const { redirectUri, responseMode, state } = target;
  const told = { ...parameters, ...(state === undefined ? {} : { state }), iss: tenant.issuer };
  const answer = await asAsked(tenant, target, told, deps);
  if (responseMode === 'query') return redirectToClient(reply, redirectUri, answer);
  return sendPage(reply.header('cache-control', 'no-store'), {
    template: 'oidc/form-post.eta',
    language: requestLanguage(reply.request, [chosen, sent.values.ui_locales]),
    title: 'formPost.title',
    formTargets: [formTarget(redirectUri)],
    // It is on its way already.
    again: null,
    data: { action: redirectUri, fields: Object.entries(answer) },
  });
}

/** The parameters as they are, or signed in one (JARM §2.1; interop 70). */
async function asAsked(
  tenant: OpenTenant,
  { signed }: AnswerTarget,
  told: Parameters,
  deps: Pick<Deps, 'clock' | 'store' | 'tenants' | 'vault'>,
): Promise<Parameters> {
  if (signed === undefined) return told;
  const now = deps.clock();
  const exp = Math.floor(now / second) + signedResponseSeconds;
  const key = await keyToSign(deps.store, tenant, signed.idTokenAlgorithm, { ...deps, now });
  return { response: await signToken(key, 'JWT', { ...told, aud: signed.clientId, exp }) };
}

/** Leads to an address of a client, with what it is told. */
export function redirectToClient(
  reply: FastifyReply,
  uri: string,
  parameters: Readonly<Record<string, string>>,
): FastifyReply {
  const query = encode(new Map(Object.entries(parameters)));
  const address = query === '' ? uri : `${uri}${uri.includes('?') ? '&' : '?'}${query}`;
  return reply.header('cache-control', 'no-store').redirect(address, 303);
}

/** Percent-encodes parameters for a query; a space is %20, which every decoder reads alike (S8). */
export function encode(parameters: ReadonlyMap<string, string | readonly string[]>): string {
  return [...parameters]
    .flatMap(([name, values]) => [values].flat().map((value) => [name, value]))
    .map((pair) => pair.map((text) => encodeURIComponent(String(text))).join('='))
    .join('&');
}
