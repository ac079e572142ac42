// Makes the OpenAPI document of the member API and the admin API.
import {
  describedWith,
  exactly,
  heldTo,
  madeOf,
  named,
  ownFormats,
  ownKeywords,
  type Schema,
  text,
} from '../../operations/json-schema.ts';
import { type Written, withComponents } from './components.ts';
import { apiRoutes } from './member-api.ts';
import { type NamedMemberRoute, namedMemberRoutes } from './named-member.ts';
import type { ApiRoute, ApiTag } from './route.ts';

/** A body of JSON, as OpenAPI describes one. */
export const json = (schema: object) => ({ 'application/json': { schema } });

export const header = (description: string, example: string | number) => ({
  description,
  schema: { type: typeof example === 'number' ? 'integer' : 'string', examples: [example] },
});

/** The headers of the answers that are no, of the member API and of the admin API. */
export const headers = {
  'Retry-After': header('Seconds to wait before the request is sent again.', 5),
  'WWW-Authenticate': header(
    'Bearer, with the error unless there was no token (RFC 6750 §3).',
    'Bearer realm="memberdoor", error="invalid_token"',
  ),
} as const;

const tags: Readonly<Record<ApiTag, string>> = {
  profile: 'Who the member is, and what the member has access to.',
  support: 'For administrators who answer a member.',
  consents: 'What the member agrees to.',
};

interface RefusedAnswer {
  readonly name: string;
  readonly description: string;
  readonly header?: keyof typeof headers;
}

/** The answers that are no, by status (RFC 6750 §3.1; decision 16). */
const refusals: Readonly<Record<400 | 401 | 403 | 404 | 413 | 415 | 429 | 503, RefusedAnswer>> = {
  400: { name: 'BadRequest', description: 'The query or the body is not as described.' },
  401: {
    name: 'Unauthorized',
    description: 'There is no access token, or it is expired, revoked or not one of ours.',
    header: 'WWW-Authenticate',
  },
  403: {
    name: 'Forbidden',
    description: 'This token is not enough: error is insufficient_scope.',
    header: 'WWW-Authenticate',
  },
  404: { name: 'NotFound', description: 'There is no such thing, or it is not of this tenant.' },
  413: { name: 'BodyTooLarge', description: 'The body is over 16 KiB.' },
  415: { name: 'UnsupportedMediaType', description: 'The body is not application/json in UTF-8.' },
  429: { name: 'TooManyRequests', description: 'Too many requests; try again later.', header: 'Retry-After' },
  503: { name: 'Unavailable', description: 'The service is busy; nothing was done.', header: 'Retry-After' },
};

/** An error (RFC 6749 §5.2, RFC 6750 §3). */
const apiError = named('Error', {
  ...exactly('What went wrong.', {
    error: text(
      'The error, for programs. Absent where the request brought no token at all.',
      'invalid_token',
    ),
    error_description: text(
      'The error in words, for developers.',
      'the access token is expired, revoked or not one of ours',
    ),
  }),
  required: ['error_description'],
});

/** What the member API brings to a document. */
export const memberPart = {
  tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
  paths: Object.fromEntries(
    [...apiRoutes, ...namedMemberRoutes.map((route) => [route.url, [route]] as const)].map(
      ([url, routes]) => [
        url.replace(/:(\w+)/g, '{$1}'),
        Object.fromEntries(routes.map((route) => [route.method.toLowerCase(), operationOf(route)])),
      ],
    ),
  ),
  components: {
    securitySchemes: {
      accessToken: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'JWT',
        description: 'An access token of the token endpoint. One place alone: the Authorization header.',
      },
    },
    headers,
    responses: Object.fromEntries(
      Object.values(refusals).map(({ name, description, header }) => {
        const sent = header && { headers: { [header]: { $ref: `#/components/headers/${header}` } } };
        return [name, { description, ...sent, content: json(apiError) }];
      }),
    ),
  },
};

/** The OpenAPI 3.1 document of the member API. */
export function memberDocument(): object {
  return documentOf({ security: [{ accessToken: [] }], ...memberPart });
}

/** A document of the API, with what it describes. */
export function documentOf(described: Written): object {
  return withComponents(
    documented({
      openapi: '3.1.0',
      info: {
        title: 'Member and admin API',
        version: '1.0.0',
        description:
          'Who a member is and what the member has access to, by bearer token. The tenant is the one that issued the token, whichever of its addresses is asked.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [
        { url: '/', description: 'Every domain of a tenant, and the host of the API if there is one.' },
      ],
      ...described,
    }),
  );
}

