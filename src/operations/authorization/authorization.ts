/** Takes an authorization request on its way, page by page, until its client gets an answer. */
import type { Client } from '../../core/client.ts';
import { type Refusal, ruleOf } from '../../core/decision.ts';
import { authorize } from '../../core/grants/authorize.ts';
import { sha256 } from '../../core/hash.ts';
import { type FactorStep, hasTwoFactors, secondFactorPolicy } from '../../core/members/second-factor.ts';
import {
  type AnswerTarget,
  type AuthorizationRequest,
  type PageReason,
  readAuthorizationRequest,
  type SentParameters,
} from '../../core/oidc/request/authorization-request.ts';
import type { ScopeConsent } from '../../core/oidc/scope-consent.ts';
import type { Rule } from '../../core/refusals/rule.ts';
import {
  allowedClient,
  allowedScope,
  isUnverified,
  namedByHost,
} from '../../core/registration/unverified-client.ts';
import type { Session } from '../../core/session.ts';
import { askedForTwo } from '../../core/strength.ts';
import { apply } from '../../storage/apply.ts';
import { findClient } from '../../storage/clients/client.ts';
import { findScopeConsent } from '../../storage/grants/scope-consent.ts';
import { findMember } from '../../storage/members/member.ts';
import { updateBeside } from '../../storage/registration/unverified-client.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';
import { audiencesFor } from '../client/audiences.ts';
import { factorStepOf } from '../sign-in/factor-step.ts';
import type { OpenTenant } from '../tenant/open-tenants.ts';

/** An authorization request at one step of its way, whichever page it stands at. */
export interface AuthorizationStep {
  readonly tenant: OpenTenant;
  readonly sent: SentParameters;
  /** See `AuthorizeCommand`. */
  readonly hintedMember: string | null | undefined;
  readonly startedAt: number;
  readonly now: number;
  /** What the member has allowed with this very request; of an unverified client nothing else counts. */
  readonly allowed?: ScopeConsent;
}

/** Where an answer belongs: the request it answers, and how far its flow has come. */
export interface AuthorizationContext {
  readonly sent: SentParameters;
  readonly startedAt: number;
  readonly language: string | null;
}

/** What comes next: the client gets an answer, or the member a page. */
export type AuthorizationOutcome =
  | { readonly kind: 'rejected'; readonly reason: PageReason; readonly client: Client | null }
  | {
      readonly kind: 'respond';
      readonly target: AnswerTarget;
      readonly parameters: Readonly<Record<string, string>>;
      /** The rule that refused the request, where it was refused. */
      readonly rule?: Rule;
    }
  | {
      readonly kind: 'interact';
      readonly page: 'sign-in' | 'sign-up' | 'second-factor' | 'consent';
      readonly client: Client;
      readonly request: AuthorizationRequest;
    };

/**
 * Takes an authorization request one step further: validates it, decides it with what the browser's session
 * allows now, and issues the code if nothing is missing. Every page of the flow comes back here.
 */
export async function takeStep(
  tx: Tx,
  step: AuthorizationStep,
  session: Session | null,
  { random }: { readonly random: Pick<Random, 'secret'> },
): Promise<AuthorizationOutcome> {
  const { tenant, hintedMember, startedAt, now } = step;
  const { client, read } = await readSent(tx, step);
  if (read.kind === 'page') return { kind: 'rejected', reason: read.reason, client };
  if (read.kind === 'error') return respond(read.target, read);
  if (client === null) throw new Error('a request of no client was found valid');

  const request = { ...read.request, scope: allowedScope(read.request.scope, client, tenant) };
  const consent = await consentTo(tx, client, session, step);
  const stepUp = await stepUpFor(tx, tenant, request, session);
  const code = random.secret();
  const decision = authorize({
    client,
    request,
    session,
    stepUp,
    consent,
    hintedMember,
    startedAt,
    now,
    codeHash: sha256(code),
  });
  await apply(tx, decision.writes);
  const { answer } = decision;
  if (answer.kind === 'page') {
    const shown = namedByHost(client, request.target.redirectUri);
    return { kind: 'interact', page: answer.page, client: shown, request };
  }
  if (answer.kind === 'code' && isUnverified(client)) await updateBeside(tx, client, { lastUsedAt: now });
  return answer.kind === 'code'
    ? { kind: 'respond', target: request.target, parameters: { code } }
    : respond(request.target, answer);
}

