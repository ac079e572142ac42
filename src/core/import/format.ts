/** What kind of file members come in, as its beginning shows, and where its first line begins. */
import { parseJson } from '../json.ts';
import { type Problem, problem } from '../problem.ts';
import { cellsOf } from './csv.ts';
import type { EntryReader, FieldNames, FileRecord, ReadEntry, ReadingOptions } from './entry.ts';
import { namesOfAuth0, readAuth0 } from './formats/auth0.ts';
import { namesOfBetterAuth, readBetterAuth } from './formats/better-auth.ts';
import { namesOfFirebase, readFirebase } from './formats/firebase.ts';
import { namesOfGhost, readGhost } from './formats/ghost.ts';
import { namesOfKeycloak, readKeycloak } from './formats/keycloak.ts';
import { isLogto, namesOfLogto, readLogto } from './formats/logto.ts';
import { readOwn } from './formats/own.ts';
import { columnOf, withOwnNames } from './formats/table.ts';
import { namesOfWordPress, readWordPress } from './formats/wordpress.ts';
import { columnsMost, entryBytes } from './limits.ts';
import { type Layout, type Piece, type Place, splitter } from './split.ts';
import { partOf } from './values.ts';

/** What wrote a file: `own` are our own lines and tables, and those of a table of the operator's. */
export const importFormats = [
  'own',
  'auth0',
  'keycloak',
  'firebase',
  'wordpress',
  'ghost',
  'logto',
  'better-auth',
] as const;

export type ImportFormat = (typeof importFormats)[number];

/** What is known of a file once its beginning was read, and where its members begin. */
export interface FileHead {
  readonly format: ImportFormat;
  readonly layout: Layout['kind'];
  /** What parts the cells of a table, and what its columns are called; empty of JSON. */
  readonly delimiter: string;
  readonly columns: readonly string[];
  readonly begins: Place;
}

export type ReadHead =
  | { readonly ok: true; readonly head: FileHead }
  | { readonly ok: false; readonly problem: Problem };

const readers: Readonly<Record<ImportFormat, EntryReader>> = {
  own: (record, { columns }) => readOwn(withOwnNames(record, columns)),
  auth0: readAuth0,
  keycloak: readKeycloak,
  firebase: readFirebase,
  wordpress: readWordPress,
  ghost: readGhost,
  logto: readLogto,
  'better-auth': readBetterAuth,
};

/** What each system calls its values; our own lines are called as the operator says. */
export const namesOf: Readonly<Record<Exclude<ImportFormat, 'own'>, FieldNames>> = {
  auth0: namesOfAuth0,
  keycloak: namesOfKeycloak,
  firebase: namesOfFirebase,
  wordpress: namesOfWordPress,
  ghost: namesOfGhost,
  logto: namesOfLogto,
  'better-auth': namesOfBetterAuth,
};

/** How a file with this head is cut. */
export const layoutOf = ({ layout, delimiter }: FileHead): Layout =>
  layout === 'records' ? { kind: layout, delimiter: delimiter.charCodeAt(0) } : { kind: layout };

const refused = (found: Problem): ReadHead => ({ ok: false, problem: found });

/**
 * Reads the beginning of a file.
 *
 * @param head so many bytes of it, or all of it
 * @param said the format that the operator says it has; null where it is to be told
 */
export function readHead(
  head: Buffer,
  said: ImportFormat | null,
  { columns: saidColumns }: Pick<ReadingOptions, 'columns'>,
): ReadHead {
  // Spreadsheets put a mark before what they write as UTF-8.
  const mark = head.subarray(0, 3).equals(Buffer.from('\ufeff')) ? 3 : 0;
  const text = decoded(head.subarray(mark), true);
  if (text === null) return refused(problem([], 'not_utf8'));
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) return refused(problem([], 'file_empty'));
  const json = first === '{' || first === '[';
  const found = json ? jsonHead(text, mark) : tableHead(head, mark, saidColumns);
  if (!found.ok) return found;
  const format = said ?? formatOf(found.sample, found.head);
  if (format === null) return refused(problem([], 'format_unknown'));
  const whole = { ...found.head, format };
  const isFit =
    format !== 'own' || json || whole.columns.some((name) => columnOf(name, saidColumns) === 'email');
  if (!isFit) return refused(problem([], 'no_email_column'));
  return { ok: true, head: whole };
}

type Sampled =
  | { readonly ok: true; readonly head: Omit<FileHead, 'format'>; readonly sample: FileRecord }
  | Extract<ReadHead, { ok: false }>;

const unreadable = (): Sampled => ({ ok: false, problem: problem([], 'format_unknown') });

/** JSON: an object a line, a list of objects, or an object with such a list named `users`. */
function jsonHead(text: string, mark: number): Sampled {
  const facts = { delimiter: '', columns: [] };
  const at = (index: number) => ({
    offset: mark + Buffer.byteLength(text.slice(0, index)),
    line: text.slice(0, index).split('\n').length,
  });
  const [line = ''] = /\S.*/.exec(text) ?? [];
  const whole = parseJson(Buffer.from(line));
  // An object that is whole in its line is one of many, unless it has the list in it.
  if (isRecord(whole) && !Array.isArray(whole.users)) {
    return {
      ok: true,
      head: { ...facts, layout: 'lines', begins: { offset: mark, line: 1 } },
      sample: whole,
    };
  }
  const list = /^\s*\[/.exec(text) ?? usersIn(text);
  if (list === null) return unreadable();
  const begins = at(list.index + list[0].length);
  const [entry] = [
    ...splitter({ kind: 'elements' }, begins).push(Buffer.from(text.slice(list.index + list[0].length))),
  ];
  const sample = entry?.bytes == null ? null : parseJson(entry.bytes);
  const isOfRealm = /"realm"\s*:/.test(text.slice(0, list.index));
  return {
    ok: true,
    head: { ...facts, layout: 'elements', begins },
    sample: { ...(isRecord(sample) ? sample : {}), ...(isOfRealm ? { realm: true } : {}) },
  };
}

/** The list named `users` in an object, at its first level: one in a text or in an object within is none. */
function usersIn(text: string): RegExpExecArray | null {
  // A text that is cut off is one token as well: else each quote in it would be tried as the beginning of one.
  const tokens = /"(?:[^"\\]|\\.)*"?|[{}[\]]/gs;
  let depth = 0;
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token[0] === '{' || token[0] === '[') depth += 1;
    else if (token[0] === '}' || token[0] === ']') depth -= 1;
    else if (depth === 1 && token[0] === '"users"') {
      const list = /^"users"\s*:\s*\[/.exec(text.slice(token.index));
      if (list !== null) return Object.assign(list, { index: token.index });
    }
  }
  return null;
}

