/**
 * The portable hash of phpass. It is our own, since the packages that have it were left years ago, and it is a few lines:
 * MD5 of salt and password, again and again (https://www.openwall.com/phpass/, `crypt_private`).
 */
import { hash } from 'node:crypto';
import { phpassDigits } from '../../core/hashes/stored-hash.ts';

/** The hash, without what stands before it in the text. @param rounds 2 to the power of the text's fourth letter */
export function phpass(password: string, salt: string, rounds: number): string {
  const bytes = Buffer.from(password);
  let digest = hash('md5', Buffer.concat([Buffer.from(salt), bytes]), 'buffer');
  // One buffer for all rounds: to make a new one each time takes as long as the digest.
  const again = Buffer.concat([digest, bytes]);
  for (let round = 0; round < rounds; round += 1) {
    digest = hash('md5', again, 'buffer');
    digest.copy(again);
  }
  return encoded(digest);
}

/** Three bytes as four digits of six bits, the lowest bits first. */
function encoded(digest: Buffer): string {
  let text = '';
  for (let at = 0; at < digest.length; at += 3) {
    const bytes = digest.subarray(at, at + 3);
    text += digits(bytes.readUIntLE(0, bytes.length), bytes.length + 1);
  }
  return text;
}

/** So many digits of a number, the lowest first. */
export function digits(value: number, count: number): string {
  return Array.from({ length: count }, (_, place) => phpassDigits[(value >> (6 * place)) & 63]).join('');
}
