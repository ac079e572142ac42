import { createHmac, generateKeyPairSync } from 'node:crypto';
import { exportJWK } from 'jose';
import { describe, expect, it } from 'vitest';
import { foreignAlgorithms, readForeignKey } from '../../src/core/oidc/client/foreign-key.ts';
import { type ForeignJwtExpected, verifyForeignJwt } from '../../src/secrets/foreign-jwt.ts';
import { foreignPair, jwtPart, privateJwkOf, signForeign } from '../support/clients/foreign-jwt.ts';

const pairs = {
  ES256: await foreignPair('ES256'),
  PS256: await foreignPair('PS256'),
  EdDSA: await foreignPair('EdDSA'),
  RS256: await foreignPair('RS256'),
};
const { ES256: pair, RS256: rsa } = pairs;
const { kid } = pair.publicJwk;
const claims = { sub: 'app', n: 1 };
const header = { alg: 'ES256', kid, typ: 'JWT' };

const verify = (token: string, expected: Partial<ForeignJwtExpected> = {}) =>
  verifyForeignJwt(token, {
    types: ['jwt', null],
    algorithms: foreignAlgorithms,
    keys: Object.values(pairs).map(({ publicJwk }) => publicJwk),
    ...expected,
  });
const refusalOf = async (token: string, expected: Partial<ForeignJwtExpected> = {}) => {
  const result = await verify(token, expected);
  return result.ok ? 'it was taken' : result.reason;
};

describe('what another signed', () => {
  it.each(foreignAlgorithms)('is taken when it is signed by %s', async (algorithm) => {
    const { publicJwk } = pairs[algorithm];
    const sent = { alg: algorithm, kid: publicJwk.kid, typ: 'JWT' };
    expect(await verify(signForeign(pairs[algorithm], sent, claims))).toEqual({
      ok: true,
      header: sent,
      claims,
      thumbprint: publicJwk.kid,
    });
  });

  it('is taken when Ed25519 is named by itself (RFC 9864)', async () => {
    const sent = { alg: 'Ed25519', kid: pairs.EdDSA.publicJwk.kid };
    expect(await verify(signForeign(pairs.EdDSA, sent, claims))).toMatchObject({ ok: true });
  });

  it.each(foreignAlgorithms)('is taken by the key in its header: %s', async (algorithm) => {
    const { kid: thumbprint, use: _, alg: __, ...jwk } = pairs[algorithm].publicJwk;
    const token = signForeign(pairs[algorithm], { alg: algorithm, typ: 'dpop+jwt', jwk }, claims);
    const expected = { types: ['dpop+jwt'], keys: 'in-header' } as const;
    expect(await verify(token, expected)).toMatchObject({ ok: true, claims, thumbprint });
  });

  it.each(['JWT', 'jwt', 'application/jwt', undefined])(
    'may have the type %s where it is one',
    async (typ) => {
      expect(await verify(signForeign(pair, { ...header, typ }, claims))).toMatchObject({ ok: true });
    },
  );

  it('is taken without a kid where one key fits', async () => {
    const token = signForeign(pair, { alg: 'ES256' }, claims);
    expect(await verify(token)).toMatchObject({ ok: true });
    const two = [pair.publicJwk, (await foreignPair()).publicJwk];
    expect(await refusalOf(token, { keys: two })).toContain('several keys fit');
  });

  it.each<[string, () => string | Promise<string>, string]>([
    ['nothing', () => '', 'no JWS'],
    ['alg none', () => `${jwtPart({ ...header, alg: 'none' })}.${jwtPart(claims)}.`, 'no JWS'],
    ['alg none with a signature', () => signForeign(pair, { ...header, alg: 'none' }, claims), 'alg'],
    ['HS256 with the public key', () => hmacSigned(JSON.stringify(pair.publicJwk)), 'alg'],
    ['an alg that is a list', () => signForeign(pair, { ...header, alg: ['ES256'] }, claims), 'alg'],
    ['a type of something else', () => signForeign(pair, { ...header, typ: 'at+jwt' }, claims), 'typ'],
    ['a type that is no text', () => signForeign(pair, { ...header, typ: null }, claims), 'typ'],
    ['crit', () => signForeign(pair, { ...header, crit: ['exp'], exp: 1 }, claims), 'crit'],
    ['b64 in crit', () => signForeign(pair, { ...header, crit: ['b64'], b64: false }, claims), 'crit'],
    ['b64', () => signForeign(pair, { ...header, b64: false }, claims), 'not encoded'],
    [
      'a kid of another key',
      () => signForeign(pair, { ...header, kid: rsa.publicJwk.kid }, claims),
      'fits its alg',
    ],
    ['an unknown kid', () => signForeign(pair, { ...header, kid: 'other' }, claims), 'the one that it names'],
    ['a kid that is no text', () => signForeign(pair, { ...header, kid: 7 }, claims), 'no text'],
    [
      'another key of the same kid',
      async () => signForeign(await foreignPair(), header, claims),
      'signature',
    ],
    [
      'RS256 by a key for PS256',
      () =>
        signForeign(
          { ...pairs.PS256, algorithm: 'RS256' },
          { alg: 'RS256', kid: pairs.PS256.publicJwk.kid },
          claims,
        ),
      'fits its alg',
    ],
    [
      'other claims',
      () => signForeign(pair, header, claims).replace(/\.[^.]+\./, `.${jwtPart({ n: 2 })}.`),
      'signature',
    ],
    [
      'a member twice in its claims',
      () => signForeign(pair, header, '{"sub":"a","sub":"b"}'),
      'unique names',
    ],
    [
      'a member twice in its header',
      () => signForeign(pair, `{"alg":"ES256","kid":"x","kid":"${kid}"}`, claims),
      'unique names',
    ],
    ['claims that are a list', () => signForeign(pair, header, [claims]), 'no JSON object'],
    ['claims that are null', () => signForeign(pair, header, null), 'no JSON object'],
    [
      'claims that are no UTF-8',
      () => `${jwtPart(header)}.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.AAAA`,
      'no JSON object',
    ],
    ['more than 8 KB', () => signForeign(pair, header, { pad: 'x'.repeat(8_192) }), 'too long'],
    ['five parts', () => 'a.b.c.d.e', 'no JWS'],
    ['padding', () => `${signForeign(pair, header, claims)}=`, 'no JWS'],
  ])('is refused with %s', async (_what, make, reason) => {
    expect(await refusalOf(await make())).toContain(reason);
  });

  it('is refused when its alg is none of those that are taken', async () => {
    expect(await refusalOf(signForeign(pair, header, claims), { algorithms: ['PS256'] })).toContain('alg');
  });

  it('an unknown key is told from a wrong signature, since a new key may have been published', async () => {
    const unknown = await verify(signForeign(pair, { ...header, kid: 'other' }, claims));
    const wrong = await verify(signForeign(await foreignPair(), header, claims));
    expect([unknown, wrong]).toMatchObject([{ isKeyUnknown: true }, { isKeyUnknown: false }]);
  });

  it('neither jku nor x5u nor x5c nor a jwk says which key it is', async () => {
    const thief = await foreignPair();
    const more = { jku: 'https://evil.test', x5u: 'https://evil.test', x5c: ['AA'], jwk: thief.publicJwk };
    expect(await refusalOf(signForeign(thief, { ...header, ...more }, claims))).toContain('signature');
    expect(await verify(signForeign(pair, { ...header, ...more }, claims))).toMatchObject({ ok: true });
  });
});

