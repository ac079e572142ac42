/**
 * The second step of a sign-in, at the pages of members and at the portal: what asks for the second factor or sets it up,
 * what takes it, and the page of its recovery codes.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sha256 } from '../../core/hash.ts';
import { day } from '../../core/limits.ts';
import type { Member } from '../../core/members/member.ts';
import type { FactorStep } from '../../core/members/second-factor.ts';
import { wrongSecondFactor } from '../../core/operators/audit-event.ts';
import type { SessionKind } from '../../core/session.ts';
import type { ChallengeFor } from '../../operations/passkey/challenge.ts';
import { type GivenFactor, judgeFactor, turnOnFactor } from '../../operations/second-factor/second-factor.ts';
import type { Admission, TooManyGuesses } from '../../operations/sign-in/credentials.ts';
import { findProven, isOverdue, type Proven, type Waiting } from '../../operations/sign-in/enter.ts';
import { missingOf } from '../../operations/sign-in/factor-step.ts';
import { seal, unseal } from '../../secrets/seal.ts';
import { loadTotp, type Totp } from '../../secrets/totp.ts';
import { trustBrowser } from '../../storage/members/known-browser.ts';
import { listPasskeys } from '../../storage/members/passkey.ts';
import type { Tx } from '../../storage/store.ts';
import type { Language } from '../../text/language.ts';
import { noteRefusal, transactionOf } from '../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { pageForm } from '../form.ts';
import { guesserOf } from '../session.ts';
import { type FieldProblem, type Page, sendPage } from './pages.ts';
import { askForPasskey } from './passkey.ts';

type StepDeps = Omit<Deps, 'store'>;

/** Where the second step is taken. */
export interface StepPlace {
  readonly kind: SessionKind;
  /** Who may come in; left out for every member who may sign in. */
  readonly admission?: Admission;
}

/** What was given and was wrong. */
export type WrongStep = GivenFactor['by'] | 'passkey';

/** What was missing when the page was opened. */
export type AskedStep = { readonly member: Member; readonly missing: FactorStep };

/** What the second step asks a member for; null where nothing waits any more. */
export async function askedStep(
  tx: Tx,
  request: FastifyRequest,
  waiting: Waiting,
  { kind, admission }: StepPlace,
  { clock }: Pick<Deps, 'clock'>,
): Promise<AskedStep | null> {
  const now = clock();
  const found = isOverdue(waiting, now)
    ? null
    : await findProven(tx, request.tenant, waiting, now, admission);
  if (found === null) return null;
  const { member } = found;
  const browser = { hash: guesserOf(request).browser };
  const missing = await missingOf(tx, request.tenant, member, { kind, browser }, now);
  return missing === 'none' ? null : { member, missing };
}

/** A form of the second step, as it was sent. */
export interface SentStep {
  readonly given: GivenFactor;
  /** The secret that the page showed to be set up. */
  readonly setUp: string | undefined;
  readonly trusts: boolean;
  readonly totp: Totp;
}

/** Reads the form, and loads what judges it: both before the transaction. */
export async function sentStep(request: FastifyRequest): Promise<SentStep> {
  const { code = '', recovery, setUp, trust } = pageForm(request, ['code', 'recovery', 'setUp', 'trust']);
  const given = recovery === undefined ? { by: 'app', typed: code } : { by: 'recovery', typed: recovery };
  return { given: given as GivenFactor, setUp, trusts: trust !== undefined, totp: await loadTotp() };
}

/** What came of the second step: with what was proven now, which goes through the door again. */
export type TakenStep =
  | Exclude<TakenFactor, { readonly kind: 'right' }>
  | (Extract<TakenFactor, { readonly kind: 'right' }> & { readonly proven: Proven });

/** The outcome of a factor that a known member gave: with recovery codes, where it was set up. */
export type TakenFactor =
  | { readonly kind: 'right'; readonly codes: readonly string[] | null }
  | { readonly kind: 'over' }
  | (TooManyGuesses & AskedStep)
  | ({ readonly kind: 'wrong' } & AskedStep);

