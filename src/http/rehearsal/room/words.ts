// The texts of the room's pages, which are in English alone.
import { readCatalogue, translator } from '../../../text/catalogue.ts';
import { templateFolder } from '../../../text/templates.ts';

/** A text of the room by its key. @throws if there is no such key */
export const word = translator(readCatalogue(new URL('languages/rehearsal/en.json', templateFolder)), 'en');
