// @okta/jwt-verifier: an API that checks our access tokens, signed with RS256.
import { rejects, strictEqual } from 'node:assert/strict';
import { apiAudience } from '../../../../test/support/service.ts';
import { accessTokenOf, forged } from '../../access-token.ts';
import type { Case } from '../../case.ts';
import { library } from '../../library.ts';

interface Okta {
  readonly default: new (
    options: object,
  ) => { verifyAccessToken(token: string, audience: string): Promise<{ claims: { iss: string } }> };
}

export const okta: Case = {
  name: '@okta/jwt-verifier',
  kind: 'API',
  settings:
    '`jwksUri` with that of discovery; it reads RS256 alone, so the client needs `accessTokenAlgorithm` RS256. For http on your machine `testing: { disableHttpsCheck: true }`',
  run: async (door) => {
    const { default: OktaJwtVerifier } = await library<Okta>('@okta/jwt-verifier');
    const verifier = new OktaJwtVerifier({
      issuer: door.issuer,
      jwksUri: `${door.issuer}/api/oidc/jwks`,
      testing: { disableHttpsCheck: true },
    });
    const token = await accessTokenOf(door, 'RS256');
    strictEqual((await verifier.verifyAccessToken(token, apiAudience)).claims.iss, door.issuer);
    await rejects(verifier.verifyAccessToken(token, 'another audience'), /aud/);
    await rejects(verifier.verifyAccessToken(forged(token), apiAudience), /[Ss]ignature/);
  },
};
