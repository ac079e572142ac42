// Checks the address that a checkout is to lead back to.
import { returnAddressLength } from './limits.ts';

/** Where a checkout may lead back to: none was asked for, an allowed one, or one that is refused. */
export type ReturnAddress =
  | { readonly kind: 'none' }
  | { readonly kind: 'allowed'; readonly url: string }
  | { readonly kind: 'refused' };

/**
 * Checks an address that a checkout is to lead back to (decision 40; K1, K2). It must begin, as a text, with
 * one of the tenant's allowed origins, and must be of that very origin as a browser reads it: whatever two
 * readers could read differently is refused.
 *
 * @param text what was sent; undefined if nothing was, and empty counts as that (decision 11)
 * @param origins such as `https://www.example.com`, without a slash at the end
 */
export function readReturnAddress(text: string | undefined, origins: readonly string[]): ReturnAddress {
  if (text === undefined || text === '') return { kind: 'none' };
  if (text.length > returnAddressLength) return { kind: 'refused' };
  // Browsers drop tabs and line ends, and take a backslash for a slash.
  if (/[\p{Cc}\p{Z}\\]/u.test(text) || !text.isWellFormed()) return { kind: 'refused' };
  const origin = origins.find(
    (known) => text === known || (/^[/?#]/.test(text.slice(known.length)) && text.startsWith(known)),
  );
  if (origin === undefined || !URL.canParse(text)) return { kind: 'refused' };
  const url = new URL(text);
  if (url.origin !== origin || url.username !== '' || url.password !== '') return { kind: 'refused' };
  // It is longer than it was typed where it has other letters than ASCII.
  return url.href.length > returnAddressLength ? { kind: 'refused' } : { kind: 'allowed', url: url.href };
}
