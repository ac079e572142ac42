import { sign as nodeSign, verify as nodeVerify } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import type { SigningAlgorithm } from '../../src/core/tenant.ts';
import {
  generateSigningKey,
  readSigningKey,
  sideBySide,
  signToken,
  verifyToken,
} from '../../src/secrets/signing.ts';

async function keyOf(algorithm: SigningAlgorithm) {
  const { kid, publicJwk, privateKey } = await generateSigningKey(algorithm);
  return readSigningKey({
    kid,
    algorithm,
    publicJwk: JSON.stringify(publicJwk),
    privateKey,
    activeFrom: 0,
  });
}

describe.each(['ES256', 'RS256', 'PS256', 'EdDSA'] as const)('a token signed by %s', (algorithm) => {
  it('is a JWS that others verify, with its key, algorithm and type in the header', async () => {
    const key = await keyOf(algorithm);
    const token = await signToken(key, 'at+jwt', { sub: 'ada', n: 1 });
    const { payload, protectedHeader } = await jwtVerify(token, key.publicKey);
    expect(payload).toEqual({ sub: 'ada', n: 1 });
    expect(protectedHeader).toEqual({ alg: algorithm, typ: 'at+jwt', kid: key.kid });
  });

  it('has the header of its own type, whichever was signed before', async () => {
    const key = await keyOf(algorithm);
    const types = [];
    for (const type of ['at+jwt', 'JWT', 'at+jwt'] as const) {
      const token = await signToken(key, type, {});
      types.push((await jwtVerify(token, key.publicKey)).protectedHeader.typ);
    }
    expect(types).toEqual(['at+jwt', 'JWT', 'at+jwt']);
  });
});

describe('R and S of an ES256 signature', () => {
  it('stand side by side in 32 bytes each, however short or long they are in DER (RFC 7518 §3.4)', async () => {
    const { privateKey, publicKey } = await keyOf('ES256');
    const lengths = new Set<number>();
    for (let n = 0; n < 2_000; n += 1) {
      const input = Buffer.from(`message ${n}`);
      const der = nodeSign('sha256', input, privateKey);
      lengths.add(der.length);
      const signature = sideBySide(der);
      expect(signature).toHaveLength(64);
      const how = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
      expect(nodeVerify('sha256', input, how, signature), `${der.toString('hex')}`).toBe(true);
    }
    // Both with a high bit, one, none, and some with zeros that lead.
    expect(lengths.size).toBeGreaterThanOrEqual(4);
  });

  it('short ones are filled up with zeros from the left', () => {
    const der = Buffer.from('30080202008002020102', 'hex');
    expect(sideBySide(der).toString('hex')).toBe(`${'80'.padStart(64, '0')}${'0102'.padStart(64, '0')}`);
  });
});

describe('a token whose header names another algorithm', () => {
  it.each([
    ['PS256', 'RS256'],
    ['RS256', 'PS256'],
  ] as const)('CL6: signed by the key of %s as %s is refused', async (algorithm, other) => {
    const key = await keyOf(algorithm);
    const expected = { type: 'JWT', issuer: 'https://a.test', now: 1_000 } as const;
    const claims = { iss: 'https://a.test', sub: 'ada', iat: 0, exp: 60 };
    const own = await signToken(key, 'JWT', claims);
    expect(await verifyToken([key], own, expected)).toEqual(claims);
    const forged = await signToken({ ...key, algorithm: other }, 'JWT', claims);
    expect(await verifyToken([key], forged, expected)).toBeNull();
  });
});
