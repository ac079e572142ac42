// Signs a member in with a code by mail: asks for it, and takes its digits.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { readUserCode } from '../../core/grants/user-code.ts';
import { sha256 } from '../../core/hash.ts';
import { countingWindow } from '../../core/limits.ts';
import { shownName } from '../../core/members/details.ts';
import { proofStanding } from '../../core/members/email-proof.ts';
import { browserName, seenAt } from '../../operations/session/notice.ts';
import {
  askForCode,
  findSignInCode,
  type JudgedCode,
  judgeCode,
} from '../../operations/sign-in/email-code.ts';
import { addressKey } from '../address.ts';
import { noteRefusal, transactionOf } from '../audit.ts';
import { browserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { formTarget } from '../headers.ts';
import {
  type Flow,
  flowUrl,
  languageOf,
  requestOf,
  sealFlow,
  stepOf,
  stepsOf,
  withAddress,
} from '../oidc/flow.ts';
import { emphasized } from '../pages/lead.ts';
import { sendPage } from '../pages/pages.ts';
import { sendProblem, sendTooManyMails } from '../pages/problem.ts';
import { askerOf, secondsToWait } from './email-proof.ts';
import { answerSignedIn, flowPage, goToFlow, signInTo } from './flow-page.ts';

const url = '/sign-in/code';

/** GET and POST /sign-in/code: takes the digits of the mail, in the browser that asked for them. */
export function signInCodePage(app: FastifyInstance, deps: Deps): void {
  // A code that was asked for before the tenant turned codes off is worth nothing.
  const where =
    (handler: typeof show) =>
    async (reply: FastifyReply, flow: Flow, own: Deps): Promise<FastifyReply> =>
      reply.request.tenant.emailCodes === 'off'
        ? goToFlow(reply, '/sign-in', flow, own)
        : handler(reply, flow, own);
  flowPage(app, deps, url, { show: where(show), submit: where(submit) });
}

/** One that was used has led on already: the sign-in page knows where to. */
async function show(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { codeId } = flow;
  const browser = sha256(browserCookie(request));
  const found =
    codeId === undefined
      ? null
      : await transactionOf(request, deps, (tx) => findSignInCode(tx, request.tenant, { codeId, browser }));
  const standing = found === null ? 'finished' : proofStanding(found, deps.clock());
  if (standing === 'finished') return goToFlow(reply, '/sign-in', flow, deps);
  return sendForm(reply, flow, deps, standing === 'awaited' ? null : over);
}

async function submit(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { codeId } = flow;
  const { action, code = '' } = pageForm(request, ['action', 'code']);
  if (codeId === undefined) return goToFlow(reply, '/sign-in', flow, deps);
  if (action === 'again') return askByMail(reply, flow, flow.email ?? '', deps);
  const digits = readUserCode(code);
  if (digits === null) return sendForm(reply, flow, deps, problemOf('signUp.verify.error.format'));
  const step = await stepOf(request, flow);
  const typed = { codeId, browser: sha256(browserCookie(request)), digits };
  const { judged, signedIn } = await transactionOf(request, deps, async (tx) => {
    const judged = await judgeCode(tx, request.tenant, typed, deps);
    const isRight = judged.kind === 'right';
    return {
      judged,
      signedIn: isRight ? await signInTo(tx, request, { flow, step }, judged.proven, deps) : null,
    };
  });
  return signedIn === null ? refuse(reply, flow, judged, deps) : answerSignedIn(reply, signedIn, deps);
}

/** Members are told one thing, operators what it was. */
function refuse(reply: FastifyReply, flow: Flow, judged: JudgedCode, deps: Deps) {
  const { request } = reply;
  switch (judged.kind) {
    case 'too-many': {
      const { retryAfter, limitKey } = judged;
      const ways = [{ href: flowUrl(url, sealFlow(reply, flow, deps)), text: 'signUp.verify.back' }];
      const problem = { language: languageOf(request, flow), limitKey, ways };
      return sendProblem(reply.header('retry-after', retryAfter), 'tooManySignIns', problem);
    }
    case 'used':
      return goToFlow(reply, '/sign-in', flow, deps);
    case 'wrong':
      noteRefused(request, flow, judged.memberId, 'a wrong code of a mail');
      return sendForm(
        reply,
        flow,
        deps,
        problemOf(judged.isOver ? 'signIn.code.over' : 'signUp.verify.error.wrong'),
      );
    case 'right':
      noteRefused(request, flow, judged.proven.memberId, 'the account changed meanwhile');
      return sendForm(reply, flow, deps, over);
    case 'over':
      return sendForm(reply, flow, deps, over);
    default:
      throw new Error(`unknown answer ${JSON.stringify(judged satisfies never)}`);
  }
}

function noteRefused(request: FastifyRequest, flow: Flow, memberId: string | null, reason: string): void {
  const clientId = flow.parameters?.client_id ?? null;
  noteRefusal(request, { event: 'sign_in_refused', clientId, target: memberId, way: 'email_code', reason });
}

/**
 * Has a code mailed to an address that was typed, and leads to the page that takes it: for every address alike (pages 10).
 */
export async function askByMail(
  reply: FastifyReply,
  flow: Flow,
  email: string,
  deps: Deps,
): Promise<FastifyReply> {
  const { request } = reply;
  const { tenant } = request;
  const addressed = withAddress(flow, email);
  // A mail that has only just been sent is not sent again yet: the page says until when (pages 20).
  const isJustSent = flow.codeId !== undefined && secondsToWait(flow.mailedAt, deps.clock()) > 0;
  if (isJustSent && addressed.email === flow.email) return goToFlow(reply, url, flow, deps);
  const language = languageOf(request, flow);
  const key = `email code ${tenant.id} ${addressKey(request.address)}`;
  const wait = await deps.rateLimiter.take(
    key,
    tenant.limits.emailCodesPerAddressAndHour,
    countingWindow.hour,
  );
  const link = flowUrl('/sign-in', sealFlow(reply, addressed, deps));
  if (wait !== null) {
    const ways = [{ href: link, text: 'recover.back' }];
    return sendProblem(reply.header('retry-after', wait), 'tooManyEmailCodes', { language, ways });
  }
  const asked = await requestOf(request, flow, deps);
  const seen = seenAt({ language, deps }, request.address);
  const place = {
    client: asked === null ? null : shownName(asked.client.name),
    browser: browserName(request.headers['user-agent'] ?? '', language),
    place: seen.place ?? seen.address,
    language: language.tag,
  };
  const asker = askerOf(reply, deps);
  const codeId = await transactionOf(request, deps, (tx) =>
    askForCode(tx, tenant, email, { asker, place }, deps),
  );
  if (codeId === null) return sendTooManyMails(reply, email, { language, link });
  return goToFlow(reply, url, { ...addressed, codeId, mailedAt: deps.clock() }, deps);
}

/** What is wrong with the digits: a key of its text. */
interface Problem {
  readonly text: string;
  readonly status: 410 | 422;
}

const problemOf = (text: string): Problem => ({ text, status: 422 });

/** No digits were looked at. */
const over: Problem = { text: 'signIn.code.over', status: 410 };

/** The page that takes the digits. */
async function sendForm(reply: FastifyReply, flow: Flow, deps: Deps, problem: Problem | null) {
  const { request } = reply;
  const language = languageOf(request, flow);
  const { email = '' } = flow;
  const asked = await requestOf(request, flow, deps);
  const sealed = sealFlow(reply, flow, deps);
  return sendPage(reply, {
    template: 'members/sign-in-code.eta',
    language,
    title: 'recover.sent.title',
    ...(problem === null
      ? {}
      : { status: problem.status, problems: [{ field: 'code', text: language.t(problem.text) }] }),
    formTargets: asked === null ? [] : [formTarget(asked.request.target.redirectUri)],
    again: { action: url, fields: { flow: sealed } },
    data: {
      // Whether the address has an account is between us and its owner (pages 10).
      lead: emphasized(language, 'signIn.code.to', { email }),
      steps: stepsOf(flow),
      flow: sealed,
      wait: secondsToWait(flow.mailedAt, deps.clock()),
      signIn: flowUrl('/sign-in', sealed),
    },
  });
}
