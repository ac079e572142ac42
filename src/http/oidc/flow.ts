// A way through the sign-in pages, which travels sealed with the browser.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { flowLifetime } from '../../core/limits.ts';
import { memberTextLength } from '../../core/members/limits.ts';
import type { IdTokenHint } from '../../core/oidc/logout.ts';
import type { SentParameters } from '../../core/oidc/request/authorization-request.ts';
import type { PendingAccount } from '../../core/providers/linked-account.ts';
import {
  type AuthorizationContext,
  type AuthorizationOutcome,
  type AuthorizationStep,
  takeStep,
} from '../../operations/authorization/authorization.ts';
import type { Waiting } from '../../operations/sign-in/enter.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { seal, unseal } from '../../secrets/seal.ts';
import { verifyToken } from '../../secrets/signing.ts';
import type { Language } from '../../text/language.ts';
import { transactionOf } from '../audit.ts';
import { browserCookie, ensureBrowserCookie } from '../cookies.ts';
import type { Deps } from '../deps.ts';
import { requestLanguage } from '../pages/pages.ts';
import { sendProblem } from '../pages/problem.ts';

/**
 * A way through the sign-in pages. It is not stored: it travels with the browser, sealed against change and
 * bound to that browser's cookie, and is checked anew at each step (A11).
 */
export interface Flow {
  /** When it began; what the member did since then was done for it. ms. */
  readonly startedAt: number;
  /** The authorization request to go on with; null where one of our own pages asked for the sign-in. */
  readonly parameters: SentParameters['values'] | null;
  /** Whether the client pushed that request: then no address tells what is in it, and it is not begun anew from here. */
  readonly pushed?: boolean;
  /** Whether the client signed it: it is not begun anew from here either. */
  readonly signed?: boolean;
  /** The page of ours to return to. */
  readonly returnTo: string;
  /** The language chosen on the way. */
  readonly language: string | null;
  /** If it leads to a checkout: whether that is free. */
  readonly isFree?: boolean;
  /** The address that was typed on the way: it is not asked for again. */
  readonly email?: string;
  /** An account of another provider that was proven on the way: it is linked to the member who signs in, or who signs up. */
  readonly account?: PendingAccount;
  /** When a mail to that address was asked for on the way (ms). */
  readonly mailedAt?: number;
  /** The code to sign in with that was asked for then (the id of its proof). */
  readonly codeId?: string;
  /** Whether who is signed in signs in again all the same: a page of ours asks for it. */
  readonly anew?: boolean;
  /** The first factor that was proven on the way, while it waits for the second. */
  readonly waiting?: Waiting;
  /** As a mail keeps it: whether the browser that asked came from an app that makes no accounts (pages 12). */
  readonly closed?: boolean;
  /** On the page that asks for a member's consent: the session of that member, who alone may answer it. */
  readonly askedOf?: string;
}

/** A stale one is expired, or was begun in another browser: it can be started anew, not continued. */
export type OpenedFlow = { readonly kind: 'flow' | 'stale'; readonly flow: Flow } | { readonly kind: 'none' };

/** What a sealed flow says of itself: that it goes on, or that a mail was asked for in it. */
type FlowSeal = 'asked' | 'flow';

/** Seals a flow for this browser, which gets a cookie if it has none. */
export function sealFlow(
  reply: FastifyReply,
  flow: Flow,
  { random }: Pick<Deps, 'random'>,
  purpose: FlowSeal = 'flow',
): string {
  const { tokenKey } = reply.request.tenant;
  return seal(tokenKey, purpose, ensureBrowserCookie(reply, random), flow, {
    // No address of a page tells who is on the way.
    isHidden:
      [flow.email, flow.account, flow.waiting].some((known) => known !== undefined) || flow.pushed === true,
  });
}

/** Opens the flow that a page or a form carries. */
export function openFlow(
  request: FastifyRequest,
  text: string | undefined,
  now: number,
  purpose: FlowSeal = 'flow',
): OpenedFlow {
  if (text === undefined) return { kind: 'none' };
  const unsealed = unseal(request.tenant.tokenKey, purpose, browserCookie(request), text);
  if (unsealed.kind === 'broken') return { kind: 'none' };
  const flow = unsealed.value as Flow;
  const isStale = unsealed.kind === 'foreign' || now >= flow.startedAt + flowLifetime;
  return { kind: isStale ? 'stale' : 'flow', flow };
}

/**
 * A flow as it may be kept in the database until a mail is answered: an id_token has no place there (W9), and
 * without the hint the client checks itself who signed in.
 */
export function flowToKeep(given: Flow): Flow {
  const {
    email: _email,
    mailedAt: _mailedAt,
    codeId: _codeId,
    waiting: _waiting,
    account: _account,
    ...flow
  } = given;
  if (flow.parameters === null) return flow;
  const { id_token_hint: _, ...parameters } = flow.parameters;
  return { ...flow, parameters };
}

/** The flow with an address that was typed on its way. */
export function withAddress(flow: Flow, email: string): Flow {
  const { email: _, ...rest } = flow;
  const typed = email.trim();
  return typed === '' || typed.length > memberTextLength.email ? rest : { ...rest, email: typed };
}

/** The flow as it was before a first factor was proven. */
export const withoutWaiting = ({ waiting: _, ...flow }: Flow): Flow => flow;

/** Whether a flow was begun on the way to a subscription: people without an account make one there. */
export function isCheckout({ parameters, returnTo }: Flow): boolean {
  return parameters === null && returnTo.startsWith('/checkout/');
}

