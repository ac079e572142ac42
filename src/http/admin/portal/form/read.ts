/** What a form says, as the input of its operation. */

import { forceField } from '../../../../operations/admin/define.ts';
import { pathFields } from '../../../../operations/admin/operation.ts';
import { type Schema, type Schemas, typesOf } from '../../../../operations/json-schema.ts';
import type { Facts, OperationVisit } from '../visitor.ts';
import { groupedFields } from './groups.ts';
import { inSeconds, inSmallestUnit, isDuration, isMoney, unitName } from './units.ts';

/** The values of a form's fields as they were sent, or as they are before it is. */
export type FormValues = ReadonlyMap<string, readonly string[]>;

/** An operation, and what is known of its input without a form. */
export type Asking = Pick<OperationVisit, 'operation' | 'known' | 'part'>;

/** What its form asks for: all but what is known already, what is for the command alone, and what other forms ask for. */
export function inputProperties(asking: Asking): Schemas {
  const { operation, known } = asking;
  const given = pathFields(operation).filter((name) => known[name] !== undefined);
  const own = groupedFields(asking);
  const properties = Object.entries(operation.input.properties);
  return Object.fromEntries(
    properties.filter(
      ([name, schema]) =>
        !given.includes(name) && schema !== forceField && (own === null || own.includes(name)),
    ),
  );
}

/** What was sent, and whether it changes something that is there. */
interface Sent {
  readonly values: FormValues;
  readonly isChange: boolean;
}

/**
 * The input of an operation from its form. Numbers stay texts: the operation's own schema reads them, and
 * says what is wrong. An empty field of something that is there takes it away; of something new it is not
 * said at all.
 */
export function readForm(asking: Asking, values: FormValues): Facts {
  const { method, input } = asking.operation;
  const sent = { values, isChange: method === 'PATCH' || method === 'PUT' };
  return readObject(inputProperties(asking), input.required, '', sent);
}

function readObject(
  properties: Schemas,
  required: readonly string[] = [],
  prefix: string,
  sent: Sent,
): Facts {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) => {
      const value = readField(`${prefix}${name}`, schema, required.includes(name), sent);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

function readField(name: string, schema: Schema, isRequired: boolean, form: Sent): unknown {
  const { values, isChange } = form;
  const sent = values.get(name) ?? [];
  const isOf = (type: string) => typesOf(schema).includes(type);
  if (isMoney(schema) && !isEmptyMoney(name, values)) return readMoney(name, values);
  if (schema.properties !== undefined) {
    const value = readObject(schema.properties, schema.required, `${name}.`, form);
    // Nothing said of any part is nothing said of the whole.
    const isEmpty = Object.values(value).every((part) => part === null);
    return isEmpty && !isRequired && !isChange ? undefined : value;
  }
  if (isOf('boolean') && !isOpenFlag(schema)) return sent.at(-1) === 'true';
  if (isOf('array')) {
    const lines = linesOf(sent);
    return lines.length === 0 && !isRequired && !isChange ? undefined : lines;
  }
  if (isOf('object')) return readPairs(sent);
  const written = schema.format === 'color' ? readColor(name, values) : lastOf(schema, sent);
  const text = written.replaceAll('\r\n', '\n');
  if (hasNone(schema) && (text.trim() === 'none' || values.get(noneName(name))?.[0] === 'true')) return null;
  if (text.trim() === '') return emptyOf(schema, isRequired, isChange);
  if (isDuration(schema)) return inSeconds(text, values.get(unitName(name))?.at(-1) ?? 'second');
  return schema.format === 'date-time' ? asUtc(text.trim()) : text;
}

const isEmptyMoney = (name: string, values: FormValues) =>
  ['amount', 'currency'].every((part) => (values.get(`${name}.${part}`)?.at(-1) ?? '').trim() === '');

function readMoney(name: string, values: FormValues): Facts {
  const currency = values.get(`${name}.currency`)?.at(-1) ?? '';
  const amount = values.get(`${name}.amount`)?.at(-1) ?? '';
  return {
    ...(amount.trim() === '' ? {} : { amount: inSmallestUnit(amount, currency) }),
    ...(currency === '' ? {} : { currency }),
  };
}

/** The value of a field. A picture that was sent before is kept until another file is chosen. */
export function lastOf({ format }: Schema, sent: readonly string[]): string {
  const said = format === 'picture' ? sent.filter((text) => text !== '') : sent;
  return said.at(-1) ?? '';
}

/** The names of the field in which a colour is picked, and of what it showed at first. */
const pickedName = (name: string) => `${name}:picked`;
const wasName = (name: string) => `${name}:was`;

/** A colour is picked or written: whichever was changed. */
function readColor(name: string, values: FormValues): string {
  const [written, picked, was] = [name, pickedName(name), wasName(name)].map(
    (one) => values.get(one)?.at(-1)?.trim() ?? '',
  );
  return picked === '' || picked === was ? (written ?? '') : (picked ?? '');
}

/** An empty field of a secret, a picture or an open flag leaves it as it is: no field shows what these are now. */
function emptyOf(schema: Schema, isRequired: boolean, isChange: boolean): '' | null | undefined {
  if (schema.secret === true || schema.format === 'picture' || isOpenFlag(schema)) return undefined;
  const types = typesOf(schema);
  if (types.includes('null') && !hasNone(schema) && (isChange || isRequired)) return null;
  const isPlain = schema.format === undefined || schema.format === 'color';
  const isText = types.includes('string') && isPlain && schema.enum === undefined;
  return isChange && isText ? '' : undefined;
}

/** One entry a line, or a field each. */
function linesOf(sent: readonly string[]): readonly string[] {
  return sent
    .flatMap((text) => text.split(/\r?\n/))
    .flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
}

/** `key = value` a line; a value is a number if it looks like one, unless it stands in quotes. */
function readPairs(sent: readonly string[]): Facts {
  const pairs = linesOf(sent).map((line): readonly [string, unknown] => {
    const at = line.indexOf('=');
    const key = (at === -1 ? line : line.slice(0, at)).trim();
    return [key, at === -1 ? '' : readValue(line.slice(at + 1).trim())];
  });
  return Object.fromEntries(pairs);
}

function readValue(text: string): unknown {
  if (/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return Number(text);
  if (!/^".*"$/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The field of a browser gives a time without a zone, which is UTC here. */
export function asUtc(text: string): string {
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/.test(text) ? `${text}Z` : text;
}

/** A flag that leaves things as they are when it is null: a box that is ticked or not could not say that. */
export function isOpenFlag(schema: Schema): boolean {
  const types = typesOf(schema);
  return types.includes('boolean') && types.includes('null');
}

/** Whether a form says null with a word or a box of its own: of numbers, times and pictures for which null means something. */
export function hasNone(schema: Schema): boolean {
  const isOfForm =
    typesOf(schema).includes('integer') || ['date-time', 'picture'].includes(schema.format ?? '');
  return schema.nullMeans !== undefined && isOfForm;
}

/** The name of the box that says "none" beside a field for a time. */
export const noneName = (name: string) => `${name}:none`;
