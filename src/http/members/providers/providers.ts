// The pages between ours and other providers': where members leave to one, and where they come back.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { countingWindow } from '../../../core/limits.ts';
import { shownName } from '../../../core/members/details.ts';
import { nameOfUser } from '../../../core/providers/foreign-identity.ts';
import { answersByForm, type IdentityProvider } from '../../../core/providers/identity-provider.ts';
import { addressAt, redeem } from '../../../operations/providers/protocol.ts';
import { seal, unseal } from '../../../secrets/seal.ts';
import { findProviders } from '../../../storage/providers/identity-provider.ts';
import { addressKey } from '../../address.ts';
import { noteRefusal, transactionOf } from '../../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { bodyForm, type Form, pageQuery, pick, queryOf } from '../../form.ts';
import { type Flow, flowUrl, languageOf, openFlow, sealFlow, sendStale } from '../../oidc/flow.ts';
import { refuseByDocument } from '../../oidc/registration/document.ts';
import { isUndone } from '../../pages/head-request.ts';
import { sendProblem } from '../../pages/problem.ts';
import { goToFlow } from '../flow-page.ts';
import { arrive } from './arrival.ts';
import { type Away, beginAway, journeyOf, openAway, takeAway } from './away.ts';
import { providersUrl } from './buttons.ts';

/**
 * Accounts of other providers (decision 46):
 *
 *     GET       /sign-in/with/:provider   leaves to the provider
 *     GET, POST /sign-in/from/:provider   comes back from it; Apple's answer is a form of its own page
 */
export function providerPages(app: FastifyInstance, deps: Deps): void {
  const away = `${providersUrl}/:provider`;
  app.refuseOthers(app, away, ['GET', 'HEAD']);
  app.get(away, (_request, reply) => leave(reply, deps));
  const back = '/sign-in/from/:provider';
  app.refuseOthers(app, back, ['GET', 'HEAD', 'POST']);
  app.get(back, (request, reply) => comeBack(reply, answerOf(request), deps));
  app.post(back, (_request, reply) => passOn(reply, deps));
}

/** The key of the provider that an address names. */
const keyOf = (request: FastifyRequest) => (request.params as { readonly provider: string }).provider;

/** A provider that members can sign in with now. */
async function openProvider(request: FastifyRequest, key: string, deps: Deps) {
  const providers = await transactionOf(request, deps, (tx) => findProviders(tx, request.tenant.id));
  return providers.find((one) => one.key === key) ?? null;
}

async function leave(reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const opened = openFlow(request, pageQuery(request, ['flow']).flow, deps.clock());
  if (opened.kind === 'none') return reply.redirect('/sign-in', 303);
  const { kind, flow } = opened;
  if (kind === 'stale') return sendStale(reply, flow);
  const named = { clientId: flow.parameters?.client_id, language: () => languageOf(request, flow) };
  const refused = await refuseByDocument(request, reply, named, deps);
  if (refused !== null) return refused;
  const provider = await openProvider(request, keyOf(request), deps);
  if (provider === null) return sendGone(reply, flow, deps);
  const asked = await wayTo(reply, provider, { flow, linkTo: null }, deps);
  if (asked.kind === 'failed') return sendFailed(reply, provider, flow, asked.reason, deps);
  return reply.redirect(asked.value.href, 303);
}

/** Where a browser goes at a provider: it comes back for what was begun here. */
export function wayTo(
  reply: FastifyReply,
  provider: IdentityProvider,
  begun: Pick<Away, 'flow' | 'linkTo'>,
  deps: Pick<Deps, 'clock' | 'outbound' | 'providerDocuments' | 'random' | 'vault'>,
) {
  const { request } = reply;
  const { away, state } = beginAway(reply, provider, begun, deps);
  const browser = ensureBrowserCookie(reply, deps.random);
  const journey = journeyOf(request, away, state, browser);
  return addressAt(request.tenant, provider, journey, moreOf(request, provider, begun.flow), deps);
}

/**
 * What a request says beside the protocol: the language, and that the member is asked anew where the app, or a page of ours,
 * asks for that. A provider where she is signed in would say at once that it is she, even with a stranger at the screen.
 */
function moreOf(
  request: FastifyRequest,
  { preset }: IdentityProvider,
  flow: Flow,
): Readonly<Record<string, string>> {
  const { prompt = '', max_age: maxAge } = flow.parameters ?? {};
  const isAnew = flow.anew === true || maxAge !== undefined || /\b(?:login|select_account)\b/.test(prompt);
  const more = preset === 'memberdoor' ? { ui_locales: languageOf(request, flow).tag } : {};
  if (!isAnew || preset === 'apple' || preset === 'facebook') return more;
  return { ...more, prompt: preset === 'google' ? 'select_account' : 'login' };
}

const names = ['code', 'state', 'iss', 'error', 'user'] as const;

/** What a browser came back with; null where something of it came twice, or it cannot be read. */
type Answer = Partial<Record<(typeof names)[number], string>> | null;

function readAnswer(form: Form | null): Answer {
  const { values, repeated } = pick(form ?? new Map(), names);
  return repeated.length > 0 ? null : values;
}

/** The answer in an address: as the provider sent it, or as its form was passed on. */
function answerOf(request: FastifyRequest): Answer {
  const { answer } = pageQuery(request, ['answer']);
  if (answer === undefined) return readAnswer(queryOf(request));
  const unsealed = unseal(request.tenant.tokenKey, 'answer', '', answer);
  return unsealed.kind === 'broken' ? null : (unsealed.value as Answer);
}

