// The assertion by which a client proves who it is: verified before the transaction, used up in it.
import type { FastifyRequest } from 'fastify';
import type { Client } from '../../../core/client.ts';
import { type JudgedAssertion, judgeAssertion } from '../../../core/oidc/client/client-assertion.ts';
import { readKeySet } from '../../../core/oidc/client/client-keys.ts';
import { takesIssuerAlone } from '../../../core/oidc/client/profile.ts';
import { allowedClient } from '../../../core/registration/unverified-client.ts';
import { publishedKeysAt } from '../../../operations/client/published-keys.ts';
import {
  type RefusedJwt,
  readForeignJwt,
  type VerifiedJwt,
  verifyForeignJwt,
} from '../../../secrets/foreign-jwt.ts';
import { findClient } from '../../../storage/clients/client.ts';
import { useOnce } from '../../../storage/grants/used-id.ts';
import type { Tx } from '../../../storage/store.ts';
import { protocolError } from '../../answers.ts';
import type { Deps } from '../../deps.ts';
import { tokenUrl } from '../paths.ts';

/** The parameters by which a client says who it is, wherever it does. */
export const clientParameters = [
  'client_id',
  'client_secret',
  'client_assertion',
  'client_assertion_type',
] as const;

export type ClientFields = Partial<Record<(typeof clientParameters)[number], string>>;

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** An assertion may have no type, or one of these two (RFC 7523 §3; RFC 8725 §3.11). */
const types = ['jwt', 'client-authentication+jwt', null];

/**
 * The assertion in a body, and the client that it names: a client_id beside it need not be sent, but must agree (RFC 7521
 * §4.2). One that cannot be read is some client's whose name is unknown.
 *
 * @returns null where there is none
 * @throws ProtocolError `invalid_request` for one of another type, beside a secret, or of two clients
 */
export function assertionIn({
  client_id: named,
  client_secret: secret,
  client_assertion: assertion,
  client_assertion_type: type,
}: ClientFields): { readonly clientId: string; readonly assertion: string } | null {
  if (assertion === undefined && type === undefined) return null;
  if (assertion === undefined) throw protocolError('invalid_request', 'client_assertion is missing');
  if (type !== assertionType) {
    throw protocolError('invalid_request', `client_assertion_type must be ${assertionType}`);
  }
  if (secret !== undefined) {
    throw protocolError('invalid_request', 'the client authenticates twice, by a secret and by an assertion');
  }
  const read = readForeignJwt(assertion);
  const subject = typeof read === 'string' ? undefined : read.claims.sub;
  const clientId = typeof subject === 'string' ? subject : undefined;
  if (named !== undefined && clientId !== undefined && named !== clientId) {
    throw protocolError('invalid_request', 'client_id and client_assertion name different clients');
  }
  return { clientId: named ?? clientId ?? '', assertion };
}

/**
 * Verifies an assertion with the keys that its client has now. The transaction that it is used in judges again whether
 * they are still the same (`hasKeysOf`).
 *
 * @returns what was found; or null where nothing is looked at, since its address failed too often: the transaction says so
 */
export async function judgeAssertionOf(
  request: FastifyRequest,
  { clientId, assertion }: { readonly clientId: string; readonly assertion: string },
  deps: Deps,
): Promise<JudgedAssertion | null> {
  const { store, clock, failedClients } = deps;
  const { tenant, address } = request;
  const client = await store.lookUp(async (tx) => {
    if ((await failedClients.waitOf(tx, tenant, address)) !== null) return 'kept out';
    return allowedClient(await findClient(tx, tenant.id, clientId), tenant);
  });
  if (client === 'kept out') return null;
  // What such a client sends is refused, whatever it is.
  if (client === null || client.authenticationMethod !== 'private_key_jwt') return null;
  const verified = await verifyByKeysOf(client, { token: assertion, types }, tenant.development, deps);
  if (!verified.ok) return { ok: false, reason: verified.reason };
  const { issuer, tokensFrom } = tenant;
  const tokenEndpoint = takesIssuerAlone(client) ? issuer : `${issuer}${tokenUrl}`;
  const of = { clientId, issuer, tokenEndpoint, tokensFrom, now: clock() };
  const judged = judgeAssertion(verified.claims, of);
  return typeof judged === 'string' ? { ok: false, reason: judged } : { ok: true, keys: client, ...judged };
}

/** Verifies by the keys that a client registered or publishes; by those that it publishes now if one is missing. */
export async function verifyByKeysOf(
  { jwks, jwksUri, signingAlgorithms: algorithms }: Client,
  { token, types }: { readonly token: string; readonly types: readonly (string | null)[] },
  development: boolean,
  deps: Deps,
): Promise<VerifiedJwt | RefusedJwt> {
  const verify = (keys: readonly object[]) => verifyForeignJwt(token, { types, algorithms, keys });
  if (jwksUri === null) return verify((jwks === null ? null : readKeySet(jwks)) ?? []);
  const verified = await verify(await publishedKeysAt(jwksUri, development, deps));
  if (verified.ok || !verified.isKeyUnknown) return verified;
  return verify(await publishedKeysAt(jwksUri, development, deps, true));
}

/** Uses an assertion up, in the transaction of what it guards (RFC 7523 §3). @returns whether it is used for the first time */
export function isFirstUse(
  tx: Tx,
  { tenantId, clientId }: Client,
  { jti, expiresAt }: Extract<JudgedAssertion, { ok: true }>,
): Promise<boolean> {
  return useOnce(tx, { tenantId, purpose: 'client assertion', issuer: clientId, id: jti, expiresAt });
}
