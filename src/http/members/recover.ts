// The pages for a forgotten password.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { countingWindow } from '../../core/limits.ts';
import { emailProblem } from '../../core/members/details.ts';
import { type EmailProof, proofStanding } from '../../core/members/email-proof.ts';
import type { Member } from '../../core/members/member.ts';
import { passwordProblem } from '../../core/members/password.ts';
import { passwordEstimate } from '../../operations/member/password-strength.ts';
import { askForRecovery, type RecoverPayload, resetPassword } from '../../operations/recovery/recovery.ts';
import { listWaysIn } from '../../operations/sign-in/ways-in.ts';
import { findClient } from '../../storage/clients/client.ts';
import { findMember } from '../../storage/members/member.ts';
import type { Language } from '../../text/language.ts';
import { addressKey, shareOf } from '../address.ts';
import { transactionOf } from '../audit.ts';
import { isFromReader, noteApp } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { pageForm, pageQuery } from '../form.ts';
import {
  type Flow,
  flowToKeep,
  flowUrl,
  languageOf,
  openFlow,
  ownFlow,
  sealFlow,
  stepsOf,
  withAddress,
} from '../oidc/flow.ts';
import { emphasized } from '../pages/lead.ts';
import { sendPage } from '../pages/pages.ts';
import { sendLinkDone, sendMessage, sendProblem, sendTooManyMails } from '../pages/problem.ts';
import { requireSameOrigin } from '../same-origin.ts';
import { askerOf, findMailLink, isBrowserThatAsked, secondsToWait, sendTooManyLinks } from './email-proof.ts';
import { flowPage, goToFlow } from './flow-page.ts';
import { hintedAddress } from './login-hint.ts';

const url = '/recover';
const resetUrl = `${url}/reset/:secret`;

/** A forgotten password: the page that asks for the address, and the one that the mail leads to. */
export function recoverPages(app: FastifyInstance, deps: Deps): void {
  const show = (reply: FastifyReply, flow: Flow) => sendForm(reply, flow, hintedAddress(flow), null, deps);
  flowPage(app, deps, url, {
    none: (reply, chosen) => {
      const flow = ownFlow('/account', deps, chosen);
      return chosen === undefined ? show(reply, flow) : goToFlow(reply, url, flow, deps);
    },
    show,
    submit: ask,
  });
  app.refuseOthers(app, `${url}/sent`, ['GET']);
  app.get(`${url}/sent`, (_request, reply) => showSent(reply, deps));
  app.refuseOthers(app, resetUrl, ['GET', 'POST']);
  app.get(resetUrl, (_request, reply) => reset(reply, null, deps));
  app.post(resetUrl, { onRequest: requireSameOrigin }, (request, reply) =>
    reset(reply, pageForm(request, ['password', 'everywhere']), deps),
  );
}

const newFlow = (deps: Deps): Flow => ownFlow('/account', deps);

async function ask(reply: FastifyReply, flow: Flow, deps: Deps) {
  const { request } = reply;
  const language = languageOf(request, flow);
  const { email = '', action } = pageForm(request, ['email', 'action']);
  const addressed = withAddress(flow, email);
  if (action === 'sign-in') return goToFlow(reply, '/sign-in', addressed, deps);
  // A mail that has only just been sent is not sent again yet: its page says until when (pages 20).
  if (addressed.email === flow.email && secondsToWait(flow.mailedAt, deps.clock()) > 0) {
    return goToSent(reply, flow, deps);
  }
  const problem = emailProblem(email);
  if (problem !== null) return sendForm(reply, flow, email, problem, deps);
  const { recoveriesPerAddressAndHour: limit } = request.tenant.limits;
  const key = `recover ${request.tenant.id} ${addressKey(request.address)}`;
  const wait = await deps.rateLimiter.take(key, limit, countingWindow.hour);
  if (wait !== null) {
    const ways = [{ href: flowUrl('/sign-in', sealFlow(reply, addressed, deps)), text: 'recover.back' }];
    return sendProblem(reply.header('retry-after', wait), 'tooManyRecoveries', { language, ways });
  }
  // What this browser knows of the app that led here, the one that opens the mail does not.
  const kept = isFromReader(request) ? { ...flow, closed: true } : flow;
  const payload: RecoverPayload = { language: language.tag, flow: flowToKeep(kept) };
  const asker = askerOf(reply, deps);
  const isTaken = await transactionOf(request, deps, (tx) =>
    askForRecovery(tx, request.tenant, email, { asker, payload }, deps),
  );
  if (!isTaken) {
    return sendTooManyMails(reply, email, { language, link: flowUrl(url, sealFlow(reply, addressed, deps)) });
  }
  return goToSent(reply, { ...addressed, mailedAt: deps.clock() }, deps);
}

