// Every case of the matrix, in the order of its table.
import type { Case } from '../case.ts';
import { jwtBearer } from './api/express-oauth2-jwt-bearer.ts';
import { jwksRsa } from './api/jwks-rsa.ts';
import { okta } from './api/okta-jwt-verifier.ts';
import { angular } from './browser/angular-auth-oidc-client.ts';
import { keycloak } from './browser/keycloak-js.ts';
import { oidcClientTs } from './browser/oidc-client-ts.ts';
import { react } from './browser/react-oidc-context.ts';
import { appauth } from './node/appauth.ts';
import { mcp } from './node/mcp.ts';
import { oauth2Client } from './node/oauth2-client.ts';
import { oauth4webapi } from './node/oauth4webapi.ts';
import { openidClient } from './node/openid-client.ts';
import { simpleOauth2 } from './node/simple-oauth2.ts';
import { authExpress } from './web/auth-express.ts';
import { betterAuth } from './web/better-auth.ts';
import { expressOpenidConnect } from './web/express-openid-connect.ts';
import { fastifyOauth2 } from './web/fastify-oauth2.ts';
import { nextAuth } from './web/next-auth.ts';
import { passport } from './web/passport.ts';
import { passportOpenidconnect } from './web/passport-openidconnect.ts';

export const cases: readonly Case[] = [
  openidClient,
  oauth4webapi,
  simpleOauth2,
  oauth2Client,
  appauth,
  mcp,
  authExpress,
  nextAuth,
  betterAuth,
  expressOpenidConnect,
  fastifyOauth2,
  passport,
  passportOpenidconnect,
  oidcClientTs,
  react,
  angular,
  keycloak,
  jwtBearer,
  okta,
  jwksRsa,
];
