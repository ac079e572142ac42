/** A file of members on its way in: what was sent of it, how far it was read, and what came of its lines. */

import type { Source } from '../operators/audit-event.ts';
import { type Problem, problem } from '../problem.ts';
import type { ReadingOptions } from './entry.ts';
import type { FileHead, ImportFormat } from './format.ts';
import { fileNameLength } from './limits.ts';

/** What is done with a line whose address a member has already. */
export const existingWays = ['skip', 'update'] as const;

/** What the operator says of a file and of what is to be done with it. */
export interface ImportOptions extends ReadingOptions {
  /** null where it is to be told from the file. */
  readonly format: ImportFormat | null;
  readonly existing: (typeof existingWays)[number];
  /** Whether new members without a password are mailed an invitation to choose one. */
  readonly mail: boolean;
  /** Whether hashes are taken that make each sign-in at the tenant take much longer. */
  readonly slowHashes: boolean;
}

/** What came of the lines that were read, in numbers. */
export interface ImportCounts {
  readonly added: number;
  readonly changed: number;
  readonly skipped: number;
  readonly refused: number;
}

/** What the service has to do with a file that was uploaded: `check` and `take` are work, the others wait for a person. */
const importWorks = ['none', 'receive', 'check', 'checked', 'take', 'stopped'] as const;

/** What would become of the lines of a file, as far as it was tried. */
export interface ImportTrial extends ImportCounts {
  readonly readTo: number;
  /** The line there. This version begins anew; the one before, which may run beside it, goes on from here. */
  readonly line: number;
  /** How many of the new members bring no password. */
  readonly withoutPassword: number;
  /** The first of the refused. */
  readonly refusedLines: readonly RefusedLine[];
  /** The columns of the file, or names in its lines, that mean nothing here; left out by trials of earlier versions. */
  readonly notTaken?: readonly string[];
}

/** A file on its way in. Times are ms since the epoch. */
export interface Import extends ImportCounts {
  /** UUIDv7 */
  readonly id: string;
  readonly tenantId: string;
  /** As its sender calls it. */
  readonly fileName: string;
  /** SHA-256 of all of it in base64url, and its length: the same file goes on where it was. */
  readonly fileHash: string;
  readonly fileBytes: number;
  /** How much of it is here. */
  readonly received: number;
  /** What its sender calls the sending that this is of; null where nothing was said. */
  readonly sending: string | null;
  readonly options: ImportOptions;
  /** What its beginning says; null until it was read. */
  readonly head: FileHead | null;
  /** `none` where the command takes it in, or nothing is left to do. */
  readonly work: (typeof importWorks)[number];
  /** What came of trying it; null before. */
  readonly trial: ImportTrial | null;
  /** How many of the new members were mailed an invitation. */
  readonly invited: number;
  /** How much of it was read, and the line that reading goes on in. */
  readonly readTo: number;
  readonly line: number;
  /** Who began it, and is told of in the audit at its end. */
  readonly actorKind: Source['actorKind'];
  readonly actorId: string | null;
  readonly actorAddress: string | null;
  readonly createdAt: number;
  /** When members began to move in; null before. */
  readonly startedAt: number | null;
  /** When all of it was read, or it was given up; null before. */
  readonly endedAt: number | null;
  /** Why it was given up; null if it was not, or by who began it. */
  readonly failure: Problem | null;
}

/** What is wrong with what a file is said to be called; nothing where that is not said. */
export function fileNameProblems(field: string, name = ''): readonly Problem[] {
  if (name.length > fileNameLength) return [problem(field, 'too_long', { most: fileNameLength })];
  return /\p{Cc}/u.test(name) ? [problem(field, 'unfit')] : [];
}

/** The name of a file on a disk as a line of text. */
export const fileNameOf = (name: string): string =>
  name
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, fileNameLength) || 'members';

/** Where an import is. */
export const importPhases = [
  'receiving',
  'checking',
  'checked',
  'running',
  'stopped',
  'done',
  'failed',
  'cancelled',
] as const;
export type ImportPhase = (typeof importPhases)[number];

const phaseOfWork = {
  none: 'running',
  receive: 'receiving',
  check: 'checking',
  checked: 'checked',
  take: 'running',
  stopped: 'stopped',
} as const satisfies Readonly<Record<Import['work'], ImportPhase>>;

export function phaseOf({
  work,
  fileBytes,
  endedAt,
  failure,
  readTo,
}: Pick<Import, 'work' | 'fileBytes' | 'endedAt' | 'failure' | 'readTo'>): ImportPhase {
  if (failure !== null) return 'failed';
  if (endedAt !== null) return readTo < fileBytes ? 'cancelled' : 'done';
  return phaseOfWork[work];
}

/** A line that was refused, and everything that is wrong with it. */
export interface RefusedLine {
  readonly line: number;
  readonly problems: readonly Problem[];
}
