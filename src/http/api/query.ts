// Reads the query of a request for its schema.
import type { FastifyInstance } from 'fastify';
import { queryOf } from '../form.ts';

/**
 * Gives the routes of a scope their query, for their schemas to hold: an empty value counts as absent, and one
 * sent twice stays a list, which no schema lets through (decision 11). A malformed query is null.
 */
export function readQueries(app: FastifyInstance): void {
  app.addHook('preValidation', async (request) => {
    const form = queryOf(request);
    request.query =
      form === null
        ? null
        : Object.fromEntries(
            [...form].flatMap(([name, values]) => {
              const value = values.length > 1 ? values : values[0];
              return value === '' ? [] : [[name, value]];
            }),
          );
  });
}
