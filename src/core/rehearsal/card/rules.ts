/** The rules that a report card grades a client by, each with where it stands and how one sees it kept. */
import { rfc, type Source } from '../explain/rule.ts';
import type { Sighting } from './sighting.ts';

interface CardRule {
  readonly rule: string;
  readonly part: 'tv' | 'tokens' | 'web' | 'all';
  readonly title: string;
  readonly sources: readonly Source[];
  /** What is said while nothing was seen of it. */
  readonly toSee: string;
}

const core = (section: string, anchor: string): Source => ({
  name: `OpenID Connect Core §${section}`,
  href: `https://openid.net/specs/openid-connect-core-1_0.html#${anchor}`,
});
const ours = (name: string): Source => ({ name, href: null });

/** In the order of a card. Readers of the JSON rely on the names. */
export const cardRules = [
  {
    rule: 'interval',
    part: 'tv',
    title: 'Waits the interval before the first poll, and between polls',
    sources: [ours('contract, "Polling rules", 1'), rfc(8628, '3.5')],
    toSee: 'Nothing polled yet: let the client ask for a code and wait for the member.',
  },
  {
    rule: 'one_poll',
    part: 'tv',
    title: 'Sends one poll at a time',
    sources: [ours('contract, "Polling rules", 2'), ours('contract, "polling concurrency"')],
    toSee:
      'One poll after another was not seen yet: let the client poll twice for a code before the member approves.',
  },
  {
    rule: 'slow_down',
    part: 'tv',
    title: 'Waits 5 seconds longer after slow_down, for good',
    sources: [ours('contract, "Polling rules", 3'), rfc(8628, '3.5')],
    toSee:
      'No poll after a slow_down was seen yet: have the next poll answered slow_down, and watch the waits.',
  },
  {
    rule: 'back_off',
    part: 'tv',
    title: 'Doubles its interval after trouble, and obeys Retry-After',
    sources: [ours('contract, "Polling rules", 4'), rfc(8628, '3.5'), rfc(9110, '10.2.3')],
    toSee:
      'No poll after trouble was seen yet: have the next poll answered 500, 429 or with HTML, and watch the waits.',
  },
  {
    rule: 'stop',
    part: 'tv',
    title: 'Stops polling when the answer is final',
    sources: [ours('contract, "Polling rules", 5'), ours('contract, "expired_token"')],
    toSee: 'No final error was seen yet: reject a sign-in on the phone, or let a code run out.',
  },
  {
    rule: 'one_refresh',
    part: 'tokens',
    title: 'Never refreshes twice in parallel',
    sources: [ours('contract, "parallel refresh"')],
    toSee: 'No refresh was seen yet: move the clock on by four hours, and use the app.',
  },
  {
    rule: 'newest_token',
    part: 'tokens',
    title: 'Keeps the newest refresh token',
    sources: [ours('contract, "Refresh token"'), rfc(9700, '4.14.2')],
    toSee: 'No refresh with a token from an earlier refresh was seen yet: let the client refresh twice.',
  },
  {
    rule: 'deleted_tokens',
    part: 'tokens',
    title: 'Deletes its tokens when the sign-in is over',
    sources: [
      ours('contract, "POST /api/oidc/token/revocation"'),
      ours('contract, "GET /api/oidc/session/end"'),
      ours('contract, "delete stored tokens"'),
    ],
    toSee:
      'No revocation and no logout of a sign-in that it has tokens of was seen yet: sign out in the app.',
  },
  {
    rule: 'fresh_verifier',
    part: 'web',
    title: 'Makes a new code_verifier for each sign-in',
    sources: [ours('contract, "Authentication"'), rfc(7636, '4.1')],
    toSee: 'Two sign-ins were not seen yet: sign in on the web twice.',
  },
  {
    rule: 'state',
    part: 'web',
    title: 'Compares state by its value',
    sources: [ours('contract, "GET /api/oidc/auth"'), rfc(6749, '10.12')],
    toSee:
      'No answer with a wrong state came back to it yet: have the next one changed, and sign in on the web.',
  },
  {
    rule: 'fresh_nonce',
    part: 'web',
    title: 'Makes a new nonce for each sign-in',
    sources: [core('15.5.2', 'NonceNotes')],
    toSee:
      'Two sign-ins with a nonce were not seen yet. It may be left out, since PKCE binds the code already.',
  },
  {
    rule: 'discovery',
    part: 'all',
    title: 'Reads addresses from discovery',
    sources: [ours('contract, "GET /.well-known/openid-configuration"')],
    toSee: 'Nothing shows where its addresses come from yet: move the endpoints, and start the client anew.',
  },
] as const satisfies readonly CardRule[];

export type RuleName = (typeof cardRules)[number]['rule'];

/** What shows that a rule was kept or broken, once. */
export interface Finding {
  readonly rule: RuleName;
  readonly verdict: 'kept' | 'broken';
  /** What was seen and, where it was broken, what to do: one sentence. */
  readonly says: string;
  /** What it was seen in, in the order of time. */
  readonly entries: readonly Sighting[];
}

export const kept = (rule: RuleName, says: string, ...entries: readonly Sighting[]): Finding => ({
  rule,
  verdict: 'kept',
  says,
  entries,
});
export const broken = (rule: RuleName, says: string, ...entries: readonly Sighting[]): Finding => ({
  rule,
  verdict: 'broken',
  says,
  entries,
});

/** What a part of the grading remembers next, and what it found. */
export interface Judged<Memory> {
  readonly memory: Memory;
  readonly findings: readonly Finding[];
}
