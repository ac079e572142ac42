import { readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { describe, expect, it } from 'vitest';
import { chooseLanguage, countryAsked, languageName, languages } from '../../src/text/language.ts';

type Catalogue = Readonly<Record<string, string>>;
type Elements = ReturnType<IntlMessageFormat['getAst']>;
type Element = Elements[number];

const folder = new URL('../../templates/languages/', import.meta.url);
const catalogueOf = (tag: string) =>
  JSON.parse(readFileSync(new URL(`${tag}.json`, folder), 'utf8')) as Catalogue;

const english = catalogueOf('en');
const translated = languages.filter((tag) => tag !== 'en').map((tag) => ({ tag, texts: catalogueOf(tag) }));
const all = [{ tag: 'en', texts: english }, ...translated];

const counts = [0, 1, 2, 3, 5, 11, 21, 100];

/** The keys whose text is the English one because the language writes the same. */
const sameAsEnglish: Readonly<Record<string, readonly string[]>> = {
  da: [
    'account.browser', // Danish: Browser
    'account.invoice.reference', // Danish: Reference
    'consent.unverified.app', // Danish: App
    'device.approve.model', // Danish: Model
    'mail.fact.browser', // Danish: Browser
    'mail.fact.client', // Danish: App
    'mail.fact.reference', // Danish: Reference
    'outbox.link', // Danish: Link
    'problem.reference', // Danish: Reference
  ],
  de: [
    'account.browser', // German: Browser
    'account.devices.app', // German: App
    'account.passkeys.title', // German: Passkeys
    'consent.unverified.app', // German: App
    'device.approve.name', // German: Name
    'mail.fact.browser', // German: Browser
    'mail.fact.client', // German: App
    'mail.fact.passkey', // German: Passkey
    'member.fullName', // German: Name
    'outbox.code', // German: Code
    'outbox.link', // German: Link
  ],
  es: [
    'account.devices.app', // Spanish: App
    'checkout.order.total', // Spanish: Total
    'checkout.step.plan', // Spanish: Plan
    'consent.unverified.app', // Spanish: App
    'error.prefix', // Spanish: Error
    'mail.fact.client', // Spanish: App
  ],
  fr: [
    'checkout.order.total', // French: Total
    'outbox.code', // French: Code
  ],
  nb: [
    'consent.unverified.app', // Norwegian: App
    'mail.fact.client', // Norwegian: App
  ],
  nl: [
    'account.browser', // Dutch: Browser
    'account.devices.app', // Dutch: App
    'account.sessions.browsers', // Dutch: Browsers
    'checkout.step.account', // Dutch: Account
    'consent.unverified.app', // Dutch: App
    'device.approve.model', // Dutch: Model
    'foot.help', // Dutch: Help
    'foot.privacy', // Dutch: Privacy
    'mail.fact.browser', // Dutch: Browser
    'mail.fact.client', // Dutch: App
    'outbox.code', // Dutch: Code
    'outbox.link', // Dutch: Link
  ],
  pl: [
    'checkout.order.vat', // Polish: VAT
    'checkout.step.plan', // Polish: Plan
    'device.approve.model', // Polish: Model
    'outbox.link', // Polish: Link
  ],
  sv: [
    'consent.unverified.app', // Swedish: App
    'mail.fact.client', // Swedish: App
  ],
};

/** What marks an element of a message in the syntax tree: plain text, and the number of a plural. */
const literal = 0;
const pound = 7;

const elementsOf = (text: string, tag: string): Elements =>
  new IntlMessageFormat(text, tag, undefined, { ignoreTag: true }).getAst();

const branchesOf = (element: Element) => ('options' in element ? Object.entries(element.options) : []);

/** The arguments of a message with their kinds, sorted, such as `email 1`. */
function argumentsOf(elements: Elements): readonly string[] {
  const found = elements.flatMap((element) => [
    ...(element.type === literal || element.type === pound || !('value' in element)
      ? []
      : [`${element.value} ${element.type}`]),
    ...branchesOf(element).flatMap(([, { value }]) => argumentsOf(value)),
  ]);
  return [...new Set(found)].sort();
}

/** The plurals of a message, each as the names of its branches. */
function pluralsOf(elements: Elements): readonly { argument: string; branches: readonly string[] }[] {
  return elements.flatMap((element) => [
    ...('pluralType' in element ? [{ argument: element.value, branches: Object.keys(element.options) }] : []),
    ...branchesOf(element).flatMap(([, { value }]) => pluralsOf(value)),
  ]);
}

describe('the catalogues', () => {
  it('pages 4: there are eleven first languages', () => {
    expect(languages).toEqual(['ar', 'da', 'de', 'en', 'es', 'fi', 'fr', 'nb', 'nl', 'pl', 'sv']);
  });

  it.each(all)('pages 4: $tag has the keys of English, in alphabetical order', ({ texts }) => {
    expect(Object.keys(texts)).toEqual(Object.keys(english).sort());
  });

  it.each(all)('$tag parses, and takes the arguments that English takes', ({ tag, texts }) => {
    const taken = (catalogue: Catalogue, language: string) =>
      Object.fromEntries(
        Object.entries(catalogue).map(([key, text]) => [key, argumentsOf(elementsOf(text, language))]),
      );
    expect(taken(texts, tag)).toEqual(taken(english, 'en'));
  });

  it.each(all)('pages 4: the plurals of $tag have a form for every count', ({ tag, texts }) => {
    const { t } = chooseLanguage([tag], undefined);
    const rules = new Intl.PluralRules(tag);
    const plurals = Object.entries(texts).flatMap(([key, text]) =>
      pluralsOf(elementsOf(text, tag)).map((plural) => ({ key, ...plural })),
    );
    expect(plurals.length).toBeGreaterThan(0);
    for (const { key, argument, branches } of plurals) {
      for (const count of counts) {
        const fits = branches.includes(`=${count}`) || branches.includes(rules.select(count));
        expect(fits, `${key} for ${count}`).toBe(true);
        expect(t(key, { [argument]: count }).trim(), `${key} for ${count}`).not.toBe('');
      }
    }
  });

  it.each(all)('no text of $tag is empty, holds markup or steers the direction by hand', ({ texts }) => {
    for (const [key, text] of Object.entries(texts)) {
      expect(text.trim(), key).not.toBe('');
      expect(text, key).not.toContain('<');
      // Direction is for `dir` and `bdi`, where a screen reader and a copied text do not meet it.
      expect(text, key).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/);
      // A straight apostrophe quotes the braces after it in ICU messages.
      expect(text, key).not.toContain("'");
    }
  });

  it.each(translated)('no English is left in $tag', ({ tag, texts }) => {
    const same = Object.keys(english).filter((key) => texts[key] === english[key]);
    expect(same).toEqual(sameAsEnglish[tag] ?? []);
  });
});

