// Where the details of members are found: in rows, and in the bytes of files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { hashEmail } from '../../../src/core/members/member-limits.ts';

/** A member, with what only this one is known by. */
export interface Person {
  readonly id: string;
  readonly email: string;
  readonly details: Readonly<Record<string, string>>;
  /** Whether there is an invoice: the law asks that its addressee stays. */
  readonly hasInvoice: boolean;
}

/** What every detail looks like that a person may have. */
const marks = /zq[0-9a-f]{10}|491511\d{7}|10\.1\d\d\.1\d\d\.1\d\d|2001:db8(?::[1-9a-f][0-9a-f]{3}){6}/gi;

const ids = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** What of a detail is searched for, in lower case. */
const markIn = (detail: string) => detail.match(marks)?.[0].toLowerCase() ?? detail;

/** Reads the database of a folder beside the service. */
export function ask<T>(folder: string, query: (file: SQLite.Database) => T): T {
  const file = new SQLite(join(folder, 'memberdoor.db'), { readonly: true });
  try {
    return query(file);
  } finally {
    file.close();
  }
}

/** A row with its table, as text. */
interface Row {
  readonly table: string;
  readonly text: string;
}

function rowsOf(folder: string): readonly Row[] {
  return ask(folder, (file) => {
    const tables = file.prepare("select name from sqlite_schema where type = 'table'").pluck().all();
    return tables.flatMap((table) =>
      file
        .prepare(`select * from "${table}"`)
        .all()
        .map((row) => ({
          table: String(table),
          text: Object.values(row as object)
            .map(textOf)
            .join('\n'),
        })),
    );
  });
}

const textOf = (value: unknown) => (Buffer.isBuffer(value) ? value.toString('latin1') : String(value));

/** The kinds of details that rows hold, each with its table. */
export function tracesInRows(folder: string, people: readonly Person[]): readonly string[] {
  const owners = ownersOf(people);
  const traces = rowsOf(folder).flatMap(({ table, text }) =>
    [...text.matchAll(marks)].flatMap(([found]) => {
      const owner = owners.get(found.toLowerCase());
      // The law asks for it.
      if (owner === undefined || (table === 'invoices' && owner.person.hasInvoice)) return [];
      return [`${owner.kind} in ${table}`];
    }),
  );
  return [...new Set(traces)];
}

/** All rows that name members or hold a detail of theirs, by their owners; mails that wait say when they are tried. */
export function rowsAbout(folder: string, people: readonly Person[]): ReadonlyMap<string, readonly string[]> {
  const owners = ownersOf(people);
  const about = new Map<string, string[]>(people.map(({ id }) => [id, []]));
  for (const { table, text } of rowsOf(folder)) {
    if (table === 'mails') continue;
    const named = [...text.matchAll(marks)].map(([found]) => owners.get(found.toLowerCase())?.person.id);
    for (const id of new Set([...named, ...(text.match(ids) ?? [])])) {
      about.get(String(id))?.push(`${table}\n${text}`);
    }
  }
  return about;
}

/** Details by how they are found. */
function ownersOf(people: readonly Person[]) {
  return new Map(
    people.flatMap((person) =>
      Object.entries(person.details).map(([kind, detail]) => [markIn(detail), { kind, person }] as const),
    ),
  );
}

/** What of people's details, and of the hashes of their addresses, is in files. */
export interface Found {
  readonly traces: readonly string[];
  readonly bytes: number;
}

/**
 * Looks into every file below a folder, or into one file, byte by byte.
 *
 * @param people whose traces should be gone, but for the addressees of invoices
 */
export function tracesInFiles(paths: readonly string[], people: readonly Person[]): Found {
  const owners = ownersOf(people);
  const addressee = ['name', 'email', 'street', 'city'];
  const hashes = people.flatMap(({ details }) =>
    Object.values(details)
      .filter((detail) => detail.includes('@'))
      .map(hashEmail),
  );
  let bytes = 0;
  const traces = paths.flatMap((path) => {
    const content = readFileSync(path);
    bytes += content.length;
    const kinds = [...content.toString('latin1').matchAll(marks)].flatMap(([found]) => {
      const owner = owners.get(found.toLowerCase());
      const stays = owner === undefined || (owner.person.hasInvoice && addressee.includes(owner.kind));
      return stays ? [] : [`${owner.kind} in ${path}`];
    });
    const hashed = hashes
      .filter((hash) => content.includes(hash))
      .map(() => `the hash of an address in ${path}`);
    return [...kinds, ...hashed];
  });
  return { traces: [...new Set(traces)], bytes };
}

/** Every file below a folder. */
export function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
}
