// Loads the libraries that are tried, from this folder's own packages.
import { readFileSync } from 'node:fs';

/** A module of a package of this folder; the project itself does not have them, so that the caller names what it uses. */
export async function library<Module>(name: string): Promise<Module> {
  return (await import(name)) as Module;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
}

/** The exact version of each library that is tried; what they need beside them is under `devDependencies`. */
export const versions = (
  JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as Manifest
).dependencies;
