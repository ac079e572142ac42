// Reads the input of an operation from a request of the admin API.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { problem } from '../../core/problem.ts';
import { invalid, refuseIfAny } from '../../operations/refusal.ts';
import { protocolError } from '../answers.ts';
import { parseJson } from '../api/json-body.ts';
import { queryOf } from '../form.ts';

/** Lets the routes of a scope take JSON, or no body at all whatever its type is said to be; nothing else. */
export function takeJsonOrNothing(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json *(?:; *charset="?utf-8"?)?$/i,
    { parseAs: 'buffer' },
    async (_request: unknown, bytes: Buffer) => {
      if (bytes.length === 0) return {};
      const value = parseJson(bytes);
      if (value === undefined) {
        throw protocolError('invalid_request', 'the body is no JSON in which every name stands once');
      }
      return value;
    },
  );
}

/**
 * The input of an operation: the fields of path, query and body together. In the query one that is sent several
 * times is a list; an empty value is an empty text, which most fields refuse.
 *
 * @throws OperationRefused if a field is in two places, since either may be meant
 */
export function inputOf(request: FastifyRequest): Readonly<Record<string, unknown>> {
  const query = queryOf(request);
  if (query === null) throw invalid([], 'query_malformed');
  // No body is one thing, and `null` in JSON another.
  const body = request.body === undefined ? {} : request.body;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid([], 'not_an_object');
  }
  const fields = [
    ...Object.entries(request.params as Readonly<Record<string, string>>),
    ...[...query].map(([name, values]) => [name, values.length > 1 ? values : values[0]] as const),
    ...Object.entries(body),
  ];
  const names = fields.map(([name]) => name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  refuseIfAny([...twice].map((name) => problem(name, 'sent_twice')));
  return Object.fromEntries(fields);
}
