import { randomUUID } from 'node:crypto';
import { sha256 } from '../../../src/core/hash.ts';
import type { ForeignAlgorithm } from '../../../src/core/oidc/client/foreign-key.ts';
import { type ClientChanges, changeClient } from '../../../src/operations/client/client.ts';
import type { Answer } from '../http.ts';
import type { TestService } from '../service.ts';
import { type App, credentialsOf } from '../tokens.ts';
import { codeFor, type Tokens, token, visitor } from '../visitor.ts';
import { type ForeignPair, foreignPair, signForeign } from './foreign-jwt.ts';

/** Changes a client of a tenant, as an operator does. */
export async function setClient(
  { store, tenants }: TestService,
  host: string,
  clientId: string,
  changes: ClientChanges,
): Promise<void> {
  await store.transaction(async (tx) => {
    const tenantId = tenants.byHost(host)?.id ?? '';
    if ((await changeClient(tx, tenantId, clientId, changes)) === null) throw new Error('no such client');
    await tenants.reload(tx);
  });
}

/** A key that a client proves to hold. */
export interface DpopKey extends ForeignPair {
  /** Its thumbprint. */
  readonly jkt: string;
}

export async function dpopKey(algorithm: ForeignAlgorithm = 'ES256'): Promise<DpopKey> {
  const pair = await foreignPair(algorithm);
  return { ...pair, jkt: pair.publicJwk.kid };
}

/** What a proof is for. */
export interface ProofTarget {
  readonly method?: string;
  readonly url: string;
  /** ms */
  readonly now: number;
  readonly accessToken?: string;
  /** Further claims, or others for the usual ones. */
  readonly claims?: object;
  readonly header?: object;
}

/** A proof as a good client makes it (RFC 9449 §4.2). */
export function proofOf(
  key: DpopKey,
  { method = 'POST', url, now, accessToken, ...other }: ProofTarget,
): string {
  const { kid: _, use: __, alg: ___, ...jwk } = key.publicJwk as Record<string, unknown>;
  const header = { typ: 'dpop+jwt', alg: key.algorithm, jwk, ...other.header };
  const ath = accessToken === undefined ? {} : { ath: sha256(accessToken) };
  const claims = { jti: randomUUID(), htm: method, htu: url, iat: Math.floor(now / 1_000), ...ath };
  return signForeign(key, header, { ...claims, ...other.claims });
}

/** A proof for the token endpoint of a tenant. */
export const tokenProof = (
  { clock }: TestService,
  host: string,
  key: DpopKey,
  other: Partial<ProofTarget> = {},
): string => proofOf(key, { url: `https://${host}/api/oidc/token`, now: clock.now(), ...other });

/** A header with a proof; none without a key. */
export const dpopHeader = (proof: string | null): Record<string, string> =>
  proof === null ? {} : { dpop: proof };

/** A code of a member for this app, and its exchange with a proof or without one. */
export async function exchangeWith(
  service: TestService,
  host: string,
  app: App,
  proof: string | null,
  more: Record<string, string> = {},
): Promise<Answer> {
  const { code, verifier } = await codeFor(visitor(service, host), app.clientId, app.redirectUri, more);
  const fields = { grant_type: 'authorization_code', code, code_verifier: verifier };
  return token(service, host, { ...credentialsOf(app), ...fields }, dpopHeader(proof));
}

/** A refresh with a proof or without one. */
export function refreshWith(
  service: TestService,
  host: string,
  app: App,
  refreshToken: string | undefined,
  proof: string | null,
): Promise<Answer> {
  const fields = { grant_type: 'refresh_token', refresh_token: String(refreshToken) };
  return token(service, host, { ...credentialsOf(app), ...fields }, dpopHeader(proof));
}

/** Tokens that are bound to a key. */
export async function boundTokens(
  service: TestService,
  host: string,
  app: App,
  key: DpopKey,
  claims: object = {},
): Promise<Tokens> {
  const answer = await exchangeWith(service, host, app, tokenProof(service, host, key, { claims }));
  if (answer.status !== 200) throw new Error(`no tokens but ${answer.text}`);
  return answer.json<Tokens>();
}