/** Takes what is given for the second factor, or sets it up. */
export async function takeFactor(
  tx: Tx,
  request: FastifyRequest,
  asked: AskedStep,
  sent: SentStep,
  deps: StepDeps,
): Promise<TakenFactor> {
  const { member, missing } = asked;
  if (missing === 'set-up') {
    const codes = await takeSetUp(tx, request, member, sent, deps);
    return codes === null ? { kind: 'wrong', ...asked } : { kind: 'right', codes };
  }
  // Its page has a passkey alone, which goes another way: there are no digits that could be right.
  if (missing === 'passkey') return { kind: 'wrong', ...asked };
  const judged = await judgeFactor(tx, request.tenant, member, sent.given, { ...deps, totp: sent.totp });
  if (judged.kind === 'right') return { kind: 'right', codes: null };
  if (judged.kind === 'none') return { kind: 'over' };
  return judged.kind === 'too-many' ? { ...judged, ...asked } : { kind: 'wrong', ...asked };
}

/** Takes the second step, in the transaction of what the member signs in for. */
export async function takeSecondStep(
  tx: Tx,
  request: FastifyRequest,
  { waiting, sent }: { readonly waiting: Waiting; readonly sent: SentStep },
  place: StepPlace,
  deps: StepDeps,
): Promise<TakenStep> {
  const asked = await askedStep(tx, request, waiting, place, deps);
  if (asked === null) return { kind: 'over' };
  const taken = await takeFactor(tx, request, asked, sent, deps);
  if (taken.kind !== 'right') return taken;
  const { memberId, factors, standing } = waiting;
  return { ...taken, proven: { memberId, standing, factors: [...factors, 'otp', 'mfa'] } };
}

/** Turns on the second factor whose secret a page of this browser showed. @returns its recovery codes; null if the code is wrong */
export function takeSetUp(
  tx: Tx,
  request: FastifyRequest,
  member: Member,
  { given, setUp, totp }: Pick<SentStep, 'given' | 'setUp' | 'totp'>,
  deps: StepDeps,
): Promise<readonly string[] | null> | null {
  const secret = openSetUp(request, member, setUp);
  if (secret === null) return null;
  return turnOnFactor(tx, request.tenant, member, { secret, digits: given.typed }, { ...deps, totp });
}

/** Lets this browser go without the second factor for a while, if the tenant allows that. */
export async function trustHere(
  tx: Tx,
  request: FastifyRequest,
  memberId: string,
  { clock }: Pick<Deps, 'clock'>,
): Promise<void> {
  const { trustedBrowserDays } = request.tenant;
  if (trustedBrowserDays === 0) return;
  const until = clock() + trustedBrowserDays * day;
  await trustBrowser(tx, memberId, sha256(browserCookie(request)), until);
}

/** Writes down that the second step was refused. */
export function noteWrongStep(request: FastifyRequest, memberId: string, kind: SessionKind): void {
  const event = kind === 'admin' ? 'admin_sign_in_refused' : 'sign_in_refused';
  noteRefusal(request, { event, target: memberId, reason: wrongSecondFactor });
}

/** A secret that waits to be set up, as its page carries it: no other browser and no other member sets it up. */
interface SetUp {
  readonly secret: string;
  readonly memberId: string;
}

function sealSetUp(reply: FastifyReply, setUp: SetUp, { random }: Pick<Deps, 'random'>): string {
  const { tokenKey } = reply.request.tenant;
  return seal(tokenKey, 'set-up', ensureBrowserCookie(reply, random), setUp, { isHidden: true });
}

function openSetUp(request: FastifyRequest, { id }: Member, sealed: string | undefined): string | null {
  const unsealed = unseal(request.tenant.tokenKey, 'set-up', browserCookie(request), sealed ?? '');
  if (unsealed.kind !== 'opened') return null;
  const { secret, memberId } = unsealed.value as SetUp;
  return memberId === id ? secret : null;
}

