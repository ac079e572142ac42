// The first sentence of a page, with one of its words in bold.
import type { Language } from '../../text/language.ts';

/** A sentence, or what stands between the places in which a word is in bold. */
export type Lead = string | { readonly pieces: readonly string[]; readonly strong: string };

/** A character that is in no text. */
const mark = '\u0001';

/**
 * A text with the word for one of its places in bold.
 *
 * @param place its name and the word
 * @param others the words for its other places
 */
export function emphasized(
  { t }: Language,
  key: string,
  place: Readonly<Record<string, string>>,
  others: Readonly<Record<string, string>> = {},
): Lead {
  const [[name, strong] = ['', '']] = Object.entries(place);
  return { pieces: t(key, { ...others, [name]: mark }).split(mark), strong };
}