/** The steps of the checkout that a flow leads to; null of any other. */
export function stepsOf(flow: Flow): { readonly isFree: boolean | null } | null {
  return isCheckout(flow) ? { isFree: flow.isFree ?? null } : null;
}

/** The pages that a flow leads through. */
export type FlowPage = '/sign-in' | '/sign-in/code' | '/second-factor' | '/sign-up' | '/recover' | '/consent';

/** The address of a page of the flow. */
export function flowUrl(page: FlowPage, sealed: string): string {
  return `${page}?flow=${sealed}`;
}

/** Leads through the sign-in page to a page of ours. @param language chosen on the way */
export function sendToSignIn(
  reply: FastifyReply,
  returnTo: string,
  language: string | null,
  deps: Pick<Deps, 'clock' | 'random'>,
): FastifyReply {
  return reply.redirect(flowUrl('/sign-in', sealFlow(reply, ownFlow(returnTo, deps, language), deps)), 303);
}

/** Leads a member who is signed in through the sign-in page once more, and back to a page of ours. */
export function sendToSignInAnew(
  reply: FastifyReply,
  { returnTo, language, email }: Pick<Flow, 'returnTo' | 'language'> & { readonly email: string },
  deps: Pick<Deps, 'clock' | 'random'>,
): FastifyReply {
  const flow = withAddress({ ...ownFlow(returnTo, deps, language), anew: true }, email);
  return reply.redirect(flowUrl('/sign-in', sealFlow(reply, flow, deps)), 303);
}

/** A flow that a page of ours begins, and that leads back to one. */
export const ownFlow = (
  returnTo: string,
  { clock }: Pick<Deps, 'clock'>,
  language: string | null = null,
): Flow => ({ startedAt: clock(), parameters: null, returnTo, language });

/** An authorization step, but for the time at which it is taken. */
export type FlowStep = Omit<AuthorizationStep, 'now'>;

/** The authorization step that a flow stands at; null where it has no authorization request. */
export async function stepOf({ tenant }: FastifyRequest, flow: Flow): Promise<FlowStep | null> {
  const { parameters, startedAt } = flow;
  if (parameters === null) return null;
  const hintedMember = await readHintedMember(tenant, parameters.id_token_hint);
  return { tenant, sent: sentIn(flow), hintedMember, startedAt };
}

const sentIn = ({ parameters, pushed = false, signed = false }: Flow): SentParameters => ({
  values: parameters ?? {},
  repeated: [],
  pushed,
  signed,
});

/** What a flow is for: the client that asks, and its request. */
export type FlowRequest = Pick<Extract<AuthorizationOutcome, { kind: 'interact' }>, 'client' | 'request'>;

/** The client and request of a flow, read anew for a page that shows them; null where it has none. */
export async function requestOf(
  request: FastifyRequest,
  flow: Flow,
  deps: Deps,
): Promise<FlowRequest | null> {
  const step = await stepOf(request, flow);
  if (step === null) return null;
  const outcome = await transactionOf(request, deps, (tx) =>
    takeStep(tx, { ...step, now: deps.clock() }, null, deps),
  );
  return outcome.kind === 'interact' ? outcome : null;
}

/** What an answer to the flow's request must know of the flow. */
export function contextOf(flow: Flow): AuthorizationContext {
  const { startedAt, language } = flow;
  return { sent: sentIn(flow), startedAt, language };
}

/** The language of a flow's pages. */
export function languageOf(request: FastifyRequest, { language, parameters }: Flow): Language {
  return requestLanguage(request, [language, parameters?.ui_locales]);
}

/** Parameters as a query again: several resources are one parameter each. */
function queryOfFlow({ resource, ...parameters }: SentParameters['values']): URLSearchParams {
  const query = new URLSearchParams(parameters as Record<string, string>);
  for (const one of resource?.split(' ') ?? []) query.append('resource', one);
  return query;
}

/** A page that was open too long, or in another browser: it names the way to start anew (pages 7, A11). */
export function sendStale(reply: FastifyReply, flow: Flow): Promise<FastifyReply> {
  const { parameters, returnTo, pushed, signed } = flow;
  const language = languageOf(reply.request, flow);
  // Only its app can push or sign it anew.
  if (pushed === true || signed === true) return sendProblem(reply, 'staleOfApp', { language });
  const query = parameters && queryOfFlow(parameters);
  const link = query === null ? returnTo : `/api/oidc/auth?${query}`;
  return sendProblem(reply, 'stale', { language, link });
}

/**
 * Reads an id_token_hint: one of our own id_tokens, expired or not (Core §3.1.2.1; RP-Initiated Logout §2). It is
 * undefined if none was sent, null if it is not one of ours.
 */
export async function readHint(
  tenant: OpenTenant,
  hint: string | undefined,
): Promise<IdTokenHint | null | undefined> {
  if (hint === undefined) return undefined;
  const claims = await verifyToken(tenant.keys, hint, { type: 'JWT', issuer: tenant.issuer, now: null });
  if (typeof claims?.sub !== 'string' || typeof claims.aud !== 'string') return null;
  if (typeof claims.sid !== 'string') return null;
  return { memberId: claims.sub, sessionId: claims.sid, clientId: claims.aud };
}

/** The member whom an id_token_hint names (`readHint`). */
export async function readHintedMember(tenant: OpenTenant, text: string | undefined) {
  const hint = await readHint(tenant, text);
  return hint ? hint.memberId : hint;
}
