// The sign-in page.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { emailProblem, shownName } from '../../core/members/details.ts';
import type { Session } from '../../core/session.ts';
import type { SignInWay } from '../../core/strength.ts';
import { cancel, takeStep } from '../../operations/authorization/authorization.ts';
import { oldMembersOf } from '../../operations/moving-in/old-system.ts';
import {
  checkCredentials,
  type TooManyGuesses,
  type VerifiedMember,
} from '../../operations/sign-in/credentials.ts';
import { byPassword } from '../../operations/sign-in/enter.ts';
import { isHashable } from '../../secrets/password.ts';
import type { Language } from '../../text/language.ts';
import { noteRefusal, storeOf, transactionOf } from '../audit.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { formTarget } from '../headers.ts';
import { answerAuthorization } from '../oidc/authorize.ts';
import {
  contextOf,
  type Flow,
  type FlowRequest,
  flowUrl,
  isCheckout,
  languageOf,
  ownFlow,
  requestOf,
  sealFlow,
  stepOf,
  stepsOf,
  withAddress,
} from '../oidc/flow.ts';
import { emphasized, type Lead } from '../pages/lead.ts';
import { sendPage } from '../pages/pages.ts';
import { askForPasskey, passkeyOf } from '../pages/passkey.ts';
import { sendProblem } from '../pages/problem.ts';
import { type PasskeyEntrance, signInByPasskey, toSignIn } from '../pages/sign-in-passkey.ts';
import { currentSession, guesserOf } from '../session.ts';
import { invitationLead } from './account/seats/invited.ts';
import { answerSignedIn, flowPage, goToFlow, type SignedIn, signInTo } from './flow-page.ts';
import { addressToSignIn } from './login-hint.ts';
import { accountWords, pendingAccount, providerButtons } from './providers/buttons.ts';
import { askByMail } from './sign-in-code.ts';
import { maySignUp } from './sign-up/sign-up-offer.ts';

const url = '/sign-in';

/** GET and POST /sign-in: the page that asks for address and password (pages 1 to 10). */
export function signInPage(app: FastifyInstance, deps: Deps): void {
  flowPage(app, deps, url, {
    none: (reply, chosen) => goToFlow(reply, url, ownFlow('/account', deps, chosen), deps),
    show,
    submit,
  });
}

async function show(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const now = deps.clock();
  const step = await stepOf(request, flow);
  const outcome = await transactionOf(request, deps, async (tx) => {
    const session = (await currentSession(tx, request, now))?.session ?? null;
    if (step === null) return session === null || isAskedAnew(flow, session) ? 'ask' : 'signed-in';
    return takeStep(tx, { ...step, now }, session, deps);
  });
  if (outcome === 'signed-in') return reply.redirect(flow.returnTo, 303);
  if (outcome === 'ask') return sendForm(reply, flow, deps);
  // The page to sign up leads here too: people who follow that link have an account.
  if (outcome.kind === 'interact' && (outcome.page === 'sign-in' || outcome.page === 'sign-up')) {
    return sendForm(reply, flow, deps, { outcome });
  }
  return answerAuthorization(reply, outcome, contextOf(flow), deps);
}

/** Whether a page of ours asks who is signed in to sign in again, and that has not been done since. */
const isAskedAnew = ({ anew = false, startedAt }: Flow, { authenticatedAt }: Session) =>
  anew && authenticatedAt < startedAt;

async function submit(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const form = pageForm(request, ['email', 'password', 'action', 'passkey']);
  const step = await stepOf(request, flow);
  const { action, email = '', password = '', passkey = '' } = form;
  if (action === 'cancel' && step !== null) {
    const outcome = await transactionOf(request, deps, (tx) => cancel(tx, step));
    return answerAuthorization(reply, outcome, contextOf(flow), deps);
  }
  // Another way on, which begins with the address that was typed here.
  if (action === 'recover' || action === 'sign-up') {
    return goToFlow(reply, `/${action}`, withAddress(flow, email), deps);
  }
  if (passkey !== '') return submitPasskey(reply, flow, { email, passkey }, deps);
  const { emailCodes } = request.tenant;
  if (emailCodes === 'instead' || (emailCodes === 'beside' && action === 'code')) {
    const isAddress = emailProblem(email) === null;
    return isAddress
      ? askByMail(reply, flow, email, deps)
      : sendForm(reply, flow, deps, { email, missing: ['email'] });
  }
  const missing = [...(email.trim() === '' ? ['email'] : []), ...(password === '' ? ['password'] : [])];
  if (missing.length > 0) return sendForm(reply, flow, deps, { email, missing, wrong: false });
  // No member has a password that long; it is turned away before it costs a hash (A3).
  if (!isHashable(password)) {
    noteRefused(request, flow, null, 'the password is too long for any account');
    return sendForm(reply, flow, deps, { email, wrong: true, status: 400 });
  }
  const guess = { email, password, guesser: guesserOf(request) };
  const store = storeOf(request, deps);
  const checked = await checkCredentials(
    request.tenant,
    guess,
    { ...deps, store },
    {
      oldMembers: oldMembersOf(request.tenant, {
        ...deps,
        store,
        asked: (result) => deps.metrics?.oldSystem(request.tenant.host, result),
      }),
    },
  );
  if (checked.kind === 'too-many') return sendTooMany(reply, withAddress(flow, email), checked, deps);
  if (checked.kind === 'wrong') {
    noteRefused(request, flow, checked.memberId, checked.reason);
    return sendForm(reply, flow, deps, { email, missing: [], wrong: true });
  }
  return signIn(reply, flow, checked.verified, deps);
}

