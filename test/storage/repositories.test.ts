import { describe, expect, it } from 'vitest';
import type { Client } from '../../src/core/client.ts';
import { sha256 } from '../../src/core/hash.ts';
import type { Write } from '../../src/core/write.ts';
import { apply } from '../../src/storage/apply.ts';
import { findClient, insertClient, listClients } from '../../src/storage/clients/client.ts';
import { findAuthorizationCode } from '../../src/storage/grants/authorization-code.ts';
import { findScopeConsent } from '../../src/storage/grants/scope-consent.ts';
import {
  findSession,
  findSessionBySecret,
  insertSession,
  listActiveSessions,
} from '../../src/storage/grants/session.ts';
import { findSignIn } from '../../src/storage/grants/sign-in.ts';
import type { Store } from '../../src/storage/store.ts';
import { plainLogo } from '../support/members/pages/logos.ts';
import { clientRecord, codeRecord, now, sessionRecord, signInRecord } from '../support/records/records.ts';
import { storeWithMember } from '../support/records/store.ts';

const write = (store: Store, ...writes: readonly Write[]) => store.transaction((tx) => apply(tx, writes));

/** A client that differs from `clientRecord()` in every field but its tenant. */
const otherClient: Client = {
  tenantId: 'tenant-a',
  clientId: 'client-2',
  origin: 'registered',
  name: 'Client “Two”',
  claimedName: 'Two, as it says',
  logo: plainLogo,
  type: 'public',
  secrets: [],
  authenticationMethod: 'private_key_jwt',
  jwks: '{"keys":[]}',
  jwksUri: 'https://one.test/keys',
  signingAlgorithms: ['EdDSA'],
  redirectUris: ['com.example.app:/cb'],
  postLogoutRedirectUris: [],
  webOrigins: ['https://one.test', 'https://two.test'],
  apis: [],
  clientCredentials: false,
  serviceScopes: [],
  signupDisabled: true,
  deviceFlow: false,
  backchannelLogoutUri: null,
  thirdParty: true,
  accessTokenAlgorithm: 'RS256',
  idTokenAlgorithm: 'RS256',
  claimsInIdToken: false,
  claimsParameter: false,
  accessTokenSeconds: 14_400,
  refreshTokenIdle: 1,
  refreshTokenAbsolute: 2,
  replayWindow: 30_000,
  signInsPerMember: 7,
  profile: 'fapi2',
  pushedRequests: 'required',
  requestObjects: 'required',
  signedResponses: false,
  introspection: true,
  dpop: 'required',
  dpopNonce: false,
  disabledAt: null,
};

describe('clients', () => {
  it('are read as they were written, field by field', async () => {
    const store = await storeWithMember();
    await store.transaction((tx) => insertClient(tx, otherClient, now));
    const found = await store.transaction(async (tx) => [
      await findClient(tx, 'tenant-a', 'client-1'),
      await findClient(tx, 'tenant-a', 'client-2'),
    ]);
    expect(found).toEqual([clientRecord(), otherClient]);
  });

  it.each([
    'signupDisabled',
    'deviceFlow',
    'thirdParty',
    'claimsInIdToken',
    'signedResponses',
    'dpopNonce',
  ] as const)('have %s in a column of its own', async (flag) => {
    const store = await storeWithMember();
    const none = {
      signupDisabled: false,
      deviceFlow: false,
      thirdParty: false,
      claimsInIdToken: false,
      signedResponses: false,
      dpopNonce: false,
    };
    const client = clientRecord({ clientId: 'flagged', ...none, [flag]: true });
    await store.transaction((tx) => insertClient(tx, client, now));
    expect(await store.transaction((tx) => findClient(tx, 'tenant-a', 'flagged'))).toEqual(client);
  });

  it('of another tenant are not found, though one there may bear the same client_id', async () => {
    const store = await storeWithMember();
    expect(await store.transaction((tx) => findClient(tx, 'tenant-b', 'client-1'))).toBeNull();
    const twin = clientRecord({ tenantId: 'tenant-b', name: 'Twin' });
    await store.transaction((tx) => insertClient(tx, twin, now));
    expect(await store.transaction((tx) => findClient(tx, 'tenant-b', 'client-1'))).toEqual(twin);
    expect(await store.transaction((tx) => listClients(tx, 'tenant-a'))).toEqual([clientRecord()]);
    expect(await store.transaction((tx) => listClients(tx))).toEqual([clientRecord(), twin]);
  });

  it('have an id that is theirs alone within the tenant', async () => {
    const store = await storeWithMember();
    const again = store.transaction((tx) => insertClient(tx, clientRecord(), now));
    await expect(again).rejects.toThrow(/unique/i);
  });
});

