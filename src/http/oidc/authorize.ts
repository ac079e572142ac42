// The authorization endpoint.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Client } from '../../core/client.ts';
import { authorizationRequestLength } from '../../core/oidc/limits.ts';
import {
  authorizationParameters,
  type PageReason,
  readOf,
  type SentParameters,
} from '../../core/oidc/request/authorization-request.ts';
import { referenceIn } from '../../core/oidc/request/pushed-request.ts';
import type { Rule } from '../../core/refusals/rule.ts';
import {
  type AuthorizationContext,
  type AuthorizationOutcome,
  takeStep,
} from '../../operations/authorization/authorization.ts';
import { pushedParameters } from '../../operations/authorization/pushed-request.ts';
import { findClient } from '../../storage/clients/client.ts';
import type { Tx } from '../../storage/store.ts';
import { refuseOtherMethods } from '../answers.ts';
import { noteRefusal, transactionOf } from '../audit.ts';
import { noteApp } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { type Form, pick, sentForm } from '../form.ts';
import { refusedByLimit } from '../limit-reached.ts';
import { requestLanguage } from '../pages/pages.ts';
import { sendProblem } from '../pages/problem.ts';
import { referenceHeader } from '../request-log.ts';
import { isCrossSitePost } from '../same-origin.ts';
import { currentSession } from '../session.ts';
import { encode, respondToClient } from './authorization-response.ts';
import { takeUnverified } from './client/client-authentication.ts';
import { flowUrl, readHintedMember, sealFlow } from './flow.ts';
import { refuseByDocument } from './registration/document.ts';
import { type MeantRequest, meantBy, meantRequest } from './request-object.ts';

const url = '/api/oidc/auth';

/** GET and POST /api/oidc/auth (contract, "web flow step 1"; decisions 6 to 14). */
export function authorizationEndpoint(app: FastifyInstance, deps: Deps): void {
  refuseOtherMethods(app, url, ['GET', 'POST']);
  app.route({ method: ['GET', 'POST'], url, handler: (request, reply) => begin(request, reply, deps) });
}

async function begin(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { tenant } = request;
  const form = sentForm(request);
  const language = requestLanguage(request, [form?.get('ui_locales')?.[0]]);
  if (form === null || lengthOf(form) > authorizationRequestLength) {
    const reason = language.t('problem.request.reason.malformed');
    return sendProblem(reply, 'request', { language, reason });
  }
  if (isCrossSitePost(request)) return reply.redirect(`${request.routeOptions.url}?${encode(form)}`, 303);

  const sent = pick(form, authorizationParameters);
  const named = { clientId: sent.values.client_id, language: () => language };
  const stopped = await refuseByDocument(request, reply, named, deps);
  if (stopped !== null) return stopped;
  const pushed = await lookUpPushed(request, sent, deps);
  const meant = await meantRequest(request, sent, deps);
  const { id_token_hint: hint } = (pushed ?? meant.sent).values;
  const hintedMember = await readHintedMember(tenant, hint);
  const { outcome, ...context } = await transactionOf(request, deps, async (tx) => {
    const now = deps.clock();
    const context = { sent, startedAt: now, language: null };
    // What was looked up is taken here, where the flow begins: it may be gone by now.
    const found = await pushedParameters(tx, { tenantId: tenant.id, sent, now }, 'take');
    if (found.kind === 'unknown') return { ...context, outcome: unknownRequestUri(found.client) };
    const begun = found.kind === 'pushed' ? found.sent : await meantIn(tx, tenant.id, meant);
    const current = await currentSession(tx, request, now);
    const step = { tenant, sent: begun, hintedMember, startedAt: now, now };
    const outcome = await takeStep(tx, step, current?.session ?? null, deps);
    return { ...context, sent: begun, outcome: await withinLimit(tx, request, outcome, deps) };
  });
  return answerAuthorization(reply, outcome, context, deps);
}

/** The pushed request that a request refers to; null where it brings its parameters itself. */
async function lookUpPushed(
  request: FastifyRequest,
  sent: SentParameters,
  deps: Deps,
): Promise<SentParameters | null> {
  if (referenceIn(sent.values.request_uri) === null) return null;
  const asked = { tenantId: request.tenant.id, sent, now: deps.clock() };
  const found = await transactionOf(request, deps, (tx) => pushedParameters(tx, asked, 'look'), 'lookUp');
  return found.kind === 'pushed' ? found.sent : null;
}

async function meantIn(tx: Tx, tenantId: string, meant: MeantRequest): Promise<SentParameters> {
  const { client_id: clientId } = meant.sent.values;
  if (meant.keys === null || clientId === undefined) return meant.sent;
  return meantBy(await findClient(tx, tenantId, clientId), meant);
}

/** No redirect_uri can be trusted then: it was among what was pushed (decision 6; RFC 9126 §4). */
const unknownRequestUri = (client: Client): AuthorizationOutcome => ({
  kind: 'rejected',
  reason: 'request_uri_unknown',
  client,
});

