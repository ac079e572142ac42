// The texts of the portal, which is in English alone: its templates and its code say them by their keys.
import { readCatalogue, translator } from './catalogue.ts';

const catalogue = readCatalogue(new URL('../../templates/languages/portal/en.json', import.meta.url));

/** A text of the portal by its key, with values for the places in it. @throws if there is no such key */
export const say = translator(catalogue, 'en');

/** A text of the portal; null where the catalogue has none of this key, and something else is said. */
export const sayIfKnown: (...of: Parameters<typeof say>) => string | null = (key, values) =>
  Object.hasOwn(catalogue, key) ? say(key, values) : null;
