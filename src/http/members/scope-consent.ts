// The page where a member allows a third party's client what it asks for.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Client } from '../../core/client.ts';
import { shownName } from '../../core/members/details.ts';
import { hostOf, isOnDevice, isUnverified } from '../../core/registration/unverified-client.ts';
import { type AuthorizationOutcome, answerScopes } from '../../operations/authorization/authorization.ts';
import { claimOf } from '../../operations/registration/unverified-client.ts';
import type { Language } from '../../text/language.ts';
import { noteRefusal, transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { formTarget } from '../headers.ts';
import { answerAuthorization } from '../oidc/authorize.ts';
import { contextOf, type Flow, languageOf, sealFlow, sendStale, stepOf } from '../oidc/flow.ts';
import { sendPage } from '../pages/pages.ts';
import { sendProblem } from '../pages/problem.ts';
import { type CurrentSession, currentSession } from '../session.ts';
import { askedScopes } from './asked-scopes.ts';
import { shownFacts } from './facts.ts';
import { flowPage } from './flow-page.ts';

/** GET and POST /consent: a third party's client asks the member (decision 14). */
export function scopeConsentPage(app: FastifyInstance, deps: Deps): void {
  flowPage(app, deps, '/consent', {
    show: (reply, flow) => take(reply, flow, undefined, deps),
    submit: (reply, flow) => take(reply, flow, pageForm(reply.request, ['action']).action, deps),
  });
}

async function take(reply: FastifyReply, flow: Flow, action: string | undefined, deps: Deps) {
  const { request } = reply;
  const step = await stepOf(request, flow);
  if (step === null) return sendProblem(reply, 'noFlow');

  const { outcome, claim, current, isForeign } = await transactionOf(request, deps, async (tx) => {
    const now = deps.clock();
    const current = await currentSession(tx, request, now);
    const session = current?.session ?? null;
    // Another member signed in since the page was opened: the answer is not theirs (F2).
    const isForeign = action !== undefined && session !== null && flow.askedOf !== session.id;
    const answer = !isForeign && (action === 'allow' || action === 'deny') ? action : null;
    const outcome = await answerScopes(tx, { ...step, now }, session, answer, deps);
    const claim = outcome.kind === 'interact' ? await claimOf(tx, request.tenant, outcome.client) : null;
    return { outcome, claim, current, isForeign };
  });
  if (isForeign)
    noteRefusal(request, {
      event: 'form_refused',
      rule: 'form_foreign',
      reason: 'a consent of another session',
    });
  if (outcome.kind === 'interact' && outcome.page === 'consent' && current !== null) {
    return sendQuestion(reply.status(isForeign ? 403 : 200), flow, outcome, { ...current, claim }, deps);
  }
  if (isForeign) return sendStale(reply, flow);
  return answerAuthorization(reply, outcome, contextOf(flow), deps);
}

function sendQuestion(
  reply: FastifyReply,
  flow: Flow,
  { client, request }: Extract<AuthorizationOutcome, { kind: 'interact' }>,
  { session, member, claim }: CurrentSession & { readonly claim: string | null },
  deps: Deps,
) {
  const language = languageOf(reply.request, flow);
  const isUnknown = isUnverified(client);
  const { redirectUri } = request.target;
  return sendPage(reply, {
    template: 'members/scope-consent.eta',
    status: reply.statusCode,
    language,
    title: isUnknown ? 'consent.unverified.title' : 'consent.title',
    titleValues: { client: shownName(client.name) },
    formTargets: [formTarget(redirectUri)],
    data: {
      client: shownName(client.name),
      clientLogo: client.logo,
      // No operator has looked at it: its host is all that is known (decision 50).
      unverified: isUnknown
        ? shownFacts(language, [
            ['consent.unverified.app', language.t('consent.unverified.host', { host: client.name })],
            ['consent.unverified.claim', claim === null ? null : shownName(claim)],
            ['consent.unverified.target', targetOf(language, client, redirectUri)],
          ])
        : null,
      scopes: askedScopes(language, request.scope, request.apis),
      email: member.email,
      flow: sealFlow(reply, { ...flow, askedOf: session.id }, deps),
    },
  });
}

/** Where the answer goes, in words: to whatever app of the device listens, or to a host; null where that is the app's own. */
function targetOf({ t }: Language, { name }: Pick<Client, 'name'>, redirectUri: string): string | null {
  const host = hostOf(redirectUri);
  if (isOnDevice(redirectUri)) return t('consent.unverified.device', { host });
  return host === name ? null : host;
}
