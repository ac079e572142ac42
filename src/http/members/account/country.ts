// Reads and shows countries.
import { countryAsked, languages } from '../../../text/language.ts';
import { memoized } from '../../../text/memoized.ts';
import { countryOfPhone, phoneCountries } from '../../../text/phone.ts';

let codes: ReadonlySet<string> | undefined;

/** Every country by its two letters. */
const allCodes = () => (codes ??= new Set(phoneCountries()));
const regions = memoized((language) => new Intl.DisplayNames([language], { type: 'region' }));
const nameIn = (code: string, language: string) => regions(language).of(code) ?? code;
const comparable = (name: string) => name.trim().normalize('NFC').toLocaleLowerCase('en');

let byName: ReadonlyMap<string, string> | undefined;

/** Every country by its names in all our languages: made at its first use, some 2,700 names. */
function countriesByName(): ReadonlyMap<string, string> {
  byName ??= new Map(
    languages.flatMap((language) => {
      return [...allCodes()].map((code) => [comparable(nameIn(code, language)), code] as const);
    }),
  );
  return byName;
}

/**
 * Reads a country: its two letters, or its name in any of our languages.
 *
 * @returns ISO 3166-1; empty for an empty text; null if there is no such country
 */
export function readCountry(text: string): string | null {
  const typed = text.trim();
  if (typed === '') return '';
  const code = typed.toUpperCase();
  return allCodes().has(code) ? code : (countriesByName().get(comparable(typed)) ?? null);
}

/**
 * Where a member probably lives who has not said so: where the phone number is from, or else the browser's language. For a
 * field alone that is read before it is sent.
 */
export function likelyCountry(phone: string, acceptLanguage: string | undefined): string | null {
  const country = (phone === '' ? null : countryOfPhone(phone)) ?? countryAsked(acceptLanguage);
  return country !== null && allCodes().has(country) ? country : null;
}

/** The name of a country in a language. */
export function showCountry(code: string | null, language: string): string {
  return code === null ? '' : allCodes().has(code) ? nameIn(code, language) : code;
}
