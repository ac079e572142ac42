// express-oauth2-jwt-bearer: an API of Express that takes our access tokens.
import { strictEqual } from 'node:assert/strict';
import { apiAudience } from '../../../../test/support/service.ts';
import { accessTokenOf, forged } from '../../access-token.ts';
import type { Case } from '../../case.ts';
import { library } from '../../library.ts';
import { type ErrorHandler, type Handler, type Request, withWebServer } from '../../web-server.ts';

interface JwtBearer {
  auth(options: object): Handler;
  requiredScopes(scope: string): Handler;
}

type Checked = Request & { readonly auth: { readonly payload: { readonly scope: string } } };

export const jwtBearer: Case = {
  name: 'express-oauth2-jwt-bearer',
  kind: 'API',
  settings:
    "`issuerBaseURL`, `audience: 'urn:memberdoor:api'`, `strict: true` (it checks `typ`), and `tokenSigningAlg: 'ES256'` unless the client signs with RS256",
  run: (door) =>
    withWebServer(
      async (app) => {
        const { auth, requiredScopes } = await library<JwtBearer>('express-oauth2-jwt-bearer');
        for (const tokenSigningAlg of ['ES256', 'RS256']) {
          const options = {
            issuerBaseURL: door.issuer,
            audience: apiAudience,
            strict: true,
            tokenSigningAlg,
          };
          const answer: Handler = (request, response) => response.json((request as Checked).auth.payload);
          app.get(`/${tokenSigningAlg}`, auth(options), requiredScopes('openid'), answer);
          app.get(`/${tokenSigningAlg}/films`, auth(options), requiredScopes('films'), answer);
        }
        const report: ErrorHandler = (error, _request, response, _next) =>
          response.status(error.status ?? 500).json({ message: error.message });
        app.use(report);
      },
      async (origin) => {
        for (const algorithm of ['ES256', 'RS256'] as const) {
          const token = await accessTokenOf(door, algorithm);
          const ask = async (path: string, bearer: string) => {
            const answer = await fetch(`${origin}/${path}`, {
              headers: { authorization: `Bearer ${bearer}` },
            });
            return answer.ok ? answer.status : `${answer.status} ${await answer.text()}`;
          };
          strictEqual(await ask(algorithm, token), 200);
          strictEqual(String(await ask(algorithm, forged(token))).slice(0, 3), '401');
          strictEqual(String(await ask(`${algorithm}/films`, token)).slice(0, 3), '403');
        }
      },
    ),
};
