// Describes the admin API for the OpenAPI document.

import { operations } from '../../operations/admin/index.ts';
import {
  mediaTypeOf,
  nameOf,
  type ObjectSchema,
  type Operation,
  pathFields,
} from '../../operations/admin/operation.ts';
import {
  exactly,
  list,
  madeOf,
  named,
  type Schema,
  text,
  typesOf,
  wholeNumber,
} from '../../operations/json-schema.ts';
import { mapValues } from '../api/components.ts';
import { documentOf, header, headers, json, memberPart, withRules } from '../api/openapi.ts';
import { adminUrl } from './api.ts';

/** What each answer to a good token says of its limit (draft-ietf-httpapi-ratelimit-headers-10). */
const limitHeaders = {
  RateLimit: header(
    'How many more calls this token, or this client, may make (r), and in how many seconds they are counted anew (t). Absent where there is no limit.',
    '"calls";r=2999;t=60',
  ),
  'RateLimit-Policy': header(
    'How many calls it may make (q) in so many seconds (w). Absent where there is no limit.',
    '"calls";q=3000;w=60',
  ),
} as const;

const referencesTo = (named: Readonly<Record<string, unknown>>) =>
  mapValues(named, (_, name) => ({ $ref: `#/components/headers/${name}` }));

/**
 * The answers that are no, by status. What every operation may answer is said once, since a list of it would be
 * most of what a document says of an operation.
 */
const refusals = {
  409: {
    name: 'Conflict',
    description: 'What is there already does not allow it; nothing was done.',
    headers: referencesTo(limitHeaders),
  },
  503: {
    name: 'Busy',
    description: 'The service is busy; nothing was done.',
    headers: referencesTo({ 'Retry-After': headers['Retry-After'], ...limitHeaders }),
  },
  '4XX': {
    name: 'Refused',
    description:
      '400: the input is not as described. 401: there is no token, or it is unknown, revoked or expired. 403: the token lacks the permission, or has not every tenant. 404: there is no such thing, or it is not in reach of the token. 413: the body is too large. 415: the body is not application/json in UTF-8. 429: this token made all the calls of its limit, or called this operation too often, or the address got as many mails as it may get now, or too many wrong tokens came from this address; try again later. Nothing was done.',
    headers: referencesTo({ ...headers, ...limitHeaders }),
  },
} as const;

const part = named('ProblemPart', {
  anyOf: [{ type: 'string' }, { type: 'integer' }],
  description: 'A name or a number.',
  examples: ['limits'],
});

const problemSchema = named('Problem', {
  ...exactly('A problem.', {
    path: list('The names and places that lead to the value; empty for the input as a whole.', part),
    code: text('What is wrong, for programs. A code keeps its meaning; new ones may come.', 'too_small'),
    values: {
      type: 'object',
      description: 'What the message names, such as the bound that was passed.',
      additionalProperties: { anyOf: [part, { type: 'array', items: part }] },
      examples: [{ least: 1 }],
    },
    message: text(
      'What is wrong in words, for people: it may change.',
      'limits.signUpsPerAddressAndHour must be 1 or more',
    ),
    line: wholeNumber('Of a file: the line of the value, from 1.', 4),
    column: wholeNumber('Of a file: the column of the value, from 1.', 7),
  }),
  required: ['path', 'code', 'values', 'message'],
});

const adminError = named('AdminError', {
  ...exactly('What went wrong.', {
    error: text('The error, for programs. Absent where the request brought no token at all.', 'not_found'),
    error_description: text('The error in words, for developers.', 'there is no such client'),
    problems: list('Everything that is wrong.', problemSchema),
  }),
  required: ['error_description'],
});

/** The path items of the admin API, made of the very schemas that its operations are held to. */
export function adminPaths(operations: readonly Operation[]): Readonly<Record<string, object>> {
  const paths = Object.entries(Object.groupBy(operations, ({ path }) => path));
  return Object.fromEntries(
    paths.map(([path, found = []]) => [
      `${adminUrl}${path}`,
      withoutEmpty({
        parameters: found.slice(0, 1).flatMap((one) => parametersOf('path', placesOf(one).inPath, one)),
        ...Object.fromEntries(found.map((one) => [one.method.toLowerCase(), itemOf(one, operations)])),
      }),
    ]),
  );
}

/** A part of the document without what it has nothing to say of. */
function withoutEmpty(part: Readonly<Record<string, unknown>>): object {
  const isSaid = (value: unknown) => value !== undefined && !(Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(part).filter(([, value]) => isSaid(value)));
}