describe('a key in a header', () => {
  const withKey = (jwk: unknown, alg = 'ES256') =>
    refusalOf(signForeign(pair, { alg, jwk }, claims), { keys: 'in-header' });

  it.each<[string, unknown, string]>([
    ['none', undefined, 'no jwk'],
    ['a text', 'key', 'malformed'],
    ['a private one', privateJwkOf(pair), 'private'],
    ['a shared secret', { kty: 'oct', k: 'AAAA' }, 'private'],
    ['another curve', { ...pair.publicJwk, crv: 'P-384' }, 'not taken'],
    ['a coordinate that is too short', { ...pair.publicJwk, x: 'AAAA' }, 'malformed'],
    ['a point that is not on the curve', { ...pair.publicJwk, x: pair.publicJwk.y }, 'signature'],
    ['one that does not sign by the alg', rsa.publicJwk, 'does not sign'],
  ])('is refused: %s', async (_what, jwk, reason) => expect(await withKey(jwk)).toContain(reason));

  it('an RSA key has 2,048 to 4,096 bits and a short exponent', async () => {
    const rsaJwk = async (modulusLength: number) =>
      exportJWK(generateKeyPairSync('rsa', { modulusLength }).publicKey);
    expect(readForeignKey(await rsaJwk(1_024))).toBe('rsa_size');
    expect(readForeignKey(await rsaJwk(2_048))).toMatchObject({ kty: 'RSA' });
    const { n, e } = await rsaJwk(2_048);
    const padded = Buffer.concat([Buffer.alloc(1), Buffer.from(String(n), 'base64url')]);
    const huge = Buffer.alloc(1_024, 0xff).toString('base64url');
    for (const jwk of [
      { n: huge, e },
      { n, e: huge },
      { n, e: 'AQ' },
      { n, e: 'BA' },
      { n: padded.toString('base64url'), e },
    ]) {
      expect(readForeignKey({ kty: 'RSA', ...jwk })).toBe('rsa_size');
    }
  });
});

function hmacSigned(secret: string): string {
  const input = `${jwtPart({ ...header, alg: 'HS256' })}.${jwtPart(claims)}`;
  return `${input}.${createHmac('sha256', secret).update(input).digest('base64url')}`;
}
