import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import { namesListed, tenantFile } from '../../core/operators/limits.ts';
import { passOverRules } from '../../json-schema.ts';
import { nearest } from '../../nearest.ts';
import { tenantFileSchema } from './schema.ts';
import type { Path } from './source.ts';

/** A value that does not have the shape it should have. */
export interface Misshapen {
  readonly path: Path;
  /** What is wrong with it, in words. */
  readonly text: string;
  /** Whether it is the name that is wrong, and not the value. */
  readonly isName: boolean;
}

/** Made when the first file comes: most starts of the service see none. */
let compiled: ValidateFunction | null = null;

function validator(): ValidateFunction {
  if (compiled !== null) return compiled;
  const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true });
  passOverRules(ajv);
  // RFC 3339 in UTC or with an offset: without one nobody knows which moment is meant.
  ajv.addFormat('date-time', {
    validate: (text: string) =>
      /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/.test(text) &&
      !Number.isNaN(Date.parse(text)),
  });
  compiled = ajv.compile(tenantFileSchema);
  return compiled;
}

/** Everything in which a value is no tenant file by its shape alone; values are never repeated. */
export function misshapenIn(value: unknown): readonly Misshapen[] {
  const validate = validator();
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error, index) => inWords(error, index < tenantFile.problems));
}

/** @param mayGuess whether to say what may have been meant */
function inWords(error: ErrorObject, mayGuess: boolean): Misshapen {
  const path = pathOf(error.instancePath);
  const { additionalProperty } = error.params as { readonly additionalProperty?: string };
  if (additionalProperty !== undefined) {
    return {
      path: [...path, additionalProperty],
      text: unknownName(additionalProperty, error, mayGuess),
      isName: true,
    };
  }
  const { missingProperty } = error.params as { readonly missingProperty?: string };
  if (missingProperty !== undefined) {
    return { path, text: `${kindOf(error)} needs ${missingProperty}`, isName: false };
  }
  const name = path.findLast((part) => typeof part === 'string');
  const what = typeof path.at(-1) === 'number' ? `an entry of ${name}` : name;
  const text = textOf(error);
  return { path, text: `${what ?? 'the file'} ${text}`, isName: false };
}

/** A pointer (RFC 6901) as a path; no name here looks like a number. */
function pathOf(pointer: string): Path {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

function unknownName(name: string, error: ErrorObject, mayGuess: boolean): string {
  const { properties = {} } = (error.parentSchema ?? {}) as { readonly properties?: object };
  const known = Object.keys(properties);
  const near = mayGuess ? nearest(name, known) : null;
  const all = known.length > namesListed ? '' : ` Known are ${known.join(', ')}.`;
  const guess = near === null ? all : ` Did you mean ${near}?`;
  return `${JSON.stringify(name)} is not known of ${kindOf(error)}.${guess}`;
}

/** What an object is, by the first words of its description. */
function kindOf({ parentSchema }: ErrorObject): string {
  const { description = '' } = (parentSchema ?? {}) as { readonly description?: string };
  return description.split(/[,;]/)[0]?.toLowerCase() ?? '';
}

interface Params {
  readonly type?: string | readonly string[];
  readonly allowedValues?: readonly unknown[];
  readonly limit?: number;
  readonly comparison?: string;
}

function textOf({ keyword, params, data }: ErrorObject): string {
  const { type, allowedValues = [], limit, comparison } = params as Params;
  switch (keyword) {
    case 'type':
      return `must be ${[type].flat().map(typeName).join(' or ')}${quoteHint([type].flat(), data)}`;
    case 'enum':
      return oneOfText(allowedValues, data);
    case 'minimum':
    case 'maximum':
      return `must be ${comparison} ${limit}`;
    case 'minLength':
      return 'is empty';
    case 'minItems':
      return 'has no entry';
    case 'uniqueItems':
      return 'has an entry twice';
    case 'format':
      return 'must be a time with its zone, such as 2026-01-31T12:00:00Z';
    default:
      return 'is not written as it must be';
  }
}

const typeNames: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object of names and values',
  string: 'a text',
};

const typeName = (type: string | undefined) => typeNames[type ?? ''] ?? String(type);

/** A post code of digits, or a version, looks like a number. */
function quoteHint(types: readonly (string | undefined)[], data: unknown): string {
  const isScalar = typeof data === 'number' || typeof data === 'boolean';
  return types.includes('string') && isScalar ? ': put it in quotes' : '';
}

function oneOfText(values: readonly unknown[], data: unknown): string {
  const known = values.filter((value) => value !== '' && value !== null).map(String);
  const near = typeof data === 'string' ? nearest(data, known) : null;
  const guess = near === null ? '' : ` Did you mean ${near}?`;
  return `must be one of ${known.join(', ')}.${guess}`;
}
