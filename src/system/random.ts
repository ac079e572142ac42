// The one source of randomness, which is handed in.
import { randomFillSync, randomInt } from 'node:crypto';
import { secretBytes } from '../core/limits.ts';

/** The one source of randomness. It is handed in, never imported by the core. */
export interface Random {
  /** A secret of 256 random bits in base64url: codes, session ids, client secrets (decision 31). */
  secret(): string;
  /** A UUIDv7 (RFC 9562 §5.7): sorts by time, so rows that are made together lie together. */
  id(now: number): string;
  /** Six decimal digits, each as likely as any: a user code (contract, Limits). */
  digits(): string;
}

/**
 * What is drawn from a source of bytes and of numbers.
 *
 * @param bytes so many that no other caller gets
 * @param below a whole number from 0 to below this one, each as likely as any
 */
export const randomOf = (bytes: (length: number) => Buffer, below: (most: number) => number): Random => ({
  secret: () => bytes(secretBytes).toString('base64url'),
  id: (now) => uuidV7(now, bytes(16)),
  digits: () => String(below(1_000_000)).padStart(6, '0'),
});

export const systemRandom: Random = randomOf(randomPart, randomInt);

/** Random bytes are drawn so many at once: asking the system takes as long for two thousand as for sixteen. */
const drawn = Buffer.alloc(2_048);
let used = drawn.length;

/** @returns bytes that no other caller gets, and that are stored nowhere else */
function randomPart(length: number): Buffer {
  if (used + length > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const part = Buffer.from(drawn.subarray(used, used + length));
  drawn.fill(0, used, used + length);
  used += length;
  return part;
}

function uuidV7(now: number, bytes: Buffer): string {
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8(((bytes[6] ?? 0) & 0x0f) | 0x70, 6);
  bytes.writeUInt8(((bytes[8] ?? 0) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