describe('sessions', () => {
  it('are read as they were written, by sid and by cookie', async () => {
    const store = await storeWithMember();
    const found = await store.transaction(async (tx) => [
      await findSession(tx, 'tenant-a', 'session-1'),
      await findSessionBySecret(tx, 'tenant-a', 'member', sha256('cookie-1')),
    ]);
    expect(found).toEqual([sessionRecord(), sessionRecord()]);
  });

  it('of another tenant are not found', async () => {
    const store = await storeWithMember();
    const found = await store.transaction(async (tx) => [
      await findSession(tx, 'tenant-b', 'session-1'),
      await findSessionBySecret(tx, 'tenant-b', 'member', sha256('cookie-1')),
    ]);
    expect(found).toEqual([null, null]);
  });

  it('take on everything that a renewal changes', async () => {
    const store = await storeWithMember();
    const session = sessionRecord({
      secretHash: sha256('cookie-2'),
      authenticatedAt: now + 1,
      lastUsedAt: now + 2,
      userAgent: 'Safari',
      ipAddress: '2001:db8::1',
    });
    await write(store, { write: 'moveSession', id: 'session-1', from: 'active', session });
    expect(await store.transaction((tx) => findSession(tx, 'tenant-a', 'session-1'))).toEqual(session);
    expect(
      await store.transaction((tx) => findSessionBySecret(tx, 'tenant-a', 'member', sha256('cookie-1'))),
    ).toBeNull();
  });

  it('that are not in the state a decision saw are not moved', async () => {
    const store = await storeWithMember();
    const ended = sessionRecord({ state: 'ended' });
    const move = { write: 'moveSession', id: 'session-1', from: 'active', session: ended } as const;
    await write(store, move);
    await expect(write(store, move)).rejects.toThrow('rows changed where one was expected');
  });

  it('are listed while they are active, of one member', async () => {
    const store = await storeWithMember();
    await store.transaction(async (tx) => {
      await insertSession(tx, sessionRecord({ id: 'over', secretHash: 'over', state: 'ended' }));
      await insertSession(tx, sessionRecord({ id: 'late', secretHash: 'late', state: 'expired' }));
    });
    expect(await store.transaction((tx) => listActiveSessions(tx, 'member-1'))).toEqual([sessionRecord()]);
    expect(await store.transaction((tx) => listActiveSessions(tx, 'member-2'))).toEqual([]);
  });
});

describe('authorization codes', () => {
  const code = codeRecord();
  const find = (store: Store, tenantId = 'tenant-a') =>
    store.transaction((tx) => findAuthorizationCode(tx, tenantId, code.hash));

  it.each([
    ['with every field', code],
    ['without a nonce', codeRecord({ nonce: null })],
  ])('are read as they were written, %s', async (_what, stored) => {
    const store = await storeWithMember();
    await write(store, { write: 'insertAuthorizationCode', code: stored });
    expect(await find(store)).toEqual(stored);
  });

  it('of another tenant are not found', async () => {
    const store = await storeWithMember();
    await write(store, { write: 'insertAuthorizationCode', code });
    expect(await find(store, 'tenant-b')).toBeNull();
  });

  it('are moved once, together with the sign-in that they begin', async () => {
    const store = await storeWithMember();
    const move = { write: 'moveAuthorizationCode', hash: code.hash, from: 'issued', to: 'used' } as const;
    const writes: readonly Write[] = [
      { write: 'insertSignIn', signIn: signInRecord() },
      { ...move, signInId: 'sign-in-1' },
    ];
    await write(store, { write: 'insertAuthorizationCode', code }, ...writes);
    expect(await find(store)).toEqual({ ...code, state: 'used', signInId: 'sign-in-1' });
    const again = write(
      store,
      { write: 'insertSignIn', signIn: signInRecord({ id: 'sign-in-2' }) },
      writes[1] as Write,
    );
    await expect(again).rejects.toThrow('rows changed where one was expected');
    expect(await store.transaction((tx) => findSignIn(tx, 'tenant-a', 'sign-in-2'))).toBeNull();
  });
});

describe('consents to a scope', () => {
  const consent = {
    tenantId: 'tenant-a',
    memberId: 'member-1',
    clientId: 'client-1',
    scope: 'openid email',
    resources: '',
    grantedAt: now,
  };
  const find = (store: Store, memberId: string, clientId: string) =>
    store.transaction((tx) => findScopeConsent(tx, memberId, clientId));

  it('are read as they were written, by member and client', async () => {
    const store = await storeWithMember();
    await write(store, { write: 'saveScopeConsent', consent });
    expect(await find(store, 'member-1', 'client-1')).toEqual(consent);
    expect(await find(store, 'member-1', 'client-2')).toBeNull();
    expect(await find(store, 'member-2', 'client-1')).toBeNull();
  });

  it('give way to the newest', async () => {
    const store = await storeWithMember();
    const newer = { ...consent, scope: 'openid', grantedAt: now + 1 };
    await write(store, { write: 'saveScopeConsent', consent }, { write: 'saveScopeConsent', consent: newer });
    expect(await find(store, 'member-1', 'client-1')).toEqual(newer);
  });

  it('name a client of the same tenant', async () => {
    const store = await storeWithMember();
    const foreign = { ...consent, tenantId: 'tenant-b' };
    await expect(write(store, { write: 'saveScopeConsent', consent: foreign })).rejects.toThrow(
      /foreign key/i,
    );
  });
});