/** A table: its first record says what the columns are called, and which sign parts them. */
function tableHead(head: Buffer, mark: number, said: Readonly<Record<string, string>>): Sampled {
  for (const delimiter of [',', ';', '\t', '|']) {
    const found = recordsOf(head, mark, delimiter);
    const record = found[0];
    const text = record?.bytes == null ? null : decoded(record.bytes, false);
    if (record === undefined || text === null) continue;
    const columns = cellsOf(text, delimiter).map((name) => name.trim());
    const isOne = columns.some((name) => columnOf(name, said) !== null || /^(?:user_email|ID)$/.test(name));
    if (!isOne || (columns.length === 1 && delimiter !== '|' && /[;\t|]/.test(columns[0] ?? ''))) continue;
    if (columns.length > columnsMost) {
      return { ok: false, problem: problem([], 'too_many_columns', { most: columnsMost }) };
    }
    const twice = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index);
    if (twice !== undefined) {
      return { ok: false, problem: problem([], 'columns_alike', { name: twice.slice(0, 64) }) };
    }
    const begins = { offset: record.end, line: record.nextLine };
    const sample = Object.fromEntries(columns.map((name) => [name, '']));
    return { ok: true, head: { layout: 'records', delimiter, columns, begins }, sample };
  }
  return unreadable();
}

function recordsOf(head: Buffer, mark: number, delimiter: string): readonly Piece[] {
  const cutter = splitter({ kind: 'records', delimiter: delimiter.charCodeAt(0) }, { offset: mark, line: 1 });
  return [...cutter.push(head.subarray(mark)), ...cutter.end()];
}

/** What wrote a file, as far as the names in its first member are sure to tell; null if that is no one known. */
function formatOf(sample: FileRecord, { layout }: Pick<FileHead, 'layout'>): ImportFormat | null {
  const has = (...names: readonly string[]) => names.some((name) => Object.hasOwn(sample, name));
  if (has('user_email', 'user_pass')) return 'wordpress';
  if (has('subscribed_to_emails', 'complimentary_plan', 'stripe_customer_id')) return 'ghost';
  if (has('localId')) return 'firebase';
  if (isLogto(sample)) return 'logto';
  if (has('custom_password_hash', 'user_id') || has('_id', 'email_verified')) return 'auth0';
  if (has('realm') || (has('username') && has('credentials', 'createdTimestamp', 'emailVerified')))
    return 'keycloak';
  if (hasAccountsOfBetterAuth(sample) || (has('emailVerified') && has('image'))) return 'better-auth';
  return layout === 'records' || has('email') ? 'own' : null;
}

/** Our own lines have accounts too, which are called otherwise. */
const hasAccountsOfBetterAuth = ({ accounts }: FileRecord): boolean =>
  Array.isArray(accounts) && accounts.some((one) => partOf(one, 'providerId') !== undefined);

/** Stands for a piece that is no UTF-8 where texts travel: no line may be this. */
export const notUtf8 = '\u0000';

/** The object that a piece of a file with this head is. */
export function recordOf(
  { bytes }: Pick<Piece, 'bytes'>,
  { layout, delimiter, columns }: FileHead,
): { readonly ok: true; readonly record: FileRecord } | Extract<ReadEntry, { ok: false }> {
  const wrong = (found: Problem) => ({ ok: false, problems: [found] }) as const;
  if (bytes === null) return wrong(problem([], 'line_too_long', { most: entryBytes / 1_024 }));
  const text = decoded(bytes, false);
  if (text === null || text === notUtf8) return wrong(problem([], 'not_utf8'));
  if (layout !== 'records') {
    const value = parseJson(bytes);
    return isRecord(value) ? { ok: true, record: value } : wrong(problem([], 'not_json_object'));
  }
  const cells = cellsOf(text, delimiter);
  if (cells.length !== columns.length) {
    return wrong(problem([], 'cells', { count: cells.length, columns: columns.length }));
  }
  return { ok: true, record: Object.fromEntries(columns.map((name, index) => [name, cells[index]])) };
}

/** Reads the piece of a file that has this head. */
export function readPiece(piece: Pick<Piece, 'bytes'>, head: FileHead, options: ReadingOptions): ReadEntry {
  const found = recordOf(piece, head);
  return found.ok ? readRecord(found.record, head, options) : found;
}

/** Reads the object that a piece is. */
export const readRecord = (
  record: FileRecord,
  { format }: Pick<FileHead, 'format'>,
  options: ReadingOptions,
): ReadEntry => readers[format](record, options);

/** Bytes as a text, or null if they are no UTF-8. @param isCut whether the last letter may be half there */
export function decoded(bytes: Buffer, isCut: boolean): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut });
  } catch {
    return null;
  }
}

const isRecord = (value: unknown): value is FileRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
