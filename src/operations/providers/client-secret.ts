// How we prove to a provider who we are: by a secret, or by one that is signed anew each time.
import type { ClientAuth } from 'openid-client';
import { type IdentityProvider, signsSecret } from '../../core/providers/identity-provider.ts';
import { signedSecretSeconds } from '../../core/providers/limits.ts';
import { readSecretKey, signClientSecret } from '../../secrets/signed-secret.ts';
import type { Vault } from '../../secrets/vault.ts';
import type { Clock } from '../../system/clock.ts';

/** What the library calls for each request that proves it. */
export async function authenticationAt(
  provider: IdentityProvider,
  { vault, clock }: { readonly vault: Vault; readonly clock: Clock },
): Promise<ClientAuth> {
  const { ClientSecretBasic, ClientSecretPost, None } = await import('openid-client');
  if (provider.secret === null) return None();
  const secret = vault.decrypt(provider.secret, provider.tenantId).toString();
  if (signsSecret(provider)) return ClientSecretPost(signedSecret(provider, secret, clock()));
  return (server, ...rest) => {
    // Basic is what is meant where nothing is said (RFC 8414 §2).
    const { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] } = server;
    const isPosted = methods.includes('client_secret_post');
    return (isPosted ? ClientSecretPost(secret) : ClientSecretBasic(secret))(server, ...rest);
  };
}

function signedSecret(
  { issuer, clientId, teamId, keyId }: IdentityProvider,
  pem: string,
  now: number,
): string {
  const key = readSecretKey(pem);
  if (key === null || teamId === null || keyId === null)
    throw new Error('a signed client secret lacks its key');
  const iat = Math.floor(now / 1_000);
  const claims = { iss: teamId, sub: clientId, aud: issuer, iat, exp: iat + signedSecretSeconds };
  return signClientSecret(key, keyId, claims);
}