function itemOf(operation: Operation, operations: readonly Operation[]): object {
  const { name, summary, permission, reach, mediaType, output, acts, mayConflict } = operation;
  const { inQuery, body } = placesOf(operation);
  const statuses = [...(acts || mayConflict === true ? ['409'] : []), '503', '4XX'];
  const refused = Object.entries(refusals).filter(([status]) => statuses.includes(status));
  const request = body && {
    ...(body.required === undefined ? {} : { required: true }),
    content: json({ ...body, ...changesIn(operation, operations) }),
  };
  return withoutEmpty({
    operationId: name,
    tags: [`admin: ${nameOf(operation).noun}`],
    summary,
    description: `Needs the permission ${permission}${reach === 'system' ? ', and a token for every tenant' : ''}.`,
    parameters: parametersOf('query', inQuery, operation),
    requestBody: request ?? undefined,
    responses: {
      200: {
        ...(mediaType === undefined
          ? { description: 'The answer.', content: json(output) }
          : { description: 'The file.', content: filesOf(operation) }),
        headers: referencesTo(limitHeaders),
      },
      ...Object.fromEntries(
        refused.map(([status, answer]) => [status, { $ref: `#/components/responses/${answer.name}` }]),
      ),
    },
  });
}

/** A file in each of its formats: what it holds, or a text. */
function filesOf(operation: Operation): object {
  const { formats = {}, fileSchema } = operation;
  const types = new Set([mediaTypeOf(operation, {}), ...Object.values(formats)]);
  const schema = fileSchema === undefined ? { type: 'string' } : withRules(fileSchema);
  return Object.fromEntries([...types].map((type) => [type, { schema }]));
}

/** Where each field of an input is sent: what the path does not hold is in the query, or in the body. */
function placesOf(operation: Operation) {
  const { method, input } = operation;
  const inPath = pathFields(operation);
  const rest = Object.keys(input.properties).filter((name) => !inPath.includes(name));
  if (method === 'GET' || method === 'DELETE') return { inPath, inQuery: rest, body: null };
  const body = withoutEmpty({
    type: 'object',
    properties: Object.fromEntries(rest.map((name) => [name, withRules(input.properties[name])])),
    required: (input.required ?? []).filter((name) => rest.includes(name)),
    additionalProperties: false,
  });
  return { inPath, inQuery: [], body: rest.length === 0 ? null : (body as ObjectSchema) };
}

function parametersOf(
  place: 'path' | 'query',
  names: readonly string[],
  { input }: Operation,
): readonly object[] {
  return names.map((name) => {
    const field = withRules(input.properties[name]) as Schema;
    const { description, ...schema } = field;
    return {
      name,
      in: place,
      ...(place === 'path' || (input.required ?? []).includes(name) ? { required: true } : {}),
      description,
      // Each part of an object is a parameter of its own: `filter[updatedAt][gte]`.
      ...(place === 'query' && typesOf(field).includes('object')
        ? { style: 'deepObject', explode: true }
        : {}),
      schema: 'title' in schema ? field : schema,
    };
  });
}

/** The input of a change is a part of the input that makes a thing, where making it takes all of that in the same way. */
function changesIn(operation: Operation, operations: readonly Operation[]): object {
  const { noun, verb } = nameOf(operation);
  const [create, change] = ['create', 'change'].map((one) =>
    operations.find(({ name }) => name === `${noun}.${one}`),
  );
  if (create === undefined || change === undefined || !['create', 'change'].includes(verb)) return {};
  const { properties = {} } = placesOf(create).body ?? {};
  const { body } = placesOf(change);
  const isWhole = Object.entries(body?.properties ?? {}).every(
    ([field, schema]) => JSON.stringify(properties[field]) === JSON.stringify(schema),
  );
  const { title } = change.output as { readonly title?: string };
  if (body === null || !isWhole) return {};
  return { [madeOf]: { ...body, title: `${title}Changes`, description: 'What is left out stays as it is.' } };
}

/**
 * The OpenAPI 3.1 document of everything below /api/v1: the member API, and the admin API with the operations
 * of the table. It is made of the very schemas that the routes are held to.
 */
export function openApiDocument(): object {
  const { paths, components, tags } = memberPart;
  const nouns = [...new Set(operations.map((operation) => nameOf(operation).noun))];
  const adminToken = {
    type: 'http',
    scheme: 'bearer',
    description: 'A token of the admin API, which begins with mda_ and has named permissions.',
  };
  const refused = Object.values(refusals).map(({ name, ...response }) => [
    name,
    { ...response, content: json(adminError) },
  ]);
  return documentOf({
    security: [{ adminToken: [] }],
    tags: [
      ...tags,
      ...nouns.map((noun) => ({ name: `admin: ${noun}`, description: `For operators: ${noun}.` })),
    ],
    paths: { ...paths, ...adminPaths(operations) },
    components: {
      ...components,
      securitySchemes: { ...components.securitySchemes, adminToken },
      headers: { ...components.headers, ...limitHeaders },
      responses: { ...components.responses, ...Object.fromEntries(refused) },
    },
  });
}
