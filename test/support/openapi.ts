import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { memberDocument } from '../../src/http/api/openapi.ts';
import type { Answer } from './http.ts';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}

/** What tests read of the OpenAPI document. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> };
}

/** The part of the member API. */
const document = memberDocument() as unknown as Document;

/** What members' own clients call; what names its member takes other tokens. */
const paths = Object.entries(document.paths).filter(([path]) => !path.includes('{memberId}'));

/** An operation, with what a good request to it needs. */
export interface ApiCall {
  /** Method and path, as the document writes them. */
  readonly name: string;
  readonly operationId: string;
  readonly method: string;
  /** The path with values in it, and the query that it must have. */
  readonly address: string;
  readonly body: object | null;
  /** The name of the schema of its answer. */
  readonly schema: string;
}

const bodies: Readonly<Record<string, object>> = {
  answerConsent: { status: 'accepted' },
  answerConsents: { consents: [{ id: 'offers', status: 'withdrawn' }] },
};

/** An answer that stands in its place, or among the components. */
const answerOf = (answer: Response | undefined): Response | undefined =>
  answer?.$ref === undefined ? answer : (partOf(document, answer.$ref) as Response);

const addressOf = (path: string) =>
  path.replace('{consentId}', 'newsletter') + (path.endsWith('/explain') ? '?channel=sport' : '');

/** Every operation of the document. */
export const operations: readonly ApiCall[] = paths.flatMap(([path, item]) =>
  Object.entries(item).map(([method, { operationId, responses }]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operationId,
    method: method.toUpperCase(),
    address: addressOf(path),
    body: bodies[operationId] ?? null,
    schema: answerOf(responses['200'])?.content?.['application/json']?.schema.$ref.split('/').at(-1) ?? '',
  })),
);

/** Every address of the document, with the methods that it lists there. */
export const addresses = paths.map(([path, item]) => ({
  address: addressOf(path),
  methods: Object.keys(item).map((method) => method.toUpperCase()),
}));

/** A document with what its references name in their places. */
export function resolved<Document extends object>(document: Document): Document {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...words } = value as { readonly $ref?: string };
    const own = Object.fromEntries(Object.entries(words).map(([name, part]) => [name, within(part)]));
    return $ref === undefined ? own : { ...(within(partOf(document, $ref)) as object), ...own };
  };
  return within(document) as Document;
}

/** What a reference names. @throws if there is no such part */
export function partOf(document: object, $ref: string): unknown {
  let part: unknown = document;
  for (const name of $ref.split('/').slice(1)) part = (part as Readonly<Record<string, unknown>>)[name];
  if (part === undefined) throw new Error(`nothing is at ${$ref}`);
  return part;
}

/** The validators that were asked for: to compile one takes longer than what it is asked. */
const validators = new Map<string, ValidateFunction>();

/** A validator of the schema of this name, strict about the schema too. */
export function validatorOf(name: string): ValidateFunction {
  const known = validators.get(name) ?? validatorFor(name);
  validators.set(name, known);
  return known;
}

function validatorFor(name: string): ValidateFunction {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  addFormats.default(ajv);
  const schemas: unknown = JSON.parse(
    JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
  );
  return ajv.compile({ $defs: schemas, $ref: `#/$defs/${name}` });
}

/** Holds an answer to a schema. */
export function expectValid(validate: ValidateFunction, answer: Answer): void {
  validate(answer.json());
  expect({ text: answer.text, errors: validate.errors }).toEqual({ text: answer.text, errors: null });
}
