// What the room does for programs and for the forms of its pages: one description of each deed, and how all are served.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { refusal } from '../../core/decision.ts';
import { type Schema, typesOf } from '../../operations/json-schema.ts';
import { problemLine } from '../../operations/problem-text.ts';
import { schemaCheck } from '../../operations/schema-problems.ts';
import { apiErrorHandler, protocolError, sendJson, sendRefusal } from '../answers.ts';
import { jsonBody, queryOf } from '../form.ts';
import { carryReference } from '../request-log.ts';
import { standingOf } from './guard.ts';

/** Everything of the room stands below this address. */
export const roomUrl = '/rehearsal';

/** Something that a program, or a button of the room, asks for. */
export interface Deed<Input = never> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below the room's address, with parameters as Fastify writes them; they are fields too. */
  readonly path: string;
  readonly fields: Schema<Input>;
  /** @returns what is answered as JSON; a form is led back to its page */
  run(input: Input, request: FastifyRequest, reply: FastifyReply): Promise<object> | object;
}

/** A deed with its type left to its fields. */
export const deed = <Input>(given: Deed<Input>): Deed => given as unknown as Deed;

/** A deed that cannot be done as things are now. */
export class DeedRefused extends Error {
  override readonly name = 'DeedRefused';
  readonly status: number;

  /** @param why without a full stop */
  constructor(why: string, status = 409) {
    super(why);
    this.status = status;
  }
}

/** A deed that is about the whole service is refused where the service has a tenant that is no development tenant. */
export const notAlone = (what: string): DeedRefused =>
  new DeedRefused(`${what} is of the whole service, which has a tenant that is no development tenant`);

/** Keeps all of a scope to those who may use the room: for others its addresses are as any where there is nothing. */
export function keepToRoom(scope: FastifyInstance): void {
  scope.addHook('onRequest', async (request, reply) => keepOut(request, reply));
}

/** @returns the answer to those who may not use it */
export function keepOut(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
  const standing = standingOf(request);
  if (standing === 'ours') return undefined;
  if (standing === 'foreign') {
    return sendRefusal(reply, refusal('access_denied', 'a page of another site may not do this'), 403);
  }
  reply.callNotFound();
  return reply;
}

/** Those who look at the pages of the room, and are to see what deeds do. */
export interface Onlookers {
  /** A deed begins: what the last one had to say is over. */
  begins(tenantId: string): void;
  /** What a form asked for was refused: its page says why. */
  refused(tenantId: string, why: string): void;
  /** Something may be another now. */
  done(tenantId: string): void;
}

/** Serves deeds, by JSON and by forms. */
export function serveDeeds(scope: FastifyInstance, deeds: readonly Deed[], onlookers: Onlookers): void {
  keepToRoom(scope);
  scope.addHook('preHandler', async ({ method, tenant }) => {
    if (method !== 'GET' && method !== 'HEAD') onlookers.begins(tenant.id);
  });
  scope.addHook('onResponse', async ({ method, tenant }) => {
    if (tenant !== undefined && method !== 'GET' && method !== 'HEAD') onlookers.done(tenant.id);
  });
  carryReference(scope);
  scope.addContentTypeParser(
    /^application\/json *(?:; *charset="?utf-8"?)?$/i,
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => (bytes.length === 0 ? {} : jsonBody(bytes)),
  );
  scope.setErrorHandler((error: Error, request, reply) => {
    if (!(error instanceof DeedRefused)) return apiErrorHandler(error as never, request, reply);
    const { message, status } = error;
    const back = backOf(request);
    if (back !== null) {
      onlookers.refused(request.tenant.id, `${message}.`);
      return reply.redirect(back, 303);
    }
    return sendJson(
      reply,
      { error: status === 404 ? 'not_found' : 'conflict', error_description: message },
      status,
    );
  });
  for (const path of new Set(deeds.map((one) => one.path))) {
    const own = deeds.filter((one) => one.path === path);
    scope.refuseOthers(scope, roomUrl + path, own.map(({ method }) => method) as HTTPMethods[], keepOut);
    for (const one of own) serveDeed(scope, one);
  }
}

function serveDeed(scope: FastifyInstance, { method, path, fields, run }: Deed): void {
  const check = schemaCheck(fields, false, 1);
  scope.route({
    method: method === 'GET' ? ['GET', 'HEAD'] : method,
    url: roomUrl + path,
    handler: async (request, reply) => {
      const input = inputOf(request, fields);
      const problems = check(input);
      if (problems.length > 0) throw protocolError('invalid_request', plain(problemLine(problems)));
      const answer = await run(input as never, request, reply);
      if (reply.sent) return reply;
      const back = backOf(request);
      return back === null ? sendJson(reply, answer) : reply.redirect(back, 303);
    },
  });
}

/** Where a form came from; null for what is no form. */
function backOf({ body }: FastifyRequest): string | null {
  if (!(body instanceof Map)) return null;
  const [page = roomUrl] = (body as Map<string, readonly string[]>).get(backField) ?? [];
  // As a browser reads it: without line breaks, and with the steps up taken.
  const here = 'http://localhost';
  const read = URL.canParse(page, here) ? new URL(page, here) : null;
  if (read?.origin !== here || !/^\/rehearsal(?:\/|$)/.test(read.pathname)) return roomUrl;
  return read.pathname + read.search + read.hash;
}

/** The field of a form that names the page of the room which it leads back to. */
const backField = 'back';

/** Path, query and body together. What a form says is a text: it is read as its schema has it. */
function inputOf(request: FastifyRequest, { properties = {} }: Schema): Readonly<Record<string, unknown>> {
  const { body } = request;
  if (body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) {
    throw protocolError('invalid_request', 'the body must be an object, or a form');
  }
  const isForm = body instanceof Map;
  const forms = [...(queryOf(request) ?? []), ...(isForm ? (body as Map<string, readonly string[]>) : [])];
  const read = forms.flatMap(([name, values]) => {
    if (isForm && name === backField) return [];
    const schema = properties[name];
    const value = values.length === 1 ? (values[0] ?? '') : values;
    return [[name, schema === undefined || typeof value !== 'string' ? value : readText(value, schema)]];
  });
  return {
    ...Object.fromEntries(read),
    ...(isForm ? {} : (body as object | undefined)),
    ...(request.params as object),
  };
}

function readText(text: string, schema: Schema): unknown {
  const types = typesOf(schema);
  if (text === '' && types.includes('null')) return null;
  if (types.includes('boolean') && /^(?:true|false)$/.test(text)) return text === 'true';
  if (types.some((type) => type === 'integer' || type === 'number') && /^-?\d{1,15}(?:\.\d+)?$/.test(text)) {
    return Number(text);
  }
  return text;
}

/** What may stand in an error_description (RFC 6749 §5.2; H17). */
const plain = (text: string) =>
  text
    .replaceAll('"', "'")
    .replaceAll('\\', '/')
    .replaceAll(/[^ -~]/g, '?');