/** The step to two factors that can be taken; nothing is read for a request that asks for one. */
async function stepUpFor(
  tx: Tx,
  tenant: OpenTenant,
  { claims }: AuthorizationRequest,
  session: Session | null,
): Promise<FactorStep | null> {
  const asked = claims === null ? null : askedForTwo(claims.essentialAcr, claims.wishedAcr);
  if (asked === null || asked === 'impossible') return null;
  // Who signs in has two factors, a passkey, or sets the second one up.
  if (session === null) return hasTwoFactors(tenant) ? 'set-up' : null;
  if (session.strongAt !== null) return null;
  const step = await factorStepOf(tx, tenant, session.memberId);
  if (step !== 'set-up') return step;
  const member = await findMember(tx, tenant.id, session.memberId);
  return member === null || secondFactorPolicy(member, tenant) === 'off' ? null : step;
}

/** The client that a request names, as far as the tenant allows it, and the request as it is read with it. */
async function readSent(tx: Tx, { tenant, sent }: Pick<AuthorizationStep, 'tenant' | 'sent'>) {
  const { client_id: clientId } = sent.values;
  const found = clientId === undefined ? null : await findClient(tx, tenant.id, clientId);
  const client = allowedClient(found, tenant);
  const audiences = await audiencesFor(tx, tenant, sent.values.resource);
  return { client, read: readAuthorizationRequest(sent, client, audiences) };
}

/** What the member allowed the client: an unverified one is asked about each time (decision 50). */
async function consentTo(
  tx: Tx,
  client: Client,
  session: Session | null,
  { allowed }: Pick<AuthorizationStep, 'allowed'>,
): Promise<ScopeConsent | null> {
  if (session === null || isUnverified(client)) return allowed ?? null;
  return findScopeConsent(tx, session.memberId, client.clientId);
}

function respond(
  target: AnswerTarget,
  refused: Pick<Refusal, 'error' | 'description' | 'rule'>,
): AuthorizationOutcome {
  const { error, description } = refused;
  const rule = ruleOf(refused);
  return { kind: 'respond', target, parameters: { error, error_description: description }, rule };
}

/** The answer to a member who turns back (interop 24). */
export async function cancel(
  tx: Tx,
  { tenant, sent }: Pick<AuthorizationStep, 'tenant' | 'sent'>,
): Promise<AuthorizationOutcome> {
  const { client, read } = await readSent(tx, { tenant, sent });
  if (read.kind === 'page') return { kind: 'rejected', reason: read.reason, client };
  const target = read.kind === 'error' ? read.target : read.request.target;
  return respond(target, { error: 'access_denied', description: 'the member turned back' });
}

/**
 * Takes the answer of a member to the page that asks whether a third party's client may have its scopes (decision 14).
 * What is not asked any more is not answered.
 */
export async function answerScopes(
  tx: Tx,
  step: AuthorizationStep,
  session: Session | null,
  answer: 'allow' | 'deny' | null,
  deps: { readonly random: Pick<Random, 'secret'> },
): Promise<AuthorizationOutcome> {
  if (answer === 'deny') return cancel(tx, step);
  const asked = await takeStep(tx, step, session, deps);
  const isAsked = asked.kind === 'interact' && asked.page === 'consent';
  if (!isAsked || answer === null || session === null) return asked;
  const { client, request } = asked;
  const { tenantId, clientId } = client;
  const { memberId } = session;
  const consent = {
    tenantId,
    memberId,
    clientId,
    scope: request.scope,
    resources: request.resources,
    grantedAt: step.now,
  };
  if (isUnverified(client)) return takeStep(tx, { ...step, allowed: consent }, session, deps);
  await apply(tx, [{ write: 'saveScopeConsent', consent }]);
  return takeStep(tx, step, session, deps);
}
