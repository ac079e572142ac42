// The version of Memberdoor that runs.
import { readFileSync } from 'node:fs';

/** As in package.json. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
