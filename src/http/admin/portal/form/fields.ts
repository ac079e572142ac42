import { describedWith } from '../../../../json-schema.ts';
import { forceField } from '../../../../operations/admin/fields.ts';
import type { Operation } from '../../../../operations/admin/operation.ts';
import { pathFields } from '../addresses.ts';
import type { Facts } from '../call.ts';
import { presentNames } from '../nouns.ts';
import { labelOf } from '../words.ts';

/** A choice of a list. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

type Kind =
  | 'choice'
  | 'choices'
  | 'flag'
  | 'lines'
  | 'number'
  | 'pairs'
  | 'password'
  | 'text'
  | 'texts'
  | 'time';

/** A field of a form, as its template renders it. */
export interface Field {
  /** As in the form: fields of an object carry its name, `price.amount`. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: Kind;
  readonly isRequired: boolean;
  readonly example: string;
  readonly choices: readonly Choice[];
  /** Whether "none" says something else than leaving it empty does. */
  readonly hasNone: boolean;
  readonly isNone: boolean;
  /** The lines of a list; every other field has one value. */
  readonly values: readonly string[];
}

/** Fields under one heading. */
export interface Group {
  readonly legend: string;
  readonly hint: string;
  readonly fields: readonly Field[];
}

export type Entry = Field | Group;

/** The schema of an input's property, as far as a form reads it. */
export interface InputSchema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly items?: InputSchema;
  readonly secret?: boolean;
  readonly nullMeans?: string;
}

/** What a list offers to choose from, by the name of a field. */
export type Offers = Readonly<Record<string, readonly Choice[]>>;

/** The values of a form's fields as they were sent, or as they are before it is. */
export type FormValues = ReadonlyMap<string, readonly string[]>;

/** What its form asks for: all but what is known already, and what is for the command alone. */
export function inputProperties(operation: Operation, known: Facts): Readonly<Record<string, InputSchema>> {
  const given = pathFields(operation).filter((name) => known[name] !== undefined);
  const properties = operation.input.properties as Readonly<Record<string, InputSchema>>;
  return Object.fromEntries(
    Object.entries(properties).filter(([name, schema]) => !given.includes(name) && schema !== forceField),
  );
}

/** The form of an operation. */
export function entriesOf(
  operation: Operation,
  known: Facts,
  values: FormValues,
  offers: Offers,
): readonly Entry[] {
  const required = operation.input.required ?? [];
  return Object.entries(inputProperties(operation, known)).map(([name, schema]) =>
    entryOf(name, schema, required.includes(name), values, offers),
  );
}

function entryOf(
  name: string,
  schema: InputSchema,
  isRequired: boolean,
  values: FormValues,
  offers: Offers,
): Entry {
  const { properties, required = [] } = schema;
  if (properties === undefined) return fieldOf(name, schema, isRequired, values, offers);
  return {
    legend: labelOf(name),
    hint: schema.description ?? '',
    fields: Object.entries(properties).map(([part, inner]) =>
      fieldOf(`${name}.${part}`, inner, isRequired && required.includes(part), values, offers),
    ),
  };
}

function fieldOf(
  name: string,
  schema: InputSchema,
  isRequired: boolean,
  values: FormValues,
  offers: Offers,
): Field {
  const own = name.split('.').at(-1) ?? name;
  const choices =
    offers[own] ?? (isOpenFlag(schema) ? yesAndNo : choicesOf(schema.items?.enum ?? schema.enum));
  return {
    name,
    label: labelOf(own),
    hint: describedWith(schema, hasNone(schema) ? '"none"' : 'empty'),
    kind: kindOf(own, schema, choices.length > 0),
    hasNone: hasNone(schema),
    isNone: values.get(noneName(name))?.[0] === 'true',
    isRequired,
    example: exampleOf(schema),
    choices,
    values: values.get(name) ?? [],
  };
}

export const yesAndNo: readonly Choice[] = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
];

/** A flag of which null leaves things as they are: a box that is ticked or not could not say that. */
export function isOpenFlag(schema: InputSchema): boolean {
  const types = typesOf(schema);
  return types.includes('boolean') && types.includes('null');
}