const goToSent = (reply: FastifyReply, flow: Flow, deps: Deps) =>
  reply.redirect(`${url}/sent?flow=${sealFlow(reply, flow, deps, 'asked')}`, 303);

/** The page after asking: a member who mistyped the address, or gets no mail, finds the way back to the form. */
async function showSent(reply: FastifyReply, deps: Deps) {
  const { request } = reply;
  const { flow: asked, ui_locales: chosen = null } = pageQuery(request, ['flow', 'ui_locales']);
  const opened = openFlow(request, asked, deps.clock(), 'asked');
  // Typed by hand it claims nothing: no mail was asked for.
  if (opened.kind === 'none') return reply.redirect(url, 303);
  const begun = opened.kind === 'flow' ? opened.flow : newFlow(deps);
  const flow = chosen === null ? begun : { ...begun, language: chosen };
  const { email } = flow;
  const sealed = sealFlow(reply, flow, deps);
  const language = languageOf(request, flow);
  return sendPage(reply, {
    template: 'members/recover/sent.eta',
    language,
    title: 'recover.sent.title',
    data: {
      // Whether the address has an account is between us and its owner (pages 10).
      lead:
        email === undefined
          ? language.t('recover.sent.lead')
          : emphasized(language, 'recover.sent.to', { email }),
      email: email ?? null,
      steps: stepsOf(flow),
      wait: secondsToWait(flow.mailedAt, deps.clock()),
      flow: sealed,
      recover: flowUrl(url, sealed),
      signIn: flowUrl('/sign-in', sealed),
    },
  });
}

function sendForm(reply: FastifyReply, flow: Flow, email: string, problem: string | null, deps: Deps) {
  const language = languageOf(reply.request, flow);
  const sealed = sealFlow(reply, withAddress(flow, email), deps);
  return sendPage(reply, {
    template: 'members/recover/ask.eta',
    language,
    title: 'recover.title',
    problems: problem === null ? [] : [{ field: 'email', text: language.t(`member.error.email.${problem}`) }],
    again: { action: url, fields: { flow: sealed } },
    data: { flow: sealed, email, steps: stepsOf(flow) },
  });
}

/** The app in which a mail was asked for led here too, whichever browser its link is opened in (pages 12). */
async function noteAppOf(reply: FastifyReply, flow: Flow | undefined, deps: Deps): Promise<void> {
  const { request } = reply;
  if (flow?.closed === true) noteApp(reply, { signupDisabled: true });
  const clientId = flow?.parameters?.client_id;
  if (clientId === undefined) return;
  const client = await transactionOf(request, deps, (tx) => findClient(tx, request.tenant.id, clientId));
  if (client?.signupDisabled === true) noteApp(reply, client);
}

type ResetForm = { readonly password?: string; readonly everywhere?: string };

