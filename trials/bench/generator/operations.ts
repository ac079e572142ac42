import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import type { Answer } from './connection.ts';
import { type Item, type OperationName, type Plan, redirectUri } from './plan.ts';
import { cycling, filling, once, type Pool, pacing, returning } from './pool.ts';

/** One way of using the server, by as many connections as there are. A connection is named by its number. */
export interface Operation {
  /** The first request of the next operation; null where nothing is left to ask for now. */
  begin(connection: number): string | null;
  /**
   * Checks an answer.
   *
   * @returns the operation's next request, or null where it is done
   * @throws WrongAnswer
   */
  answered(connection: number, answer: Answer): string | null;
  /** A request that shows after a round that the server did what it answered; null where there is none. */
  proof?(): string | null;
  /** @throws WrongAnswer */
  proven?(answer: Answer): void;
}

/** The server did not do what the operation is about: there is nothing to measure. */
export class WrongAnswer extends Error {
  override readonly name = 'WrongAnswer';
}

/** A device may poll every 5 s (contract, Limits). */
const pollPace = 5_000;

/** A tenant takes device codes until so many are pending: half of what it may allow itself at most. */
const codesOfTenant = 50_000;

const makers: Readonly<Record<OperationName, (plan: Plan) => Operation>> = {
  refresh: (plan) => refresh(plan),
  'refresh-with-dpop': (plan) => refresh(plan, dpopOf(plan)),
  'sign-in': signIn,
  'device-authorization': deviceAuthorization,
  poll,
  revocation,
  discovery: (plan) => document(plan, plan.addresses.discovery),
  jwks: (plan) => document(plan, plan.addresses.jwks),
  profile,
  'wrong-sign-in': wrongSignIn,
  bare: (plan) => document(plan, '/'),
  'bare-post': (plan) => repeated(cycling(plan.items), ({ host, value }) => post(host, '/', value)),
};

export function createOperation(plan: Plan): Operation {
  return makers[plan.operation](plan);
}

// What a proxy in front says of the browser: both sides run behind one.
const forwarded = 'X-Forwarded-For: 203.0.113.7\r\nX-Forwarded-Proto: https\r\nAccept: */*\r\n';

function get(host: string, path: string, more = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${forwarded}${more}\r\n`;
}

function post(host: string, path: string, body: string, more = ''): string {
  const type = 'Content-Type: application/x-www-form-urlencoded\r\n';
  return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\n${forwarded}${more}${type}Content-Length: ${body.length}\r\n\r\n${body}`;
}

function expect(isRight: boolean, what: string, answer: Answer): void {
  if (!isRight) throw new WrongAnswer(`${what}: ${errorOf(answer)}`);
}

/** The status and the error of an answer, and nothing else of it: an answer may hold tokens. */
function errorOf({ status, body }: Answer): string {
  const error = /"error":"([^"]*)"(?:,"error_description":"([^"]*)")?/.exec(body);
  return error === null ? `${status}` : `${status} ${error[1]} ${error[2] ?? ''}`.trim();
}

/** The same request for every item, each answered by 200 and what the item expects. */
function repeated(
  pool: Pool,
  request: (item: Item) => string,
  check: (answer: Answer, item: Item) => void = (answer) => expect(answer.status === 200, 'not 200', answer),
): Operation {
  const current: Item[] = [];
  return {
    begin: (connection) => {
      const item = pool.next();
      if (item === null) return null;
      current[connection] = item;
      return request(item);
    },
    answered: (connection, answer) => {
      check(answer, current[connection] as Item);
      return null;
    },
  };
}

const signedBy = { RS256: '{"alg":"RS256"', ES256: '{"alg":"ES256"' } as const;

/** Reads a token response: both tokens signed as they should be, and a refresh token. */
function tokensOf(answer: Answer, { idTokenAlgorithm }: Plan): { refresh_token: string } {
  expect(answer.status === 200, 'no tokens', answer);
  const tokens = JSON.parse(answer.body);
  const { access_token: access, id_token: id, refresh_token: refreshToken } = tokens;
  const isRight =
    typeof refreshToken === 'string' &&
    isSigned(access, signedBy.ES256) &&
    isSigned(id, signedBy[idTokenAlgorithm]);
  expect(isRight, 'tokens that are not signed as they should be', answer);
  return tokens;
}

function isSigned(token: unknown, beginning: string): boolean {
  // A header begins with what 20 characters of base64url hold: 15 bytes.
  return (
    typeof token === 'string' && Buffer.from(token.slice(0, 20), 'base64url').toString().startsWith(beginning)
  );
}

