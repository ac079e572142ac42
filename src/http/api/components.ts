// Moves what a document says several times to its components, where each schema, parameter and answer stands once.
import {
  inDocument,
  inside,
  isGeneral,
  mapValues,
  type Part,
  type Place,
  pascal,
  type Visit,
  type Written,
} from './document-parts.ts';

/**
 * Moves each schema with a title to the components of a document, under that title, and with it every other part
 * that is there more than once. A schema that is held to more rules when it is sent is named `TitleInput` there.
 *
 * @throws if two parts want one name: one of them needs a title of its own
 */
export function withComponents<Document extends Written>(document: Document): Document {
  const { bases, nameOf } = namesIn(document);
  const components: Readonly<Record<Place['kind'], Record<string, Part>>> = {
    parameters: {},
    requestBodies: {},
    responses: {},
    schemas: {},
  };
  const move: Visit = (part, place) => {
    const name = nameOf(part, place);
    if (name === null) return inside(part, place, null, move);
    const known = components[place.kind];
    const own = bases.has(name) ? open(withoutUse(part)) : withoutUse(part);
    known[name] ??= inside({ ...own, ...wordsOf(known[String(part.title)]) }, place, name, move);
    return useOf(part, `#/components/${place.kind}/${name}`, known[name]);
  };
  const { paths, responses } = inDocument(document, move);
  return {
    ...document,
    paths,
    components: {
      ...document.components,
      ...mapValues(components, sorted),
      responses: { ...responses, ...sorted(components.responses) },
    },
  };
}

/** A part that was met while the document was read. */
interface Met {
  readonly place: Place;
  readonly length: number;
  count: number;
  /** Its name among the components; null where it stays in its place. */
  name: string | null;
}

interface Names {
  /** The schemas that others are made of. */
  readonly bases: ReadonlySet<string>;
  /** The name that a part has among the components; null where it stays in its place. */
  readonly nameOf: (part: Part, place: Place) => string | null;
}

/** Finds which parts of a document are components, and their names. */
function namesIn(document: Written): Names {
  const met = new Map<string, Met>();
  const titled = new Map<string, string>();
  const bases = new Set<string>();
  const titleOf = (part: Part): string | null => {
    if (typeof part.title !== 'string') return null;
    const text = textOf(shapeOf(part));
    const names = [part.title, `${part.title}Input`];
    const name = names.find((one) => (titled.get(one) ?? text) === text);
    if (name === undefined) throw new Error(`two schemas have the title ${part.title}`);
    titled.set(name, text);
    return name;
  };
  const keyOf = (part: Part, place: Place) => titleOf(part) ?? `${place.kind} ${textOf(part)}`;
  const count: Visit = (part, place) => {
    const key = keyOf(part, place);
    if (place.name === 'base') bases.add(key);
    const known = met.get(key);
    if (known === undefined) {
      const name = titleOf(part);
      met.set(key, { place, length: textOf(part).length, count: 1, name });
      inside(part, place, name, count);
    } else known.count += 1;
    return part;
  };
  inDocument(document, count);
  nameRepeated([...met.values()], titled.keys());
  return { bases, nameOf: (part, place) => met.get(keyOf(part, place))?.name ?? null };
}

/** Names what was met more than once: what is there most after itself alone, another after what is around it too. */
function nameRepeated(met: readonly Met[], titles: Iterable<string>): void {
  const taken = new Set([...titles].map((title) => `schemas ${title}`));
  const repeated = met.filter(({ name, count }) => name === null && count > 1);
  for (const one of repeated.toSorted((a, b) => b.count - a.count)) {
    const { kind, owner, name } = one.place;
    const names = [...(isGeneral(name) ? [] : [pascal(name)]), `${owner}${pascal(name)}`];
    const own = names.find((candidate) => !taken.has(`${kind} ${candidate}`));
    if (!pays(one, own ?? name)) continue;
    if (own === undefined) throw new Error(`two ${kind} would be ${names.at(-1)}`);
    taken.add(`${kind} ${own}`);
    one.name = own;
  }
}

/** Whether a component and its references take less room than the part in each of its places. */
function pays({ count, length, place: { kind } }: Met, name: string): boolean {
  const reference = `{"$ref":"#/components/${kind}/${name}"}`.length;
  return count * length > length + name.length + count * reference;
}

/** What a use of a named schema may say in its own words. */
const ownWords = ['description', 'default', 'writeOnly'];

/** A schema with a title as it stands among the components, without what only one use says of it. */
function withoutUse(part: Part): Part {
  if (!('title' in part)) return part;
  const { title: _, default: _default, writeOnly: _writeOnly, ...schema } = part;
  return isNullable(schema) ? withoutNull(schema) : schema;
}

/** The words of a schema that is held to more rules elsewhere. */
function wordsOf(schema: Part | undefined): Part {
  return schema === undefined ? {} : { description: schema.description, examples: schema.examples };
}

/** What others are made of has more properties in them. */
function open({ additionalProperties: _, ...schema }: Part): Part {
  return schema;
}

/** What makes two schemas of one title the same: not their words, nor the order in which values are offered. */
function shapeOf(part: Part): Part {
  const { enum: values, ...shape } = withoutUse(part);
  const kept = Object.entries(shape).filter(([name]) => name !== 'examples' && !ownWords.includes(name));
  return { ...Object.fromEntries(kept), ...(Array.isArray(values) ? { enum: values.toSorted() } : {}) };
}

/** Refers to a component, with the words that are of this use alone, and with null where the use takes that. */
function useOf(part: Part, $ref: string, component: Part | undefined): Part {
  if (!('title' in part)) return { $ref };
  const own = Object.entries(part).filter(
    ([name, value]) => ownWords.includes(name) && textOf(value) !== textOf(component?.[name]),
  );
  const to = isNullable(part)
    ? { anyOf: [{ $ref }, { type: 'null' }], description: part.description }
    : { $ref };
  return { ...to, ...Object.fromEntries(own) };
}

function isNullable({ type }: Part): boolean {
  return Array.isArray(type) && type.includes('null');
}

function withoutNull({ type, ...schema }: Part): Part {
  const types = (type as readonly unknown[]).filter((one) => one !== 'null');
  const values = Array.isArray(schema.enum) ? { enum: schema.enum.filter((value) => value !== null) } : {};
  return { type: types.length === 1 ? types[0] : types, ...schema, ...values };
}

const texts = new WeakMap<object, string>();

/** The same text for parts that say the same, in whatever order. */
function textOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(JSON.stringify(value));
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = Array.isArray(value)
    ? `[${value.map(textOf).join()}]`
    : `{${Object.entries(sorted(value as Part))
        .map(([name, part]) => `${JSON.stringify(name)}:${textOf(part)}`)
        .join()}}`;
  texts.set(value, text);
  return text;
}

function sorted<Value>(parts: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(parts).sort(([a], [b]) => (a < b ? -1 : 1)));
}
