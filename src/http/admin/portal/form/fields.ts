/** The fields of a form, as its template renders them. */

import type { Path, Problem } from '../../../../core/problem.ts';
import { describedWith, type Schema, typesOf } from '../../../../operations/json-schema.ts';
import { dotted, problemSentence } from '../../../../operations/problem-text.ts';
import { say } from '../../../../text/portal.ts';
import { labelOf } from '../labels.ts';
import type { FieldProblem } from '../page.ts';
import type { Facts } from '../visitor.ts';
import { type Asking, type FormValues, hasNone, inputProperties, isOpenFlag, noneName } from './read.ts';

/** A choice of a list. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** A field of a form, as its template renders it. */
export interface Field {
  /** As in the form: fields of an object carry its name, `price.amount`. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: ReturnType<typeof kindOf>;
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

/** What a list offers to choose from, by the name of a field. */
export type Offers = Readonly<Record<string, readonly Choice[]>>;

/** The form of an operation. */
export function entriesOf(asking: Asking, values: FormValues, offers: Offers): readonly Entry[] {
  const { required = [] } = asking.operation.input;
  return Object.entries(inputProperties(asking)).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const { properties, required: parts = [], description = '' } = schema;
    if (properties === undefined) return fieldOf(name, schema, isRequired, values, offers);
    return {
      legend: labelOf(name),
      hint: description,
      fields: Object.entries(properties).map(([part, inner]) =>
        fieldOf(`${name}.${part}`, inner, isRequired && parts.includes(part), values, offers),
      ),
    };
  });
}

function fieldOf(
  name: string,
  schema: Schema,
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
    hint: describedWith(schema, say(hasNone(schema) ? 'value.noneWord' : 'value.empty')),
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
  { value: 'true', label: say('value.yes') },
  { value: 'false', label: say('value.no') },
];

function choicesOf(values: readonly unknown[] = []): readonly Choice[] {
  return values
    .filter((value) => value !== null && value !== '')
    .map((value) => ({ value: String(value), label: String(value).replaceAll('_', ' ') }));
}

/** Lists whose order says something: the first language is the one that the others fall back on. */
const ordered = new Set(['languages']);

/** Texts that are longer than a line. */
const paragraphs = new Set(['description', 'file', 'jwks', 'logo', 'note', 'text']);

function kindOf(name: string, schema: Schema, isChosen: boolean) {
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

function exampleOf({ examples = [] }: Schema): string {
  const [example] = examples;
  if (Array.isArray(example)) return example.join(', ');
  return typeof example === 'string' || typeof example === 'number' ? String(example) : '';
}

/** What the fields of a form show before it is sent: what is there now, else what holds by default. */
export function valuesOf(asking: Asking, present: Facts | null): FormValues {
  const { readsAs } = asking.operation.portal ?? {};
  const values = new Map<string, readonly string[]>();
  for (const [name, schema] of Object.entries(inputProperties(asking))) {
    const value = present?.[name] ?? present?.[readsAs?.[name] ?? name];
    collect(values, name, schema, value === undefined ? schema.default : value);
  }
  return values;
}

function collect(values: Map<string, readonly string[]>, name: string, schema: Schema, value: unknown): void {
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
function sayNone(values: Map<string, readonly string[]>, name: string, { format }: Schema): void {
  if (format === 'date-time') values.set(noneName(name), ['true']);
  else values.set(name, ['none']);
}

/** Of a list of objects, such as a package's products, a form has the ids. */
const textOfItem = (item: unknown) =>
  typeof item === 'object' && item !== null && 'id' in item ? String(item.id) : String(item);

/** A browser's field for a time has no zone: it is UTC, and its label says so. */
function textFor({ format }: Schema, value: unknown): string {
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

/** Finds the field of each problem, by its path. What belongs to none stands above the form alone. */
export function placeProblems(
  problems: readonly Problem[],
  entries: readonly Entry[],
): readonly FieldProblem[] {
  const fields = entries.flatMap((entry) => ('fields' in entry ? entry.fields : [entry]));
  return problems.map((found) => {
    const field = fieldAt(found.path, fields);
    const text = problemSentence(found, field === null ? dotted : (path) => labelAt(path, field));
    return { field: field?.name ?? null, text };
  });
}

/** The field of a path, or of what it is in: of a list, and of pairs, the form has one field. */
function fieldAt(path: Path, fields: readonly Field[]): Field | null {
  if (path.length === 0) return null;
  return fields.find(({ name }) => name === dotted(path)) ?? fieldAt(path.slice(0, -1), fields);
}

/** What a form calls a value: its field, and the line of it. */
function labelAt(path: Path, { label }: Field): string {
  const place = path.at(-1);
  return typeof place === 'number' ? say('form.line', { label, line: place + 1 }) : label;
}
