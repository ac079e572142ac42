// Reads forms, queries and bodies of JSON strictly.
import type { FastifyRequest } from 'fastify';
import { parseJson } from '../core/json.ts';
import { protocolError } from './answers.ts';

/** The parameters of a form or a query: every value of every name, in order. */
export type Form = ReadonlyMap<string, readonly string[]>;

/**
 * Reads `application/x-www-form-urlencoded` (WHATWG URL §5.1), strictly: what is not UTF-8, or not
 * percent-encoding, is not guessed at, and null is returned.
 */
export function parseForm(text: string): Form | null {
  const form = new Map<string, string[]>();
  // Bytes that are no UTF-8 have become U+FFFD by now; a well-behaved client encodes a real one.
  if (text.includes('\ufffd')) return null;
  try {
    for (const pair of text.split('&')) {
      if (pair === '') continue;
      const at = pair.indexOf('=');
      const name = decode(at === -1 ? pair : pair.slice(0, at));
      const value = at === -1 ? '' : decode(pair.slice(at + 1));
      const values = form.get(name);
      if (values === undefined) form.set(name, [value]);
      else values.push(value);
    }
    return form;
  } catch {
    return null;
  }
}

/** Most of what clients send has nothing to decode, and to see that is quicker. */
const decode = (text: string) => (/[%+]/.test(text) ? decodeURIComponent(text.replaceAll('+', ' ')) : text);

/** The query of a request as a form; null if it is malformed. */
export function queryOf(request: FastifyRequest): Form | null {
  const url = request.raw.url ?? '';
  const at = url.indexOf('?');
  return at === -1 ? new Map() : parseForm(url.slice(at + 1));
}

/** The form in the body of a request; null if there is none, or it is malformed. */
export const bodyForm = ({ body }: FastifyRequest): Form | null => (body instanceof Map ? body : null);

/** The parameters of a request that may come as GET or as form POST, to the same effect; null if malformed. */
export const sentForm = (request: FastifyRequest): Form | null =>
  request.method === 'POST' ? bodyForm(request) : queryOf(request);

/** The one parameter that may be sent several times (RFC 8707 §2): its values stand in one text, with spaces between. */
const several = 'resource';

/**
 * One value a name: the first of each, where an empty one counts as absent, and the names that came more
 * than once (decision 11). Names that were not asked for are ignored.
 */
export function pick<Name extends string>(form: Form, names: readonly Name[]) {
  const values: Partial<Record<Name, string>> = {};
  const repeated: Name[] = [];
  for (const name of names) {
    const sent = form.get(name) ?? [];
    if (name === several) {
      const given = sent.filter((value) => value !== '').map((value) => value.replaceAll(' ', '%20'));
      if (given.length > 0) values[name] = given.join(' ');
      continue;
    }
    if (sent.length > 1) repeated.push(name);
    if (sent[0] !== undefined && sent[0] !== '') values[name] = sent[0];
  }
  return { values, repeated };
}

/** The form of a protocol request, each known parameter at most once. @throws ProtocolError `invalid_request` */
export function protocolForm<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  if (request.body === null) throw protocolError('invalid_request', 'the form is malformed');
  const form = bodyForm(request);
  if (form === null) {
    throw protocolError('invalid_request', 'the body must be application/x-www-form-urlencoded');
  }
  const { values, repeated } = pick(form, names);
  if (repeated.length > 0) throw protocolError('invalid_request', `${repeated[0]} was sent more than once`);
  return values;
}

/** The body of a page's form; anything else is an empty one, which every page answers with itself. */
export function pageForm<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  return pick(bodyForm(request) ?? new Map(), names).values;
}

/** The query of a page; a malformed one is an empty one. */
export function pageQuery<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  return pick(queryOf(request) ?? new Map(), names).values;
}

/** The body of an API's request (`parseJson`). @throws ProtocolError `invalid_request` */
export function jsonBody(bytes: Buffer): unknown {
  const value = parseJson(bytes);
  if (value === undefined) {
    throw protocolError('invalid_request', 'the body is no JSON in which every name stands once');
  }
  return value;
}