describe('the choice of a language', () => {
  it.each<{ title: string; asked: (string | null | undefined)[]; accept?: string; tag: string }>([
    { title: 'what is asked for comes before what the browser says', asked: ['de'], accept: 'fr', tag: 'de' },
    { title: 'the first of several that ask wins', asked: ['pl', 'de'], accept: 'fr', tag: 'pl' },
    { title: 'who asks for nothing is passed over', asked: [undefined, null, '', 'sv'], tag: 'sv' },
    { title: 'ui_locales is a list in order of preference', asked: ['nl fr'], tag: 'nl' },
    { title: 'an unknown tag of ui_locales gives way to the next', asked: ['tlh fr-CA de'], tag: 'fr' },
    { title: 'ui_locales without a language of ours is no wish', asked: ['tlh'], accept: 'fi', tag: 'fi' },
    {
      title: 'Accept-Language goes by quality',
      asked: [],
      accept: 'da;q=0.3, es;q=0.9, fr;q=0.5',
      tag: 'es',
    },
    { title: 'Accept-Language skips what is not ours', asked: [], accept: 'tlh, ar-EG;q=0.4', tag: 'ar' },
    { title: 'a quality of 0 refuses a language', asked: [], accept: 'de;q=0, pl;q=0.1', tag: 'pl' },
    { title: 'a wildcard alone is English', asked: [], accept: '*', tag: 'en' },
    { title: 'a malformed Accept-Language is English', asked: [], accept: ';;=,', tag: 'en' },
    { title: 'nothing at all is English', asked: [], tag: 'en' },
    { title: 'nothing of ours is English', asked: ['tlh'], accept: 'tlh', tag: 'en' },
  ])('pages 4: $title', ({ asked, accept, tag }) => {
    expect(chooseLanguage(asked, accept).tag).toBe(tag);
  });

  it.each(['no', 'nn', 'nb', 'nb-NO', 'nn-NO', 'no-NO', 'NB-no'])('%s is Norwegian bokmål', (tag) => {
    expect(chooseLanguage([tag], undefined).tag).toBe('nb');
    expect(chooseLanguage([], tag).tag).toBe('nb');
  });

  it('pages 4: Arabic alone is written from right to left', () => {
    const open = languages.map((tag) => chooseLanguage([tag], undefined));
    expect(open.filter(({ direction }) => direction === 'rtl').map(({ tag }) => tag)).toEqual(['ar']);
  });

  it('a key that does not exist is an error, not an empty place', () => {
    const { t } = chooseLanguage(['nb'], undefined);
    expect(() => t('no.such.key')).toThrow('no text "no.such.key" in nb');
  });
});

describe('the names of the languages', () => {
  it('pages 4: each is in its own language, with a capital where its script has them', () => {
    expect(Object.fromEntries(languages.map((tag) => [tag, languageName(tag)]))).toEqual({
      ar: 'العربية',
      da: 'Dansk',
      de: 'Deutsch',
      en: 'English',
      es: 'Español',
      fi: 'Suomi',
      fr: 'Français',
      nb: 'Norsk bokmål',
      nl: 'Nederlands',
      pl: 'Polski',
      sv: 'Svenska',
    });
  });
});

it.each([
  ['nb-NO,nb;q=0.9,en-US;q=0.8', 'NO'],
  ['en-GB', 'GB'],
  ['de;q=0.5,pt-br', 'BR'],
  ['zh-Hant-TW', 'TW'],
  // What browsers send whose reader chose nothing says nothing.
  ['en-US,en;q=0.9', null],
  ['nb', null],
  ['es-419', null],
  ['', null],
  [undefined, null],
])('a browser that asks for %s is in the country %s', (header, country) => {
  expect(countryAsked(header)).toBe(country);
});
