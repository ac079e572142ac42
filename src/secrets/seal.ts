// Seals values that travel with the browser, so that they cannot be changed there.
import { equalInConstantTime, hmac, type MacKey } from '../core/hash.ts';
import { decrypt, encrypt } from './cipher.ts';

/** What a sealed text is for; a seal made for one purpose does not open for another. */
export type SealPurpose =
  | 'answer'
  | 'asked'
  | 'away'
  | 'flow'
  | 'form'
  | 'notice'
  | 'order'
  | 'passkey'
  | 'proof'
  | 'set-up'
  | 'step';

/**
 * Seals a value that travels with the browser: readable, but not changeable, and bound to that browser's
 * cookie, so that what one browser began no other can finish (A11).
 *
 * @param key the tenant's token key
 * @param browser the value of the browser's cookie
 * @param isHidden whether it is encrypted, so that it is not readable either
 */
export function seal(
  key: MacKey,
  purpose: SealPurpose,
  browser: string,
  value: unknown,
  { isHidden = false } = {},
): string {
  const plain = Buffer.from(JSON.stringify(value));
  const payload = isHidden
    ? `${hiddenMark}${encrypt(hidingKey(key), plain, purpose).toString('base64url')}`
    : plain.toString('base64url');
  return `${payload}.${macOf(key, purpose, browser, payload)}.${macOf(key, purpose, '', payload)}`;
}

/** Stands before what is encrypted; in base64url it cannot stand. */
const hiddenMark = '~';

const hidingKey = (key: MacKey): Buffer => hmac(key, 'hidden seal');

export type Unsealed =
  | { readonly kind: 'opened'; readonly value: unknown }
  /** Ours and unchanged, but of another browser, or this one lost its cookie. */
  | { readonly kind: 'foreign'; readonly value: unknown }
  | { readonly kind: 'broken' };

/** Opens a sealed text, and tells a text of another browser's from one that was never ours. */
export function unseal(key: MacKey, purpose: SealPurpose, browser: string, text: string): Unsealed {
  const [payload, bound, plain, ...rest] = text.split('.');
  if (payload === undefined || bound === undefined || plain === undefined || rest.length > 0) {
    return { kind: 'broken' };
  }
  if (!equalInConstantTime(plain, macOf(key, purpose, '', payload))) return { kind: 'broken' };
  const bytes = Buffer.from(payload.replace(hiddenMark, ''), 'base64url');
  const json = payload.startsWith(hiddenMark) ? decrypt(hidingKey(key), bytes, purpose) : bytes;
  const value: unknown = JSON.parse(json.toString());
  const own = browser !== '' && equalInConstantTime(bound, macOf(key, purpose, browser, payload));
  return { kind: own ? 'opened' : 'foreign', value };
}

function macOf(key: MacKey, purpose: SealPurpose, browser: string, payload: string): string {
  return hmac(key, purpose, browser, payload).toString('base64url');
}
