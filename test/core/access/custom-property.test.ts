import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CustomProperty,
  type CustomPropertyValues,
  isPropertyKey,
  propertyProblems,
} from '../../../src/core/access/custom-property.ts';
import { told } from '../../support/expected/told.ts';

const defined: readonly CustomProperty[] = [
  { key: 'seats', type: 'number' },
  { key: 'motto', type: 'string' },
  { key: 'since', type: 'timestamp' },
];

/** As a request brings them: not every value is of a type that can be stored. */
const problemsOf = (values: unknown) => told(propertyProblems(values as CustomPropertyValues, defined));

const noNumber = ['the property seats must be a number'];
const noString = ['the property motto must be a string of at most 1000 characters'];
const noTimestamp = ['the property since must be a timestamp such as 2026-01-31T12:00:00.000Z'];

describe('key of a property', () => {
  it.each(['a', 'seats', 'shoeSize', 'X-1_y', 'a'.repeat(64), 'proto', 'then', 'toJSON', 'length'])(
    '%s can be one',
    (key) => {
      expect(isPropertyKey(key)).toBe(true);
    },
  );

  it.each([
    '',
    ' ',
    '1st',
    '-a',
    '_a',
    'a b',
    'a.b',
    'a\n',
    'grønn',
    'a\u0000',
    'a'.repeat(65),
    '__proto__',
    '__defineGetter__',
    'constructor',
    'prototype.x',
    'toString',
    'valueOf',
    'hasOwnProperty',
  ])('%j cannot', (key) => {
    expect(isPropertyKey(key)).toBe(false);
  });

  it('is never one that every object has', () => {
    expect(Object.getOwnPropertyNames(Object.prototype).filter(isPropertyKey)).toEqual([]);
  });
});

describe('what is wrong with customPropertyValues', () => {
  it.each<[string, unknown]>([
    ['none', {}],
    ['all', { seats: 2, motto: 'Ja! 🎬', since: '2026-01-01T00:00:00.000Z' }],
    ['the smallest and the largest number', { seats: -Number.MAX_VALUE }],
    ['a broken number', { seats: 2.5 }],
    ['an empty string', { motto: '' }],
    ['1,000 characters', { motto: 'x'.repeat(1_000) }],
    ['a string that looks like another type', { motto: '2026-01-01T00:00:00.000Z' }],
    ['a leap day', { since: '2028-02-29T23:59:59.999Z' }],
    ['the years 0 and 9999', { since: '0000-01-01T00:00:00.000Z' }],
    ['the end of the year 9999', { since: '9999-12-31T23:59:59.999Z' }],
  ])('nothing: %s', (_what, values) => {
    expect(problemsOf(values)).toEqual([]);
  });

  it.each<[string, unknown, readonly string[]]>([
    ['NaN', { seats: Number.NaN }, noNumber],
    ['an endless number', { seats: Number.NEGATIVE_INFINITY }, noNumber],
    ['a number in a string', { seats: '2' }, noNumber],
    ['null', { seats: null }, noNumber],
    ['undefined', { seats: undefined }, noNumber],
    ['a list', { seats: [2] }, noNumber],
    ['a big integer', { seats: 2n }, noNumber],
    ['a number for a string', { motto: 2 }, noString],
    ['true for a string', { motto: true }, noString],
    ['an object for a string', { motto: { toString: 'x' } }, noString],
    ['1,001 characters', { motto: 'x'.repeat(1_001) }, noString],
    ['half a letter', { motto: 'a\ud800b' }, noString],
    ['a timestamp as a number', { since: 1_767_225_600_000 }, noTimestamp],
    ['a timestamp as a date', { since: new Date() }, noTimestamp],
    ['a day alone', { since: '2026-01-01' }, noTimestamp],
    ['no milliseconds', { since: '2026-01-01T00:00:00Z' }, noTimestamp],
    ['microseconds', { since: '2026-01-01T00:00:00.000000Z' }, noTimestamp],
    ['another zone', { since: '2026-01-01T01:00:00.000+01:00' }, noTimestamp],
    ['no zone', { since: '2026-01-01T00:00:00.000' }, noTimestamp],
    ['small letters', { since: '2026-01-01t00:00:00.000z' }, noTimestamp],
    ['a day that is none', { since: '2026-02-29T00:00:00.000Z' }, noTimestamp],
    ['midnight as 24 hours', { since: '2026-01-01T24:00:00.000Z' }, noTimestamp],
    ['a leap second', { since: '2026-12-31T23:59:60.000Z' }, noTimestamp],
    ['a year of six digits', { since: '+010000-01-01T00:00:00.000Z' }, noTimestamp],
    ['a year before the first', { since: '-000001-01-01T00:00:00.000Z' }, noTimestamp],
    ['a line end behind it', { since: '2026-01-01T00:00:00.000Z\n' }, noTimestamp],
    ['words', { since: 'Thu, 01 Jan 2026 00:00:00 GMT' }, noTimestamp],
    ['a key that is not defined', { color: 'red' }, ['the property "color" is not defined']],
    ['a key in other letters', { Seats: 2 }, ['the property "Seats" is not defined']],
    ['an empty key', { '': 2 }, ['the property "" is not defined']],
    ['constructor', { constructor: 'x' }, ['the property "constructor" is not defined']],
    ['__proto__', JSON.parse('{"__proto__": 1}'), ['the property "__proto__" is not defined']],
    ['a key with half a letter', { '\ud800': 1 }, ['the property "�" is not defined']],
  ])('%s', (_what, values, problems) => {
    expect(problemsOf(values)).toEqual(problems);
  });

  it('is listed all at once, in the order of the values', () => {
    expect(problemsOf({ color: 1, since: 'x', motto: 2, seats: '3' })).toEqual([
      'the property "color" is not defined',
      ...noTimestamp,
      ...noString,
      ...noNumber,
    ]);
  });

  it('is something for every key, if the tenant has defined none', () => {
    expect(told(propertyProblems({ seats: 2 }, []))).toEqual(['the property "seats" is not defined']);
  });

  it('is something, or the values come back from JSON as they were', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.double(),
      fc.date().map(String),
      fc.constant(null),
    );
    const key = fc.constantFrom('seats', 'motto', 'since', '__proto__');
    fc.assert(
      fc.property(fc.dictionary(key, value), (values) => {
        const { seats, ...rest } = values;
        // JSON knows no minus before nothing.
        const sent = seats === 0 ? { ...rest, seats: 0 } : values;
        if (problemsOf(sent).length === 0) expect(JSON.parse(JSON.stringify(sent))).toEqual({ ...sent });
      }),
    );
  });
});
