// The pages where a member approves a TV.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readUserCode, showUserCode } from '../../../core/grants/user-code.ts';
import { sha256 } from '../../../core/hash.ts';
import { deviceCodeLifetime, wrongUserCodes } from '../../../core/limits.ts';
import { shownName } from '../../../core/members/details.ts';
import { freshFactor } from '../../../core/members/limits.ts';
import { isProvenWithin } from '../../../core/session.ts';
import { decideDevice } from '../../../operations/device/decide-device.ts';
import {
  type Entrant,
  type FoundDevice,
  type LookedUp,
  lookUpDevice,
} from '../../../operations/device/look-up-device.ts';
import { seenAt } from '../../../operations/session/notice.ts';
import { insertWrongUserCode } from '../../../storage/members/guesses/wrong-user-code.ts';
import type { Language } from '../../../text/language.ts';
import { addressKey, networkKey } from '../../address.ts';
import { noteRefusal } from '../../audit.ts';
import { browserCookie, noteApp } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm, pageQuery } from '../../form.ts';
import { countedMember } from '../../limit-reached.ts';
import { sendToSignInAnew } from '../../oidc/flow.ts';
import { formToken, givenForm } from '../../pages/form-token.ts';
import { enter } from '../../pages/guarded-page.ts';
import { isUndone } from '../../pages/head-request.ts';
import { requestLanguage, sendPage } from '../../pages/pages.ts';
import { sendProblem } from '../../pages/problem.ts';
import { isFromAnotherSite, requireOwnForm } from '../../same-origin.ts';
import { askedScopes } from '../asked-scopes.ts';
import { shownFacts } from '../facts.ts';
import { type MemberVisit, memberGuard } from '../member-guard.ts';
import { beginning } from '../times.ts';
import { decidedAgain, decidedPages, decidedUrl } from './device-decided.ts';

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
  app.refuseOthers(app, url, ['GET', 'POST']);
  app.get(url, (_request, reply) => show(reply, deps));
  app.post(url, { onRequest: requireOwnForm }, (_request, reply) => submit(reply));
  app.refuseOthers(app, `${url}/approve`, ['GET', 'POST']);
  // A page that was left open, or loaded again: the way goes on at the code.
  app.get(`${url}/approve`, (_request, reply) => reply.redirect(url, 303));
  app.post(`${url}/approve`, { onRequest: requireOwnForm }, (_request, reply) => decide(reply, deps));
  decidedPages(app, deps);
}

/** A member at the pages of the code, and back there from the sign-in: the code is not looked at yet (decision 29; U1). */
const deviceGuard = (deps: Deps) =>
  memberGuard(deps, ({ request }) => {
    const { user_code: typed, ui_locales: chosen = null } = asked(request);
    const entered = enteredIn(request);
    const code = entered === null ? typed : showUserCode(entered.digits);
    return { purpose, returnTo: code === undefined ? url : deviceUrl(code), chosen };
  });

const asked = (request: FastifyRequest) => pageQuery(request, ['user_code', 'ui_locales']);

function show(reply: FastifyReply, deps: Deps) {
  const { request } = reply;
  // A page fetched ahead is not a page opened by a member (U2).
  if (/\bprefetch\b/.test(String(request.headers['sec-purpose'] ?? ''))) return reply.status(503).send();
  const { user_code: typed } = asked(request);
  const digits = typed === undefined ? null : readUserCode(typed);
  // A link on another site must not use up a member's tries: there the code is filled in, and not looked up.
  // A HEAD does not look it up either: the look-up would not be counted (`pages/head-request.ts`).
  if (digits !== null && !isFromAnotherSite(request) && !isUndone(request)) {
    return lookUp(reply, digits, deps);
  }
  return enter(deviceGuard(deps), reply, (_tx, { language }) => () => {
    if (typed === undefined) return sendEntry(reply, language);
    if (digits === null) return sendEntry(reply, language, { typed, problem: 'device.error.format' });
    return sendEntry(reply, language, { typed: showUserCode(digits) });
  });
}

/** Looks the code up in the transaction that lets its member in. */
function lookUp(reply: FastifyReply, digits: string, deps: Deps) {
  return enter(deviceGuard(deps), reply, async (tx, visit) => {
    const { request } = visit;
    const entering = {
      entrant: entrantOf(visit),
      network: networkKey(request.address),
      browserHash: sha256(browserCookie(request)),
    };
    const found = await lookUpDevice(tx, request.tenant, entering, digits, deps.clock());
    return () => answerLookUp(visit, digits, found);
  });
}

