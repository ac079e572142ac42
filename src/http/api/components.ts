// Moves what a document says several times to its components, where each schema, parameter and answer stands once.

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

/** Finds which parts of a document are components, with their names, and which schemas others are made of. */
function namesIn(document: Written) {
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
  const nameOf = (part: Part, place: Place) => met.get(keyOf(part, place))?.name ?? null;
  return { bases, nameOf };
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

/** A component that others extend has more properties there. */
const open = ({ additionalProperties: _, ...schema }: Part): Part => schema;

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

const isNullable = ({ type }: Part) => Array.isArray(type) && type.includes('null');

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

/** A schema, a parameter or an answer. */
type Part = Readonly<Record<string, unknown>>;
type Parts = Readonly<Record<string, Part>>;

/** A document whose schemas are written out where they are used. */
export interface Written extends Part {
  readonly paths: object;
  readonly components: {
    readonly headers: object;
    readonly responses: object;
    readonly securitySchemes: object;
  };
}

/** Where a part stands. */
interface Place {
  readonly kind: 'parameters' | 'requestBodies' | 'responses' | 'schemas';
  /** What it can be named after: the schema or operation around it, and its own property or parameter. */
  readonly owner: string;
  readonly name: string;
}

/** What is done with a part: it answers what takes the place of the part. */
type Visit = (part: Part, place: Place) => Part;

/** A part with some of what it has changed. */
function changed(part: Part, changes: Readonly<Record<string, (value: never) => unknown>>): Part {
  return mapValues(part, (value, name) => changes[name]?.(value as never) ?? value);
}

/** Visits what a document answers and then what it takes: what is answered has the first choice of names. */
function inDocument({ paths, components }: Written, visit: Visit) {
  const inParameters = (owner: string) => (parameters: readonly Part[]) =>
    parameters.map((one) => visit(one, { owner, kind: 'parameters', name: String(one.name) }));
  const answered = mapValues(paths as Readonly<Record<string, Parts>>, (item) =>
    mapValues(item, (operation) => {
      const owner = pascal(String(operation.operationId));
      const inAnswer = (answer: Part) =>
        '$ref' in answer ? answer : visit(answer, { kind: 'responses', owner, name: titleIn(answer) });
      // Beside its operations, an address has the parameters of them all.
      if (Array.isArray(operation)) return operation;
      return changed(operation, { responses: (answers: Parts) => mapValues(answers, inAnswer) });
    }),
  );
  const responses = mapValues(components.responses as Parts, (answer, owner) => inBody(answer, owner, visit));
  const visited = mapValues(answered, (item, path) =>
    mapValues(item, (operation) => {
      if (Array.isArray(operation)) return inParameters(pascal(path))(operation);
      const owner = pascal(String(operation.operationId));
      return changed(operation, {
        parameters: inParameters(owner),
        requestBody: (body: Part) => visit(body, { owner, kind: 'requestBodies', name: 'body' }),
      });
    }),
  );
  return { responses, paths: visited };
}

/** The title of what an answer holds, after which it is named too. */
function titleIn({ content }: Part): string {
  const [{ schema }] = Object.values(content as Parts) as [{ readonly schema: Part }];
  return typeof schema.title === 'string' ? schema.title : 'answer';
}

/** Visits the schemas of a body, sent or answered. */
function inBody(body: Part, owner: string, visit: Visit): Part {
  const schema = (part: Part) => visit(part, { owner, kind: 'schemas', name: 'body' });
  return changed(body, { content: (types: Parts) => mapValues(types, (type) => changed(type, { schema })) });
}

/** Visits the schemas that are directly in a part. @param named the part's name, after which they can be named */
function inside(part: Part, place: Place, named: string | null, visit: Visit): Part {
  if (place.kind === 'responses' || place.kind === 'requestBodies') return inBody(part, place.owner, visit);
  if (place.kind === 'parameters') {
    // A schema without a title has its words in the parameter, so it says too little to stand alone.
    const schema = part.schema as Part;
    return 'title' in schema ? { ...part, schema: visit(schema, { ...place, kind: 'schemas' }) } : part;
  }
  const owner = named ?? `${place.owner}${pascal(place.name)}`;
  const one = (schema: Part, name: string) => visit(schema, { ...place, owner, name });
  const all = (name: string) => (schemas: readonly Part[]) => schemas.map((schema) => one(schema, name));
  return changed(part, {
    properties: (schemas: Parts) => mapValues(schemas, one),
    items: (schema: Part) => one(schema, 'item'),
    additionalProperties: (schema: Part | boolean) =>
      typeof schema === 'object' ? one(schema, 'value') : schema,
    allOf: all('base'),
    anyOf: all('choice'),
  });
}

/** Whether a name says only how a part stands in another, such as an item in a list. */
function isGeneral(name: string): boolean {
  return ['answer', 'body', 'choice', 'item', 'value'].includes(name);
}

/** The name of a type: `clients.create` is ClientsCreate. */
function pascal(name: string): string {
  return name
    .replaceAll(/(?:^|[^A-Za-z0-9])([a-z])/g, (_, first: string) => first.toUpperCase())
    .replaceAll(/[^A-Za-z0-9]/g, '');
}

export function mapValues<From, To>(
  values: Readonly<Record<string, From>>,
  change: (value: From, name: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}
