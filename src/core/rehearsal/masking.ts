/**
 * Takes the secrets out of what went over the wire. A value is shown as it is only where its name is known to hold none;
 * a secret that comes back, such as a token, has a mark by which it is known again.
 */
import { hmac, type MacKey } from '../hash.ts';
import { wireParts } from './limits.ts';

/** Values by their names; several of one name in a list. */
export type WireValues = Readonly<Record<string, string | readonly string[]>>;

/** What stands where nothing is told. */
export const hidden = '•••';

/** The fields of a request and of a redirect that hold no secret. */
const plain: ReadonlySet<string> = new Set([
  'acr_values',
  'application_type',
  'authorization_details',
  'claims',
  'client_assertion_type',
  'client_id',
  'client_name',
  'client_uri',
  'code_challenge_method',
  'default_max_age',
  'device_model',
  'device_name',
  'display',
  'error',
  'error_description',
  'expires_in',
  'grant_type',
  'grant_types',
  'iss',
  'jwks_uri',
  'login_hint',
  'max_age',
  'moved',
  'post_logout_redirect_uri',
  'prompt',
  'redirect_uri',
  'redirect_uris',
  'resource',
  'response_mode',
  'response_type',
  'response_types',
  'scope',
  'status',
  'token_endpoint_auth_method',
  'token_type_hint',
  'ui_locales',
  'user_code',
]);

/** What is known again by a mark, with the mark's first letters. */
const marked: Readonly<Record<string, string>> = {
  access_token: 'at',
  client_assertion: 'assertion',
  code: 'code',
  code_challenge: 'challenge',
  code_verifier: 'verifier',
  device_code: 'dc',
  dpop_jkt: 'jkt',
  id_token: 'it',
  id_token_hint: 'it',
  logout_token: 'lt',
  nonce: 'nonce',
  refresh_token: 'rt',
  request: 'request',
  request_uri: 'uri',
  response: 'response',
  state: 'state',
};

/** What an answer tells once, and to its client alone. */
const secretInAnswers: ReadonlySet<string> = new Set([
  'client_secret',
  'registration_access_token',
  'registration_client_uri',
  'software_statement',
]);

/** The names of an answer that are tokens of ours, whose claims are told. */
export const tokenNames = ['access_token', 'id_token'] as const;

export type Mask = ReturnType<typeof createMask>;

/**
 * Masks values for as long as a process lives.
 *
 * @param key of the marks: without it no reader can try which secret has one
 */
export function createMask(key: MacKey) {
  const mark = (kind: string, secret: string): string =>
    `${kind}·${hmac(key, kind, secret).toString('hex').slice(0, 8)}`;
  /** One token may be sent under several names: a revocation does not say which it is. */
  const markOfToken = (token: string): string => {
    // A refresh token may have dots too.
    const header = partOf(token, 0);
    if (typeof header !== 'object' || header === null) return mark('rt', token);
    return mark('typ' in header && header.typ === 'at+jwt' ? 'at' : 'it', token);
  };
  const value = (name: string, sent: string): string => {
    if (plain.has(name)) return told(sent);
    if (name === 'token') return markOfToken(sent);
    const kind = Object.hasOwn(marked, name) ? marked[name] : undefined;
    return kind === undefined ? hidden : mark(kind, sent);
  };
  const values = (all: Iterable<readonly [string, readonly string[]]>): WireValues =>
    Object.fromEntries(
      [...all].slice(0, wireParts.values).map(([name, sent]) => {
        const masked = sent.map((one) => value(name, one));
        return [likeName.test(name) ? name : hidden, masked.length === 1 ? (masked[0] ?? '') : masked];
      }),
    );
  return {
    mark,
    values,
    /** Basic, Bearer or DPoP: the client that is named, and the token's mark. */
    authorization(header: string): string {
      const [, scheme = '', rest = ''] = /^(\w+) +(.*)$/s.exec(header) ?? [];
      if (/^basic$/i.test(scheme)) return `${scheme} ${hidden}`;
      return /^(?:bearer|dpop)$/i.test(scheme) ? `${scheme} ${markOfToken(rest)}` : hidden;
    },
    /** An address that an answer leads to: what a query or a fragment of it says is masked as parameters are. */
    location(address: string): string {
      const [, path = '', query = ''] = /^([^?#]*)[?#]?(.*)$/s.exec(address) ?? [];
      const pairs = [...new URLSearchParams(query)].map(([name, sent]) => `${name}=${value(name, sent)}`);
      return shortened([withoutSecrets(path), pairs.join('&')].filter((part) => part !== '').join('?'));
    },
    /** What an answer of JSON says. */
    body(answer: unknown): unknown {
      if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer;
      return Object.fromEntries(
        Object.entries(answer).map(([name, said]) => {
          if (secretInAnswers.has(name)) return [name, hidden];
          const kind = Object.hasOwn(marked, name) ? marked[name] : undefined;
          return [name, typeof said === 'string' && kind !== undefined ? mark(kind, said) : said];
        }),
      );
    },
  };
}

/** As long as a secret of ours, and written as one: by itself, as a part of a token, or in an address. */
const likeSecrets = /[\w-]{41,}/g;

/** A text of a stranger that holds no secret as a rule: people paste them into the wrong field. */
export const told = (text: string): string => shortened(text.replaceAll(likeSecrets, hidden));

/** What could be the name of a parameter. */
const likeName = /^[a-z][\w.-]{0,39}$/i;

/** A client_id as a request names it. */
export const namedClient = told;

/** A path without the segments that are long enough to be a secret. */
export const withoutSecrets = (path: string): string =>
  path.replaceAll(/[^/]+/g, (segment) => (segment.length > longestWord ? hidden : segment));

/** No word of an address of ours is longer; every secret is. */
const longestWord = 32;

/** A text that a stranger may send at any length. */
export function shortened(text: string, most: number = wireParts.value): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}

/** What a JWT says of itself, which is not verified here; null if it is none. */
export const claimsOf = (jwt: string): unknown => partOf(jwt, 1);

function partOf(jwt: string, part: number): unknown {
  try {
    return JSON.parse(Buffer.from(jwt.split('.')[part] ?? '', 'base64url').toString('utf8'));
  } catch {
    return null;
  }
}
