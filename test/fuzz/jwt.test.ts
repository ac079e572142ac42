import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  generateSigningKey,
  readSigningKey,
  type SigningKey,
  signToken,
  verifyToken,
} from '../../src/secrets/signing.ts';
import { nearly, text } from '../support/fuzz/hostile.ts';
import { forgeries, headerOf, signedAnyway } from '../support/fuzz/jwt.ts';
import { holds } from '../support/fuzz/runs.ts';

const now = Date.UTC(2026, 0, 15, 12);
const seconds = now / 1_000;
const issuer = 'https://a.test';
const audience = 'urn:memberdoor:api';
const claims = { iss: issuer, sub: 'member-1', aud: audience, iat: seconds - 60, exp: seconds + 60 };
const expected = { type: 'at+jwt', issuer, audience, now } as const;

let keys: readonly SigningKey[];
let es256: SigningKey;
let token: string;

const madeKey = async (algorithm: 'ES256' | 'RS256') => {
  const { kid, publicJwk, privateKey } = await generateSigningKey(algorithm);
  return readSigningKey({ kid, algorithm, publicJwk: JSON.stringify(publicJwk), privateKey, activeFrom: 0 });
};

beforeAll(async () => {
  keys = [await madeKey('ES256'), await madeKey('RS256')];
  es256 = keys[0] as SigningKey;
  token = await signToken(es256, 'at+jwt', claims);
});

/** Values of a header's members that verifiers have stumbled over. */
const headerMore = fc.oneof(
  fc.constant({}),
  fc.constantFrom<object>(
    { kid: '../../../../dev/null' },
    { kid: "x' union select 'a' --" },
    { kid: '__proto__' },
    { kid: ['a'] },
    { kid: null },
    { kid: 0 },
    { alg: 'RS256' },
    { alg: 'ES256K' },
    { alg: ['ES256'] },
    { alg: null },
    { crit: ['exp'] },
    { crit: ['b64'], b64: false },
    { crit: [] },
    { crit: 'exp' },
    { b64: false },
    { typ: 'JWT' },
    { typ: 'application/at+jwt' },
    { typ: null },
    { zip: 'DEF' },
    { enc: 'A128GCM' },
  ),
  fc.record({ kid: text(), typ: text() }, { requiredKeys: [] }),
);

const claimValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    1.5,
    '',
    '1',
    [],
    {},
    [issuer],
    [audience, 'x'],
    `${issuer}/`,
  ),
  fc.constantFrom<unknown>(
    'https://A.test',
    'http://a.test',
    'https://b.test',
    audience,
    seconds,
    seconds + 60,
  ),
  text(),
);
const claimNames = ['iss', 'sub', 'aud', 'iat', 'exp', 'nbf'] as const;
/** One claim or another that is not as it should be, seldom several. */
const changes = fc
  .array(fc.tuple(fc.constantFrom(...claimNames), claimValue), { minLength: 1, maxLength: 2 })
  .map((changed) => Object.fromEntries(changed));

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

describe('a token', () => {
  it('M4, M5: that the tenant did not sign is refused, whatever its header and claims say', () =>
    holds(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(forgeries)),
        headerMore,
        changes,
        async (name, more, changed) => {
          const forged = await forgeries[name]?.({ token, key: es256 }, { ...claims, ...changed }, more);
          expect(await verifyToken(keys, String(forged), expected)).toBeNull();
          expect(await verifyToken(keys, String(forged), { type: 'JWT', issuer, now: null })).toBeNull();
        },
      ),
      150,
    ));

  it('that was changed in any letter of what is signed is refused, and none makes the verifier throw', () =>
    holds(
      fc.asyncProperty(fc.context(), fc.nat(), fc.nat(), text(3), async (context, seed, length, piece) => {
        const at = seed % (token.length + 1);
        const changed = token.slice(0, at) + piece + token.slice(at + (length % 4));
        context.log(changed);
        const isSame = changed.slice(0, changed.lastIndexOf('.')) === token.slice(0, token.lastIndexOf('.'));
        const read = await verifyToken(keys, changed, expected);
        // The last letter of a signature has bits that mean nothing.
        if (read !== null) expect(isSame).toBe(true);
      }),
      150,
    ));

  it('M6 to M10: that is signed is accepted exactly if issuer, audience, subject and times are right', () =>
    holds(
      fc.asyncProperty(changes, async (changed) => {
        const said: Record<string, unknown> = { ...claims, ...changed };
        const read = await verifyToken(keys, await signToken(es256, 'at+jwt', said), expected);
        const isForUs = said.aud === audience || (Array.isArray(said.aud) && said.aud.includes(audience));
        const isInTime =
          isNumber(said.iat) &&
          isNumber(said.exp) &&
          said.exp > seconds &&
          (said.nbf === undefined || (isNumber(said.nbf) && said.nbf <= seconds));
        const isRight = said.iss === issuer && said.sub !== undefined && isForUs && isInTime;
        // A subject that is not a string is refused by the code that reads it.
        expect(read === null).toBe(!isRight);
      }),
      150,
    ));

  it('that is signed over another header, or over no JSON, is refused without a sound', () =>
    holds(
      fc.asyncProperty(
        headerMore,
        fc.oneof(
          fc.constantFrom('', '[]', 'null', '"x"', '{', JSON.stringify(claims), `${'['.repeat(9_000)}`),
          fc.constant(`{"iss":"https://b.test",${JSON.stringify(claims).slice(1)}`),
          nearly([JSON.stringify(claims)], ['"', '{', '}', ',', '\0']),
        ),
        async (more, payload) => {
          const header = { ...headerOf(token), ...more };
          const read = await verifyToken(keys, signedAnyway(es256, header, payload), expected);
          const isOurs = header.kid === es256.kid && header.alg === 'ES256' && header.crit === undefined;
          const isType = /^(?:application\/)?at\+jwt$/.test(String(header.typ));
          if (read !== null)
            expect({ isOurs, isType, iss: read.iss }).toEqual({ isOurs: true, isType: true, iss: issuer });
        },
      ),
      150,
    ));

  it('that is huge is refused', async () => {
    expect(await verifyToken(keys, `${token}${'A'.repeat(1_000_000)}`, expected)).toBeNull();
    expect(await verifyToken(keys, '.'.repeat(100_000), expected)).toBeNull();
    expect(await verifyToken(keys, token, expected)).toMatchObject(claims);
  });
});
