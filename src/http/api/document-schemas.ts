// Makes of the schemas that the service works with those that stand in its documents.
import {
  describedWith,
  heldTo,
  madeOf,
  ownFormats,
  ownKeywords,
  type Schema,
} from '../../operations/json-schema.ts';

/** The schemas of what is sent, for a document: with the rules that it is held to. */
export function withRules(value: unknown): unknown {
  return mapped(value, ({ [heldTo]: rule = {}, ...schema }) => ({
    ...schema,
    ...(rule as Schema),
    ...(schema.secret === true ? { writeOnly: true } : {}),
  }));
}

/**
 * A document whose schemas every generator reads: what is answered may be older than a rule, so it names none, and
 * types that exclude each other are written as `anyOf`, and what another schema is made of as `allOf`. A type that
 * may be null besides stays as it is.
 */
export function documented<Document>(document: Document): Document {
  return mapped(document, (schema) => withBase(withoutUnion(withoutOwn(schema)))) as Document;
}

/** A schema without the keywords and formats that are ours; what null means is said with words. */
function withoutOwn(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([name, value]) => !isOwn(name, value));
  return {
    ...Object.fromEntries(kept),
    ...(typeof schema.nullMeans === 'string' ? { description: describedWith(schema, 'null') } : {}),
  };
}

/** A field may be called as a keyword is: its value is a schema then. */
function isOwn(name: string, value: unknown): boolean {
  if (name === heldTo) return true;
  const isKeyword = ownKeywords.some((own) => own === name) || ownFormats.some((own) => own === value);
  return isKeyword && typeof value !== 'object';
}

function mapped(value: unknown, change: (object: Schema) => Schema): unknown {
  if (Array.isArray(value)) return value.map((part) => mapped(part, change));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, mapped(part, change)]);
  return change(Object.fromEntries(parts));
}

/** A schema of another one and what is its own. */
function withBase({ [madeOf]: base, ...schema }: Schema): Schema {
  if (base === undefined) return schema;
  const { properties: inherited } = base as { readonly properties: object };
  const { properties, additionalProperties: _, required: all = [], ...rest } = schema;
  const own = Object.entries(properties as object).filter(([name]) => !(name in inherited));
  const required = (all as readonly string[]).filter((name) => !(name in inherited));
  return {
    ...rest,
    allOf: [base],
    ...(own.length === 0 ? {} : { properties: Object.fromEntries(own) }),
    ...(required.length === 0 ? {} : { required }),
    unevaluatedProperties: false,
  };
}

/** The keywords that speak of one type alone. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  object: ['properties', 'required', 'additionalProperties'],
};

function withoutUnion(schema: Schema): Schema {
  const { type: types, ...rest } = schema;
  if (!Array.isArray(types) || types.filter((type) => type !== 'null').length < 2) return schema;
  const own = (type: string) => Object.entries(rest).filter(([name]) => keywords[type]?.includes(name));
  const taken = new Set(types.flatMap((type) => own(type).map(([name]) => name)));
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !taken.has(name))),
    anyOf: types.map((type) => ({ type, ...Object.fromEntries(own(type)) })),
  };
}
