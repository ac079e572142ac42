// Fields that the inputs of several operations share.
import { listPage } from '../../core/limits.ts';
import { list, type Schema, text } from '../../json-schema.ts';

/** How many entries a page of a list has. */
export const limitField: Schema = {
  type: 'integer',
  minimum: 1,
  maximum: listPage.most,
  default: listPage.default,
  description: 'How many entries at most',
  examples: [listPage.default],
};

/**
 * Cuts a page of a list, of which one entry more than its length was read.
 *
 * @returns the page, and the last entry of it where others follow
 */
export function pageOf<Item>(
  read: readonly Item[],
  limit: number,
): { page: readonly Item[]; last: Item | null } {
  const page = read.slice(0, limit);
  return { page, last: read.length > limit ? (page.at(-1) ?? null) : null };
}

/** A list of texts, each once. */
export function texts(description: string, ...examples: readonly string[]): Schema {
  return { ...list(description, text('One of them', ...examples)), uniqueItems: true, examples: [examples] };
}

/**
 * Lets the command do what would leave no system administrator. An operator at the machine can mend that;
 * the other faces have it without effect, and the portal does not offer it.
 */
export const forceField: Schema = {
  type: 'boolean',
  description: 'At the command alone: do it even if the service is left without a system administrator',
  default: false,
  examples: [false],
};

/** A list of texts that are known, each once. */
export function someOfTexts(description: string, each: Schema, ...examples: readonly string[]): Schema {
  return { ...texts(description, ...examples), items: each };
}

/** A whole number within bounds. */
export function numberFrom(least: number, most: number, description: string, example: number): Schema {
  return { type: 'integer', minimum: least, maximum: most, description, examples: [example] };
}

/** A field that may be null. @param nullMeans what that says, where it says more than that there is none */
export function orNull(schema: Schema, nullMeans?: string): Schema {
  return { ...schema, type: [schema.type, 'null'], ...(nullMeans === undefined ? {} : { nullMeans }) };
}

/** A whole number of seconds within bounds. */
export function secondsFrom(least: number, most: number, description: string, example: number): Schema {
  return { ...numberFrom(least, most, description, example), format: 'duration' };
}

/** An object of which every field may be left out. */
export function someOf(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', description, properties, additionalProperties: false };
}

/** A text that says nothing when it is empty: forms and command lines have no null. */
export function textOrNone(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : text.trim();
}
