// Says where an address was seen, in words.
import type { Language } from '../../text/language.ts';
import type { PlaceOf } from './geolocation.ts';

/** An address as people read it, and its place where the operator has a database of them (decision 34). */
export function seenAt(
  { language, deps }: { readonly language: Language; readonly deps: { readonly placeOf: PlaceOf } },
  ipAddress: string,
): { place: string | null; address: string } {
  return {
    place: deps.placeOf(ipAddress, language.tag),
    address: ipAddress.replace(/^::ffff:(?=\d+\.)/, ''),
  };
}