function choicesOf(values: readonly unknown[] = []): readonly Choice[] {
  return values
    .filter((value) => value !== null && value !== '')
    .map((value) => ({ value: String(value), label: String(value).replaceAll('_', ' ') }));
}

/** Lists whose order says something: the first language is the one that the others fall back on. */
const ordered = new Set(['languages']);

/** Texts that are longer than a line. */
const paragraphs = new Set(['description', 'file', 'logo', 'text']);

function kindOf(name: string, schema: InputSchema, isChosen: boolean): Kind {
  const isOf = (type: string) => typesOf(schema).includes(type);
  if (isOpenFlag(schema)) return 'choice';
  if (isOf('boolean')) return 'flag';
  if (isOf('array')) return isChosen && !ordered.has(name) ? 'choices' : 'lines';
  if (isChosen) return 'choice';
  if (isOf('object')) return 'pairs';
  if (schema.format === 'date-time') return 'time';
  if (isOf('integer') || isOf('number')) return 'number';
  if (schema.secret === true) return 'password';
  return paragraphs.has(name) ? 'texts' : 'text';
}

/** Whether a form says null with a word or a box of its own: of numbers and times of which null means something. */
export function hasNone(schema: InputSchema): boolean {
  const isOfForm = typesOf(schema).includes('integer') || schema.format === 'date-time';
  return schema.nullMeans !== undefined && isOfForm;
}

/** The name of the box that says "none" beside a field for a time. */
export const noneName = (name: string) => `${name}:none`;

export function typesOf({ type }: InputSchema): readonly string[] {
  if (type === undefined) return ['string'];
  return typeof type === 'string' ? [type] : type;
}

function exampleOf({ examples = [] }: InputSchema): string {
  const [example] = examples;
  if (Array.isArray(example)) return example.join(', ');
  return typeof example === 'string' || typeof example === 'number' ? String(example) : '';
}

/** What the fields of a form show before it is sent: what is there now, else what holds by default. */
export function valuesOf(operation: Operation, known: Facts, present: Facts | null): FormValues {
  const values = new Map<string, readonly string[]>();
  for (const [name, schema] of Object.entries(inputProperties(operation, known))) {
    const value = present?.[name] ?? present?.[presentNames[name] ?? name];
    collect(values, name, schema, value === undefined ? schema.default : value);
  }
  return values;
}

function collect(
  values: Map<string, readonly string[]>,
  name: string,
  schema: InputSchema,
  value: unknown,
): void {
  if (isOpenFlag(schema)) return;
  if (value === null && hasNone(schema)) sayNone(values, name, schema);
  if (value === null || value === undefined) return;
  if (Array.isArray(value)) values.set(name, value.map(textOfItem));
  else if (typeof value !== 'object') values.set(name, [textFor(schema, value)]);
  else if (schema.properties === undefined) values.set(name, pairsOf(value as Facts));
  else {
    for (const [part, inner] of Object.entries(schema.properties)) {
      collect(values, `${name}.${part}`, inner, (value as Facts)[part]);
    }
  }
}

/** A time has a box for it, a number takes the word. */
function sayNone(values: Map<string, readonly string[]>, name: string, { format }: InputSchema): void {
  if (format === 'date-time') values.set(noneName(name), ['true']);
  else values.set(name, ['none']);
}

/** Of a list of objects, such as a package's products, a form has the ids. */
const textOfItem = (item: unknown) =>
  typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : String(item);

/** A browser's field for a time has no zone: it is UTC, and its label says so. */
function textFor({ format }: InputSchema, value: unknown): string {
  return format === 'date-time' ? String(value).replace(/Z$/, '') : String(value);
}

function pairsOf(value: Facts): readonly string[] {
  return Object.entries(value).map(([key, one]) => {
    const text = String(one);
    // A text that looks like a number is told from one by its quotes.
    const isText = typeof one === 'string' && !Number.isNaN(Number(text));
    return `${key} = ${isText ? JSON.stringify(text) : text}`;
  });
}
