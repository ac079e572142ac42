// Signs the tokens that a grant decided to issue.
import { writeRefreshToken } from '../../core/grants/refresh-token.ts';
import {
  accessTokenAlgorithm,
  accessTokenClaims,
  idTokenClaims,
  type TokenGrant,
} from '../../core/grants/tokens.ts';
import type { SigningAlgorithm } from '../../core/tenant.ts';
import type { OpenTenant } from '../../operations/tenant/open-tenants.ts';
import { signingKeyFor, signToken } from '../../secrets/signing.ts';
import type { Deps } from '../deps.ts';

/** The token response of every grant (contract, "Token response"; RFC 6749 §5.1, Core §3.1.3.3). */
export interface TokenResponse {
  readonly token_type: 'Bearer';
  readonly expires_in: number;
  readonly access_token: string;
  readonly refresh_token?: string;
  readonly id_token?: string;
  readonly scope: string;
}

/** Signs what a grant decided to issue. The grant is committed by now. */
export async function issueTokens(
  tenant: OpenTenant,
  grant: TokenGrant,
  { config, random }: Deps,
): Promise<TokenResponse> {
  const { client, scope, refreshToken, issuedAt } = grant;
  const keyFor = (algorithm: SigningAlgorithm) => signingKeyFor(tenant.keys, algorithm, issuedAt);
  const tokenId = random.id(issuedAt);
  const accessClaims = accessTokenClaims(
    grant,
    tenant.issuer,
    config.apiAudience,
    tokenId,
    tenant.tokensFrom,
  );
  const accessKey = keyFor(accessTokenAlgorithm(client, config.apiAlgorithm));
  const accessToken = await signToken(accessKey, 'at+jwt', accessClaims);
  const idClaims = idTokenClaims(grant, tenant.issuer, accessToken);
  const idKey = keyFor(client.idTokenAlgorithm);
  const idToken = idClaims === null ? undefined : await signToken(idKey, 'JWT', idClaims);
  return {
    token_type: 'Bearer',
    expires_in: client.accessTokenSeconds,
    access_token: accessToken,
    ...(refreshToken === null ? {} : { refresh_token: writeRefreshToken(tenant.tokenKey, refreshToken) }),
    ...(idToken === undefined ? {} : { id_token: idToken }),
    scope,
  };
}
