// Reads bodies of JSON strictly.
import type { FastifyInstance } from 'fastify';
import { jsonBodyBytes } from '../../core/limits.ts';
import { protocolError } from '../answers.ts';

/**
 * Lets the routes of a scope take bodies of JSON, and nothing else: `application/json`, alone or with
 * `charset=utf-8` (RFC 8259 §8.1, §11). What the scope above takes, such as forms, it takes no more.
 */
export function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/json(?:; charset="utf-8")?$/i,
    { parseAs: 'buffer', bodyLimit: jsonBodyBytes },
    async (_request: unknown, bytes: Buffer) => {
      const value = parseJson(bytes);
      if (value === undefined) {
        throw protocolError('invalid_request', 'the body is no JSON in which every name stands once');
      }
      return value;
    },
  );
}

/**
 * Reads a JSON text strictly: bytes that are not UTF-8 are not guessed at, and a name that stands twice in
 * an object is refused, since it has no one meaning (RFC 8259 §4).
 *
 * @returns undefined if it is malformed; it never throws
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return repeatsName(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether an object in a JSON text, which must be well-formed, has a name twice, however it is written. */
function repeatsName(text: string): boolean {
  const open: Set<string>[] = [];
  for (const [token] of text.matchAll(/[{}]|"(?:[^"\\]|\\.)*"\s*:?/g)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (token.endsWith(':')) {
      const name: unknown = JSON.parse(token.slice(0, -1));
      const names = open.at(-1);
      if (names?.has(String(name))) return true;
      names?.add(String(name));
    }
  }
  return false;
}