/** The header of a proof for the token endpoint, as a device that has one key makes it for each request (RFC 9449 §4.2). */
function dpopOf({ addresses }: Plan): (host: string) => string {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = part({ typ: 'dpop+jwt', alg: 'ES256', jwk: publicKey.export({ format: 'jwk' }) });
  return (host) => {
    const htu = `https://${host}${addresses.token}`;
    const claims = { jti: randomUUID(), htm: 'POST', htu, iat: Math.floor(Date.now() / 1_000) };
    const input = `${header}.${part(claims)}`;
    const signature = sign('sha256', Buffer.from(input), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `DPoP: ${input}.${signature.toString('base64url')}\r\n`;
  };
}

/** @param more headers for a host */
function refresh(plan: Plan, more: (host: string) => string = () => ''): Operation {
  const pool = returning(plan.items);
  return {
    ...repeated(
      pool,
      ({ host, value }) =>
        post(
          host,
          plan.addresses.token,
          `grant_type=refresh_token&client_id=${plan.clientId}&refresh_token=${value}`,
          more(host),
        ),
      (answer, item) => {
        const { refresh_token: value } = tokensOf(answer, plan);
        expect(value !== item.value, 'the refresh token did not rotate', answer);
        pool.giveBack({ ...item, value });
      },
    ),
  };
}

const verifier = 'verifier-of-the-bench-0123456789-0123456789-0123456789';
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** Authorize with a session that lives, and exchange the code (RFC 6749 §4.1, RFC 7636). */
function signIn(plan: Plan): Operation {
  const { addresses, clientId } = plan;
  const pool = cycling(plan.items);
  const current: Item[] = [];
  const codes: (string | null)[] = [];
  const redirect = encodeURIComponent(redirectUri);
  const scope = encodeURIComponent(plan.scope);
  const query = `response_type=code&client_id=${clientId}&redirect_uri=${redirect}&scope=${scope}&state=af0ifjsldkj&nonce=n-0S6_WzA2Mj&code_challenge=${challenge}&code_challenge_method=S256`;
  return {
    begin: (connection) => {
      const item = pool.next();
      if (item === null) return null;
      current[connection] = item;
      codes[connection] = null;
      return get(item.host, `${addresses.authorization}?${query}`, `Cookie: ${item.value}\r\n`);
    },
    answered: (connection, answer) => {
      if (codes[connection] !== null) {
        tokensOf(answer, plan);
        return null;
      }
      const code = /\r\nlocation: https:\/\/app\.bench\.test\/callback\?(?:[^\r]*&)?code=([^&\r]+)/i.exec(
        answer.head,
      )?.[1];
      expect(answer.status === 303 && code !== undefined, 'no code', answer);
      codes[connection] = code ?? '';
      const { host } = current[connection] as Item;
      const body = `grant_type=authorization_code&client_id=${clientId}&redirect_uri=${redirect}&code_verifier=${verifier}&code=${code}`;
      return post(host, addresses.token, body);
    },
  };
}

function pollOf({ addresses, clientId }: Plan, host: string, code: string): string {
  const grant = encodeURIComponent('urn:ietf:params:oauth:grant-type:device_code');
  return post(host, addresses.token, `grant_type=${grant}&client_id=${clientId}&device_code=${code}`);
}

function expectPending(answer: Answer): void {
  expect(
    answer.status === 400 && answer.body.includes('"authorization_pending"'),
    'the code is not pending',
    answer,
  );
}

function deviceAuthorization(plan: Plan): Operation {
  let last: Item | null = null;
  const body = `client_id=${plan.clientId}&scope=${encodeURIComponent(plan.scope)}`;
  return {
    ...repeated(
      filling(plan.items, codesOfTenant),
      ({ host }) => post(host, plan.addresses.deviceAuthorization, body),
      (answer, item) => {
        expect(answer.status === 200, 'no device code', answer);
        const { device_code: value, user_code: userCode } = JSON.parse(answer.body);
        expect(typeof value === 'string' && typeof userCode === 'string', 'no device code', answer);
        last = { host: item.host, value };
      },
    ),
    proof: () => (last === null ? null : pollOf(plan, last.host, last.value)),
    proven: expectPending,
  };
}

function poll(plan: Plan): Operation {
  const request = ({ host, value }: Item) => pollOf(plan, host, value);
  return repeated(pacing(plan.items, pollPace), request, expectPending);
}

function revocation(plan: Plan): Operation {
  const { addresses, clientId } = plan;
  let last: Item | null = null;
  return {
    ...repeated(
      once(plan.items),
      ({ host, value }) =>
        post(
          host,
          addresses.revocation,
          `client_id=${clientId}&token_type_hint=refresh_token&token=${value}`,
        ),
      (answer, item) => {
        expect(answer.status === 200 && answer.body === '', 'not revoked', answer);
        last = item;
      },
    ),
    proof: () => {
      if (last === null) return null;
      const body = `grant_type=refresh_token&client_id=${clientId}&refresh_token=${last.value}`;
      return post(last.host, addresses.token, body);
    },
    proven: (answer) =>
      expect(answer.status === 400 && answer.body.includes('"invalid_grant"'), 'it still refreshes', answer),
  };
}

/** A document that is the same each time. */
function document(plan: Plan, path: string): Operation {
  let first: string | null = null;
  return repeated(
    cycling(plan.items),
    ({ host }) => get(host, path),
    (answer, { expected = '' }) => {
      first ??= answer.body;
      expect(
        answer.status === 200 && answer.body === first && first.includes(expected),
        'another document',
        answer,
      );
    },
  );
}

function profile(plan: Plan): Operation {
  return repeated(
    cycling(plan.items),
    ({ host, value }) => get(host, plan.addresses.profile, `Authorization: Bearer ${value}\r\n`),
    (answer, { expected = '' }) =>
      expect(answer.status === 200 && answer.body.includes(expected), 'not the profile', answer),
  );
}

/** A form with the wrong password, of another address each time; the item has the flow and its cookie. */
function wrongSignIn(plan: Plan): Operation {
  let count = 0;
  return repeated(
    cycling(plan.items),
    ({ host, value, expected = '' }) => {
      count += 1;
      const body = `flow=${expected}&email=nobody${count}%40bench.test&password=this+is+not+the+password`;
      return post(host, '/sign-in', body, `Cookie: ${value}\r\nOrigin: https://${host}\r\n`);
    },
    (answer) => expect(answer.status === 422, 'not refused', answer),
  );
}
