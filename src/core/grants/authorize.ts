// Decides a valid authorization request: a code, a page, or an error.
import type { Client } from '../client.ts';
import type { Decision } from '../decision.ts';
import { provenFor } from '../members/limits.ts';
import type { FactorStep } from '../members/second-factor.ts';
import { codeLifetimeOf } from '../oidc/client/profile.ts';
import type { AuthorizationRequest } from '../oidc/request/authorization-request.ts';
import { keepClaims } from '../oidc/request/claims-parameter.ts';
import { consentCovers, type ScopeConsent } from '../oidc/scope-consent.ts';
import type { ErrorCode } from '../refusals/rule.ts';
import { isProvenWithin, type Session } from '../session.ts';
import { askedForTwo } from '../strength.ts';
import {
  type AuthorizationCode,
  type AuthorizationCodeWrite,
  issueAuthorizationCode,
} from './authorization-code.ts';

/** Everything a decision about a valid authorization request rests on. */
export interface AuthorizeCommand {
  readonly client: Client;
  readonly request: AuthorizationRequest;
  /** The browser's session, if it may be used. */
  readonly session: Session | null;
  readonly consent: ScopeConsent | null;
  /** The member named by id_token_hint; undefined if none was sent; null if the hint is not one of ours. */
  readonly hintedMember: string | null | undefined;
  /**
   * The step to two factors that the member of the session can take, or any member who signs in; null where there is none. It
   * tells of nothing where the request asks for no more than one factor.
   */
  readonly stepUp: FactorStep | null;
  /** When this browser began the flow: what happened since then was done for it. */
  readonly startedAt: number;
  readonly now: number;
  /** SHA-256 of the code that may be issued. */
  readonly codeHash: string;
}

type AuthorizeAnswer =
  | { readonly kind: 'code' }
  | { readonly kind: 'page'; readonly page: 'sign-in' | 'sign-up' | 'second-factor' | 'consent' }
  | { readonly kind: 'error'; readonly error: ErrorCode; readonly description: string };

type AuthorizeDecision = Decision<AuthorizeAnswer, AuthorizationCodeWrite>;

const no = (error: ErrorCode, description: string): AuthorizeDecision => ({
  answer: { kind: 'error', error, description },
  writes: [],
});

const page = (name: 'sign-in' | 'sign-up' | 'second-factor' | 'consent'): AuthorizeDecision => ({
  answer: { kind: 'page', page: name },
  writes: [],
});

/**
 * Decides a valid authorization request: a code, a page for the member, or an error for the client
 * (Core §3.1.2.1 to §3.1.2.6; decisions 9, 13, 14). It is asked anew at each step of the flow, always with
 * the same request, so no step can be skipped.
 */
export function authorize(command: AuthorizeCommand): AuthorizeDecision {
  const { request, session, hintedMember } = command;
  const silent = request.prompts.has('none');
  if (hintedMember === null) return no('invalid_request', 'id_token_hint is not an id_token of ours');
  const missing = missingStrength(command);
  if (missing === 'unmet' && !silent) {
    return no('unmet_authentication_requirements', 'the acr that claims demands cannot be had');
  }
  if (session === null || mustSignInAgain(session, command)) {
    if (silent) return no('login_required', 'the member is not signed in');
    return page(request.asksForSignUp ? 'sign-up' : 'sign-in');
  }
  if (silent && (missing === 'unmet' || missing === 'demanded')) {
    return no('interaction_required', 'the session has not the acr that claims demands');
  }
  if (isAnother(session, command)) {
    const justSignedIn = session.authenticatedAt >= command.startedAt;
    if (silent || justSignedIn) return no('login_required', 'another member is signed in');
    return page('sign-in');
  }
  if (missing !== null && !silent)
    return page(mustProveFirst(session, command) ? 'sign-in' : 'second-factor');
  if (mustConsent(command)) {
    return silent ? no('consent_required', 'the member has not consented') : page('consent');
  }
  return {
    answer: { kind: 'code' },
    writes: [{ write: 'insertAuthorizationCode', code: codeFor(session, command) }],
  };
}

/**
 * What is missing of the strength that a request asks for (decision 47; Core §5.5.1.1, Core Unmet Authentication
 * Requirements 1.0 §2): `unmet` is what neither this session nor a step more can have.
 */
function missingStrength({
  request: { claims },
  session,
  stepUp,
}: AuthorizeCommand): 'unmet' | 'demanded' | 'wished' | null {
  const asked = claims === null ? null : askedForTwo(claims.essentialAcr, claims.wishedAcr);
  if (asked === null || asked === 'impossible') return asked === null ? null : 'unmet';
  if (session !== null && session.strongAt !== null) return null;
  if (asked === 'demanded') return stepUp === null ? 'unmet' : 'demanded';
  // For a wish nothing is set up.
  return session !== null && stepUp !== null && stepUp !== 'set-up' ? 'wished' : null;
}

/**
 * Whether the second factor may not be set up yet: a stranger at a session that was left open would make the account the
 * stranger's own, and keep its member out.
 */
function mustProveFirst(session: Session, { stepUp, startedAt, now }: AuthorizeCommand): boolean {
  if (stepUp !== 'set-up' || session.authenticatedAt >= startedAt) return false;
  return !isProvenWithin(session, provenFor, now);
}

/** Whether another member is asked for than the one who is signed in (Core §3.1.2.1, id_token_hint; §5.5.1, sub). */
function isAnother({ memberId }: Session, { request, hintedMember }: AuthorizeCommand): boolean {
  const subjects = request.claims?.subjects ?? null;
  if (subjects !== null && !subjects.includes(memberId)) return true;
  return hintedMember !== undefined && hintedMember !== memberId;
}

/** A sign-in within this flow satisfies every demand for a new one (Core §3.1.2.1, prompt and max_age). */
function mustSignInAgain(session: Session, { request, startedAt, now }: AuthorizeCommand): boolean {
  if (session.authenticatedAt >= startedAt) return false;
  const asked = ['login', 'select_account', 'create'].some((prompt) => request.prompts.has(prompt));
  const tooOld = request.maxAge !== null && now - session.authenticatedAt >= request.maxAge * 1_000;
  return asked || tooOld;
}

/** Third parties ask once, and again on `prompt=consent` (decision 14). */
function mustConsent({ client, request, consent, startedAt }: AuthorizeCommand): boolean {
  if (!client.thirdParty) return false;
  const since = request.prompts.has('consent') ? startedAt : 0;
  return !consentCovers(consent, request.scope, since, request.resources);
}

function codeFor(session: Session, { client, request, codeHash, now }: AuthorizeCommand): AuthorizationCode {
  return issueAuthorizationCode(
    {
      hash: codeHash,
      tenantId: client.tenantId,
      clientId: client.clientId,
      memberId: session.memberId,
      sessionId: session.id,
      redirectUri: request.target.redirectUri,
      codeChallenge: request.codeChallenge,
      scope: request.scope,
      resources: request.resources,
      nonce: request.nonce,
      claims: keepClaims(request.claims, session),
      dpopJkt: request.dpopJkt,
      authenticatedAt: session.authenticatedAt,
    },
    now,
    codeLifetimeOf(client),
  );
}
