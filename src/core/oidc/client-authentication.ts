// Authenticates a client by its secret.
import type { Client } from '../client.ts';
import { type Refusal, refusal } from '../decision.ts';
import { equalInConstantTime, sha256 } from '../hash.ts';

/** What a request brought to say which client it is (RFC 6749 §2.3.1; decision 15). */
export interface ClientCredentials {
  readonly method: 'basic' | 'post' | 'none';
  readonly clientId: string;
  readonly secret: string | null;
}

/**
 * Authenticates a client (RFC 6749 §2.3; decision 15). A failure burns nothing: it comes before everything
 * that a request could use up.
 *
 * @param client the client of that id on this tenant, or null
 * @param secretIsOptional true at the revocation endpoint alone, where a confidential client that presents
 *   no credentials is served (decision 35)
 */
export function authenticateClient(
  client: Client | null,
  credentials: ClientCredentials,
  secretIsOptional = false,
): Client | Refusal {
  if (client === null) return refusal('invalid_client', 'the client is not known');
  const { secret } = credentials;
  if (client.type === 'public') {
    return secret === null
      ? client
      : refusal('invalid_client', 'a public client has no secret and must not send one');
  }
  if (secret === null) {
    return secretIsOptional
      ? client
      : refusal('invalid_client', 'a confidential client must send its client_secret');
  }
  const presented = sha256(secret);
  // Every secret is compared, so that the time does not tell which of two was nearly right.
  const matches = client.secrets.filter(({ hash }) => equalInConstantTime(hash, presented));
  return matches.length > 0 ? client : refusal('invalid_client', 'the client_secret is wrong');
}
