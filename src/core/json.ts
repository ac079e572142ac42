// Reads JSON texts strictly.

/**
 * Reads a JSON text strictly: bytes that are not UTF-8 are not guessed at, and a name that stands twice in
 * an object has no one meaning (RFC 8259 §4). Undefined if it is malformed.
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
