// The logout endpoint.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type LogoutAnswer, type LogoutRefusal, logout } from '../../core/oidc/logout.ts';
import type { Rule } from '../../core/refusals/rule.ts';
import { endSession } from '../../core/session.ts';
import { apply } from '../../storage/apply.ts';
import { findClient } from '../../storage/clients/client.ts';
import { refuseOtherMethods } from '../answers.ts';
import { noteRefusal, transactionOf } from '../audit.ts';
import { clearSessionCookie, noteApp } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { pick, sentForm } from '../form.ts';
import { formToken, givenForm } from '../pages/form-token.ts';
import { requestLanguage, sendPage } from '../pages/pages.ts';
import { sendProblem } from '../pages/problem.ts';
import { isCrossSitePost, isSameOrigin } from '../same-origin.ts';
import { currentSession } from '../session.ts';
import { redirectToClient } from './authorization-response.ts';
import { readHint } from './flow.ts';

const parameters = [
  'client_id',
  'id_token_hint',
  'post_logout_redirect_uri',
  'state',
  'ui_locales',
  'confirm',
] as const;
type Parameters = Partial<Record<(typeof parameters)[number], string>>;

/** The seal of our own "sign out" buttons: no other page can press them. */
const confirmation = 'sign-out';

export const sealConfirmation = (reply: FastifyReply, deps: Pick<Deps, 'clock' | 'random'>): string =>
  formToken(reply, confirmation, deps);

const url = '/api/oidc/session/end';

/** GET and POST /api/oidc/session/end (contract; RP-Initiated Logout; decision 36). */
export function logoutEndpoint(app: FastifyInstance, deps: Deps): void {
  refuseOtherMethods(app, url, ['GET', 'POST']);
  app.route({ method: ['GET', 'POST'], url, handler: (request, reply) => end(request, reply, deps) });
}

async function end(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { tenant } = request;
  const picked = pick(sentForm(request) ?? new Map(), parameters);
  // What was sent twice, or cannot be read, names no client or member: the member is asked, and ends on our page (L4).
  const values: Parameters = picked.repeated.length > 0 ? {} : picked.values;
  // Without this, an image on any page could sign members out.
  if (!isNavigation(request)) return sendProblem(reply, 'crossSite');
  if (isCrossSitePost(request)) {
    const query = new URLSearchParams(values as Record<string, string>);
    return reply.redirect(`${request.routeOptions.url}?${query}`, 303);
  }
  const hint = await readHint(tenant, values.id_token_hint);
  const answer = await transactionOf(request, deps, async (tx) => {
    const current = await currentSession(tx, request, deps.clock());
    // The client that is signed out of: the one named, else the one that a valid hint was issued to.
    const clientId = values.client_id ?? hint?.clientId;
    const client = clientId === undefined ? null : await findClient(tx, tenant.id, clientId);
    const decided = logout({
      hint,
      clientId: values.client_id,
      client,
      session: current?.session ?? null,
      postLogoutRedirectUri: values.post_logout_redirect_uri,
      confirmed: isConfirmed(request, values.confirm),
    });
    if (decided.kind !== 'ask' && current !== null) {
      await apply(tx, endSession(current.session), {
        event: 'signed_out',
        clientId: client?.clientId ?? null,
      });
    }
    return { ...decided, client, locale: current?.member.locale ?? null };
  });
  if (answer.kind !== 'redirect' && answer.refused !== null && answer.client !== null) {
    const { clientId } = answer.client;
    const why = refusals[answer.refused];
    noteRefusal(request, { event: 'return_address_refused', clientId, target: clientId, ...why });
  }
  if (answer.client !== null) noteApp(reply, answer.client);
  if (answer.kind !== 'ask') clearSessionCookie(reply);
  return send(reply, answer, values, deps);
}

/** Why a client's logout does not lead back to it, in words for an operator. */
const refusals = {
  address: {
    rule: 'post_logout_uri_unregistered',
    reason: 'the post_logout_redirect_uri is not registered',
  },
  hint: {
    rule: 'hint_foreign',
    reason: 'the id_token_hint is not an id_token of this client and of the session in this browser',
  },
} as const satisfies Readonly<Record<LogoutRefusal, { readonly rule: Rule; readonly reason: string }>>;

function send(
  reply: FastifyReply,
  answer: LogoutAnswer & { readonly locale: string | null },
  { ui_locales: asked, state, client_id: clientId, post_logout_redirect_uri: uri }: Parameters,
  deps: Deps,
): Promise<FastifyReply> | FastifyReply {
  const language = requestLanguage(reply.request, [asked], answer.locale);
  const isUnregistered = answer.kind !== 'redirect' && answer.refused === 'address';
  // What a page keeps of its question has no hint: an id_token stands on no page (W9), nor an unregistered address (L3).
  const known = isUnregistered ? undefined : uri;
  switch (answer.kind) {
    case 'redirect':
      return redirectToClient(reply, answer.uri, state === undefined ? {} : { state });
    case 'ask':
      return sendPage(reply, {
        template: 'members/sign-out.eta',
        language,
        title: 'signOut.title',
        again: {
          action: url,
          fields: given({ client_id: clientId, post_logout_redirect_uri: known, state }),
        },
        data: { confirm: sealConfirmation(reply, deps), isUnregistered },
      });
    case 'signed-out':
      return sendPage(reply, {
        template: 'members/signed-out.eta',
        language,
        title: 'signedOut.title',
        again: { action: url, fields: {} },
        data: {
          isUnregistered,
          ways: [{ href: '/sign-in', text: 'signIn.submit' }],
        },
      });
    default:
      throw new Error(`unknown answer ${JSON.stringify(answer satisfies never)}`);
  }
}

/** Those of some parameters that are present. */
const given = (values: Readonly<Record<string, string | undefined>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

function isConfirmed(request: FastifyRequest, confirm: string | undefined): boolean {
  if (request.method !== 'POST' || confirm === undefined || !isSameOrigin(request)) return false;
  return givenForm(request, confirmation, confirm) !== null;
}

/** Whether a person's browser goes to this address, rather than loading it into another page (decision 36). */
function isNavigation({ headers }: FastifyRequest): boolean {
  // The member has not asked yet for what a browser fetches ahead.
  if (/\bprefetch\b/.test(String(headers['sec-purpose'] ?? ''))) return false;
  const destination = headers['sec-fetch-dest'];
  return destination === undefined || destination === 'document';
}