/** The page of the mail's link; opening it changes nothing, and its form works once. */
async function reset(reply: FastifyReply, form: ResetForm | null, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { tenant } = request;
  const { secret } = request.params as { secret: string };
  const linkHash = sha256(secret);
  const looked = await findMailLink(request, deps);
  if (looked.kind === 'too-many') return sendTooManyLinks(reply, looked.retryAfter);
  const { found } = looked;
  if (found?.purpose !== 'password_reset') return sendProblem(reply, 'linkUsed', { link: url });
  const asked = JSON.parse(found.payload) as RecoverPayload;
  const begun = asked.flow as Flow | undefined;
  await noteAppOf(reply, begun, deps);
  // A mail that was asked for in another browser may have been asked for by a stranger, who would lead the member on to
  // a client of the stranger's choice. In the browser that asked, the flow goes on, and counts as begun now.
  const isOwn = isBrowserThatAsked(request, found);
  const kept = isOwn && begun !== undefined ? begun : newFlow(deps);
  const { ui_locales: chosen = kept.language } = pageQuery(request, ['ui_locales']);
  const flow = { ...withAddress(kept, found.email), startedAt: deps.clock(), language: chosen };
  const language = languageOf(request, flow);
  const sealed = sealFlow(reply, flow, deps);
  const sendUsed = () => sendProblem(reply, 'linkUsed', { language, link: flowUrl(url, sealed) });
  const standing = proofStanding(found, deps.clock());
  if (standing === 'finished') {
    const ways = [
      { href: flowUrl('/sign-in', sealed), text: 'signIn.submit' },
      { href: flowUrl(url, sealed), text: 'recover.title' },
    ];
    return sendLinkDone(reply, { language, title: 'recover.done.title', ways });
  }
  if (standing !== 'awaited') return sendUsed();
  const page = { language, email: found.email, secret };
  if (form === null) return sendReset(reply, page, null);
  const { password = '', everywhere } = form;
  const member = await memberOf(request, found, deps);
  const problem = await problemOf(request, password, { email: found.email, member });
  if (problem !== null) return sendReset(reply, page, problem);
  const hash = await deps.passwords.hash(password, shareOf(request));
  const isDone = await transactionOf(request, deps, (tx) =>
    resetPassword(tx, tenant, linkHash, hash, everywhere !== undefined, deps),
  );
  if (!isDone) return sendUsed();
  return sendDone(reply, { language, sealed, member, isFromApp: kept === begun }, deps);
}

async function memberOf(
  request: FastifyRequest,
  { memberId }: EmailProof,
  deps: Deps,
): Promise<Member | null> {
  if (memberId === null) return null;
  return transactionOf(request, deps, (tx) => findMember(tx, request.tenant.id, memberId));
}

/** Why a new password is refused; null if it is not. */
async function problemOf(
  { tenant }: FastifyRequest,
  password: string,
  { email, member }: { readonly email: string; readonly member: Member | null },
) {
  const names = [member?.fullName ?? '', tenant.name];
  const guessesTo = await passwordEstimate();
  return passwordProblem(password, { least: tenant.passwordLength, email, names, guessesTo });
}

/** The form for the new password. */
function sendReset(
  reply: FastifyReply,
  {
    language,
    email,
    secret,
  }: { readonly language: Language; readonly email: string; readonly secret: string },
  problem: string | null,
): Promise<FastifyReply> {
  const { passwordLength: least } = reply.request.tenant;
  const textOf = (name: string) => language.t(`member.error.password.${name}`, { least });
  return sendPage(reply, {
    template: 'members/recover/reset.eta',
    language,
    title: 'recover.reset.title',
    problems: problem === null ? [] : [{ field: 'password', text: textOf(problem) }],
    data: { email, action: `${url}/reset/${secret}`, least },
  });
}

interface ResetDone {
  readonly language: Language;
  readonly sealed: string;
  readonly member: Member | null;
  /** Whether it goes on with the flow in which the mail was asked for. */
  readonly isFromApp: boolean;
}

/** The password is new: an app's member is led back to it, an invited administrator to the portal. */
async function sendDone(
  reply: FastifyReply,
  { language, sealed, member, isFromApp }: ResetDone,
  deps: Deps,
): Promise<FastifyReply> {
  const signIn = { href: flowUrl('/sign-in', sealed), text: 'signIn.submit' };
  const portal = { href: '/admin', text: 'recover.done.portal' };
  const isAdmin = member !== null && member.userType !== 'member';
  const ways = !isAdmin ? [signIn] : isFromApp ? [signIn, portal] : [portal, signIn];
  const message = { language, title: 'recover.done.title', lead: 'recover.done.lead', ways };
  if (!(await hasOtherWays(reply.request, member, deps))) return sendMessage(reply, message);
  const security = { href: '/account/sessions', text: 'account.sessions.title' };
  return sendMessage(reply, { ...message, note: 'recover.done.others', ways: [...ways, security] });
}

/** Whether a passkey or a linked account opens the account too: a thief may have left one, and a new password does not end it. */
async function hasOtherWays(request: FastifyRequest, member: Member | null, deps: Deps): Promise<boolean> {
  if (member === null) return false;
  const ways = await transactionOf(request, deps, (tx) => listWaysIn(tx, request.tenant, member));
  return ways.some(({ way }) => way === 'passkey' || way === 'account');
}
