/** The fields of a form, as its template renders them. */

import { describedWith, type Schema, typesOf } from '../../../../operations/json-schema.ts';
import { say, sayIfKnown } from '../../../../text/portal.ts';
import type { Facts } from '../visitor.ts';
import { labelOf } from '../words/labels.ts';
import { groupsOf } from './groups.ts';
import { type Picture, pictureIn } from './pictures.ts';
import { type Asking, type FormValues, hasNone, inputProperties, isOpenFlag, noneName } from './read.ts';
import { isDuration, isMoney, unitName, unitsFor } from './units.ts';

/** A choice of a list. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  /** What it is, where its name does not say it; empty otherwise. */
  readonly hint?: string;
}

/** What the number of a field counts. */
interface Unit {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
}

/** A field of a form, as its template renders it. */
export interface Field {
  /** As in the form: fields of an object carry its name, `price.amount`. */
  readonly name: string;
  readonly label: string;
  readonly hint: string;
  readonly kind: ReturnType<typeof kindOf> | 'cards' | 'radios';
  readonly isRequired: boolean;
  readonly example: string;
  readonly choices: readonly Choice[];
  /** null if the number counts nothing. */
  readonly unit: Unit | null;
  /** null where it is no picture. */
  readonly picture: Picture | null;
  /** Whether "none" says something else than leaving it empty does. */
  readonly hasNone: boolean;
  readonly isNone: boolean;
  /** The lines of a list; every other field has one value. */
  readonly values: readonly string[];
}

/** Fields under one heading. */
export interface Group {
  readonly name: string;
  readonly legend: string;
  readonly hint: string;
  readonly fields: readonly Field[];
}

export type Entry = Field | Group;

/** A part of a form. */
export interface Section {
  readonly name: string;
  /** null for what stands under no heading. */
  readonly title: string | null;
  readonly isFolded: boolean;
  readonly entries: readonly Entry[];
}

/** What a list offers to choose from, by the name of a field. */
export type Offers = Readonly<Record<string, readonly Choice[]>>;

/** What the fields of a form are made from. */
interface Making {
  readonly asking: Asking;
  readonly values: FormValues;
  readonly offers: Offers;
  /** What there is before anything is changed. */
  readonly present: Facts | null;
}

/** The form of an operation, in the parts that its face names. */
export function sectionsOf(
  asking: Asking,
  values: FormValues,
  offers: Offers,
  present: Facts | null,
): readonly Section[] {
  const entries = entriesOf(asking, values, offers, present);
  const groups = groupsOf(asking);
  if (groups.length === 0) return [{ name: '', title: null, isFolded: false, entries }];
  const named = (name: string) => entries.find((entry) => entry.name.split('.')[0] === name) ?? [];
  return groups
    .map(({ name, fields, isFolded }) => ({
      name,
      title: asking.part === undefined ? groupTitle(asking, name) : null,
      isFolded: isFolded === true && asking.part === undefined,
      entries: fields.flatMap(named),
    }))
    .filter((section) => section.entries.length > 0);
}

/** The title of a group of fields: each operation of a noun has the same, unless one has words of its own. */
function groupTitle(
  { operation: { name: operation } }: Pick<Asking, 'operation'>,
  name: string,
): string | null {
  return sayIfKnown(`group.${operation}.${name}`) ?? sayIfKnown(`group.${name}`);
}

/** The form of an operation. */
export function entriesOf(
  asking: Asking,
  values: FormValues,
  offers: Offers,
  present: Facts | null = null,
): readonly Entry[] {
  const { required = [] } = asking.operation.input;
  const making = { asking, values, offers, present };
  return Object.entries(inputProperties(asking)).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const { properties, required: parts = [], description = '' } = schema;
    if (properties === undefined) return fieldOf(name, schema, isRequired, making);
    const measure = measureField(name, schema, isRequired, making);
    if (measure !== null) return measure;
    return {
      name,
      legend: labelOf(name),
      hint: hintIn(asking, name) ?? description,
      fields: Object.entries(properties).map(([part, inner]) =>
        fieldOf(`${name}.${part}`, inner, isRequired && parts.includes(part), making),
      ),
    };
  });
}

