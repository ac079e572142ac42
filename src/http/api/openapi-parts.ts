/** A body of JSON, as OpenAPI describes one. */
export const json = (schema: object) => ({ 'application/json': { schema } });

const header = (description: string, example: string | number) => ({
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
