// Whether a value is as its schema says, read from the schema: a start with a tenant file would take half as long again if it
// had ajv compile a validator, and imports check thousands of values. It judges only what it knows for certain: ajv has the
// last word on all else, and finds the words for what is wrong (a test holds both to the same answers).
import { memoized } from '../text/memoized.ts';
import { ownFormats, ownKeywords, type Schema, typesOf } from './json-schema.ts';

/** Keywords that only describe a value, and those that are looked at with its parts. */
const elsewhere: ReadonlySet<string> = new Set([
  ...ownKeywords,
  'title',
  'description',
  'examples',
  'default',
  'properties',
  'required',
  'items',
  'additionalProperties',
]);

type Values = Record<string, unknown>;

/**
 * Whether a value fits. What cannot be told here, such as a keyword that is none of these, counts as no: the validator
 * then has the word, and the words for what is wrong.
 *
 * @param useDefaults whether defaults are put into the value
 */
export function fits(value: unknown, schema: Schema, useDefaults: boolean): boolean {
  if (isObject(value) && !fieldsFit(value, schema, useDefaults)) return false;
  const { items } = schema;
  if (Array.isArray(value) && items !== undefined) {
    if (!value.every((item) => fits(item, items, useDefaults))) return false;
  }
  return Object.entries(schema).every(([keyword, asked]) => {
    if (elsewhere.has(keyword)) return true;
    return rules[keyword]?.(value, schema) ?? (typeof asked === 'number' && bounds[keyword]?.(value, asked));
  });
}

function fieldsFit(value: Values, schema: Schema, useDefaults: boolean): boolean {
  const { properties = {}, required = [], additionalProperties = true } = schema;
  for (const name in properties) {
    const field = properties[name] ?? {};
    if (value[name] === undefined) {
      if (!useDefaults || field.default === undefined) continue;
      value[name] = structuredClone(field.default);
    }
    if (!fits(value[name], field, useDefaults)) return false;
  }
  if (required.some((name) => value[name] === undefined)) return false;
  if (additionalProperties === true) return true;
  const others = Object.keys(value).filter((name) => !Object.hasOwn(properties, name));
  return others.every(
    (name) =>
      additionalProperties !== false && fits(value[name], additionalProperties as Schema, useDefaults),
  );
}

/** What the keywords with a number ask of a value; those for one type let other types pass. */
const bounds: Readonly<Record<string, (value: unknown, bound: number) => boolean>> = {
  minimum: (value, least) => typeof value !== 'number' || value >= least,
  maximum: (value, most) => typeof value !== 'number' || value <= most,
  minLength: (value, least) => typeof value !== 'string' || lengthOf(value) >= least,
  maxLength: (value, most) => typeof value !== 'string' || lengthOf(value) <= most,
  minItems: (value, least) => !Array.isArray(value) || value.length >= least,
  maxItems: (value, most) => !Array.isArray(value) || value.length <= most,
  maxProperties: (value, most) => !isObject(value) || Object.keys(value).length <= most,
};

/** What the others ask. */
const rules: Readonly<Record<string, (value: unknown, schema: Schema) => boolean>> = {
  type: (value, schema) => typesOf(schema).some((type) => types[type]?.(value)),
  enum: (value, { enum: values = [] }) => values.includes(value),
  pattern: (value, { pattern = '' }) => typeof value !== 'string' || patterns(pattern).test(value),
  uniqueItems: (value, { uniqueItems }) => uniqueItems !== true || !Array.isArray(value) || areUnlike(value),
  format: (value, { format = '' }) =>
    typeof value !== 'string' || (format === 'date-time' ? isTime(value) : isOurs(format)),
};

const isOurs = (format: string) => (ownFormats as readonly string[]).includes(format);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isObject,
  string: (value) => typeof value === 'string',
};

const patterns = memoized((pattern) => new RegExp(pattern, 'u'));

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In characters, as JSON Schema counts them. */
const lengthOf = (text: string) => [...text].length;

/** Whether values are each there once, which is told of plain ones alone. */
const areUnlike = (values: readonly unknown[]) =>
  values.every((value) => typeof value !== 'object') && new Set(values).size === values.length;

/** RFC 3339 with an offset: without one it is not known which moment is meant. */
export function isTime(text: string): boolean {
  const written = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.exec(text);
  const day = written?.[1];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  // A day that is in no calendar is parsed as another one.
  return new Date(`${day}T00:00Z`).toISOString().startsWith(day);
}
