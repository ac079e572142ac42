/**
 * SHA-crypt of Unix (U. Drepper, "Unix crypt using SHA-256 and SHA-512", version 0.6; the numbers are its steps). It is our
 * own: the kept package of it drops bytes of passwords that are a multiple of a digest long.
 */
import { hash } from 'node:crypto';
import { digits } from './phpass.ts';

/** The bytes that each group of four digits is made of (step 22). */
const orders = {
  sha256: [
    ...[0, 10, 20, 21, 1, 11, 12, 22, 2, 3, 13, 23, 24, 4, 14],
    ...[15, 25, 5, 6, 16, 26, 27, 7, 17, 18, 28, 8, 9, 19, 29],
  ],
  sha512: [
    ...[0, 21, 42, 22, 43, 1, 44, 2, 23, 3, 24, 45, 25, 46, 4, 47, 5, 26, 6, 27, 48, 28, 49, 7, 50, 8, 29],
    ...[9, 30, 51, 31, 52, 10, 53, 11, 32, 12, 33, 54, 34, 55, 13, 56, 14, 35, 15, 36, 57, 37, 58, 16, 59],
    ...[17, 38, 18, 39, 60, 40, 61, 19, 62, 20, 41],
  ],
} as const;

/** The hash, without what stands before it in the text. */
export function shaCrypt(
  digest: 'sha256' | 'sha512',
  password: string,
  saltText: string,
  rounds: number,
): string {
  const of = (...parts: readonly Buffer[]) => hash(digest, Buffer.concat(parts), 'buffer');
  const key = Buffer.from(password);
  const salt = Buffer.from(saltText.slice(0, 16));
  // 4 to 8
  const b = of(key, salt, key);
  // 1 to 3, and 9 to 12
  const bits: Buffer[] = [];
  for (let length = key.length; length > 0; length >>= 1) bits.push((length & 1) === 1 ? b : key);
  let digestC = of(key, salt, repeated(b, key.length), ...bits);
  // 13 to 20
  const p = repeated(of(repeated(key, key.length ** 2)), key.length);
  const s = repeated(of(repeated(salt, salt.length * (16 + (digestC[0] ?? 0)))), salt.length);
  // 21
  for (let round = 0; round < rounds; round += 1) {
    const isOdd = round % 2 === 1;
    const parts = [isOdd ? p : digestC];
    if (round % 3 !== 0) parts.push(s);
    if (round % 7 !== 0) parts.push(p);
    parts.push(isOdd ? digestC : p);
    digestC = of(...parts);
  }
  return encoded(digest, digestC);
}

/** A text again and again, as many bytes of it. */
const repeated = (bytes: Buffer, length: number) => Buffer.alloc(length, bytes);

function encoded(digest: 'sha256' | 'sha512', bytes: Buffer): string {
  const order = orders[digest];
  const at = (place: number) => bytes[place] ?? 0;
  let text = '';
  for (let group = 0; group < order.length; group += 3) {
    const [first = 0, second = 0, third = 0] = order.slice(group, group + 3).map(at);
    text += digits((first << 16) | (second << 8) | third, 4);
  }
  return text + (digest === 'sha256' ? digits((at(31) << 8) | at(30), 3) : digits(at(63), 2));
}
