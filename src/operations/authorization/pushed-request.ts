// Keeps authorization requests that clients push, and takes each when a browser brings its reference.
import type { Client } from '../../core/client.ts';
import { hmac, sha256 } from '../../core/hash.ts';
import type { SentParameters } from '../../core/oidc/request/authorization-request.ts';
import {
  isPushedBy,
  issuePushedRequest,
  referenceIn,
  requestUriOf,
} from '../../core/oidc/request/pushed-request.ts';
import { decrypt, encrypt } from '../../secrets/cipher.ts';
import { apply } from '../../storage/apply.ts';
import { findClient } from '../../storage/clients/client.ts';
import { findPushedRequest } from '../../storage/clients/pushed-request.ts';
import type { Tx } from '../../storage/store.ts';
import type { Random } from '../../system/random.ts';

/** What an authorization request refers to by its `request_uri`. */
export type PushedParameters =
  /** It refers to nothing that was pushed: it is judged as it came. */
  | { readonly kind: 'none' }
  /** It refers to nothing that is there for its client, or there any more. */
  | { readonly kind: 'unknown'; readonly client: Client }
  | { readonly kind: 'pushed'; readonly sent: SentParameters };

/**
 * Keeps what a client pushes, which was found good (`pushProblem`).
 *
 * @param now ms
 * @returns the `request_uri` that stands for it
 */
export async function keepPushedRequest(
  tx: Tx,
  { tenantId, clientId }: Client,
  { values, signed = false }: SentParameters,
  now: number,
  { random }: { readonly random: Pick<Random, 'secret'> },
): Promise<string> {
  const reference = random.secret();
  const plain = Buffer.from(JSON.stringify({ values, signed }));
  const sealed = encrypt(keyOf(reference), plain, ownerOf({ tenantId, clientId })).toString('base64url');
  const request = issuePushedRequest({ hash: sha256(reference), tenantId, clientId, sealed }, now);
  await apply(tx, [{ write: 'insertPushedRequest', request }]);
  return requestUriOf(reference);
}

/**
 * Finds what a browser's request refers to. All that it brings besides is ignored (RFC 9126 §4, RFC 9101 §5).
 *
 * @param how `take` takes it away, since a flow begins with it now
 */
export async function pushedParameters(
  tx: Tx,
  { tenantId, sent, now }: { readonly tenantId: string; readonly sent: SentParameters; readonly now: number },
  how: 'look' | 'take',
): Promise<PushedParameters> {
  const { values, repeated } = sent;
  const { client_id: clientId } = values;
  const reference = referenceIn(values.request_uri);
  if (reference === null || clientId === undefined) return { kind: 'none' };
  if (repeated.includes('client_id') || repeated.includes('request_uri')) return { kind: 'none' };
  const client = await findClient(tx, tenantId, clientId);
  if (client === null || client.pushedRequests === 'off') return { kind: 'none' };

  const hash = sha256(reference);
  const request = await findPushedRequest(tx, tenantId, hash);
  if (!isPushedBy(request, client, now)) return { kind: 'unknown', client };
  if (how === 'take') await apply(tx, [{ write: 'takePushedRequest', hash }]);
  const plain = decrypt(keyOf(reference), Buffer.from(request.sealed, 'base64url'), ownerOf(request));
  const kept = JSON.parse(plain.toString()) as Pick<SentParameters, 'values' | 'signed'>;
  return { kind: 'pushed', sent: { ...kept, repeated: [], pushed: true } };
}

const keyOf = (reference: string): Buffer => hmac(Buffer.from(reference), 'pushed request');

const ownerOf = ({ tenantId, clientId }: Pick<Client, 'tenantId' | 'clientId'>): string =>
  `${tenantId} ${clientId}`;