/** An answer that is passed on is no longer than an address may be. */
const longestAnswer = 12_000;

/**
 * Passes the form of a provider's page on: another site's form comes without our cookies (SameSite=Lax), which tell whose
 * it is, and a GET of our own brings them along. What it says is encrypted on the way: a name has no place in an address.
 */
async function passOn(reply: FastifyReply, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const provider = await openProvider(request, keyOf(request), deps);
  const answer = readAnswer(bodyForm(request));
  const isTaken = provider !== null && answersByForm(provider) && answer !== null;
  if (!isTaken || JSON.stringify(answer).length > longestAnswer) return sendProblem(reply, 'noFlow');
  const sealed = seal(request.tenant.tokenKey, 'answer', '', answer, { isHidden: true });
  return reply.redirect(`/sign-in/from/${provider.key}?answer=${sealed}`, 303);
}

async function comeBack(reply: FastifyReply, answer: Answer, deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const { state = '', code, iss, error, user } = answer ?? {};
  const opened = openAway(request, state, deps.clock());
  // Another provider's answer does not count here: each provider has an address of its own.
  if (opened.kind === 'none' || opened.away.provider !== keyOf(request)) return sendProblem(reply, 'noFlow');
  const { away } = opened;
  const { flow } = away;
  if (opened.kind === 'stale') return sendStale(reply, flow);
  // A code works once, at its provider: a program that only looks at the address must not use it up (H9).
  if (isUndone(request)) return goBack(reply, away, deps);
  const limited = await takeTurn(reply, flow, deps);
  if (limited !== null) return limited;
  if (!(await takeAway(request, away, deps))) return sendStale(reply, flow);
  const provider = await openProvider(request, away.provider, deps);
  if (provider === null || provider.issuer !== away.issuer) return sendGone(reply, flow, deps);
  if (error !== undefined && declined.has(error)) return goBack(reply, away, deps);
  if (error !== undefined || code === undefined) {
    const why = /^[a-z_]{1,40}$/.test(error ?? '') ? error : 'nothing that can be read';
    return sendFailed(reply, provider, flow, `it sent the member back with ${why}`, deps);
  }
  const journey = journeyOf(request, away, state, browserCookie(request));
  const said = { code, ...(iss === undefined ? {} : { iss }) };
  const asked = await redeem(request.tenant, provider, journey, said, nameOfUser(user), deps);
  if (asked.kind === 'failed') return sendFailed(reply, provider, flow, asked.reason, deps);
  await giveTurnBack(request, deps);
  return arrive(reply, away, asked.value, deps);
}

/** The member said no; Apple has a word of its own for it. */
const declined: ReadonlySet<string> = new Set(['access_denied', 'user_cancelled_authorize']);

/** Leads back to where a member left from. */
function goBack(reply: FastifyReply, { flow, linkTo }: Away, deps: Deps): FastifyReply {
  return linkTo === null ? goToFlow(reply, '/sign-in', flow, deps) : reply.redirect(flow.returnTo, 303);
}

const turnOf = ({ tenant, address }: FastifyRequest) => `provider ${tenant.id} ${addressKey(address)}`;

/** Answers of providers cost calls: those that come to nothing are counted for each address. */
async function takeTurn(reply: FastifyReply, flow: Flow, { rateLimiter, random }: Deps) {
  const { request } = reply;
  const { failedSignInsPerAddressAndMinute: most } = request.tenant.limits;
  const wait = await rateLimiter.take(turnOf(request), most, countingWindow.minute);
  if (wait === null) return null;
  const link = flowUrl('/sign-in', sealFlow(reply, flow, { random }));
  const language = languageOf(request, flow);
  const ways = [{ href: link, text: 'recover.back' }];
  return sendProblem(reply.header('retry-after', wait), 'tooManySignIns', { language, ways });
}

const giveTurnBack = (request: FastifyRequest, { rateLimiter }: Deps) =>
  rateLimiter.giveBack(turnOf(request), countingWindow.minute);

/** The provider is off, or is another one by now. */
function sendGone(reply: FastifyReply, flow: Flow, deps: Deps): Promise<FastifyReply> {
  const language = languageOf(reply.request, flow);
  const ways = [{ href: flowUrl('/sign-in', sealFlow(reply, flow, deps)), text: 'recover.back' }];
  return sendProblem(reply, 'providerGone', { language, ways });
}

/** Nothing came of asking a provider: operators are told why, members what to do. @param why in our own words */
export function sendFailed(
  reply: FastifyReply,
  provider: IdentityProvider,
  flow: Flow,
  why: string,
  deps: Pick<Deps, 'random'>,
): Promise<FastifyReply> {
  const { request } = reply;
  const { key, name } = provider;
  const reason = `${key}: ${why}`;
  request.log.warn({ provider: key, why }, 'a provider did not sign a member in');
  const clientId = flow.parameters?.client_id ?? null;
  noteRefusal(request, { event: 'sign_in_refused', clientId, way: 'account', reason });
  const sealed = sealFlow(reply, flow, deps);
  const ways = [
    { href: `${providersUrl}/${key}?flow=${sealed}`, text: 'problem.again' },
    { href: flowUrl('/sign-in', sealed), text: 'recover.back' },
  ];
  const language = languageOf(request, flow);
  return sendProblem(reply, 'providerFailed', { language, ways, values: { provider: shownName(name) } });
}
