/**
 * A JSON Schema in the keywords that Fastify's draft 7 and the 2020-12 of OpenAPI 3.1 understand alike: the
 * same objects validate, serialise and document.
 */
export type Schema = Readonly<Record<string, unknown>>;

/**
 * Names a schema: in documents it is a type of this name, which everything that has it shares. A use may say other
 * words of it, and may take null besides.
 */
export function named(title: string, schema: Schema): Schema {
  return { title, ...schema };
}

/** An object with exactly these properties, every one of them there (M19). */
export function exactly(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return {
    type: 'object',
    description,
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** Such an object that has a name: what one operation answers of it is what others answer. */
export function resource(
  title: string,
  description: string,
  properties: Readonly<Record<string, Schema>>,
): Schema {
  return named(title, exactly(description, properties));
}

/** A named object that has all of another one besides: in documents the one is made of the other. */
export function extended(
  base: Schema,
  title: string,
  description: string,
  properties: Readonly<Record<string, Schema>>,
): Schema {
  const all = { ...(base.properties as Readonly<Record<string, Schema>>), ...properties };
  return { ...resource(title, description, all), [madeOf]: base };
}

/** The keyword of that other one. */
export const madeOf = 'madeOf';

export function list(description: string, items: Schema): Schema {
  return { type: 'array', description, items };
}

export function text(description: string, ...examples: readonly string[]): Schema {
  return { type: 'string', description, examples };
}

export function textOrNull(description: string, ...examples: readonly (string | null)[]): Schema {
  return { type: ['string', 'null'], description, examples };
}

/** One of some texts, under the name that they have together. */
export function oneOf(title: string, description: string, values: readonly string[]): Schema {
  return named(title, { type: 'string', enum: values, description, examples: values.slice(0, 1) });
}

export function wholeNumber(description: string, example: number): Schema {
  return { type: 'integer', description, examples: [example] };
}

export function flag(description: string): Schema {
  return { type: 'boolean', description, examples: [true] };
}

export function time(description: string, example = '2026-01-31T12:00:00.000Z'): Schema {
  return { type: 'string', format: 'date-time', description, examples: [example] };
}

export function timeOrNull(description: string, example: string | null = '2026-01-31T12:00:00.000Z'): Schema {
  return { type: ['string', 'null'], format: 'date-time', description, examples: [example] };
}

/**
 * The keywords that a schema has beyond JSON Schema: what a face needs to know of a value, which it must not read from
 * the description.
 *
 * - `heldTo`: what the service holds values to in words of its own (`held`).
 * - `madeOf`: the object that it has all of, and more besides (`extended`).
 * - `nullMeans`: what null says where it says something, such as "no limit" (`orNull`).
 * - `enumOf`: what the values of a long `enum` are called, such as "ISO 4217": a problem names it, and not them.
 * - `secret`: the value is shown once, or never; the audit tells that it changed and no more (`asSecret`).
 */
export const heldTo = 'heldTo';
export const ownKeywords = [heldTo, madeOf, 'nullMeans', 'enumOf', 'secret'] as const;

/** The schema of a value, as far as a face reads it. */
export interface ValueSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
  readonly items?: ValueSchema;
  readonly secret?: boolean;
  readonly nullMeans?: string;
}

/** The types that a value may have. */
export const typesOf = ({ type }: ValueSchema): readonly string[] => [type ?? []].flat();

/** The description of a value, with what null means. @param none what the face has for null */
export function describedWith(
  { description = '', nullMeans }: Pick<ValueSchema, 'description' | 'nullMeans'>,
  none: string,
): string {
  return nullMeans === undefined ? description : `${description}; ${none} means ${nullMeans}`;
}

/**
 * The formats beyond those of JSON Schema: an amount with its currency, a count with its unit, and seconds. `date-time`
 * is JSON Schema's.
 */
export const ownFormats = ['money', 'period', 'duration'] as const;

/** The schema of a value that is shown once, or never. */
export function asSecret(schema: Schema): Schema {
  return { ...schema, secret: true };
}

/**
 * A schema with what the service holds its values to in words of its own. Documents say it; the validators pass it
 * over, since a stored value may be older than a rule, and the operation's own check tells more.
 */
export function held(schema: Schema, rule: Schema): Schema {
  return { ...schema, [heldTo]: rule };
}

const noControls = '[^\\x00-\\x1f\\x7f-\\x9f]';

/** What a name is held to: one line of something that can be seen. @param most in characters */
export function nameRule(most: number): Schema {
  return {
    minLength: 1,
    maxLength: most,
    pattern: `^${noControls}*[^\\x00-\\x20\\x7f-\\x9f]${noControls}*$`,
  };
}

/** What a line of text is held to that may be empty. */
export function lineRule(most: number): Schema {
  return { maxLength: most, pattern: `^${noControls}*$` };
}

/** What a text of several lines is held to. */
export function linesRule(most: number): Schema {
  return { maxLength: most, pattern: '^[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*$' };
}