function operationOf(route: ApiRoute | NamedMemberRoute): object {
  const { operationId, tag, summary, description, params, answer } = route;
  const { querystring, body }: Pick<ApiRoute, 'querystring' | 'body'> = 'tell' in route ? {} : route;
  const refused = [...route.refusals, 401, 429, 503] as const;
  const parameters = [...parametersOf('path', params), ...parametersOf('query', querystring)];
  return {
    operationId,
    security: [{ accessToken: [] }],
    tags: [tag],
    summary,
    description,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: { description: summary, content: json(answer) },
      ...Object.fromEntries(
        refused.map((status) => [status, { $ref: `#/components/responses/${refusals[status].name}` }]),
      ),
    },
  };
}

function parametersOf(place: 'path' | 'query', schema: Schema = {}): readonly object[] {
  const { properties = {}, required = [] } = schema as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: required.includes(name),
    description,
    schema: rest,
  }));
}

/** The schemas of what is sent, for a document: with the rules that it is held to. */
export function withRules(value: unknown): unknown {
  return mapped(value, ({ [heldTo]: rule = {}, ...schema }) => ({
    ...schema,
    ...(rule as Schema),
    ...(schema.secret === true ? { writeOnly: true } : {}),
  }));
}

/**
 * A document whose schemas every generator reads: what is answered may be older than a rule, so it names none, and
 * types that exclude each other are written as `anyOf`, and what another schema is made of as `allOf`. A type that
 * may be null besides stays as it is.
 */
function documented<Document>(document: Document): Document {
  return mapped(document, (schema) => withBase(withoutUnion(withoutOwn(schema)))) as Document;
}

/** A schema without the keywords and formats that are ours; what null means is said with words. */
function withoutOwn(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(([name, value]) => !isOwn(name, value));
  return {
    ...Object.fromEntries(kept),
    ...(typeof schema.nullMeans === 'string' ? { description: describedWith(schema, 'null') } : {}),
  };
}

/** A field may be called as a keyword is, and its value is a schema then; none is called as these two. */
function isOwn(name: string, value: unknown): boolean {
  if (name === heldTo || name === 'enumMeans') return true;
  // The greatest number that JSON writes exactly needs no mention.
  if (name === 'maximum' && value === Number.MAX_SAFE_INTEGER) return true;
  const isKeyword = ownKeywords.some((own) => own === name) || ownFormats.some((own) => own === value);
  return isKeyword && typeof value !== 'object';
}

function mapped(value: unknown, change: (object: Schema) => Schema): unknown {
  if (Array.isArray(value)) return value.map((part) => mapped(part, change));
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.entries(value).map(([name, part]) => [name, mapped(part, change)]);
  return change(Object.fromEntries(parts));
}

/** A schema of another one and what is its own. */
function withBase({ [madeOf]: base, ...schema }: Schema): Schema {
  if (base === undefined) return schema;
  const { properties: inherited, required: demanded = [] } = base as {
    readonly properties: object;
    readonly required?: readonly string[];
  };
  const { properties, additionalProperties: _, required: all = [], ...rest } = schema;
  const own = Object.entries(properties as object).filter(([name]) => !(name in inherited));
  const required = (all as readonly string[]).filter((name) => !demanded.includes(name));
  return {
    ...rest,
    allOf: [base],
    ...(own.length === 0 ? {} : { properties: Object.fromEntries(own) }),
    ...(required.length === 0 ? {} : { required }),
    unevaluatedProperties: false,
  };
}

/** The keywords that speak of one type alone. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  object: ['properties', 'required', 'additionalProperties'],
};

function withoutUnion(schema: Schema): Schema {
  const { type: types, ...rest } = schema;
  if (!Array.isArray(types) || types.filter((type) => type !== 'null').length < 2) return schema;
  const own = (type: string) => Object.entries(rest).filter(([name]) => keywords[type]?.includes(name));
  const taken = new Set(types.flatMap((type) => own(type).map(([name]) => name)));
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !taken.has(name))),
    anyOf: types.map((type) => ({ type, ...Object.fromEntries(own(type)) })),
  };
}