function fieldOf(name: string, schema: Schema, isRequired: boolean, making: Making): Field {
  const { asking, values, offers, present } = making;
  const own = name.split('.').at(-1) ?? name;
  const choices = offers[own] ?? (isOpenFlag(schema) ? yesAndNo : choicesOf(own, schema.items ?? schema));
  const none = hasNone(schema) ? say('value.noneWord') : say('value.empty');
  const said = values.get(name) ?? [];
  const field: Field = {
    name,
    label: labelIn(asking, own),
    // A limit says in its label what it counts.
    hint: hintIn(asking, own) ?? (name.startsWith('limits.') ? '' : describedWith(schema, none)),
    kind: kindOf(own, schema, choices.length > 0),
    isRequired,
    example: isDuration(schema) ? '' : exampleOf(schema),
    choices,
    unit: isDuration(schema) ? durationUnit(name, schema, values) : null,
    picture: schema.format === 'picture' ? pictureIn(name, asking.operation, values, present) : null,
    hasNone: hasNone(schema),
    isNone: values.get(noneName(name))?.[0] === 'true',
    values: said,
  };
  if (asking.operation.portal?.cards === name) return { ...field, kind: 'cards' };
  const isSet = isRequired || said.some((value) => value !== '');
  const isShort = field.kind === 'choice' && offers[own] === undefined && choices.length <= mostRadios;
  return isShort && isSet && !isOpenFlag(schema) ? { ...field, kind: 'radios' } : field;
}

/** Up to this many choices are all shown; if there are more, one is picked from a list. */
const mostRadios = 4;

/** The purpose of a field in words of the portal; null where its description says it. */
const hintIn = ({ operation }: Asking, name: string) =>
  sayIfKnown(`hint.${operation.name}.${name}`) ?? sayIfKnown(`hint.${name}`);

/** The label of a field, which one form may have other words for. */
const labelIn = ({ operation }: Asking, name: string) =>
  sayIfKnown(`label.${operation.name}.${name}`) ?? labelOf(name);

function durationUnit(name: string, schema: Schema, values: FormValues): Unit {
  const units = unitsFor(schema);
  return {
    name: unitName(name),
    label: say('form.unit'),
    choices: units.map((unit) => ({ value: unit, label: say(`unit.${unit}`) })),
    value: values.get(unitName(name))?.at(-1) ?? units[0] ?? '',
  };
}

/** The parts of an amount and its currency, or of a count and its unit: the number first. */
const measures: Readonly<Record<string, readonly [number: string, unit: string]>> = {
  money: ['amount', 'currency'],
  period: ['count', 'unit'],
};

/** A number and what it is of are one field: each decides how the other is read. */
function measureField(name: string, schema: Schema, isRequired: boolean, making: Making): Field | null {
  const { format = '', properties = {}, description = '' } = schema;
  const [number, of] = measures[format] ?? [];
  if (number === undefined || of === undefined || properties[of]?.enum === undefined) return null;
  const unitField = `${name}.${of}`;
  const chosen = making.values.get(unitField)?.at(-1) ?? '';
  const none = chosen === '' ? [{ value: '', label: say('form.choose') }] : [];
  const told = isMoney(schema) ? { type: 'string', examples: [priceExample] } : properties[number];
  return {
    ...fieldOf(`${name}.${number}`, { ...told, description }, isRequired, making),
    kind: 'number',
    label: labelIn(making.asking, name),
    unit: {
      name: unitField,
      label: labelOf(of),
      choices: [...none, ...choicesOf(of, properties[of])],
      value: chosen,
    },
  };
}

const priceExample = '149.00';

export const yesAndNo: readonly Choice[] = [
  { value: 'true', label: say('value.yes') },
  { value: 'false', label: say('value.no') },
];

function choicesOf(name: string, { enum: values = [], enumMeans = {} }: Schema): readonly Choice[] {
  return values
    .filter((value) => value !== null && value !== '')
    .map((value) => ({
      value: String(value),
      label: sayIfKnown(`choice.${name}.${value}`) ?? wordsOf(String(value)),
      hint:
        sayIfKnown(`choice.${name}.${value}.hint`) ??
        (enumMeans[String(value)] ?? '').replaceAll(/`(\w+)`/g, '“$1”'),
    }));
}

/** A value as it is read; one that is a name with parts, such as `member.email_verified`, is sent and told so too. */
const wordsOf = (value: string) => (/[.:]/.test(value) ? value : value.replaceAll('_', ' '));

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
  if (schema.format === 'picture' || schema.format === 'color') return schema.format;
  return paragraphs.has(name) ? 'texts' : 'text';
}

function exampleOf({ examples = [] }: Schema): string {
  const [example] = examples;
  if (Array.isArray(example)) return example.join(', ');
  if (typeof example === 'object' && example !== null) {
    return Object.entries(example)
      .map(([name, value]) => `${name} = ${value}`)
      .join(', ');
  }
  return typeof example === 'string' || typeof example === 'number' ? String(example) : '';
}
