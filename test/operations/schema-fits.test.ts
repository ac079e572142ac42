import { describe, expect, it } from 'vitest';
import { operations } from '../../src/operations/admin/index.ts';
import { type Schema, typesOf } from '../../src/operations/json-schema.ts';
import { fits } from '../../src/operations/schema-fits.ts';
import { compiledCheck } from '../../src/operations/schema-problems.ts';
import { tenantFileSchema } from '../../src/operations/tenant-file/tenant-file.ts';

/** Every field that a schema has, with a value that it takes. */
function soundFor(schema: Schema): unknown {
  const { items, properties, format } = schema;
  if (schema.enum !== undefined) return schema.enum[0];
  if (format === 'date-time') return '2026-01-31T12:00:00+01:00';
  switch (typesOf(schema)[0]) {
    case 'object': {
      const { additionalProperties: others, maxProperties } = schema;
      const fields = properties ?? {
        any: typeof others === 'object' ? (others as Schema) : { type: 'string' },
      };
      const some = Object.entries(fields).slice(0, maxProperties as number | undefined);
      return Object.fromEntries(some.map(([name, field]) => [name, soundFor(field)]));
    }
    case 'array':
      return items === undefined ? [] : [soundFor(items)];
    case 'string':
      return schema.pattern?.startsWith('^[0-9a-f]{8}') ? '0190c3a1-0000-7000-8000-000000000001' : 'text';
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return schema.minimum ?? 1;
  }
}

/** What may stand in a place instead; whether it may is what two ways have to agree on. */
const others = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  '',
  ' ',
  'x',
  '🦊'.repeat(200),
  'a'.repeat(3_000),
  '2026-01-31T12:00:00Z',
  '2026-02-31T12:00:00',
  [],
  ['a', 'a'],
  ['a', 1, null],
  Array.from({ length: 600 }, (_, index) => String(index)),
  {},
  { unknown: 1 },
  Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, 'v'])),
];

/** The value with something else in each of its places, one after the other; and with one that is missing, or too many. */
function* variants(value: unknown): Generator<unknown> {
  yield* others;
  if (Array.isArray(value)) {
    for (const part of variants(value[0])) yield [part];
    yield [...value, ...value];
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      for (const other of variants(part)) yield { ...value, [name]: other };
      const { [name]: _gone, ...rest } = value as Record<string, unknown>;
      yield rest;
    }
    yield { ...value, unheardOf: 1 };
  }
}

describe('whether a value fits', () => {
  it('is told of every input of the table without a validator', () => {
    const untold = operations.filter(({ input }) => !fits(soundFor(input), input, true));
    expect(untold.map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['a tenant file', tenantFileSchema, false],
    ...operations
      .filter(({ name }) => ['clients.create', 'serviceTenantFiles.apply', 'members.list'].includes(name))
      .map(({ name, input }) => [name, input, true] as const),
  ] as const)('is told of %s as a validator tells it, defaults and all', (_name, schema, useDefaults) => {
    const check = compiledCheck(schema, useDefaults, 0);
    const sound = soundFor(schema);
    const found = new Set<boolean>();
    for (const variant of [sound, ...variants(sound)]) {
      const [mine, its] = [structuredClone(variant), structuredClone(variant)];
      const isFit = fits(mine, schema, useDefaults);
      found.add(isFit);
      if (isFit !== (check(its).length === 0)) expect({ variant, isFit }).toEqual('what the validator says');
      if (isFit) expect(mine).toEqual(its);
    }
    expect(found).toEqual(new Set([true, false]));
  });

  it('is not told of a keyword that is not known: the validator has the word', () => {
    expect(fits('text', { type: 'string' }, false)).toBe(true);
    expect(fits('text', { type: 'string', contentEncoding: 'base64' }, false)).toBe(false);
  });
});
