import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type ForeignPair, foreignPair, signForeign } from '../clients/foreign-jwt.ts';
import { type Answering, type Received, startReceiver } from '../outbound/receiver.ts';

/** What a provider of a test says: all of it can be wrong. */
export interface Said {
  /** Claims of the id_token, laid over right ones; undefined takes one away. */
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  /** What signs it; the provider's own key unless given. */
  readonly pair?: ForeignPair;
  /** The id_token as a whole. */
  readonly idToken?: (claims: object) => string;
  /** Laid over the discovery document. */
  readonly document?: Readonly<Record<string, unknown>>;
  /** Whether it looks at PKCE no more than some do. */
  readonly isLax?: boolean;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** What answers these addresses in place of the provider. */
  readonly instead?: Readonly<Partial<Record<'document' | 'keys' | 'token' | 'userInfo', Answering>>>;
}

/** Another provider, on a real socket, until the test is over. */
export interface ForeignProvider {
  readonly issuer: string;
  readonly clientId: string;
  /** Everything that was asked of it, oldest first. */
  readonly received: readonly Received[];
  /** What it says from now on. */
  say(said: Said): void;
  /**
   * What it sends a browser back with that was sent to it.
   *
   * @param sentTo where the browser was sent
   */
  approve(sentTo: string, said?: Said): URLSearchParams;
}

export const foreignClientId = 'memberdoor-at-foreign';

/** @param now the time that it goes by (ms) */
export async function startForeignProvider(now: () => number): Promise<ForeignProvider> {
  const pair = await foreignPair('ES256');
  let said: Said = {};
  /** The nonce and the challenge of each code. */
  const codes = new Map<string, URLSearchParams>();
  const json = (reply: ServerResponse, value: unknown) =>
    reply.setHeader('content-type', 'application/json').end(JSON.stringify(value));
  const places: Record<string, readonly [keyof NonNullable<Said['instead']>, Answering]> = {
    '/.well-known/openid-configuration': ['document', (_, reply) => json(reply, document())],
    '/keys': ['keys', (_, reply) => json(reply, { keys: [pair.publicJwk] })],
    '/token': [
      'token',
      (_request, reply, { body }) => {
        const form = new URLSearchParams(body);
        const asked = codes.get(form.get('code') ?? '');
        codes.delete(form.get('code') ?? '');
        const verifier = createHash('sha256').update(form.get('code_verifier') ?? '');
        const isProven = asked?.get('code_challenge') === verifier.digest('base64url');
        if (asked === undefined || !(isProven || said.isLax)) {
          reply.statusCode = 400;
          json(reply, { error: 'invalid_grant' });
        } else {
          json(reply, {
            access_token: 'access-token-of-foreign',
            token_type: 'Bearer',
            expires_in: 60,
            id_token: idToken(asked),
          });
        }
      },
    ],
    '/userinfo': ['userInfo', (_, reply) => json(reply, said.userInfo ?? {})],
  };
  const receiver = await startReceiver({
    answer: (request, reply, received) => {
      const [name, right] = places[request.url?.split('?')[0] ?? ''] ?? [];
      const answer = name === undefined ? undefined : (said.instead?.[name] ?? right);
      if (answer === undefined) reply.writeHead(404).end();
      else answer(request, reply, received);
    },
  });
  const issuer = `http://127.0.0.1:${receiver.port}`;
  const document = () => ({
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
    ...said.document,
  });
  const idToken = (asked: URLSearchParams) => {
    const iat = Math.floor(now() / 1_000);
    const claims = {
      iss: issuer,
      sub: 'ada-at-foreign',
      aud: foreignClientId,
      nonce: asked.get('nonce'),
      iat,
      exp: iat + 300,
      email: 'ada@example.com',
      email_verified: true,
      name: 'Ada Foreign',
      ...said.claims,
    };
    const by = said.pair ?? pair;
    const header = { alg: by.algorithm, kid: by.publicJwk.kid, ...said.header };
    return said.idToken?.(claims) ?? signForeign(by, header, claims);
  };
  return {
    issuer,
    clientId: foreignClientId,
    received: receiver.received,
    say: (next) => {
      said = next;
    },
    approve: (sentTo, next = {}) => {
      said = { ...said, ...next };
      const asked = new URL(sentTo).searchParams;
      const code = `code-${codes.size}-${asked.get('nonce')}`;
      codes.set(code, asked);
      return new URLSearchParams({ code, state: asked.get('state') ?? '', iss: issuer });
    },
  };
}
