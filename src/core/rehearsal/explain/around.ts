// Explains what goes on around the tokens: the browser on its way, pages, documents, and calls with an access token.
import type { Endpoint } from '../endpoint.ts';
import {
  answered,
  contract,
  decision,
  isGood,
  type Rule,
  refusedWith,
  rfc,
  type Seen,
  sent,
  statusOf,
} from './rule.ts';

const goesTo = (part: RegExp) => (seen: Seen) => part.test(answered(seen, 'location'));
const isPage =
  (method: string, path: RegExp) =>
  ({ entry: { request } }: Seen) =>
    request.method === method && path.test(request.path);

const authorization: readonly Rule[] = [
  {
    when: goesTo(/[?&#]code=/),
    says: () =>
      'The member is signed in here already: the browser goes straight back to the client, with a code.',
    source: contract('GET /api/oidc/auth (web flow step 1)'),
    tone: 'good',
  },
  {
    when: goesTo(/[?&#]error=/),
    says: ({ entry }) => `Back to the client with ${entry.refusal?.error ?? 'an error'}, and with its state.`,
    source: decision(9),
    tone: 'bad',
  },
  {
    when: (seen) => statusOf(seen) === 400,
    says: () =>
      'A page and no redirect: the client is unknown, or its redirect_uri is not registered letter by letter.',
    source: decision(6),
    tone: 'bad',
  },
  {
    when: (seen) => sent(seen, 'code_challenge') === undefined && sent(seen, 'request_uri') === undefined,
    says: () => 'The browser comes to sign in.',
    source: contract('GET /api/oidc/auth (web flow step 1)'),
    tone: 'plain',
  },
  {
    when: () => true,
    says: () =>
      'The request is good. The client keeps its verifier, and the browser goes to the sign-in page.',
    source: rfc(7636, '4.3'),
    tone: 'plain',
  },
];

const page: readonly Rule[] = [
  {
    when: goesTo(/[?&#]code=/),
    says: () =>
      'The browser goes back to the client, with a code that is good for ten minutes and works once.',
    source: decision(18),
    tone: 'good',
  },
  {
    when: goesTo(/[?&#]error=/),
    says: ({ entry }) => `The browser goes back to the client with ${entry.refusal?.error ?? 'an error'}.`,
    source: decision(9),
    tone: 'care',
  },
  {
    when: isPage('POST', /^\/device\b/),
    says: () => 'The member typed the code, or decided.',
    source: decision(30),
    tone: 'plain',
  },
  {
    when: isPage('GET', /^\/device\/(?:approved|rejected)/),
    says: () => 'The phone says what was decided, and what happens next.',
    source: decision(45),
    tone: 'plain',
  },
  {
    when: isPage('GET', /^\/device\b/),
    says: () => 'The phone shows the code. Opening its page approves nothing.',
    source: decision(30),
    tone: 'plain',
  },
  {
    when: (seen) => seen.entry.request.method === 'POST' && statusOf(seen) >= 400,
    says: () => 'A form that was not right: its page says what is wrong.',
    source: decision(4),
    tone: 'care',
  },
  {
    when: () => true,
    says: ({ entry }) => (entry.request.method === 'POST' ? 'A form of a hosted page.' : 'A hosted page.'),
    source: decision(4),
    tone: 'plain',
  },
];

/** Calls with an access token. */
const withToken = (what: string, source: Rule['source']): readonly Rule[] => [
  { when: isGood, says: () => what, source, tone: 'good' },
  {
    when: (seen) => statusOf(seen) === 401,
    says: () => 'The access token is missing, over, or not one of ours. Refresh once and try again.',
    source: rfc(6750, '3.1'),
    tone: 'bad',
  },
  {
    when: (seen) => statusOf(seen) === 403,
    says: () => 'The token is good, but a scope is missing that this needs.',
    source: rfc(6750, '3.1'),
    tone: 'bad',
  },
];

const document = (what: string, source: Rule['source']): readonly Rule[] => [
  { when: isGood, says: () => what, source, tone: 'plain' },
];

/** What is said of each endpoint that gives no tokens. */
export const aroundRules: Readonly<Partial<Record<Endpoint, readonly Rule[]>>> = {
  authorization,
  page,
  discovery: document(
    'The client reads the addresses here, and writes none of them into its code.',
    contract('GET /.well-known/openid-configuration'),
  ),
  keys: document(
    'The keys that tokens are signed with. Clients keep them, and look again for one they do not know.',
    decision(3),
  ),
  introspection: document('What a token is good for now, for an API that asks.', rfc(7662, '2.2')),
  par: document(
    'The request was taken in. The browser brings its request_uri, once and soon.',
    rfc(9126, '2.2'),
  ),
  registration: document(
    'A client that registers itself, or looks at how it is registered.',
    rfc(7591, '3.2.1'),
  ),
  userinfo: withToken('What the token’s scopes let the client know of the member.', decision(3)),
  member_api: withToken(
    'The member’s data, for the token that the sign-in gave.',
    contract('Member profile with active subscriptions'),
  ),
  logout: [
    {
      when: (seen) => statusOf(seen) >= 300 && statusOf(seen) < 400,
      says: () =>
        'The browser’s session has ended, and the browser goes on. The client ends its own session too.',
      source: contract('GET /api/oidc/session/end'),
      tone: 'good',
    },
    {
      when: isGood,
      says: () => 'The service asks the member, or says that they are signed out here.',
      source: decision(36),
      tone: 'plain',
    },
  ],
  unknown: [
    {
      when: (seen) => refusedWith(seen, 'invalid_request'),
      says: () => 'There is nothing at this address. The addresses stand in the discovery document.',
      source: contract('GET /.well-known/openid-configuration'),
      tone: 'bad',
    },
  ],
};
