// Authenticates a client by its secret, or by an assertion that it signed.
import type { Client } from '../../client.ts';
import { type Refusal, refusal } from '../../decision.ts';
import { equalInConstantTime, sha256 } from '../../hash.ts';
import { hasKeysOf, type JudgedAssertion } from './client-assertion.ts';

/** What a request brought to say which client it is (RFC 6749 §2.3.1; decision 15). */
export interface ClientCredentials {
  readonly method: 'basic' | 'post' | 'none' | 'assertion';
  readonly clientId: string;
  readonly secret: string | null;
  /** A JWT that it signed (RFC 7523 §2.2); only where the method is that. */
  readonly assertion?: string;
}

/**
 * Authenticates a client (RFC 6749 §2.3; decision 15; interop 53). A failure burns nothing: it comes before everything
 * that a request could use up. An assertion that is right is still to be used up.
 *
 * @param client the client of that id on this tenant, or null
 * @param secretIsOptional true at the revocation endpoint alone, where a confidential client that presents
 *   no credentials is served (decision 35)
 * @param judged what was found of its assertion before the transaction; null where it sent none, or none was looked at
 */
export function authenticateClient(
  client: Client | null,
  credentials: ClientCredentials,
  secretIsOptional = false,
  judged: JudgedAssertion | null = null,
): Client | Refusal {
  if (client === null) return refusal('invalid_client', 'the client is not known', 'client_unknown');
  const { secret, assertion } = credentials;
  if (client.type === 'public') {
    return secret === null && assertion === undefined
      ? client
      : refusal(
          'invalid_client',
          'a public client has no secret and must not send one',
          'client_secret_sent',
        );
  }
  const isAnonymous = secret === null && assertion === undefined;
  if (isAnonymous && secretIsOptional) return client;
  if (client.authenticationMethod === 'private_key_jwt') return byAssertion(client, judged);
  if (secret === null) {
    return refusal(
      'invalid_client',
      'a confidential client must send its client_secret',
      'client_secret_missing',
    );
  }
  const presented = sha256(secret);
  // Every secret is compared, so that the time does not tell which of two was nearly right.
  const matches = client.secrets.filter(({ hash }) => equalInConstantTime(hash, presented));
  return matches.length > 0
    ? client
    : refusal('invalid_client', 'the client_secret is wrong', 'client_secret_wrong');
}

function byAssertion(client: Client, judged: JudgedAssertion | null): Client | Refusal {
  if (judged === null)
    return refusal('invalid_client', 'the client must send a client_assertion', 'client_assertion_missing');
  if (!judged.ok)
    return refusal(
      'invalid_client',
      `the client_assertion is refused: ${judged.reason}`,
      'client_assertion_refused',
    );
  return hasKeysOf(client, judged.keys)
    ? client
    : refusal(
        'invalid_client',
        'the keys of the client changed while its client_assertion was verified',
        'client_assertion_refused',
      );
}
