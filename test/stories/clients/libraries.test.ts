import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { apiAudience } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';
import { answerOf, type Visitor, visit, visitor } from '../../support/visitor.ts';

const service = useService({ data: 'development' });
let issuer: string;

beforeAll(() => {
  // The libraries compare the times in tokens with their own clock.
  service.clock.set(Date.now());
  issuer = `http://localhost:${service.port}`;
});

const scope = 'openid offline_access profile email';
const newBrowser = () => visitor(service, `localhost:${service.port}`);

const kinds = [
  {
    kind: 'confidential, client_secret_basic',
    clientId: 'web',
    redirectUri: 'http://localhost:9876/callback',
    openidAuth: openid.ClientSecretBasic('web-secret-for-development'),
    oauthAuth: oauth.ClientSecretBasic('web-secret-for-development'),
  },
  {
    kind: 'confidential, client_secret_post',
    clientId: 'web-single',
    redirectUri: 'http://localhost:9878/callback',
    openidAuth: openid.ClientSecretPost('web-single-secret-for-development'),
    oauthAuth: oauth.ClientSecretPost('web-single-secret-for-development'),
  },
  {
    kind: 'public, at another loopback port',
    clientId: 'native',
    redirectUri: 'http://127.0.0.1:51004/callback',
    openidAuth: openid.None(),
    oauthAuth: oauth.None(),
  },
  {
    kind: 'public, with a private-use scheme',
    clientId: 'native',
    redirectUri: 'com.example.app:/callback',
    openidAuth: openid.None(),
    oauthAuth: oauth.None(),
  },
] as const;

describe.each(kinds)('openid-client as a client that is $kind', ({ clientId, redirectUri, openidAuth }) => {
  const discover = async () => {
    const config = await openid.discovery(new URL(issuer), clientId, {}, openidAuth, {
      execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks],
    });
    return config;
  };

  /** Signs in with state, nonce and max_age, all checked by the library. */
  async function signIn(config: openid.Configuration, browser: Visitor) {
    const verifier = openid.randomPKCECodeVerifier();
    const state = openid.randomState();
    const nonce = openid.randomNonce();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      max_age: '600',
    });
    return openid.authorizationCodeGrant(config, await visit(browser, address), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      maxAge: 600,
      idTokenExpected: true,
    });
  }

  it('signs in, refreshes, reads UserInfo, revokes and signs out', async () => {
    const config = await discover();
    const browser = newBrowser();
    const first = await signIn(config, browser);
    expect(first.token_type).toBe('bearer');
    expect(first.scope?.split(' ').sort()).toEqual(scope.split(' ').sort());
    const claims = first.claims();

    const info = await openid.fetchUserInfo(config, first.access_token, claims?.sub ?? '');
    expect(info).toMatchObject({ name: 'Ada Nilsen', email: 'ada@example.com', email_verified: true });

    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(second.claims()).toMatchObject({ sub: claims?.sub, auth_time: claims?.auth_time });

    await openid.tokenRevocation(config, second.refresh_token ?? '');
    await expect(openid.refreshTokenGrant(config, second.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
      status: 400,
    });

    const logout = openid.buildEndSessionUrl(config, { id_token_hint: second.id_token ?? '' });
    await browser.send(`${logout.pathname}${logout.search}`);
    expect(browser.cookies.has('memberdoor-session')).toBe(false);
  });

  it('I14, I16: a second sign-in in the same browser asks nothing and keeps auth_time', async () => {
    const config = await discover();
    const browser = newBrowser();
    const first = (await signIn(config, browser)).claims();
    service.clock.advance(5_000);
    const second = (await signIn(config, browser)).claims();
    expect(second?.auth_time).toBe(first?.auth_time);
    expect(second?.sub).toBe(first?.sub);
    expect(second?.nonce).not.toBe(first?.nonce);
  });

  it('I9: the library reads an error answer', async () => {
    const config = await discover();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(openid.randomPKCECodeVerifier()),
      code_challenge_method: 'S256',
      prompt: 'none',
    });
    const back = await visit(newBrowser(), address);
    await expect(openid.authorizationCodeGrant(config, back)).rejects.toMatchObject({
      error: 'login_required',
    });
  });
});

describe.each(kinds)('oauth4webapi as a client that is $kind', ({ clientId, redirectUri, oauthAuth }) => {
  const insecure = { [oauth.allowInsecureRequests]: true } as const;
  const client: oauth.Client = { client_id: clientId };
  const discover = async () =>
    oauth.processDiscoveryResponse(new URL(issuer), await oauth.discoveryRequest(new URL(issuer), insecure));

  it('signs in, refreshes, reads UserInfo, revokes, and its access token passes RFC 9068 §4', async () => {
    const server = await discover();
    const verifier = oauth.generateRandomCodeVerifier();
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
    const address = new URL(server.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      max_age: '600',
    }).toString();
    const back = await visit(newBrowser(), address);
    const parameters = oauth.validateAuthResponse(server, client, back, state);

    const exchanged = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauthAuth,
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, exchanged, {
      expectedNonce: nonce,
      maxAge: 600,
      requireIdToken: true,
    });
    await oauth.validateApplicationLevelSignature(server, exchanged, insecure);
    const sub = oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '';

    const bearer = new Headers({ authorization: `Bearer ${tokens.access_token}` });
    const call = new Request(`${issuer}/api`, { headers: bearer });
    const access = await oauth.validateJwtAccessToken(server, call, apiAudience, insecure);
    expect(access).toMatchObject({ sub, client_id: clientId });

    const info = await oauth.userInfoRequest(server, client, tokens.access_token, insecure);
    expect(await oauth.processUserInfoResponse(server, client, sub, info)).toMatchObject({ nickname: 'Ada' });

    const current = tokens.refresh_token ?? '';
    const refreshed = await oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauthAuth, current, insecure),
    );
    expect(oauth.getValidatedIdTokenClaims(refreshed)?.sub).toBe(sub);

    const last = refreshed.refresh_token ?? '';
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauthAuth, last, insecure),
    );
    const refused = await oauth.refreshTokenGrantRequest(server, client, oauthAuth, last, insecure);
    await expect(oauth.processRefreshTokenResponse(server, client, refused)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('logout', () => {
  it('I39: with a hint the browser goes back to the registered address, with its state', async () => {
    const config = await openid.discovery(
      new URL(issuer),
      'web',
      {},
      openid.ClientSecretBasic('web-secret-for-development'),
      { execute: [openid.allowInsecureRequests] },
    );
    const verifier = openid.randomPKCECodeVerifier();
    const browser = newBrowser();
    const request = {
      redirect_uri: 'http://localhost:9876/callback',
      scope: 'openid',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    };
    const back = await visit(browser, openid.buildAuthorizationUrl(config, request));
    const tokens = await openid.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier });
    const { pathname, search } = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'http://localhost:9876/signed-out',
      state: 'a b',
    });
    const answer = await browser.send(`${pathname}${search}`);
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe('http://localhost:9876/signed-out?state=a%20b');

    const again = await browser.authorize({
      ...Object.fromEntries(openid.buildAuthorizationUrl(config, request).searchParams),
      prompt: 'none',
    });
    expect(answerOf(again).get('error')).toBe('login_required');
    // Without offline_access the tokens were tied to the session that has just ended (decision 27).
    await expect(
      openid.fetchUserInfo(config, tokens.access_token, openid.skipSubjectCheck),
    ).rejects.toMatchObject({ status: 401 });
  });
});
