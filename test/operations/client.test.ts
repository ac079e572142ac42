import { describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import {
  type ClientChanges,
  type ClientRegistration,
  changeClient,
  registerClient,
} from '../../src/operations/client/client.ts';
import { OperationRefused } from '../../src/operations/refusal.ts';
import { findClient, insertClient } from '../../src/storage/clients/client.ts';
import type { Store } from '../../src/storage/store.ts';
import { told } from '../support/expected/told.ts';
import { clientRecord, day, now } from '../support/records/records.ts';
import { storeWithMember } from '../support/records/store.ts';

const register = (store: Store, registration: ClientRegistration) =>
  store.transaction((tx) => registerClient(tx, 'tenant-a', registration, now));

const find = (store: Store, clientId: string) =>
  store.transaction((tx) => findClient(tx, 'tenant-a', clientId));

/** The problems that a registration is refused for; nothing of it may be stored. */
async function problemsOf(registration: ClientRegistration): Promise<readonly string[]> {
  const store = await storeWithMember();
  const error = await register(store, registration).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(OperationRefused);
  expect(await find(store, registration.clientId)).toBeNull();
  return told((error as OperationRefused).problems);
}

const app: ClientRegistration = { clientId: 'app', name: 'App', type: 'public' };

describe('registration of a client', () => {
  it('gives what is left out its default', async () => {
    const store = await storeWithMember();
    const client = await register(store, app);
    expect(client).toEqual({
      tenantId: 'tenant-a',
      clientId: 'app',
      origin: 'operator',
      name: 'App',
      claimedName: null,
      logo: null,
      type: 'public',
      secrets: [],
      authenticationMethod: 'client_secret',
      jwks: null,
      jwksUri: null,
      signingAlgorithms: ['ES256', 'PS256', 'EdDSA', 'RS256'],
      redirectUris: [],
      postLogoutRedirectUris: [],
      webOrigins: [],
      signupDisabled: false,
      deviceFlow: false,
      backchannelLogoutUri: null,
      thirdParty: false,
      apis: [],
      accessTokenAlgorithm: 'ES256',
      idTokenAlgorithm: 'RS256',
      claimsInIdToken: false,
      claimsParameter: false,
      accessTokenSeconds: 3_600,
      refreshTokenIdle: 90 * day,
      refreshTokenAbsolute: 365 * day,
      replayWindow: 0,
      signInsPerMember: 100,
      clientCredentials: false,
      serviceScopes: [],
      profile: 'none',
      pushedRequests: 'off',
      requestObjects: 'off',
      signedResponses: false,
      introspection: false,
      dpop: 'off',
      dpopNonce: false,
      disabledAt: null,
    });
    expect(await find(store, 'app')).toEqual(client);
  });

  it('A18: keeps the hash of a secret, and never the secret', async () => {
    const store = await storeWithMember();
    const client = await register(store, { ...app, type: 'confidential', secret: 'the app’s secret' });
    expect(client.secrets).toEqual([{ hash: sha256('the app’s secret'), createdAt: now }]);
    expect(JSON.stringify(await find(store, 'app'))).not.toContain('the app’s secret');
  });

  it.each([
    ['http://app.test/cb', 'uses http, which is allowed only for 127.0.0.1, [::1] and localhost'],
    ['https://*.app.test/cb', 'has a wildcard'],
    ['https://app.test/cb#f', 'has a fragment'],
    ['javascript:x', 'uses a scheme that is neither https nor a reversed domain name'],
    ['/cb', 'is not an absolute URI'],
  ])('R18: refuses the redirect URI and the logout address %s', async (uri, problem) => {
    const words = `"${uri}" ${problem}`;
    expect(await problemsOf({ ...app, redirectUris: [uri] })).toEqual([words]);
    expect(await problemsOf({ ...app, postLogoutRedirectUris: [uri] })).toEqual([words]);
  });

  it.each([
    ['a client_id with a space', { clientId: 'my app' }, 'clientId must be 1 to 64 letters, digits, _ or -'],
    ['an empty client_id', { clientId: '' }, 'clientId must be 1 to 64 letters, digits, _ or -'],
    [
      'a client_id of 65 letters',
      { clientId: 'x'.repeat(65) },
      'clientId must be 1 to 64 letters, digits, _ or -',
    ],
    ['a blank name', { name: '  ' }, 'name is missing'],
    [
      'a name that turns the text around it',
      { name: 'App\u202e' },
      'name has a control character, or one that turns the text around it',
    ],
    ['a name of 61 characters', { name: 'x'.repeat(61) }, 'name has more than 60 characters'],
    ['a public client with a secret', { secret: 'x' }, 'a public client has no secret'],
    [
      'a confidential client without one',
      { type: 'confidential' as const },
      'a confidential client needs a secret',
    ],
    [
      'a web origin with a path',
      { webOrigins: ['https://app.test/'] },
      '"https://app.test/" is not an origin such as https://www.example.com',
    ],
    [
      'the web origin null',
      { webOrigins: ['null'] },
      '"null" is not an origin such as https://www.example.com',
    ],
    [
      'an access token of more than four hours',
      { accessTokenSeconds: 14_401 },
      'accessTokenSeconds must be 1 to 14400',
    ],
    ['an access token of no time', { accessTokenSeconds: 0 }, 'accessTokenSeconds must be 1 to 14400'],
    ['a replay window of more than 30 s', { replayWindow: 30_001 }, 'replayWindowSeconds must be 0 to 30'],
    ['no sign-in of a member', { signInsPerMember: 0 }, 'signInsPerMember must be 1 to 1000'],
    [
      'more than 1,000 sign-ins of a member',
      { signInsPerMember: 1_001 },
      'signInsPerMember must be 1 to 1000',
    ],
    ['a replay window below 0', { replayWindow: -1 }, 'replayWindowSeconds must be 0 to 30'],
  ])('refuses %s', async (_what, change, problem) => {
    expect(await problemsOf({ ...app, ...change })).toEqual([problem]);
  });

  it('says every problem at once, and stores nothing', async () => {
    const problems = await problemsOf({
      clientId: 'a b',
      name: '',
      type: 'public',
      secret: 'x',
      redirectUris: ['http://app.test/cb', 'https://app.test/ok', 'javascript:x'],
      postLogoutRedirectUris: ['https://app.test/out#f'],
      webOrigins: ['app.test'],
      accessTokenSeconds: 20_000,
      replayWindow: 60_000,
    });
    expect(problems).toHaveLength(9);
    expect(problems.join(' ')).not.toContain('https://app.test/ok');
  });

  it('takes what lies on the limit', async () => {
    const store = await storeWithMember();
    const onTheLimit = { clientId: 'x'.repeat(64), accessTokenSeconds: 14_400, replayWindow: 30_000 };
    expect(await register(store, { ...app, ...onTheLimit })).toMatchObject(onTheLimit);
  });
});

describe('a client whose name is older than the rule for names', () => {
  const odd = clientRecord({ clientId: 'old', name: `\u202e\u0007${'x'.repeat(15_000)}` });
  const change = async (changes: ClientChanges) => {
    const store = await storeWithMember();
    await store.transaction((tx) => insertClient(tx, odd, now));
    return store.transaction((tx) => changeClient(tx, 'tenant-a', 'old', changes));
  };

  it('changes in its other settings, whether or not the name is sent along', async () => {
    const replayWindow = 30_000;
    for (const name of [{}, { name: odd.name }]) {
      expect(await change({ replayWindow, ...name })).toEqual({ ...odd, replayWindow });
    }
  });

  it('is given a name that is right, and no other one that is wrong', async () => {
    expect(await change({ name: 'App' })).toMatchObject({ name: 'App' });
    await expect(change({ name: `${odd.name}y` })).rejects.toThrow('name has more than 60 characters');
  });
});
