// Turns an operation into a request of the admin API.
import type { Operation } from '../operations/admin/operation.ts';

/** An operation as a request of the admin API. */
export interface OperationRequest {
  readonly method: Operation['method'];
  /** Below the address of the admin API, with its query. */
  readonly path: string;
  /** JSON; null for none. */
  readonly body: string | null;
}

/** Spreads an input over path, query and body as the API documents it. */
export function requestOf(operation: Operation, input: Readonly<Record<string, unknown>>): OperationRequest {
  const { method } = operation;
  const inPath = new Set<string>();
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_place, name: string) => {
    inPath.add(name);
    return encodeURIComponent(String(input[name]));
  });
  const rest = Object.entries(input).filter(([name]) => !inPath.has(name));
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const query = new URLSearchParams(
    rest.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)])),
  );
  return { method, path: query.size === 0 ? path : `${path}?${query}`, body: null };
}
