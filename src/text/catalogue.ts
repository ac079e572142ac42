// Catalogues of texts: ICU messages by key.
import { readFileSync } from 'node:fs';
import { IntlMessageFormat } from 'intl-messageformat';
import { memoized } from './memoized.ts';

/** The texts of one language, by key. */
export type Catalogue = Readonly<Record<string, string>>;

/** A text by its key, with values for the places in it. @throws if there is no such key */
export type Translate = (key: string, values?: Readonly<Record<string, string | number>>) => string;

/** Reads a catalogue. */
export function readCatalogue(file: URL): Catalogue {
  return JSON.parse(readFileSync(file, 'utf8')) as Catalogue;
}

/** What words the texts of a catalogue. Its messages are parsed when they are first needed. */
export function translator(catalogue: Catalogue, tag: string): Translate {
  const message = memoized((key) => {
    const text = catalogue[key];
    if (text === undefined) throw new Error(`no text "${key}" in ${tag}`);
    return new IntlMessageFormat(text, tag, undefined, { ignoreTag: true });
  });
  return (key, values) => String(message(key).format(values));
}
