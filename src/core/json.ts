// Reads JSON texts strictly.
import { jsonDepth } from './limits.ts';

/**
 * Reads a JSON text strictly: bytes that are not UTF-8 are not guessed at, and a name that stands twice in
 * an object has no one meaning (RFC 8259 §4). Undefined if it is malformed, or nested deeper than is ever needed.
 */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return isNestedTooDeep(text) || repeatsName(text) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** Whether structures stand deeper in each other than `jsonDepth`: what reads a value again may run out of stack there. */
function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (const [token] of text.matchAll(/[[\]{}]|"(?:[^"\\]|\\.)*"/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth > jsonDepth) return true;
  }
  return false;
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