/** What a page needs that shows a secret to be set up: the picture, the letters, and what its form carries. */
export async function setUpFacts(reply: FastifyReply, member: Member, deps: Pick<Deps, 'random'>) {
  const { request } = reply;
  const totp = await loadTotp();
  const { setUp: sealed } = pageForm(request, ['setUp']);
  // What was scanned already stays what it is, where only the digits were wrong.
  const known = request.method === 'POST' ? openSetUp(request, member, sealed) : null;
  const secret = known ?? totp.newSecret(deps.random);
  const address = totp.addressOf(secret, { issuer: request.tenant.name, account: member.email });
  return {
    setUp: sealSetUp(reply, { secret, memberId: member.id }, deps),
    picture: totp.pictureOf(address),
    address,
    letters: secret.match(/.{1,4}/g)?.join(' ') ?? secret,
  };
}

/** How the pages of the second step are sent. */
interface StepPage extends Pick<Page, 'formTargets' | 'again'> {
  readonly language: Language;
  /** Where its forms go, and what they carry. */
  readonly action: string;
  readonly hidden: Readonly<Record<string, string>>;
  /** Whether the browser may be trusted from now on. */
  readonly mayTrust: boolean;
  /** The way back to where it was begun; null where it is turned back from with a button. */
  readonly back: string | null;
  /** Where a passkey goes in the place of both factors, and what its form carries beside what it signs. */
  readonly byPasskey: Pick<StepPage, 'action' | 'hidden'> & { readonly about: ChallengeFor };
}

/** Sends the page that asks for the second factor, or the one that sets it up. */
export async function sendStep(
  reply: FastifyReply,
  { member, missing }: AskedStep,
  { language, action, hidden, mayTrust, back, byPasskey, ...page }: StepPage,
  deps: Deps,
  wrong: WrongStep | null = null,
): Promise<FastifyReply> {
  const { trustedBrowserDays } = reply.request.tenant;
  const { template, title, lead } = stepPages[missing];
  const isProof = missing === 'proof';
  return sendPage(reply, {
    template: `members/second-factor/${template}.eta`,
    language,
    title,
    problems: problemsOf(language, wrong),
    ...page,
    data: {
      lead: language.t(lead),
      action,
      hidden,
      back,
      byPasskey: await passkeyOfStep(reply, member, byPasskey, deps),
      days: isProof && mayTrust && trustedBrowserDays > 0 ? trustedBrowserDays : null,
      usesRecovery: wrong === 'recovery',
      ...(missing === 'set-up' ? await setUpFacts(reply, member, deps) : {}),
    },
  });
}

const stepPages = {
  proof: { template: 'ask', title: 'secondFactor.title', lead: 'secondFactor.lead' },
  passkey: { template: 'passkey', title: 'secondFactor.title', lead: 'secondFactor.passkey.lead' },
  'set-up': { template: 'set-up', title: 'secondFactor.setUp.title', lead: 'secondFactor.setUp.required' },
} as const satisfies Record<FactorStep, object>;

/** What the page shows of the passkeys of the member; null where there are none. */
async function passkeyOfStep(
  reply: FastifyReply,
  { id }: Member,
  { about, ...form }: StepPage['byPasskey'],
  deps: Deps,
) {
  const of = await transactionOf(reply.request, deps, (tx) => listPasskeys(tx, id));
  const asked = of.length === 0 ? null : askForPasskey(reply, about, deps, { of });
  return asked === null ? null : { ...form, passkey: { asked } };
}

/** What is said of a code that was wrong. */
export function problemsOf({ t }: Language, wrong: WrongStep | null): readonly FieldProblem[] {
  if (wrong === null) return [];
  if (wrong === 'passkey') return [{ field: 'passkey', text: t('account.error.passkey') }];
  const field = wrong === 'app' ? 'code' : 'recovery';
  return [{ field, text: t(`secondFactor.error.${field}`) }];
}

/** The page of recovery codes, which are shown this once. @param next where it leads on */
export function sendRecoveryCodes(
  reply: FastifyReply,
  {
    language,
    codes,
    next,
  }: { readonly language: Language; readonly codes: readonly string[]; readonly next: string },
): Promise<FastifyReply> {
  return sendPage(reply, {
    template: 'members/second-factor/codes.eta',
    language,
    title: 'secondFactor.codes.title',
    // Nothing shows them again.
    again: null,
    data: { lead: language.t('secondFactor.codes.lead'), codes, next },
  });
}
