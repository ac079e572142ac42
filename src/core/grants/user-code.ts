// User codes: how they are shown, read and stored.
import { hmac, type MacKey } from '../hash.ts';

/** The six digits of a user code as the TV shows them: 3, space, 3 (contract, "user_code"). */
export function showUserCode(digits: string): string {
  return `${digits.slice(0, 3)} ${digits.slice(3)}`;
}

/**
 * The six digits of what a member typed, pasted or scanned: spaces of every kind and hyphens are dropped
 * (decision 29; U5).
 *
 * @returns the digits, or null if it is not six of them
 */
export function readUserCode(typed: string): string | null {
  const digits = typed
    .normalize('NFKC')
    .replace(/[\s\u2010-\u2015\u2212-]/g, '')
    // Arabic and Persian keyboards type digits of their own; their code points end in the digit's value.
    .replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
  return /^\d{6}$/.test(digits) ? digits : null;
}

/** How a user code is stored and looked up: keyed, since a million of them are soon hashed (decision 31). */
export function hashUserCode(key: MacKey, digits: string): string {
  return hmac(key, 'user code', digits).toString('base64url');
}
