// Hashes, MACs, and comparisons in constant time.
import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { SigningAlgorithm } from './tenant.ts';

/** The key of a MAC. As a KeyObject it is set up once: from bytes each MAC takes seven times as long. */
export type MacKey = Buffer | KeyObject;

/** SHA-256 of a secret as base64url: how codes, session ids and client secrets are stored (decision 31). */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** SHA-256 of bytes as base64, such as those of another system's key. */
export function sha256OfBytes(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'base64');
}

/**
 * The left half of a token's hash as base64url: the at_hash of an id_token (Core §3.1.3.6), by the hash of the
 * algorithm that signs it. That of RS256, PS256 and ES256 is SHA-256; Ed25519 hashes with SHA-512 (RFC 8032 §5.1).
 */
export function halfHash(token: string, algorithm: SigningAlgorithm): string {
  const digest = hash(algorithm === 'EdDSA' ? 'sha512' : 'sha256', token, 'buffer');
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

/** HMAC-SHA-256 over parts that cannot run into each other: each is preceded by its length. */
export function hmac(key: MacKey, ...parts: readonly string[]): Buffer {
  const mac = createHmac('sha256', key);
  for (const part of parts) mac.update(`${Buffer.byteLength(part)}:${part}`, 'utf8');
  return mac.digest();
}

/** Compares two secrets, or two digests, in a time that depends on their lengths alone. */
export function equalInConstantTime(left: string | Buffer, right: string | Buffer): boolean {
  const a = Buffer.from(left);
  const b = Buffer.from(right);
  return a.length === b.length && timingSafeEqual(a, b);
}
