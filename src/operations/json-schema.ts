declare const valueType: unique symbol;

/**
 * A JSON Schema in the keywords that Fastify's draft 7 and the 2020-12 of OpenAPI 3.1 understand alike: the
 * same objects validate, serialise and document. The compiler knows the type of the values that it lets through.
 */
export interface Schema<Value = unknown> {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Schemas;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly secret?: boolean;
  readonly nullMeans?: string;
  readonly enumMeans?: Readonly<Record<string, string>>;
  readonly heldTo?: Schema;
  readonly [valueType]?: Value;
}

/** A schema of a value that the validator fills in where it is left out. */
export type Defaulted<Value> = Schema<Value> & { readonly default: Value };

export type Schemas = Readonly<Record<string, Schema>>;

/** The type of the values that a schema lets through. */
export type ValueOf<One> = One extends { readonly [valueType]?: infer Value } ? Value : never;

/** The type of an object with exactly these properties. */
export type ValuesOf<All extends Schemas> = { readonly [Name in keyof All]: ValueOf<All[Name]> };

/** The type of an object with properties that must be there and others that may; those with a default are filled in. */
export type ObjectOf<Required extends Schemas, Optional extends Schemas> = ValuesOf<Required> & {
  readonly [Name in keyof Optional as Optional[Name] extends { readonly default: unknown }
    ? Name
    : never]: ValueOf<Optional[Name]>;
} & {
  readonly [Name in keyof Optional as Optional[Name] extends { readonly default: unknown }
    ? never
    : Name]?: ValueOf<Optional[Name]>;
};

/**
 * Names a schema: in documents it is a type of this name, which everything that has it shares. A use may say other
 * words of it, and may take null besides.
 */
export function named<One extends Schema>(title: string, schema: One): One {
  return { title, ...schema };
}

