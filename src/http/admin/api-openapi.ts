import { exactly, list, type Schema, text, wholeNumber } from '../../json-schema.ts';
import { mediaTypeOf, type Operation } from '../../operations/admin/operation.ts';
import { tenantFileSchema } from '../../operations/tenant-file/schema.ts';
import { withRules } from '../api/document-schemas.ts';
import { headers, json } from '../api/openapi-parts.ts';
import { adminUrl } from './api.ts';

const challenge = { 'WWW-Authenticate': headers['WWW-Authenticate'] };
const retryAfter = { 'Retry-After': headers['Retry-After'] };

/** The answers that are no, by status. */
const refusals = {
  400: { name: 'AdminInvalid', description: 'The input is not as described; nothing was done.' },
  401: {
    name: 'AdminUnauthorized',
    description: 'There is no token, or it is unknown, revoked or expired.',
    headers: challenge,
  },
  403: {
    name: 'AdminDenied',
    description: 'The token lacks the permission, or has not every tenant.',
    headers: challenge,
  },
  404: { name: 'AdminUnknown', description: 'There is no such thing, or it is not in reach of the token.' },
  409: { name: 'AdminConflict', description: 'What is there already does not allow it; nothing was done.' },
  413: { name: 'AdminTooLarge', description: 'The body is too large.' },
  415: { name: 'AdminMediaType', description: 'The body is not application/json in UTF-8.' },
  429: {
    name: 'AdminTooMany',
    description: 'Too many wrong tokens came from this address; try again later.',
    headers: retryAfter,
  },
  503: {
    name: 'AdminBusy',
    description: 'The service is busy; nothing was done.',
    headers: retryAfter,
  },
} as const;

const part: Schema = {
  anyOf: [{ type: 'string' }, { type: 'integer' }],
  description: 'A name or a number.',
  examples: ['limits'],
};

const problemSchema: Schema = {
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
};

const adminError: Schema = {
  ...exactly('What went wrong.', {
    error: text('The error, for programs. Absent where the request brought no token at all.', 'not_found'),
    error_description: text('The error in words, for developers.', 'there is no such client'),
    problems: list('Everything that is wrong.', problemSchema),
  }),
  required: ['error_description'],
};

/** What `adminPaths` refers to, for the components of the document. */
export const adminComponents = {
  securitySchemes: {
    adminToken: {
      type: 'http',
      scheme: 'bearer',
      description: 'A token of the admin API, which begins with mda_ and has named permissions.',
    },
  },
  schemas: { AdminError: adminError, TenantFile: tenantFileSchema },
  responses: Object.fromEntries(
    Object.values(refusals).map(({ name, ...response }) => [
      name,
      { ...response, content: json({ $ref: '#/components/schemas/AdminError' }) },
    ]),
  ),
} as const;

/** The path items of the admin API, made of the very schemas that its operations are held to. */
export function adminPaths(operations: readonly Operation[]): Readonly<Record<string, object>> {
  return Object.fromEntries(
    [...new Set(operations.map(({ path }) => path))].map((path) => [
      `${adminUrl}${path}`,
      Object.fromEntries(
        operations
          .filter((operation) => operation.path === path)
          .map((operation) => [operation.method.toLowerCase(), itemOf(operation)]),
      ),
    ]),
  );
}

function itemOf(operation: Operation): object {
  const { name, summary, permission, reach, method, mediaType, output, acts, mayConflict } = operation;
  const { inPath, inQuery, body } = placesOf(operation);
  const statuses = [
    400,
    401,
    403,
    404,
    ...(acts || mayConflict === true ? [409] : []),
    ...(body ? [413, 415] : []),
    429,
    503,
  ];
  const answer = mediaType === undefined ? json(output) : filesOf(operation);
  return {
    operationId: name,
    tags: [`admin: ${name.split('.')[0]}`],
    summary,
    description: `Needs the permission ${permission}${reach === 'system' ? ', and a token for every tenant' : ''}.`,
    security: [{ adminToken: [] }],
    parameters: [...parametersOf('path', inPath, operation), ...parametersOf('query', inQuery, operation)],
    ...(body === null
      ? {}
      : { requestBody: { required: (body.required ?? []).length > 0, content: json(body) } }),
    responses: {
      200: { description: method === 'GET' ? summary : 'It was done.', content: answer },
      ...Object.fromEntries(
        Object.entries(refusals)
          .filter(([status]) => statuses.includes(Number(status)))
          .map(([status, refused]) => [status, { $ref: `#/components/responses/${refused.name}` }]),
      ),
    },
  };
}

/** A file in each of its formats: what it holds, or a text. */
function filesOf(operation: Operation): object {
  const { formats = {}, fileSchema } = operation;
  const types = new Set([mediaTypeOf(operation, {}), ...Object.values(formats)]);
  const schema =
    fileSchema === tenantFileSchema
      ? { $ref: '#/components/schemas/TenantFile' }
      : (fileSchema ?? { type: 'string' });
  return Object.fromEntries([...types].map((type) => [type, { schema }]));
}

/** Where each field of an input is sent: what the path does not hold is in the query, or in the body. */
function placesOf({ path, method, input }: Operation) {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => String(name));
  const rest = Object.keys(input.properties).filter((name) => !inPath.includes(name));
  if (method === 'GET' || method === 'DELETE') return { inPath, inQuery: rest, body: null };
  const body = {
    type: 'object',
    properties: Object.fromEntries(rest.map((name) => [name, withRules(input.properties[name])])),
    required: (input.required ?? []).filter((name) => rest.includes(name)),
    additionalProperties: false,
  };
  return { inPath, inQuery: [], body: rest.length === 0 ? null : body };
}

function parametersOf(
  place: 'path' | 'query',
  names: readonly string[],
  { input }: Operation,
): readonly object[] {
  return names.map((name) => {
    const { description, ...schema } = withRules(input.properties[name]) as { readonly description?: string };
    return {
      name,
      in: place,
      required: place === 'path' || (input.required ?? []).includes(name),
      description,
      schema,
    };
  });
}