/** An unverified client that asks too often from one address gets no page to begin at (decision 50). */
async function withinLimit(
  tx: Tx,
  request: FastifyRequest,
  outcome: AuthorizationOutcome,
  deps: Deps,
): Promise<AuthorizationOutcome> {
  if (outcome.kind !== 'interact') return outcome;
  const wait = await takeUnverified(tx, request, outcome.client, deps);
  if (wait === null) return outcome;
  const { error, description } = refusedByLimit(request, 'unverified_clients', wait);
  const parameters = { error, error_description: description };
  return { kind: 'respond', target: outcome.request.target, parameters, rule: error };
}

/** Sends an outcome on its way: to the client, to the page that comes next, or to the person in front. */
export function answerAuthorization(
  reply: FastifyReply,
  outcome: AuthorizationOutcome,
  context: AuthorizationContext,
  deps: Deps,
): Promise<FastifyReply> | FastifyReply {
  noteRefusedRequest(reply.request, outcome, context);
  rememberCaller(reply.request, outcome, context);
  switch (outcome.kind) {
    case 'rejected':
      if (outcome.client !== null) noteApp(reply, outcome.client);
      return reject(reply, outcome, context);
    case 'respond':
      // What an app is refused has a reference, wherever it is refused; a page shows its own.
      if (outcome.rule !== undefined) reply.header(referenceHeader, reply.request.id);
      return respondToClient(reply, outcome, context, deps);
    case 'interact': {
      const { sent, startedAt, language } = context;
      const { values: parameters, pushed = false, signed = false } = readOf(sent, outcome.client);
      const came = { ...(pushed ? { pushed } : {}), ...(signed ? { signed } : {}) };
      const flow = { startedAt, parameters, returnTo: '/account', language, ...came };
      const sealed = sealFlow(reply, flow, deps);
      noteApp(reply, outcome.client);
      return reply.header('cache-control', 'no-store').redirect(flowUrl(`/${outcome.page}`, sealed), 303);
    }
    default:
      throw new Error(`unknown outcome ${JSON.stringify(outcome satisfies never)}`);
  }
}

/** A request that is not rejected names a client of ours. */
function rememberCaller(
  request: FastifyRequest,
  outcome: AuthorizationOutcome,
  { sent }: AuthorizationContext,
): void {
  const clientId = outcome.kind === 'rejected' ? outcome.client?.clientId : sent.values.client_id;
  if (clientId !== undefined) request.caller = { tenant: request.tenant, clientId };
}

/** Why a request is answered to the person in front, in words for an operator (decision 6). */
const rejectedWords: Readonly<Record<PageReason, string>> = {
  client_unknown: 'the client_id is not known',
  client_missing: 'the client_id is missing',
  redirect_uri_unregistered: 'the redirect_uri is not registered',
  redirect_uri_missing: 'the redirect_uri is missing',
  redirect_uri_repeated: 'the redirect_uri was sent more than once',
  request_uri_unknown: 'the request_uri is unknown, too old, used, or of another client',
};

/** Why the client gets no code, where it gets none (Core §3.1.2.6). */
function noteRefusedRequest(
  request: FastifyRequest,
  outcome: AuthorizationOutcome,
  { sent }: AuthorizationContext,
): void {
  const note = (clientId: string | null, rule: Rule, reason: string) =>
    noteRefusal(request, { event: 'authorization_refused', clientId, target: clientId, rule, reason });
  if (outcome.kind === 'rejected') {
    note(outcome.client?.clientId ?? null, outcome.reason, rejectedWords[outcome.reason]);
  }
  if (outcome.kind !== 'respond' || outcome.parameters.error === undefined) return;
  // An error goes to the redirect_uri of a client, so it is one of ours.
  const { error, error_description: description } = outcome.parameters;
  note(sent.values.client_id ?? null, outcome.rule ?? 'invalid_request', `${error}: ${description}`);
}

/** The error page: what was sent and, on a development tenant only, what is registered (decision 6). */
function reject(
  reply: FastifyReply,
  { reason, client }: Extract<AuthorizationOutcome, { kind: 'rejected' }>,
  { sent, language: chosen }: AuthorizationContext,
): Promise<FastifyReply> {
  const { tenant } = reply.request;
  const language = requestLanguage(reply.request, [chosen, sent.values.ui_locales]);
  const { client_id: clientId, redirect_uri: redirectUri } = sent.values;
  const values = Object.entries({ client_id: clientId, redirect_uri: redirectUri }).flatMap(
    ([name, value]) => (value === undefined ? [] : `${name}=${value}`),
  );
  const registered = tenant.development ? (client?.redirectUris ?? []) : [];
  return sendProblem(reply, 'request', {
    language,
    reason: language.t(`problem.request.reason.${reason}`),
    // The same request again, as far as the page shows it.
    again: {
      action: url,
      fields: {
        ...(clientId === undefined ? {} : { client_id: clientId }),
        ...(redirectUri === undefined ? {} : { redirect_uri: redirectUri }),
      },
    },
    details: [
      { label: language.t('problem.request.sent'), values },
      { label: language.t('problem.request.registered'), values: registered },
    ].filter((detail) => detail.values.length > 0),
  });
}

function lengthOf(form: Form): number {
  return [...form].reduce((sum, [name, values]) => sum + name.length + values.join('').length, 0);
}
