// A tenant file beside the command: read, checked, and its differences in words.
import { isUtf8 } from 'node:buffer';
import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { sha256 } from '../core/hash.ts';
import { leastSecretLength, tenantFile } from '../core/operators/limits.ts';
import { type Problem, problem } from '../core/problem.ts';
import { fieldText } from '../operations/field-changes.ts';
import type { UnderstoodFile } from '../operations/tenant-file/apply.ts';
import { type Change, outcomeOf } from '../operations/tenant-file/change.ts';
import { problemLine, readTenantFile } from '../operations/tenant-file/read.ts';
import {
  type Found,
  isOfPicture,
  type LookUp,
  type ReferenceKind,
  type References,
  referenceName,
} from '../operations/tenant-file/references.ts';
import { reasonOf } from '../system/files.ts';
import { shown, type Terminal, tell } from './terminal.ts';

/** Where a problem is, in the form that editors jump to; the command's name where it has no place in the file. */
export const placeIn = (path: string, { position }: Problem) =>
  position === undefined ? 'memberdoor' : `${path}:${position.line}:${position.column}`;

/** The changes in words, by tenant. */
export function linesOf(changes: readonly Change[]): string {
  const tenants = [...new Set(changes.map(({ tenant }) => tenant))];
  return tenants
    .flatMap((tenant) => [
      `${shown(tenant)}\n`,
      ...changes.filter((change) => change.tenant === tenant).map(textOf),
    ])
    .join('');
}

const signs = { added: '+', changed: '~', ended: '-', kept: '-' } as const;

function textOf(change: Change): string {
  const outcome = outcomeOf(change, 'with --prune');
  const lines = change.fields.map((field) => `      ${shown(fieldText(field, '->'))}\n`);
  const about = outcome === '' ? '' : `: ${outcome}`;
  return [`  ${signs[change.change]} ${change.noun} ${shown(change.name)}${about}\n`, ...lines].join('');
}

/** A tenant file that is sound, with what it refers to. */
export interface LocalFile {
  readonly text: string;
  readonly references: References;
  readonly understood: UnderstoodFile;
}

/**
 * Reads a tenant file, looks up what it refers to, and checks all of it.
 *
 * @param path `-` is the standard input
 * @param environment where variables are looked up; null looks no secret up
 * @param development of a service that has development tenants alone, the port at which they live
 * @returns null where something is wrong; the error output then says all that is
 */
export async function openTenantFile(
  path: string,
  environment: NodeJS.ProcessEnv | null,
  terminal: Terminal,
  development: { readonly port: number } | null = null,
): Promise<LocalFile | null> {
  const given = path === '-' ? { text: await terminal.readInput() } : readText(path);
  if ('problem' in given) {
    tell([`${path}: ${given.problem}`], terminal);
    return null;
  }
  const file = given.text;
  const folder = path === '-' ? '.' : dirname(path);
  const known = new Map<string, Found>();
  const look: LookUp = (kind, name) => {
    const key = referenceName(kind, name);
    const found = known.get(key) ?? lookUp(kind, name, folder, environment);
    known.set(key, found);
    return found;
  };
  const read = readTenantFile(file, look, development);
  if (!read.ok) {
    const problems = read.problems.map((one) => `${path}:${problemLine(one)}`);
    tell(problems, terminal);
    return null;
  }
  const found = [...known].flatMap(([key, one]) => (one.ok ? [[key, one.value] as const] : []));
  return { text: file, references: Object.fromEntries(found), understood: read };
}

function readText(path: string): { readonly text: string } | { readonly problem: string } {
  try {
    // What is too large need not be read to be refused.
    if (statSync(path).size > 2 * tenantFile.bytes) return { text: ' '.repeat(tenantFile.bytes + 1) };
    const bytes = readFileSync(path);
    return isUtf8(bytes) ? { text: new TextDecoder().decode(bytes) } : { problem: 'it is no text in UTF-8' };
  } catch (error) {
    return { problem: `it cannot be read: ${reasonOf(error)}` };
  }
}

function lookUp(
  kind: ReferenceKind,
  name: string,
  folder: string,
  environment: NodeJS.ProcessEnv | null,
): Found {
  if (isOfPicture(kind)) {
    const read = readBytes(folder, name);
    return 'problem' in read ? nowhere(read.problem) : { ok: true, value: pictureOf(read.bytes) };
  }
  // Where secrets are not looked up, two names are two secrets.
  if (environment === null) return { ok: true, value: sha256(referenceName(kind, name)) };
  const isSealed = kind === 'clientSecretFile' || kind === 'clientSecretEnv';
  const take = isSealed ? sealedFrom : secretFrom;
  if (kind === 'secretEnv' || kind === 'clientSecretEnv') {
    const text = Object.hasOwn(environment, name) ? environment[name] : undefined;
    return text === undefined ? nowhere(problem([], 'variable_not_set', { name })) : take(text, name);
  }
  const read = readBytes(folder, name);
  return 'problem' in read ? nowhere(read.problem) : take(read.bytes.toString(), name);
}

/** A secret of a provider, which the service seals: a key has several lines. */
function sealedFrom(text: string, name: string): Found {
  const secret = text.replace(/\r?\n$/, '');
  return /^[!-~\s]+$/.test(secret)
    ? { ok: true, value: secret }
    : nowhere(problem([], 'secret_signs', { name }));
}

const nowhere = (found: Problem): Found => ({ ok: false, problem: found });

function secretFrom(text: string, name: string): Found {
  // One line end belongs to the file, not to the secret.
  const secret = text.replace(/\r?\n$/, '');
  if (!/^[!-~]*$/.test(secret)) return nowhere(problem([], 'secret_signs', { name }));
  return secret.length < leastSecretLength
    ? nowhere(problem([], 'secret_short', { name, least: leastSecretLength }))
    : { ok: true, value: sha256(secret) };
}

/** The largest file that is looked at: no picture and no secret is longer. */
const most = 64 * 1_024;

/**
 * @param folder where the tenant file lies. What lies beside it is opened by a relative path, as the tenant file itself
 * was: the folders above may be closed to this user.
 */
function readBytes(folder: string, name: string): { readonly bytes: Buffer } | { readonly problem: Problem } {
  const path = isAbsolute(name) ? name : join(folder, name);
  const unreadable = (reason: string) => ({ problem: problem([], 'file_unreadable', { name, reason }) });
  try {
    return statSync(path).size > most ? unreadable('it is too large') : { bytes: readFileSync(path) };
  } catch (error) {
    return unreadable(reasonOf(error));
  }
}

/** A picture as a data: URI; whatever begins like no other is taken for an SVG, and looked at as one. */
function pictureOf(bytes: Buffer): string {
  const beginning = bytes.toString('latin1', 0, 12);
  const [type] = beginnings.find(([, pattern]) => pattern.test(beginning)) ?? ['svg+xml'];
  return `data:image/${type};base64,${bytes.toString('base64')}`;
}

/** How files of pictures begin, as Latin-1. */
const beginnings = [
  ['webp', /^RIFF.{4}WEBP/s],
  ['png', /^\u0089PNG/],
  ['jpeg', /^\u00ff\u00d8\u00ff/],
] as const;
