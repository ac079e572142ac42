/** Checks values against JSON Schemas, and translates what the validator finds into problems. */
import { createRequire } from 'node:module';
import type { ErrorObject, Options } from 'ajv';
import { namesListed } from '../core/operators/limits.ts';
import { type Path, type Problem, problem } from '../core/problem.ts';
import { memoized } from '../text/memoized.ts';
import { closestWord } from '../text/spelling.ts';
import { ownFormats, ownKeywords, type Schema } from './json-schema.ts';
import { fits, isTime } from './schema-fits.ts';

/** Everything in which a value is not as its schema says; a value itself is never repeated. */
export type SchemaCheck = (value: unknown) => readonly Problem[];

/** Loaded with the first value that does not fit. */
const newAjv = (options: Options) => {
  const { Ajv2020 } = createRequire(import.meta.url)('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
  return new Ajv2020(options);
};

const validators = memoized((name) => {
  // `verbose`: what is known of a name, and near it, is read from the schema. Our formats are of objects, too.
  const found = { allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true, verbose: true };
  // A test checks that our schemas are schemas. That, and making their code shorter, takes as long as half a start.
  const options = { ...found, validateSchema: false, code: { optimize: false } };
  const ajv = newAjv({ ...options, useDefaults: name === 'defaults' });
  for (const keyword of ownKeywords) ajv.addKeyword(keyword);
  for (const format of ownFormats) ajv.addFormat(format, true);
  return ajv.addFormat('date-time', { validate: isTime });
});

/**
 * The check of all the values that a schema is held against. Most fit, and the first that does not has the schema
 * compiled, once for all of them.
 *
 * @param useDefaults whether defaults are put into the value
 * @param guesses in how many problems of one value to say what may have been meant
 */
export function schemaCheck(schema: Schema, useDefaults: boolean, guesses: number): SchemaCheck {
  let compiled: SchemaCheck | undefined;
  return (value) => {
    if (fits(value, schema, useDefaults)) return [];
    compiled ??= compiledCheck(schema, useDefaults, guesses);
    return compiled(value);
  };
}

/** The same by the validator alone. */
export function compiledCheck(schema: Schema, useDefaults: boolean, guesses: number): SchemaCheck {
  const validate = validators(useDefaults ? 'defaults' : '').compile(schema);
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).map((error, index) => schemaProblem(error, index < guesses));
}

/** What a validator's error says beyond its keyword. */
interface Params {
  readonly additionalProperty?: string;
  readonly missingProperty?: string;
  readonly type?: string | readonly string[];
  readonly allowedValues?: readonly unknown[];
  readonly limit?: number;
}

/** The one translation of a validator's error. @param mayGuess whether to say what may have been meant */
export function schemaProblem(
  error: Pick<ErrorObject, 'instancePath' | 'keyword'> & Partial<ErrorObject>,
  mayGuess = false,
): Problem {
  const { instancePath, keyword, params, data } = error;
  const { limit = 0, ...said } = (params ?? {}) as Params;
  const path = pathOf(instancePath);
  switch (keyword) {
    case 'required':
      return problem([...path, said.missingProperty ?? ''], 'missing');
    case 'additionalProperties':
      return unknownField([...path, said.additionalProperty ?? ''], error, mayGuess);
    case 'type':
      return wrongType(path, [said.type ?? []].flat(), data);
    case 'enum':
      return notOneOf(path, error, mayGuess);
    case 'minimum':
      return problem(path, 'too_small', { least: limit });
    case 'maximum':
      return problem(path, 'too_large', { most: limit });
    case 'minLength':
      return limit === 1 ? problem(path, 'empty') : problem(path, 'too_short', { least: limit });
    case 'maxLength':
      return problem(path, 'too_long', { most: limit });
    case 'minItems':
      return problem(path, 'empty');
    case 'maxItems':
      return problem(path, 'too_many', { most: limit });
    case 'uniqueItems':
      return problem(path, 'duplicate');
    case 'format':
      return problem(path, 'not_a_time');
    default:
      return problem(path, 'malformed');
  }
}

/** A pointer (RFC 6901) as a path; no name here looks like a number. */
function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** Help and documents list the fields of a large object; those of a small one stand here. */
function unknownField(path: Path, { parentSchema }: Partial<ErrorObject>, mayGuess: boolean): Problem {
  const { properties = {} } = (parentSchema ?? {}) as { readonly properties?: object };
  const known = Object.keys(properties);
  const near = mayGuess ? closestWord(String(path.at(-1)), known) : null;
  if (near !== null) return problem(path, 'unknown_field', { near });
  const isShort = known.length > 0 && known.length <= namesListed;
  return problem(path, 'unknown_field', isShort ? { known } : {});
}

/** A post code of digits, or a version, looks like a number. */
function wrongType(path: Path, types: readonly string[], data: unknown): Problem {
  const isScalar = typeof data === 'number' || typeof data === 'boolean';
  if (types.includes('string') && isScalar) return problem(path, 'not_quoted');
  return problem(path, 'wrong_type', {
    types: types.filter((type) => type !== 'null' || types.length === 1),
  });
}

function notOneOf(
  path: Path,
  { params, parentSchema, data }: Partial<ErrorObject>,
  mayGuess: boolean,
): Problem {
  const { allowedValues = [] } = (params ?? {}) as Params;
  const { enumOf } = (parentSchema ?? {}) as { readonly enumOf?: string };
  if (enumOf !== undefined) return problem(path, 'not_in_list', { list: enumOf });
  const allowed = allowedValues.filter((value) => value !== '' && value !== null).map(String);
  const near = mayGuess && typeof data === 'string' ? closestWord(data, allowed) : null;
  return problem(path, 'not_one_of', { allowed, ...(near === null ? {} : { near }) });
}
