// The languages of pages and mails: their texts, and which one a request gets.
import { readdirSync } from 'node:fs';
import Negotiator from 'negotiator';
import { readCatalogue, type Translate, translator } from './catalogue.ts';
import { memoized } from './memoized.ts';

const folder = new URL('../../templates/languages/', import.meta.url);

/** The language of a request that asked for none of ours. */
const fallback = 'en';

/** The tags of all languages, in alphabetical order. */
export const languages: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.replace('.json', ''))
  .sort();

const rightToLeft = new Set(['ar', 'fa', 'he', 'ur']);

/** Those of our languages that a tenant offers: all of them where it names none. */
export function offeredLanguages(named: readonly string[]): readonly string[] {
  return named.length === 0 ? languages : languages.filter((tag) => named.includes(tag));
}

/** What a page needs to speak one language. */
export interface Language {
  readonly tag: string;
  readonly direction: 'ltr' | 'rtl';
  readonly t: Translate;
  /** Where its reader lives, if that is known: days are told as they are there. Two letters (ISO 3166-1). */
  readonly country?: string | null;
}

/**
 * Chooses the language of a page: what the page was asked for, then what the member chose, then what the
 * browser says (pages 4).
 *
 * @param asked tags in order of preference, as `ui_locales` has them (Core §3.1.2.1)
 * @param named the languages that the tenant names; none is all
 */
export function chooseLanguage(
  asked: readonly (string | null | undefined)[],
  acceptLanguage: string | undefined,
  named: readonly string[] = [],
): Language {
  const offered = offeredLanguages(named);
  const nearest = (tag: string) => offered.find((ours) => ours === ourTag(tag));
  for (const tags of asked) {
    const known = tags
      ?.split(' ')
      .map(nearest)
      .find((tag) => tag !== undefined);
    if (known !== undefined) return open(known);
  }
  const negotiator = new Negotiator({ headers: { 'accept-language': acceptLanguage ?? '' } });
  const accepted =
    acceptLanguage === undefined ? undefined : negotiator.languages().map(nearest).find(Boolean);
  return open(accepted ?? offered.find((tag) => tag === fallback) ?? named[0] ?? fallback);
}

/** What browsers ask for whose reader chose no language. */
const unchosen = 'en-US';

/** The country of the language that the browser asks for first, by its two letters; null where it names none. */
export function countryAsked(acceptLanguage: string | undefined): string | null {
  const [first] = new Negotiator({ headers: { 'accept-language': acceptLanguage ?? '' } }).languages();
  const [, country] = /-([a-z]{2})(?:-|$)/i.exec(first ?? '') ?? [];
  return country === undefined || first === unchosen ? null : country.toUpperCase();
}

/** Our tag for a tag: `nb-NO` is `nb`, and what Norwegians' browsers call `no` is `nb` too. */
function ourTag(tag: string): string {
  const primary = tag.toLowerCase().split('-')[0] ?? '';
  return primary === 'no' || primary === 'nn' ? 'nb' : primary;
}

const open = memoized(
  (tag): Language => ({
    tag,
    direction: rightToLeft.has(tag) ? 'rtl' : 'ltr',
    t: translator(readCatalogue(new URL(`${tag}.json`, folder)), tag),
  }),
);

/** The name of a language in that language, for the switcher. */
export const languageName = memoized((tag) => {
  const name = new Intl.DisplayNames([tag], { type: 'language' }).of(tag) ?? tag;
  return name.charAt(0).toLocaleUpperCase(tag) + name.slice(1);
});
