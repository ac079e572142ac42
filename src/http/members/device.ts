import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { shownName } from '../../core/members/details.ts';
import { readUserCode, showUserCode } from '../../core/user-code.ts';
import type { Language } from '../../language.ts';
import { refuseOtherMethods } from '../answers.ts';
import { transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { pageForm, pick, queryOf } from '../form.ts';
import { countedMember } from '../limits/limit-reached.ts';
import { flowUrl, sealFlow } from '../oidc/flow.ts';
import { isUndone } from '../pages/head.ts';
import { requestLanguage } from '../pages/language.ts';
import { sendPage } from '../pages/pages.ts';
import { sendProblem } from '../pages/problem.ts';
import { isFromAnotherSite, requireOwnForm } from '../same-origin.ts';
import { type CurrentSession, currentSession, SessionOver } from '../session.ts';
import { decidedPages, decidedUrl } from './device-decided.ts';
import { type FoundDevice, lookUpDevice } from './device-lookup.ts';
import { decideDevice, sealDevice } from './device-verdict.ts';
import { createTurns, type Turns } from './turns.ts';

const url = '/device';

/**
 * The device pages, where a member approves a TV (RFC 8628 §3.3; decisions 29, 30; pages 13 to 16):
 *
 *     GET  /device                the field for the code
 *     GET  /device?user_code=…    the approve page, reached by typing or by the QR code; it changes nothing
 *     POST /device/approve        approve or reject; the pages that follow are in `device-decided.ts`
 */
export function devicePages(app: FastifyInstance, deps: Deps): void {
  // Where no client has the device flow there is nothing to approve (D6).
  app.addHook('onRequest', async ({ tenant }, reply) => {
    return tenant.deviceFlow ? undefined : sendProblem(reply, 'notFound');
  });
  refuseOtherMethods(app, url, ['GET', 'POST']);
  const turns = createTurns(deps.pause);
  app.get(url, (request, reply) => show(request, reply, turns, deps));
  app.post(url, { onRequest: requireOwnForm }, (request, reply) => enter(request, reply));

  refuseOtherMethods(app, `${url}/approve`, ['GET', 'POST']);
  // A page that was left open, or loaded again: the way goes on at the code.
  app.get(`${url}/approve`, (_request, reply) => reply.redirect(url, 303));
  app.post(`${url}/approve`, { onRequest: requireOwnForm }, (request, reply) => decide(request, reply, deps));
  decidedPages(app, deps);
}

async function show(
  request: FastifyRequest,
  reply: FastifyReply,
  turns: Turns,
  deps: Deps,
): Promise<FastifyReply> {
  // A page fetched ahead is not a page opened by a member (U2).
  if (/\bprefetch\b/.test(String(request.headers['sec-purpose'] ?? ''))) return reply.status(503).send();
  const { user_code: typed, ui_locales: chosen } = pick(queryOf(request) ?? new Map(), [
    'user_code',
    'ui_locales',
  ]).values;
  const current = await transactionOf(request, deps, (tx) => currentSession(tx, request, deps.clock()));
  if (current === null) return sendToSignIn(reply, typed, chosen ?? null, deps);
  const language = languageOf(request, current, chosen);
  if (typed === undefined) return sendEntry(reply, language);
  const digits = readUserCode(typed);
  if (digits === null) return sendEntry(reply, language, { typed, problem: 'device.error.format' });

  // A link on another site must not use up a member's tries: there the code is filled in, and not looked up.
  // Nor is it by a HEAD, whose look-up would not be counted (`pages/head.ts`).
  if (isFromAnotherSite(request) || isUndone(request))
    return sendEntry(reply, language, { typed: showUserCode(digits) });
  const result = await lookUpDevice(request, current, digits, turns, deps).catch(signedOut);
  if (result === 'signed-out') return sendToSignIn(reply, typed, chosen ?? null, deps);
  if (result === 'busy') return sendProblem(reply, 'busy', { language });
  if (result === 'limited')
    return sendProblem(reply, 'tooManyCodes', {
      language,
      limitKey: countedMember(current.member.id),
      ways: [
        { href: url, text: 'device.rejected.again' },
        { href: '/account', text: 'account.title' },
      ],
    });
  if (result === null) {
    return sendEntry(reply, language, { typed: showUserCode(digits), problem: 'device.error.notValid' });
  }
  return sendApprove(reply, language, current, digits, result, deps);
}

/** What is answered where the session ended meanwhile. */
function signedOut(error: unknown): 'signed-out' {
  if (error instanceof SessionOver) return 'signed-out';
  throw error;
}

/** The code typed: it goes into the address, and the page that follows is the one the QR code opens. */
async function enter(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { user_code: typed = '' } = pageForm(request, ['user_code']);
  const digits = readUserCode(typed);
  if (digits === null) {
    return sendEntry(reply, languageOf(request, null), { typed, problem: 'device.error.format' });
  }
  return reply.redirect(deviceUrl(showUserCode(digits)), 303);
}

async function decide(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { confirm, verdict } = pageForm(request, ['confirm', 'verdict']);
  // A form that does not say which button was pressed decides nothing.
  if (verdict !== 'approve' && verdict !== 'reject') return reply.redirect(url, 303);
  const answer = await decideDevice(request, confirm, verdict, deps);
  switch (answer.kind) {
    case 'signed-out':
      return sendToSignIn(reply, answer.typed, null, deps);
    case 'foreign':
      return sendProblem(reply, 'crossSite');
    case 'not-valid':
      return sendEntry(reply, languageOf(request, answer.current), { problem: 'device.error.notValid' });
    case 'approved':
    case 'rejected':
      return reply.redirect(decidedUrl(reply, answer.kind, { codeId: answer.codeId, verdict }, deps), 303);
    default:
      throw new Error(`unknown answer ${JSON.stringify(answer satisfies never)}`);
  }
}

const deviceUrl = (typed: string | undefined) =>
  typed === undefined ? url : `${url}?user_code=${encodeURIComponent(typed)}`;

/** The member signs in first; the code waits in the sealed flow and is not looked at (decision 29; U1). */
function sendToSignIn(
  reply: FastifyReply,
  typed: string | undefined,
  language: string | null,
  deps: Deps,
): FastifyReply {
  const flow = { startedAt: deps.clock(), parameters: null, returnTo: deviceUrl(typed), language };
  return reply.redirect(flowUrl('/sign-in', sealFlow(reply, flow, deps)), 303);
}

function languageOf(request: FastifyRequest, current: CurrentSession | null, chosen?: string): Language {
  return requestLanguage(request, [chosen, current?.member.locale]);
}

interface Entry {
  readonly typed?: string;
  /** Key of the text that says what is wrong. */
  readonly problem?: string;
}

function sendEntry(
  reply: FastifyReply,
  language: Language,
  { typed = '', problem }: Entry = {},
): Promise<FastifyReply> {
  return sendPage(reply, {
    template: 'members/device/entry.eta',
    language,
    title: 'device.title',
    status: problem === undefined ? 200 : 422,
    isError: problem !== undefined,
    again: { action: url, fields: {} },
    data: { typed, problem: problem === undefined ? null : language.t(problem) },
  });
}

function sendApprove(
  reply: FastifyReply,
  language: Language,
  current: CurrentSession,
  digits: string,
  { code, client }: FoundDevice,
  deps: Deps,
): Promise<FastifyReply> {
  const minutes = Math.max(0, Math.floor((deps.clock() - code.createdAt) / 60_000));
  return sendPage(reply, {
    template: 'members/device/approve.eta',
    language,
    title: 'device.approve.title',
    again: { action: url, fields: { user_code: showUserCode(digits) } },
    data: {
      client: shownName(client.name),
      logo: client.logo,
      userCode: showUserCode(digits),
      // A third party says what it will see; the operator's own apps need no leave (decision 14).
      scopes: client.thirdParty ? code.scope.split(' ') : [],
      email: current.member.email,
      deviceName: code.deviceName,
      deviceModel: code.deviceModel,
      ipAddress: code.ipAddress.replace(/^::ffff:(?=\d+\.)/, ''),
      place: deps.placeOf(code.ipAddress, language.tag),
      asked: language.t('device.approve.asked', { minutes }),
      confirm: sealDevice(reply, { codeId: code.id, sessionId: current.session.id, digits }, deps),
    },
  });
}
