/** What the fields of a form show before it is sent. */

import type { Schema } from '../../../../operations/json-schema.ts';
import type { Facts } from '../visitor.ts';
import { type Asking, type FormValues, hasNone, inputProperties, isOpenFlag, noneName } from './read.ts';
import { inMoney, inUnits, isDuration, isMoney, unitName } from './units.ts';

type Values = Map<string, readonly string[]>;

/** What is there now, else what holds by default. */
export function valuesOf(asking: Asking, present: Facts | null): FormValues {
  const { readsAs } = asking.operation.portal ?? {};
  const values: Values = new Map();
  for (const [name, schema] of Object.entries(inputProperties(asking))) {
    const value = present?.[name] ?? present?.[readsAs?.[name] ?? name];
    collect(values, name, schema, value === undefined ? schema.default : value);
  }
  return values;
}

function collect(values: Values, name: string, schema: Schema, value: unknown): void {
  // A field of a page shows no picture: what is sent takes its place, and nothing leaves it as it is.
  if (isOpenFlag(schema) || schema.format === 'picture') return;
  if (value === null && hasNone(schema)) sayNone(values, name, schema);
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) values.set(name, value.map(textOfItem));
  else if (isDuration(schema)) fillDuration(values, name, Number(value));
  else if (typeof value !== 'object') values.set(name, [textFor(schema, value)]);
  else if (isMoney(schema)) fillMoney(values, name, value as Facts);
  else if (schema.properties === undefined) values.set(name, pairsOf(value as Facts));
  else {
    for (const [part, inner] of Object.entries(schema.properties)) {
      collect(values, `${name}.${part}`, inner, (value as Facts)[part]);
    }
  }
}

function fillDuration(values: Values, name: string, seconds: number): void {
  const { count, unit } = inUnits(seconds);
  values.set(name, [count]);
  values.set(unitName(name), [unit]);
}

function fillMoney(values: Values, name: string, { amount, currency }: Facts): void {
  values.set(`${name}.amount`, [inMoney(Number(amount), String(currency))]);
  values.set(`${name}.currency`, [String(currency)]);
}

/** A time has a box for "none"; a number takes the word. */
function sayNone(values: Values, name: string, { format }: Schema): void {
  if (format === 'date-time') values.set(noneName(name), ['true']);
  else values.set(name, ['none']);
}

/** For a list of objects, such as a package's products, a form has their ids. */
const textOfItem = (item: unknown) =>
  typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : String(item);

/** A browser's field for a time has no zone: it is UTC, and its label says so. */
function textFor({ format }: Schema, value: unknown): string {
  return format === 'date-time' ? String(value).replace(/Z$/, '') : String(value);
}

function pairsOf(value: Facts): readonly string[] {
  return Object.entries(value).map(([key, one]) => {
    const text = String(one);
    // Quotes tell a text that looks like a number from a number.
    const isText = typeof one === 'string' && !Number.isNaN(Number(text));
    return `${key} = ${isText ? JSON.stringify(text) : text}`;
  });
}
