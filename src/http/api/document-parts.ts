// Goes through the parts of a document of OpenAPI: answers, parameters and schemas.

/** A schema, a parameter or an answer. */
export type Part = Readonly<Record<string, unknown>>;
type Parts = Readonly<Record<string, Part>>;

/** An operation with all that it takes and answers written out. */
interface Operation extends Part {
  readonly operationId: string;
  readonly parameters?: readonly Part[];
  readonly requestBody?: Part;
  readonly responses: Parts;
}

/** A document whose schemas are written out where they are used. */
export interface Written extends Part {
  readonly paths: object;
  readonly components: { readonly responses: object; readonly securitySchemes: object };
}

/** Where a part stands. */
export interface Place {
  readonly kind: 'parameters' | 'requestBodies' | 'responses' | 'schemas';
  /** What it can be named after: the schema or operation around it, and its own property or parameter. */
  readonly owner: string;
  readonly name: string;
}

/** What is done with a part: it answers what takes the place of the part. */
export type Visit = (part: Part, place: Place) => Part;

/** Visits what a document answers and then what it takes: what is answered has the first choice of names. */
export function inDocument({ paths, components }: Written, visit: Visit) {
  const items = paths as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  const answered = mapValues(items, (item) =>
    mapValues(item, (part, name) => (name === 'parameters' ? part : withAnswers(part, visit))),
  );
  const responses = mapValues(components.responses as Parts, (answer, owner) =>
    inBody(answer, { owner }, visit),
  );
  const visited = mapValues(answered, (item, path) =>
    mapValues(item, (part, name) =>
      name === 'parameters'
        ? inParameters(part as unknown as readonly Part[], pascal(path), visit)
        : withInput(part, visit),
    ),
  );
  return { responses, paths: visited };
}

function inParameters(parameters: readonly Part[], owner: string, visit: Visit): readonly Part[] {
  return parameters.map((one) => visit(one, { owner, kind: 'parameters', name: String(one.name) }));
}

function withAnswers(operation: Operation, visit: Visit): Operation {
  const owner = pascal(operation.operationId);
  const responses = mapValues(operation.responses, (answer) =>
    '$ref' in answer ? answer : visit(answer, { kind: 'responses', owner, name: titleIn(answer) }),
  );
  return { ...operation, responses };
}

/** The title of what an answer holds, after which it is named too. */
function titleIn({ content }: Part): string {
  const [{ schema }] = Object.values(content as Parts) as [{ readonly schema: Part }];
  return typeof schema.title === 'string' ? schema.title : 'answer';
}

function withInput({ parameters, requestBody, ...operation }: Operation, visit: Visit): Part {
  const place = { owner: pascal(operation.operationId) };
  const { responses, ...rest } = operation;
  return {
    ...rest,
    ...(parameters === undefined ? {} : { parameters: inParameters(parameters, place.owner, visit) }),
    ...(requestBody === undefined
      ? {}
      : { requestBody: visit(requestBody, { ...place, kind: 'requestBodies', name: 'body' }) }),
    responses,
  };
}

/** Visits the schemas of a body, sent or answered. */
function inBody(body: Part, place: Pick<Place, 'owner'>, visit: Visit): Part {
  const content = mapValues(body.content as Parts, ({ schema, ...type }) => ({
    ...type,
    schema: visit(schema as Part, { ...place, kind: 'schemas', name: 'body' }),
  }));
  return { ...body, content };
}

/**
 * Visits the schemas that are directly in a part.
 *
 * @param named the name that the part has, after which they can be named
 */
export function inside(part: Part, place: Place, named: string | null, visit: Visit): Part {
  if (place.kind === 'responses' || place.kind === 'requestBodies') return inBody(part, place, visit);
  if (place.kind === 'parameters') {
    // A schema without a title has its words in the parameter, so it says too little to stand alone.
    const schema = part.schema as Part;
    return 'title' in schema ? { ...part, schema: visit(schema, { ...place, kind: 'schemas' }) } : part;
  }
  const owner = named ?? `${place.owner}${pascal(place.name)}`;
  const one = (schema: unknown, name: string) => visit(schema as Part, { ...place, owner, name });
  const { properties, items, additionalProperties: others, anyOf, allOf } = part;
  return {
    ...part,
    ...(properties === undefined ? {} : { properties: mapValues(properties as Parts, one) }),
    ...(items === undefined ? {} : { items: one(items, 'item') }),
    ...(typeof others !== 'object' ? {} : { additionalProperties: one(others, 'value') }),
    ...(Array.isArray(allOf) ? { allOf: allOf.map((schema) => one(schema, 'base')) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map((schema) => one(schema, 'choice')) } : {}),
  };
}

/** Whether a name says only how a part stands in another, such as an item in a list. */
export function isGeneral(name: string): boolean {
  return ['answer', 'body', 'choice', 'item', 'value'].includes(name);
}

/** The name of a type: `clients.create` is ClientsCreate. */
export function pascal(name: string): string {
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
