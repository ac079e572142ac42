// Reads telephone numbers, and writes them as people read them.
import { createRequire } from 'node:module';

type Library = typeof import('libphonenumber-js/min');

let library: Library | undefined;

/** Loaded with the first number: it has the rules of every country, which a start would wait for. */
const phoneNumbers = (): Library =>
  (library ??= createRequire(import.meta.url)('libphonenumber-js/min') as Library);

/** The countries that have telephone numbers, by their two letters (ISO 3166-1). */
export const phoneCountries = (): readonly string[] => phoneNumbers().getCountries();

/**
 * Reads a telephone number in international format, however it is spaced; `00` stands for the `+`. Whether
 * the number is in use only a call can tell: what is held here is its length in its country.
 *
 * @returns E.164 with its `+`; empty for an empty text; null if it is no such number
 */
export function readPhone(text: string): string | null {
  const typed = text.trim();
  if (typed === '') return '';
  const number = phoneNumbers().parsePhoneNumberFromString(typed.replace(/^00/, '+'), { extract: false });
  return number?.isPossible() === true && number.ext === undefined ? number.number : null;
}

/** The country of a stored number, by its two letters; null where its calling code is of several and the number does not tell. */
export function countryOfPhone(phone: string): string | null {
  return phoneNumbers().parsePhoneNumberFromString(phone)?.country ?? null;
}

/** A stored number as people read it, such as "+47 91 23 45 67". */
export function showPhone(phone: string): string {
  return phoneNumbers().parsePhoneNumberFromString(phone)?.formatInternational() ?? phone;
}