/** What is slowed waits for its turn. */
async function answerLookUp(visit: MemberVisit, digits: string, looked: LookedUp) {
  const { request, reply, member, language, deps } = visit;
  const { result, wait, isAgain = false } = looked;
  if (result === null && !isAgain) {
    const reason = 'no device waits with this user code';
    noteRefusal(request, { event: 'device_code_wrong', actorKind: 'member', actorId: member.id, reason });
  }
  if (wait !== undefined) {
    // An attacker tries codes on this tenant from many accounts: the operator should know.
    const { id: key, name: tenant } = request.tenant;
    request.log.warn({ tenant }, 'user codes are being guessed');
    request.reachedLimit = { name: 'tenant_user_codes', key, memberId: null, wait: wrongUserCodes.window };
    if (wait !== null) await deps.pause(wait);
  }
  if (result === 'busy') return sendProblem(reply, 'busy', { language });
  if (result === 'limited') {
    const ways = [
      { href: url, text: 'device.again' },
      { href: '/account', text: 'account.title' },
    ];
    return sendProblem(reply, 'tooManyCodes', { language, limitKey: countedMember(member.id), ways });
  }
  if (result === null) {
    return sendEntry(reply, language, { typed: showUserCode(digits), problem: 'device.error.notValid' });
  }
  if ('decided' in result) return reply.redirect(decidedAgain(reply, result.decided, deps), 303);
  return mustProve(visit) ? askToProve(visit, digits) : sendApprove(visit, digits, result);
}

/** Whether the tenant asks for a newer proof before a TV is approved: a browser that was left open approves none. */
const mustProve = ({ request, session, deps }: MemberVisit) =>
  request.tenant.deviceFactor === 'fresh' && !isProvenWithin(session, freshFactor, deps.clock());

/** The sign-in once more, and back to the code. */
function askToProve({ reply, member, deps }: MemberVisit, digits: string) {
  const { email } = member;
  return sendToSignInAnew(reply, { returnTo: deviceUrl(showUserCode(digits)), language: null, email }, deps);
}

/** Whom a wrong code counts for. */
const entrantOf = ({ member, request: { tenant, address } }: MemberVisit): Entrant => ({
  tenantId: tenant.id,
  memberId: member.id,
  address: addressKey(address),
});

/** The code typed: it goes into the address, and the page that follows is the one the QR code opens. */
async function submit(reply: FastifyReply) {
  const { request } = reply;
  const { user_code: typed = '' } = pageForm(request, ['user_code']);
  const digits = readUserCode(typed);
  if (digits === null) {
    return sendEntry(reply, requestLanguage(request, []), { typed, problem: 'device.error.format' });
  }
  return reply.redirect(deviceUrl(showUserCode(digits)), 303);
}

/** What the approve page's form carries: proof that this session entered this code (decision 30). */
interface EnteredCode {
  readonly codeId: string;
  readonly sessionId: string;
  readonly digits: string;
}

const purpose = 'device';

function enteredIn(request: FastifyRequest): EnteredCode | null {
  const { confirm } = pageForm(request, ['confirm']);
  return (givenForm(request, purpose, confirm)?.carried as EnteredCode | undefined) ?? null;
}

function decide(reply: FastifyReply, deps: Deps) {
  const { request } = reply;
  const { verdict } = pageForm(request, ['verdict']);
  // A form that does not say which button was pressed decides nothing.
  if (verdict !== 'approve' && verdict !== 'reject') return reply.redirect(url, 303);
  return enter(deviceGuard(deps), reply, async (tx, visit) => {
    const entered = enteredIn(request);
    if (entered?.sessionId !== visit.session.id) {
      // A decision on a code that was never entered in this session is a guess too (U13).
      const now = deps.clock();
      await insertWrongUserCode(tx, entrantOf(visit), now, now);
      return () => sendProblem(reply, 'crossSite');
    }
    if (verdict === 'approve' && mustProve(visit)) return () => askToProve(visit, entered.digits);
    const { codeId } = entered;
    const answer = await decideDevice(tx, request.tenant, codeId, verdict, visit, deps);
    if (answer === 'not-valid') {
      return () => sendEntry(reply, visit.language, { problem: 'device.error.notValid' });
    }
    return () => reply.redirect(decidedUrl(reply, answer, { codeId, verdict }, deps), 303);
  });
}

const deviceUrl = (typed: string) => `${url}?user_code=${encodeURIComponent(typed)}`;

interface Entry {
  readonly typed?: string;
  /** Key of the text that says what is wrong. */
  readonly problem?: string;
}

function sendEntry(reply: FastifyReply, language: Language, { typed = '', problem }: Entry = {}) {
  return sendPage(reply, {
    template: 'members/device/entry.eta',
    language,
    title: 'device.title',
    problems: problem === undefined ? [] : [{ field: 'user_code', text: language.t(problem) }],
    again: { action: url, fields: {} },
    data: { typed, minutes: deviceCodeLifetime / 60_000 },
  });
}

function sendApprove(visit: MemberVisit, digits: string, { code, client, apis }: FoundDevice) {
  const { reply, language, member, session, deps } = visit;
  noteApp(reply, client);
  const { place, address } = seenAt(visit, code.ipAddress);
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
      scopes: client.thirdParty ? askedScopes(language, code.scope, apis) : [],
      email: member.email,
      reported: shownFacts(language, [
        ['device.approve.name', code.deviceName],
        ['device.approve.model', code.deviceModel],
      ]),
      observed: shownFacts(language, [
        ['device.approve.address', address],
        ['device.approve.place', place],
        ['device.approve.time', beginning(language.t('device.approve.asked', { minutes }), language.tag)],
      ]),
      confirm: formToken(reply, purpose, deps, { codeId: code.id, sessionId: session.id, digits }),
    },
  });
}
