import { describe, expect, it } from 'vitest';
import { type ClientRegistration, registerClient } from '../../src/operations/client/client.ts';
import { OperationRefused } from '../../src/operations/refusal.ts';
import { foreignPair, privateJwkOf } from '../support/clients/foreign-jwt.ts';
import { told } from '../support/expected/told.ts';
import { now } from '../support/records/records.ts';
import { storeWithMember } from '../support/records/store.ts';

const pair = await foreignPair();
const rsa = await foreignPair('RS256');
const { publicJwk: jwk } = pair;
const keys = (...all: readonly unknown[]) => JSON.stringify({ keys: all });

const client: ClientRegistration = {
  clientId: 'app',
  name: 'App',
  type: 'confidential',
  authenticationMethod: 'private_key_jwt',
  jwks: keys(jwk),
};

/** What a registration is refused for; nothing if it is taken. */
async function problemsOf(changes: Partial<ClientRegistration>): Promise<readonly string[]> {
  try {
    const store = await storeWithMember();
    await store.transaction((tx) => registerClient(tx, 'tenant-a', { ...client, ...changes }, now));
  } catch (error) {
    expect(error).toBeInstanceOf(OperationRefused);
    return told((error as OperationRefused).problems);
  }
  return [];
}

describe('the keys of a client', () => {
  it('I53: take the place of its secret', async () => {
    expect(await problemsOf({})).toEqual([]);
    expect(await problemsOf({ jwks: null, jwksUri: 'https://app.test/keys' })).toEqual([]);
    expect(await problemsOf({ authenticationMethod: 'client_secret' })).toEqual([
      'a confidential client needs a secret',
    ]);
  });

  it.each<[string, Partial<ClientRegistration>, string]>([
    ['of a public client', { type: 'public' }, 'a public client keeps no key to itself'],
    ['that are not there', { jwks: null }, 'needs jwks or jwksUri'],
    ['in two places', { jwksUri: 'https://app.test/keys' }, 'jwks and jwksUri stand here both'],
    ['over http', { jwks: null, jwksUri: 'http://app.test/keys' }, 'is not an https address'],
    [
      'at an address with credentials',
      { jwks: null, jwksUri: 'https://a@app.test/keys' },
      'is not an https address',
    ],
    ['that sign by nothing', { signingAlgorithms: [] }, 'signingAlgorithms is empty'],
    ['that are no JSON', { jwks: '{' }, 'is no JWKS'],
    ['that are no list', { jwks: '{"keys":{}}' }, 'is no JWKS'],
    ['of a name that stands twice', { jwks: `{"keys":[],"keys":[${JSON.stringify(jwk)}]}` }, 'is no JWKS'],
    ['of which there is none', { jwks: keys() }, 'jwks is empty'],
    ['of which there are too many', { jwks: keys(...Array(11).fill(jwk)) }, 'more than 10 entries'],
    ['that are too long', { jwks: keys({ ...jwk, note: 'x'.repeat(16_384) }) }, 'more than 16384 characters'],
    [
      'that are private',
      { jwks: keys(jwk, privateJwkOf(rsa)) },
      'key 2 of jwks is a private or a shared one',
    ],
    [
      'that are shared',
      { jwks: keys({ kty: 'oct', k: 'AAAA' }) },
      'key 1 of jwks is a private or a shared one',
    ],
    [
      'of another curve',
      { jwks: keys({ ...jwk, crv: 'P-521' }) },
      'key 1 of jwks is of a type that is not taken',
    ],
    ['that are cut', { jwks: keys({ ...jwk, x: 'AA' }) }, 'key 1 of jwks is malformed'],
    [
      'that are too short',
      { jwks: keys({ kty: 'RSA', n: 'wAAA', e: 'AQAB' }) },
      'key 1 of jwks must have 2048 to 4096 bits',
    ],
    ['for encryption', { jwks: keys({ ...jwk, use: 'enc' }) }, 'key 1 of jwks is for something else'],
    [
      'for another algorithm',
      { jwks: keys({ ...jwk, alg: 'ES384' }) },
      'key 1 of jwks is for something else',
    ],
    ['of the same kid', { jwks: keys(jwk, { ...rsa.publicJwk, kid: jwk.kid }) }, 'have the same kid'],
  ])('are refused: %s', async (_what, changes, words) => {
    expect((await problemsOf(changes)).join()).toContain(words);
  });
});
