// jwks-rsa: finds the keys for jsonwebtoken, which checks our access tokens of both algorithms.
import { rejects, strictEqual } from 'node:assert/strict';
import { apiAudience } from '../../../../test/support/service.ts';
import { accessTokenOf, forged } from '../../access-token.ts';
import type { Case } from '../../case.ts';
import { library } from '../../library.ts';

type Done<Answer> = (error: Error | null, answer?: Answer) => void;

interface JwksRsa {
  default(options: object): {
    getSigningKey(kid: string, done: Done<{ getPublicKey(): string }>): void;
  };
}

interface JsonWebToken {
  readonly default: {
    verify(
      token: string,
      keyOf: (header: { kid: string }, done: Done<string>) => void,
      options: object,
      done: Done<{ iss: string }>,
    ): void;
  };
}

export const jwksRsa: Case = {
  name: 'jwks-rsa',
  kind: 'API',
  settings:
    "with jsonwebtoken: `jwksUri` with that of discovery, and `algorithms: ['ES256', 'RS256']`, `issuer` and `audience` in `verify`",
  run: async (door) => {
    const { default: jwksClient } = await library<JwksRsa>('jwks-rsa');
    const { default: jwt } = await library<JsonWebToken>('jsonwebtoken');
    const client = jwksClient({ jwksUri: `${door.issuer}/api/oidc/jwks` });
    const options = { algorithms: ['ES256', 'RS256'], issuer: door.issuer, audience: apiAudience };
    const verify = (token: string) =>
      new Promise<{ iss: string } | undefined>((resolve, reject) =>
        jwt.verify(
          token,
          ({ kid }, done) => client.getSigningKey(kid, (error, key) => done(error, key?.getPublicKey())),
          options,
          (error, claims) => (error === null ? resolve(claims) : reject(error)),
        ),
      );
    for (const algorithm of ['ES256', 'RS256'] as const) {
      const token = await accessTokenOf(door, algorithm);
      strictEqual((await verify(token))?.iss, door.issuer);
      await rejects(verify(forged(token)), /signature/);
    }
  },
};
