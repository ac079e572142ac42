// One sign-in of the room's web client, from its verifier to the end of its session.
import { hash } from 'node:crypto';
import type { HeardAnswer, Tokens } from '../../../../core/rehearsal/television.ts';
import { tokensIn, wordOf } from '../../../../core/rehearsal/television.ts';
import type { OpenTenant } from '../../../../operations/tenant/open-tenants.ts';
import type { Random } from '../../../../system/random.ts';
import type { Endpoints } from '../call.ts';

/** The client that the room is on the web: made when it is first needed. */
export const webClientId = 'rehearsal';
export const webUrl = '/rehearsal/web';
export const callbackUrl = `${webUrl}/callback`;

/** What came back with the browser. */
export interface Callback {
  readonly code: string | null;
  readonly error: string | null;
  /** Whether state and iss are, letter by letter, what they have to be. */
  readonly stateFits: boolean;
  readonly issuerFits: boolean;
}

/** What the client does by itself, in order. */
const webSteps = ['exchange', 'ask', 'refresh', 'revoke'] as const;
export type WebStep = (typeof webSteps)[number];

export interface WebRun {
  readonly endpoints: Endpoints;
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
  readonly nonce: string;
  readonly callback: Callback | null;
  readonly tokens: Tokens | null;
  /** Why the client has none; null where it was not told. */
  readonly ended: string | null;
  /** What the wire log knows the answers of each step by. */
  readonly references: Readonly<Record<WebStep, readonly string[]>>;
}

export function beginRun(endpoints: Endpoints, random: Pick<Random, 'secret'>): WebRun {
  const verifier = random.secret();
  return {
    endpoints,
    verifier,
    challenge: hash('sha256', verifier, 'base64url'),
    state: random.secret(),
    nonce: random.secret(),
    callback: null,
    tokens: null,
    ended: null,
    references: { exchange: [], ask: [], refresh: [], revoke: [] },
  };
}

/** What the browser is sent to sign in with. */
export const authorizationOf = (
  { challenge, state, nonce }: WebRun,
  { issuer }: Pick<OpenTenant, 'issuer'>,
) => ({
  response_type: 'code',
  client_id: webClientId,
  redirect_uri: `${issuer}${callbackUrl}`,
  scope: 'openid offline_access profile email',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  state,
  nonce,
});

/** Takes in what came back with the browser: a code that came with another state is not ours (RFC 9700 §2.1). */
export function cameBack(
  run: WebRun,
  { state, iss, code, error }: Readonly<Partial<Record<'code' | 'state' | 'iss' | 'error', string>>>,
  { issuer }: Pick<OpenTenant, 'issuer'>,
): WebRun {
  const { state: own } = run;
  const stateFits = state === own;
  const issuerFits = iss === issuer;
  const callback = {
    code: stateFits && issuerFits ? (code ?? null) : null,
    error: error ?? null,
    stateFits,
    issuerFits,
  };
  return { ...run, callback };
}

/** Takes in an answer that may have tokens. */
export function heardTokens(run: WebRun, answer: HeardAnswer | null): WebRun {
  const word = wordOf(answer);
  if (word === 'tokens' && answer?.body) {
    return { ...run, tokens: tokensIn(answer.body, run.tokens), ended: null };
  }
  return word === 'trouble' ? run : { ...run, tokens: null, ended: word };
}

/** Notes that a step was answered. */
export function noted(run: WebRun, step: WebStep, reference: string | null): WebRun {
  if (reference === null) return run;
  return { ...run, references: { ...run.references, [step]: [...run.references[step], reference] } };
}
