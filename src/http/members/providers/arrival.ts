// What comes of an account that was proven at its provider: a sign-in, a link, or a page that asks for what is missing.
import type { FastifyReply } from 'fastify';
import { arrivalOf, type PendingAccount } from '../../../core/providers/linked-account.ts';
import { linkAccount, useLinkedAccount } from '../../../operations/providers/linked-account.ts';
import type { Redeemed } from '../../../operations/providers/protocol.ts';
import { byAccount } from '../../../operations/sign-in/enter.ts';
import { findMemberByEmail, findMemberWithPassword } from '../../../storage/members/member.ts';
import { findProviders } from '../../../storage/providers/identity-provider.ts';
import { findLinkedAccount, listLinkedAccounts } from '../../../storage/providers/linked-account.ts';
import type { Tx } from '../../../storage/store.ts';
import { noteRefusal, transactionOf } from '../../audit.ts';
import { redirectAfter } from '../../cookies.ts';
import type { Deps } from '../../deps.ts';
import { type FlowStep, flowUrl, languageOf, requestOf, sealFlow, stepOf } from '../../oidc/flow.ts';
import { sendProblem } from '../../pages/problem.ts';
import { currentSession } from '../../session.ts';
import { answerSignedIn, goToFlow, type SignedIn, signInTo } from '../flow-page.ts';
import { maySignUp } from '../sign-up/sign-up-offer.ts';
import type { Away } from './away.ts';

/** Goes on with a proven account: for the sign-in that it was proven for, or for the member who links it. */
export function arrive(
  reply: FastifyReply,
  away: Away,
  redeemed: Redeemed,
  deps: Deps,
): Promise<FastifyReply> {
  return away.linkTo === null
    ? signInWith(reply, away, redeemed, deps)
    : linkTo(reply, away, redeemed, away.linkTo, deps);
}

/** Why a proven account signs no member in. */
type Refused = { readonly refused: 'gone' } | { readonly refused: 'member'; readonly memberId: string };

type Arrived = SignedIn | { readonly pending: PendingAccount } | Refused;

async function signInWith(
  reply: FastifyReply,
  away: Away,
  redeemed: Redeemed,
  deps: Deps,
): Promise<FastifyReply> {
  const { request } = reply;
  const { flow } = away;
  const step = await stepOf(request, flow);
  const arrived = await transactionOf(request, deps, (tx) =>
    decide(tx, reply, { away, step, redeemed }, deps),
  );
  if ('pending' in arrived) return goOnPending(reply, { ...flow, account: arrived.pending }, deps);
  if (!('refused' in arrived)) return answerSignedIn(reply, arrived, deps);
  const language = languageOf(request, flow);
  const ways = [{ href: flowUrl('/sign-in', sealFlow(reply, flow, deps)), text: 'recover.back' }];
  if (arrived.refused === 'gone') return sendProblem(reply, 'providerGone', { language, ways });
  const clientId = flow.parameters?.client_id ?? null;
  const reason = `${away.provider}: the member may not sign in`;
  const target = arrived.memberId;
  noteRefusal(request, { event: 'sign_in_refused', clientId, target, way: 'account', reason });
  return sendProblem(reply, 'accountRefused', { language, ways });
}

interface Arriving {
  readonly away: Away;
  readonly step: FlowStep | null;
  readonly redeemed: Redeemed;
}

/** Decides and does it in one transaction: the provider as it is now, the link, the member, the session. */
async function decide(
  tx: Tx,
  { request }: FastifyReply,
  { away, step, redeemed: { identity, tokens } }: Arriving,
  deps: Deps,
): Promise<Arrived> {
  const { tenant } = request;
  const now = deps.clock();
  const provider = (await findProviders(tx, tenant.id)).find(({ key }) => key === away.provider);
  if (provider === undefined || provider.issuer !== away.issuer) return { refused: 'gone' };
  const { issuer, subject, email } = identity;
  const named = { tenantId: tenant.id, provider: provider.key, issuer, subject };
  const linked = await findLinkedAccount(tx, named);
  const known = email === null ? null : await findMemberByEmail(tx, tenant.id, email);
  const holder = known && {
    member: known.member,
    accounts: await listLinkedAccounts(tx, known.member.id),
  };
  const found = { linked, holder };
  const arrival = arrivalOf(provider, identity, found, now);
  if (arrival.kind === 'pending') return { pending: arrival.account };
  const { memberId } = arrival;
  const member = await findMemberWithPassword(tx, tenant.id, memberId);
  if (member === null) return { refused: 'member', memberId };
  // What is linked at once is linked as what waits is: once she is in.
  const flow = arrival.account === null ? away.flow : { ...away.flow, account: arrival.account };
  const signedIn = await signInTo(tx, request, { flow, step }, byAccount(member), deps);
  if (signedIn === null) return { refused: 'member', memberId };
  // Where a second factor is asked for, she is not in yet.
  const used = 'waiting' in signedIn ? null : await findLinkedAccount(tx, named);
  if (used !== null) await useLinkedAccount(tx, used, provider, tokens, { vault: deps.vault, now });
  return signedIn;
}

/** The account is linked to no member yet: its holder makes an account of ours, or proves which one is hers. */
async function goOnPending(reply: FastifyReply, flow: Away['flow'], deps: Deps): Promise<FastifyReply> {
  const { request } = reply;
  const asked = await requestOf(request, flow, deps);
  return goToFlow(reply, maySignUp(request, flow, asked) ? '/sign-up' : '/sign-in', flow, deps);
}

/** Links the account to the member who asked for that, if she is still signed in. */
async function linkTo(
  reply: FastifyReply,
  { flow, provider: key, issuer }: Away,
  { identity, tokens }: Redeemed,
  sessionId: string,
  deps: Deps,
): Promise<FastifyReply> {
  const { request } = reply;
  const now = deps.clock();
  const outcome = await transactionOf(request, deps, async (tx) => {
    const current = await currentSession(tx, request, now);
    if (current?.session.id !== sessionId) return 'signed-out';
    const provider = (await findProviders(tx, request.tenant.id)).find((one) => one.key === key);
    if (provider === undefined || provider.issuer !== issuer) return 'gone';
    const proven = { ...identity, provider: key };
    const linked = await linkAccount(tx, request.tenant, current.member, proven, deps);
    if (typeof linked === 'string') return linked;
    await useLinkedAccount(tx, linked, provider, tokens, { vault: deps.vault, now });
    return 'linked';
  });
  if (outcome === 'linked') return redirectAfter(reply, flow.returnTo, 'linked');
  if (outcome === 'signed-out') return reply.redirect(flow.returnTo, 303);
  const language = languageOf(request, flow);
  const ways = [{ href: flow.returnTo, text: 'account.accounts.title' }];
  const kind = outcome === 'gone' ? 'providerGone' : 'accountTaken';
  return sendProblem(reply, kind, { language, ways });
}
