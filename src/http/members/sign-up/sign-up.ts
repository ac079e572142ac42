// The sign-up page.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countingWindow } from '../../../core/limits.ts';
import { emailProblem, fullNameProblem, shownName } from '../../../core/members/details.ts';
import { passwordProblem } from '../../../core/members/password.ts';
import { isProvenBy } from '../../../core/providers/linked-account.ts';
import { passwordEstimate } from '../../../operations/member/password-strength.ts';
import { byAccount } from '../../../operations/sign-in/enter.ts';
import { askForSignUp, makeMember } from '../../../operations/sign-up/sign-up.ts';
import { seal } from '../../../secrets/seal.ts';
import { listConsents } from '../../../storage/access/consent.ts';
import { addressKey, shareOf } from '../../address.ts';
import { transactionOf } from '../../audit.ts';
import { ensureBrowserCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { pageForm } from '../../form.ts';
import { formTarget } from '../../headers.ts';
import {
  type Flow,
  flowToKeep,
  flowUrl,
  isCheckout,
  languageOf,
  requestOf,
  sealFlow,
  stepOf,
  stepsOf,
  withAddress,
} from '../../oidc/flow.ts';
import { emphasized } from '../../pages/lead.ts';
import { type FieldProblem, sendPage } from '../../pages/pages.ts';
import { sendProblem, sendTooManyMails } from '../../pages/problem.ts';
import { invitationLead } from '../account/seats/invited.ts';
import { boxesOf, type ConsentAnswers, readConsents } from '../consent-form.ts';
import { askerOf } from '../email-proof.ts';
import { answerSignedIn, flowPage, goToFlow, signInTo } from '../flow-page.ts';
import { hintedAddress } from '../login-hint.ts';
import { accountWords, pendingAccount, providerButtons } from '../providers/buttons.ts';
import { maySignUp } from './sign-up-offer.ts';

const url = '/sign-up';

/**
 * GET and POST /sign-up: name, address and password of a new member, and what the tenant asks to be agreed to
 * (pages 10 to 12; S2 to S4).
 */
export function signUpPage(app: FastifyInstance, deps: Deps): void {
  flowPage(app, deps, url, { show, submit });
}

/** What this flow may sign up for, or null (`maySignUp`). */
export async function signUpFor(request: FastifyRequest, flow: Flow, deps: Deps) {
  const language = languageOf(request, flow);
  const asked = await requestOf(request, flow, deps);
  if (!maySignUp(request, flow, asked)) return null;
  const all = await transactionOf(request, deps, (tx) => listConsents(tx, request.tenant.id));
  const consents = all.filter(({ atSignUp }) => atSignUp);
  if (asked === null) {
    const lead = isCheckout(flow)
      ? language.t('signUp.leadCheckout')
      : await invitationLead(request, flow, language, deps);
    return { lead, logo: null, consents, formTargets: [] };
  }
  return {
    lead: emphasized(language, 'signIn.lead', { client: shownName(asked.client.name) }),
    logo: asked.client.logo,
    consents,
    formTargets: [formTarget(asked.request.target.redirectUri)],
  };
}

async function show(reply: FastifyReply, flow: Flow, deps: Deps) {
  const asked = await signUpFor(reply.request, flow, deps);
  if (asked === null) return reply.redirect(flowUrl('/sign-in', sealFlow(reply, flow, deps)), 303);
  return sendForm(reply, flow, asked, deps);
}

async function submit(reply: FastifyReply, flow: Flow, deps: Deps) {
  const { request } = reply;
  const form = pageForm(request, ['fullName', 'email', 'password', 'action']);
  // The sign-in begins with the address that was typed here.
  if (form.action === 'sign-in')
    return goToFlow(reply, '/sign-in', withAddress(flow, form.email ?? ''), deps);
  const language = languageOf(request, flow);
  const asked = await signUpFor(request, flow, deps);
  if (asked === null) {
    return sendProblem(reply, 'noSignUp', {
      language,
      link: flowUrl('/sign-in', sealFlow(reply, flow, deps)),
    });
  }

  const { fullName = '', email = '', password = '' } = form;
  const typed = { fullName, email, password };
  const answers = readConsents(request, asked.consents);
  const problems = await problemsOf(request, flow, typed, deps);
  if (problems.length > 0) return sendForm(reply, flow, asked, deps, { fullName, email, answers, problems });

  const wait = await takeSignUp(request, deps);
  if (wait !== null) {
    const sealed = sealFlow(reply, withAddress(flow, email), deps);
    const ways = [{ href: flowUrl('/sign-in', sealed), text: 'recover.back' }];
    return sendProblem(reply.header('retry-after', wait), 'tooManySignUps', { language, ways });
  }

  const taken = await signUp(reply, flow, typed, { consents: asked.consents, answers }, deps);
  if (!('proofId' in taken)) return answerSignedIn(reply, taken, deps);
  const { proofId } = taken;
  if (proofId === null) {
    const link = flowUrl(url, sealFlow(reply, withAddress(flow, email), deps));
    return sendTooManyMails(reply, email, { language, link });
  }
  return goToProof(reply, proofId, deps);
}

interface Typed {
  readonly fullName: string;
  readonly email: string;
  readonly password: string;
}

/** Whether a password is to be typed: neither an account of another provider nor the codes in mails replace it. */
const asksPassword = ({ tenant }: FastifyRequest, account: ReturnType<typeof pendingAccount>) =>
  account === null && tenant.emailCodes !== 'instead';

/** What is wrong with the fields that were typed, in words. */
async function problemsOf(
  request: FastifyRequest,
  flow: Flow,
  { fullName, email, password }: Typed,
  deps: Deps,
): Promise<readonly FieldProblem[]> {
  const { tenant } = request;
  const language = languageOf(request, flow);
  const least = tenant.passwordLength;
  const rules = { least, email, names: [fullName, tenant.name], guessesTo: await passwordEstimate() };
  const isAsked = asksPassword(request, pendingAccount(flow, deps.clock()));
  return [
    { field: 'fullName', problem: fullNameProblem(fullName) },
    { field: 'email', problem: emailProblem(email) },
    { field: 'password', problem: isAsked ? passwordProblem(password, rules) : null },
  ].flatMap(({ field, problem }) =>
    problem === null ? [] : [{ field, text: language.t(`member.error.${field}.${problem}`, { least }) }],
  );
}

/**
 * Signs up: at once where another provider has proven the address, else by a mail to it. A known address costs the same
 * hash and gets the same page: whether there is an account stays between the service and the owner of the address, who
 * gets a mail (pages 10).
 *
 * @returns the visit that is signed in now, or the proof that the mail began; its id is null after too many mails
 */
async function signUp(
  reply: FastifyReply,
  flow: Flow,
  { fullName, email, password }: Typed,
  { consents, answers }: { readonly consents: SignUp['consents']; readonly answers: ConsentAnswers },
  deps: Deps,
) {
  const { request } = reply;
  const { tenant } = request;
  const account = pendingAccount(flow, deps.clock());
  const isAsked = asksPassword(request, account);
  // A member without a password gets the hash of a secret that nothing keeps.
  const passwordHash = await deps.passwords.hash(isAsked ? password : deps.random.secret(), shareOf(request));
  const payload = {
    fullName,
    email,
    passwordHash,
    ...(account === null ? {} : { account }),
    ...(isAsked || account !== null ? {} : { isPasswordless: true }),
    consents: consents.flatMap((consent) => {
      const status = answers.get(consent.id);
      return status === undefined ? [] : [{ consent, status }];
    }),
    language: languageOf(request, flow).tag,
    flow: flowToKeep(flow),
  };
  const asker = askerOf(reply, deps);
  const isProven = account !== null && isProvenBy(account, email);
  const step = await stepOf(request, flow);
  return transactionOf(request, deps, async (tx) => {
    const member = isProven ? await makeMember(tx, tenant, payload, deps) : null;
    if (member === null) return { proofId: await askForSignUp(tx, tenant, payload, asker, deps) };
    const proven = byAccount({ member, passwordHash });
    const signedIn = await signInTo(tx, request, { flow: payload.flow, step }, proven, deps);
    return signedIn ?? { proofId: null };
  });
}

/** Counts a sign-up from an address. @returns null, or the seconds until one more is taken */
export async function takeSignUp({ tenant, address }: FastifyRequest, { rateLimiter }: Deps) {
  const { signUpsPerAddressAndHour, signUpsPerAddressAndDay } = tenant.limits;
  const key = `sign-up ${tenant.id} ${addressKey(address)}`;
  return (
    (await rateLimiter.take(key, signUpsPerAddressAndHour, countingWindow.hour)) ??
    (await rateLimiter.take(key, signUpsPerAddressAndDay, countingWindow.day))
  );
}

/** Leads to the page that takes the digits of a mail, in the browser that asked for it. */
export function goToProof(reply: FastifyReply, proofId: string, { random }: Pick<Deps, 'random'>) {
  const browser = ensureBrowserCookie(reply, random);
  const sealed = seal(reply.request.tenant.tokenKey, 'proof', browser, { proofId });
  return reply.redirect(`/sign-up/verify?proof=${sealed}`, 303);
}

type SignUp = NonNullable<Awaited<ReturnType<typeof signUpFor>>>;

interface FormState {
  readonly fullName?: string;
  readonly email?: string;
  readonly answers?: ConsentAnswers;
  readonly problems?: readonly FieldProblem[];
}

async function sendForm(
  reply: FastifyReply,
  flow: Flow,
  { lead, logo, consents, formTargets }: SignUp,
  deps: Deps,
  state: FormState = {},
) {
  const account = pendingAccount(flow, deps.clock());
  const { fullName = account?.name ?? '', answers, problems = [] } = state;
  const { email = flow.email ?? account?.email ?? hintedAddress(flow) } = state;
  const language = languageOf(reply.request, flow);
  const sealed = sealFlow(reply, withAddress(flow, email), deps);
  const least = reply.request.tenant.passwordLength;
  const providers = await providerButtons(reply.request, sealed, deps);
  const waiting = accountWords(account, providers, language, 'signUp.linking');
  return sendPage(reply, {
    template: 'members/sign-up/form.eta',
    language,
    title: 'signUp.title',
    problems,
    formTargets,
    again: { action: url, fields: { flow: sealed } },
    data: {
      lead: waiting ?? lead,
      // The picture of an app stands beside its name alone.
      logo: waiting === null ? logo : null,
      providers: account === null ? providers : [],
      steps: stepsOf(flow),
      flow: sealed,
      fullName,
      email,
      least,
      asksPassword: asksPassword(reply.request, account),
      consents: boxesOf(consents, answers),
    },
  });
}