/** Signs in with a passkey, which names its member. */
async function submitPasskey(
  reply: FastifyReply,
  flow: Flow,
  { email, passkey }: { readonly email: string; readonly passkey: string },
  deps: Deps,
): Promise<FastifyReply> {
  const { request } = reply;
  const step = await stepOf(request, flow);
  const entrance: PasskeyEntrance<SignedIn> = {
    enter: (tx, proven) => signInTo(tx, request, { flow, step }, proven, deps),
    refused: (memberId, reason) => noteRefused(request, flow, memberId, reason, 'passkey'),
  };
  const result = await signInByPasskey(request, passkey, entrance, deps);
  if (result.kind === 'too-many') return sendTooMany(reply, withAddress(flow, email), result, deps);
  if (result.kind === 'right') return answerSignedIn(reply, result.signedIn, deps);
  const refused = request.tenant.emailCodes === 'instead' ? 'passkeyOrCode' : 'passkey';
  const text = result.kind === 'stale' ? 'passkey.stale' : `signIn.error.${refused}`;
  return sendForm(reply, flow, deps, { email, passkey: text });
}

function sendTooMany(
  reply: FastifyReply,
  flow: Flow,
  { retryAfter, limitKey }: TooManyGuesses,
  deps: Deps,
): Promise<FastifyReply> {
  const sealed = sealFlow(reply, flow, deps);
  const ways = [
    ...(reply.request.tenant.emailCodes === 'instead'
      ? []
      : [{ href: flowUrl('/recover', sealed), text: 'recover.title' }]),
    { href: flowUrl('/sign-in', sealed), text: 'recover.back' },
  ];
  const language = languageOf(reply.request, flow);
  return sendProblem(reply.header('retry-after', retryAfter), 'tooManySignIns', { language, limitKey, ways });
}

/** Members are told one thing, operators what it was; the address is kept only as the account that has it. */
function noteRefused(
  request: FastifyRequest,
  flow: Flow,
  target: string | null,
  reason: string,
  way: SignInWay = 'password',
): void {
  const clientId = flow.parameters?.client_id ?? null;
  noteRefusal(request, { event: 'sign_in_refused', clientId, target, way, reason });
}

/** Begins the session and takes the flow on, in one transaction. */
async function signIn(reply: FastifyReply, flow: Flow, verified: VerifiedMember, deps: Deps) {
  const { request } = reply;
  const step = await stepOf(request, flow);
  const begun = await transactionOf(request, deps, (tx) =>
    signInTo(tx, request, { flow, step }, byPassword(verified), deps),
  );
  if (begun === null) {
    const { id, email } = verified.member;
    noteRefused(request, flow, id, 'the account changed meanwhile');
    return sendForm(reply, flow, deps, { email, wrong: true });
  }
  return answerSignedIn(reply, begun, deps);
}

interface FormState {
  readonly email?: string;
  readonly missing?: readonly string[];
  readonly wrong?: boolean;
  /** Key of the text that says what was wrong with a passkey. */
  readonly passkey?: string;
  readonly status?: number;
  readonly outcome?: FlowRequest;
}

/** Renders the form; after an error with what was wrong and the address that was given, never the password. */
async function sendForm(
  reply: FastifyReply,
  flow: Flow,
  deps: Deps,
  { email, missing = [], wrong = false, passkey, status, outcome }: FormState = {},
) {
  const { request } = reply;
  const shown = outcome ?? (await requestOf(request, flow, deps));
  const language = languageOf(request, flow);
  const { t } = language;
  const problems = [
    ...missing.map((field) => ({ field, text: t(`signIn.error.${field}`) })),
    ...(wrong ? [{ field: 'email', text: t('signIn.error.wrong'), aboutAll: true }] : []),
    ...(passkey === undefined ? [] : [{ field: 'passkey', text: t(passkey) }]),
  ];
  const sealed = sealFlow(reply, email === undefined ? flow : withAddress(flow, email), deps);
  const client = shown === null ? null : shownName(shown.client.name);
  const providers = await providerButtons(request, sealed, deps);
  const account = pendingAccount(flow, deps.clock());
  const waiting = accountWords(account, providers, language, 'signIn.linking');
  return sendPage(reply, {
    template: 'members/sign-in-page.eta',
    language,
    title: 'signIn.title',
    ...(status === undefined ? {} : { status }),
    problems,
    formTargets: shown === null ? [] : [formTarget(shown.request.target.redirectUri)],
    again: { action: url, fields: { flow: sealed } },
    data: {
      client,
      // The picture of an app stands beside its name alone.
      logo: waiting === null ? (shown?.client.logo ?? null) : null,
      lead:
        waiting ?? (await invitationLead(request, flow, language, deps)) ?? leadOf(flow, client, language),
      providers: providers.filter(({ key }) => key !== account?.provider),
      steps: stepsOf(flow),
      maySignUp: maySignUp(request, flow, shown),
      flow: sealed,
      rehearsal: deps.rehearsal?.membersPage(request, sealed) ?? null,
      asksPassword: request.tenant.emailCodes !== 'instead',
      ways: { code: request.tenant.emailCodes === 'beside' },
      // One that was refused is not filled in at once again.
      passkey: passkeyOf(askForPasskey(reply, toSignIn, deps, { fills: passkey === undefined })),
      email: email ?? (await addressToSignIn(request, flow, deps)),
    },
  });
}

/** What the member signs in for: an app, a TV, or the pages here. */
function leadOf(flow: Flow, client: string | null, language: Language): Lead | null {
  const { returnTo, parameters } = flow;
  if (client !== null) return emphasized(language, 'signIn.lead', { client });
  if (isCheckout(flow)) return language.t('signUp.leadCheckout');
  return parameters === null && returnTo.startsWith('/device') ? language.t('signIn.leadDevice') : null;
}
