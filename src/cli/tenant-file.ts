// Opens a tenant file on this machine, with the files and variables that it refers to.
import { readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { sha256 } from '../core/hash.ts';
import { leastSecretLength, tenantFile } from '../core/operators/limits.ts';
import { type Problem, problem } from '../core/problem.ts';
import { problemLine, readTenantFile } from '../operations/tenant-file/read.ts';
import {
  type Found,
  type LookUp,
  type ReferenceKind,
  referenceName,
} from '../operations/tenant-file/references.ts';
import type { Terminal } from './terminal.ts';

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A tenant file on this machine, with what it refers to. */
export type LocalFile =
  | { readonly ok: true; readonly file: string; readonly references: Readonly<Record<string, string>> }
  /** Each with the file before it. */
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads a tenant file, looks up what it refers to, and checks all of it.
 *
 * @param path `-` is the standard input
 * @param environment where variables are looked up; null looks no secret up
 */
export async function openTenantFile(
  path: string,
  environment: Environment | null,
  terminal: Terminal,
): Promise<LocalFile> {
  const file = path === '-' ? await terminal.readInput() : readText(path);
  if (file === null)
    return { ok: false, problems: [`${path}: there is no such file, or it is no text in UTF-8`] };
  const { lookUp, found } = createLookUp(path === '-' ? '.' : dirname(path), environment);
  const read = readTenantFile(file, lookUp);
  if (read.ok) return { ok: true, file, references: found() };
  return { ok: false, problems: read.problems.map((one) => `${path}:${problemLine(one)}`) };
}

/** @returns null if it cannot be read, or is not UTF-8 */
function readText(path: string): string | null {
  try {
    // What is too large need not be read to be refused.
    if (statSync(path).size > 2 * tenantFile.bytes) return ' '.repeat(tenantFile.bytes + 1);
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch {
    return null;
  }
}

/** Looks everything up once, and remembers what was found. */
function createLookUp(
  folder: string,
  environment: Environment | null,
): { readonly lookUp: LookUp; readonly found: () => Readonly<Record<string, string>> } {
  const known = new Map<string, Found>();
  return {
    lookUp: (kind, name) => {
      const key = referenceName(kind, name);
      const found = known.get(key) ?? lookUpNow(kind, name, folder, environment);
      known.set(key, found);
      return found;
    },
    found: () =>
      Object.fromEntries([...known].flatMap(([key, found]) => (found.ok ? [[key, found.value]] : []))),
  };
}

function lookUpNow(
  kind: ReferenceKind,
  name: string,
  folder: string,
  environment: Environment | null,
): Found {
  if (kind === 'logoFile') {
    const bytes = readBytes(resolve(folder, name));
    return bytes === null
      ? nowhere(problem([], 'file_unreadable', { name }))
      : { ok: true, value: pictureOf(bytes) };
  }
  // Where secrets are not looked up, two names are two secrets.
  if (environment === null) return { ok: true, value: sha256(referenceName(kind, name)) };
  const variable = Object.hasOwn(environment, name) ? environment[name] : undefined;
  const text = kind === 'secretEnv' ? variable : readBytes(resolve(folder, name))?.toString();
  if (text === undefined) {
    return nowhere(problem([], kind === 'secretEnv' ? 'variable_not_set' : 'file_unreadable', { name }));
  }
  // One line end belongs to the file, not to the secret.
  return secretFrom(text.replace(/\r?\n$/, ''), name);
}

const nowhere = (found: Problem): Found => ({ ok: false, problem: found });

function secretFrom(secret: string, name: string): Found {
  if (!/^[!-~]*$/.test(secret)) return nowhere(problem([], 'secret_signs', { name }));
  return secret.length < leastSecretLength
    ? nowhere(problem([], 'secret_short', { name, least: leastSecretLength }))
    : { ok: true, value: sha256(secret) };
}

/** The largest file that is looked at: no picture and no secret is longer. */
const most = 64 * 1_024;

function readBytes(path: string): Buffer | null {
  try {
    return statSync(path).size > most ? null : readFileSync(path);
  } catch {
    return null;
  }
}

/** A picture as a data: URI; whatever begins like no other is taken for an SVG, and looked at as one. */
function pictureOf(bytes: Buffer): string {
  const beginning = bytes.toString('latin1', 0, 12);
  const isWebp = beginning.startsWith('RIFF') && beginning.endsWith('WEBP');
  const type = isWebp ? 'webp' : beginning.startsWith('\u0089PNG') ? 'png' : 'svg+xml';
  return `data:image/${type};base64,${bytes.toString('base64')}`;
}