/** An object with exactly these properties, every one of them there (M19). */
export function exactly<All extends Schemas>(description: string, properties: All): Schema<ValuesOf<All>> {
  return {
    type: 'object',
    description,
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

/** Such an object with a name: all operations answer the same of it. */
export function resource<All extends Schemas>(
  title: string,
  description: string,
  properties: All,
): Schema<ValuesOf<All>> {
  return named(title, exactly(description, properties));
}

/** A named object that has all of another one besides: in documents the one is made of the other. */
export function extended<Base, All extends Schemas>(
  base: Schema<Base>,
  title: string,
  description: string,
  properties: All,
): Schema<Base & ValuesOf<All>> {
  const all = { ...base.properties, ...properties };
  return { ...resource(title, description, all), [madeOf]: base } as Schema<Base & ValuesOf<All>>;
}

/** The keyword of that other one. */
export const madeOf = 'madeOf';

/** An object with properties that may all be left out. */
export function someOf<All extends Schemas>(
  description: string,
  properties: All,
): Schema<Partial<ValuesOf<All>>> {
  return { type: 'object', description, properties, additionalProperties: false };
}

export function list<Item>(description: string, items: Schema<Item>): Schema<readonly Item[]> {
  return { type: 'array', description, items };
}

export function text(description: string, ...examples: readonly string[]): Schema<string> {
  return { type: 'string', description, examples };
}

export function textOrNull(
  description: string,
  ...examples: readonly (string | null)[]
): Schema<string | null> {
  return { type: ['string', 'null'], description, examples };
}

/** A list of texts, each once. */
export function texts(description: string, ...examples: readonly string[]): Schema<readonly string[]> {
  return someOfTexts(description, text('One of them', ...examples), ...examples);
}

/** A list of texts that are known, each once. */
export function someOfTexts<Item extends string>(
  description: string,
  each: Schema<Item>,
  ...examples: readonly string[]
): Schema<readonly Item[]> {
  return { ...list(description, each), uniqueItems: true, examples: [examples] };
}

/** One of some texts, under the name that they have together. */
export function oneOf<const Text extends string>(
  title: string,
  description: string,
  values: readonly Text[],
): Schema<Text> {
  return named(title, { type: 'string', enum: values, description, examples: values.slice(0, 1) });
}

/** A number that is written exactly: PostgreSQL has no place for one of twenty digits. */
export function wholeNumber(description: string, example: number): Schema<number> {
  return numberFrom(0, Number.MAX_SAFE_INTEGER, description, example);
}

export function numberFrom(
  least: number,
  most: number,
  description: string,
  example: number,
): Schema<number> {
  return { type: 'integer', minimum: least, maximum: most, description, examples: [example] };
}

/** A whole number of seconds within bounds. */
export function secondsFrom(
  least: number,
  most: number,
  description: string,
  example: number,
): Schema<number> {
  return { ...numberFrom(least, most, description, example), format: 'duration' };
}

export function flag(description: string): Schema<boolean> {
  return { type: 'boolean', description, examples: [true] };
}

/** A flag that is off unless it is said. */
export function option(description: string): Defaulted<boolean> {
  return { type: 'boolean', description, examples: [false], default: false };
}

export function time(description: string, example = '2026-01-31T12:00:00.000Z'): Schema<string> {
  return { type: 'string', format: 'date-time', description, examples: [example] };
}

export function timeOrNull(
  description: string,
  example: string | null = '2026-01-31T12:00:00.000Z',
): Schema<string | null> {
  return { type: ['string', 'null'], format: 'date-time', description, examples: [example] };
}

/** A picture, which no face shows as a text. @param without what there is where there is none */
export function picture(description: string, without: string, most: number): Schema<string | null> {
  const schema = { ...orNull(text(description), without), format: 'picture', examples: [null] };
  return held(schema, { maxLength: most });
}

/** A colour, written `#rrggbb`. */
export function color(description: string, example: string): Schema<string> {
  return held({ ...text(description, example), format: 'color' }, { pattern: '^#[0-9A-Fa-f]{6}$' });
}

/** A value that may be null. @param nullMeans what that says, where it says more than that there is none */
export function orNull<Value>(schema: Schema<Value>, nullMeans?: string): Schema<Value | null> {
  return {
    ...schema,
    type: [...typesOf(schema), 'null'],
    ...(schema.enum === undefined ? {} : { enum: [...schema.enum, null] }),
    ...(nullMeans === undefined ? {} : { nullMeans }),
  };
}

/** What an object says in an answer: the properties that its schema names, and no other (A18). */
export function pick<Value extends object>(schema: Schema<Value>, values: NoInfer<Value>): Value {
  const names = Object.keys(schema.properties ?? {}) as (keyof Value)[];
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Value;
}

/**
 * The keywords that a schema has beyond JSON Schema: what a face needs to know of a value, which it must not read from
 * the description.
 *
 * - `heldTo`: what the service holds values to in words of its own (`held`).
 * - `madeOf`: the object that it has all of, and more besides (`extended`).
 * - `nullMeans`: what null says where it says something, such as "no limit" (`orNull`).
 * - `enumOf`: what the values of a long `enum` are called, such as "ISO 4217": a problem names it, and not them.
 * - `enumMeans`: what each value of an `enum` says in words.
 * - `secret`: the value is shown once, or never; the audit tells that it changed and no more (`asSecret`).
 */
export const heldTo = 'heldTo';
export const ownKeywords = [heldTo, madeOf, 'nullMeans', 'enumOf', 'enumMeans', 'secret'] as const;

/** The types that a value may have. */
export const typesOf = ({ type }: Schema): readonly string[] => [type ?? []].flat();

/** The description of a value, with what null means. @param none what the face has for null */
export function describedWith({ description = '', nullMeans }: Schema, none: string): string {
  return nullMeans === undefined ? description : `${description}; ${none} means ${nullMeans}`;
}

/**
 * The formats beyond those of JSON Schema: an amount with its currency, a count with its unit, seconds, a colour, and a
 * picture in a data: URI. `date-time` is JSON Schema's.
 */
export const ownFormats = ['money', 'period', 'duration', 'color', 'picture'] as const;

/** The schema of a value that is shown once, or never. */
export function asSecret<One extends Schema>(schema: One): One {
  return { ...schema, secret: true };
}

/**
 * A schema with what the service holds its values to in words of its own. Documents say it; the validators pass it
 * over, since a stored value may be older than a rule, and the operation's own check tells more.
 */
export function held<One extends Schema>(schema: One, rule: Schema): One {
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
