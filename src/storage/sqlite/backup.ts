// Copies the database, reads a copy without changing it, and puts a checksum behind it.
import { createHash } from 'node:crypto';
import { accessSync, appendFileSync, constants, fstatSync, ftruncateSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { busyTimeout } from '../../core/limits.ts';
import { checksumBytes } from '../../core/operators/store-limits.ts';
import { bytesAt, reasonOf, withFile } from '../../system/files.ts';
import { StartupError } from '../../system/startup-error.ts';
import { type DatabaseFacts, type DoubleFacts, schemaDifference, type TenantFacts } from '../facts.ts';
import type { ServiceRow } from '../schema.ts';
import { databaseFile } from '../sqlite/open.ts';
import { applicationId } from './check.ts';

/** What a database file of ours holds, read without changing it. */
export interface FileFacts extends DatabaseFacts {
  readonly environment: ServiceRow['environment'];
  readonly keyCheck: string;
  readonly counts: Readonly<Record<(typeof counted)[number], number>>;
}

const counted = ['tenants', 'clients', 'members', 'sessions', 'signIns', 'subscriptions'] as const;

/**
 * Copies the database of a folder as it is at one moment, while others may write to it: one read
 * transaction, which no writer waits for. What was deleted is not in the copy.
 *
 * @param target a file that is empty or not there
 * @throws StartupError
 */
export function copyDatabase(folder: string, target: string): void {
  const path = join(folder, databaseFile);
  reading(path, (sqlite) => {
    sqlite.prepare('vacuum into ?').run(target);
  });
  // The mark says to which log a file belongs (`checkLog`), and a copy belongs to none.
  const copy = new SQLite(target);
  copy.pragma('user_version = 0');
  copy.close();
}

/**
 * Reads a database file, and checks it through: that it is ours, whether every page is sound, and that this
 * version knows its schema.
 *
 * @throws StartupError naming the file and what is wrong
 */
export function readDatabase(path: string, check: 'quick' | 'none' = 'quick'): FileFacts {
  return reading(path, (sqlite) => {
    if (sqlite.pragma('application_id', { simple: true }) !== applicationId) {
      throw new StartupError(`The file ${path} is not a database of memberdoor.`);
    }
    const verdict = check === 'quick' ? sqlite.pragma('quick_check(1)', { simple: true }) : 'ok';
    if (verdict !== 'ok') throw new StartupError(`The file ${path} is damaged (${String(verdict)}).`);
    const names = schemaOf(sqlite);
    const service = sqlite.prepare('select environment, keyCheck from service').get();
    if (service === undefined) throw new StartupError(`The file ${path} is a database without a service.`);
    return {
      ...(service as Pick<ServiceRow, 'environment' | 'keyCheck'>),
      schema: names,
      newestEventAt: newestEvent(sqlite, names),
      tenants: listTenants(sqlite, names),
      doubles: [...listDoubles(sqlite, 'products'), ...listDoubles(sqlite, 'packages')],
      counts: Object.fromEntries(
        counted.map((table) => [table, sqlite.prepare(`select count(*) from ${table}`).pluck().get()]),
      ) as FileFacts['counts'],
    };
  });
}

/**
 * The migrations that a start would run on a database; null where there are none, where it was only just begun, or
 * where it is none that a start would take: opening it says why. The newest is the last that the database has.
 */
export function pendingMigrations(path: string) {
  let schema: readonly string[];
  try {
    schema = reading(path, schemaOf);
  } catch {
    return null;
  }
  const { missing, unknown } = schemaDifference(schema);
  const newest = schema.at(-1);
  return newest === undefined || missing.length === 0 || unknown.length > 0 ? null : { newest, missing };
}

/** The migrations that made a database, in order. */
function schemaOf(sqlite: SQLite.Database): string[] {
  return sqlite.prepare('select name from kysely_migration order by name').pluck().all() as string[];
}

/** Older files have no such columns; what is read of them is read by their own schema. */
const sinceOperators = '0005-operators';

function newestEvent(sqlite: SQLite.Database, schema: readonly string[]): number | null {
  if (!schema.includes(sinceOperators)) return null;
  return sqlite.prepare('select max(at) from auditEvents').pluck().get() as number | null;
}

function listTenants(sqlite: SQLite.Database, schema: readonly string[]): readonly TenantFacts[] {
  const disabledAt = schema.includes(sinceOperators) ? 'disabledAt' : 'null as disabledAt';
  return sqlite
    .prepare(`select issuer, host, ${disabledAt} from tenants order by issuer`)
    .all() as TenantFacts[];
}

function listDoubles(sqlite: SQLite.Database, noun: DoubleFacts['noun']): readonly DoubleFacts[] {
  const rows = sqlite
    .prepare(
      `select host, ${noun}.name, group_concat(${noun}.id) as ids from ${noun} join tenants on tenants.id = tenantId
        group by tenantId, ${noun}.name having count(*) > 1 order by host, ${noun}.name`,
    )
    .all() as { readonly host: string; readonly name: string; readonly ids: string }[];
  return rows.map(({ host, name, ids }) => ({ host, noun, name, ids: ids.split(',').map(Number) }));
}

function reading<T>(path: string, read: (sqlite: SQLite.Database) => T): T {
  let sqlite: SQLite.Database | undefined;
  try {
    accessSync(path, constants.R_OK);
    const file = statSync(path);
    if (!file.isFile()) throw new StartupError(`${path} is not a file.`);
    // SQLite deletes the log beside an empty file, even where it only reads (security, Z12).
    if (file.size === 0) throw new StartupError(`The file ${path} is an empty file.`);
    sqlite = new SQLite(path, { readonly: true, fileMustExist: true, timeout: busyTimeout });
    return read(sqlite);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The file ${path} cannot be read: ${reasonOf(error)}.`);
  } finally {
    sqlite?.close();
  }
}

/** What stands before the SHA-256 of all pages, in hexadecimal, and a line end. */
const label = 'memberdoor-backup sha256 ';
/** The header of a database (SQLite file format §1.3). */
const headerBytes = 100;
const trailerBytes = label.length + 64 + 1;

/** Puts the checksum of a database file behind it; no process may have it open. */
export function appendChecksum(path: string): void {
  appendFileSync(path, `${label}${hashOf(path, Number.POSITIVE_INFINITY)}\n`);
}

/**
 * Compares a backup with its checksum.
 *
 * @returns false if it has none: an older version made it, or it is a plain copy of a database
 * @throws StartupError if the file is no database of ours, or a byte of it was changed, or its end is missing
 */
export function hasRightChecksum(path: string): boolean {
  const { pages, size } = lengthOf(path);
  if (size === pages) return false;
  const isRight =
    size === pages + trailerBytes && textAt(path, pages, trailerBytes) === `${label}${hashOf(path, pages)}\n`;
  if (isRight) return true;
  throw new StartupError(
    `The file ${path} was changed or cut since it was written: it does not fit its checksum. Take another backup.`,
  );
}

/** Takes the checksum away again: what is left is the database as it was. */
export function dropChecksum(path: string): void {
  const { pages } = lengthOf(path);
  withFile(path, 'r+', (file) => ftruncateSync(file, pages));
}

/** How many bytes the pages of a database take, by its header (SQLite file format §1.3), and how many there are. */
function lengthOf(path: string): { readonly pages: number; readonly size: number } {
  try {
    if (!statSync(path).isFile()) throw new StartupError(`${path} is not a file, and a backup is one.`);
    return withFile(path, 'r', (file) => {
      const header = bytesAt(file, 0, headerBytes);
      if (
        header.toString('latin1', 0, 15) !== 'SQLite format 3' ||
        header.readUInt32BE(68) !== applicationId
      ) {
        throw new StartupError(`The file ${path} is not a database of memberdoor.`);
      }
      const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
      return { pages: pageSize * header.readUInt32BE(28), size: fstatSync(file).size };
    });
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The file ${path} cannot be read: ${reasonOf(error)}.`);
  }
}

function textAt(path: string, from: number, length: number): string {
  return withFile(path, 'r', (file) => bytesAt(file, from, length).toString('latin1'));
}

function hashOf(path: string, until: number): string {
  return withFile(path, 'r', (file) => {
    const hash = createHash('sha256');
    const buffer = Buffer.allocUnsafe(checksumBytes);
    for (let at = 0; at < until; ) {
      const read = readSync(file, buffer, 0, Math.min(buffer.length, until - at), at);
      if (read === 0) break;
      hash.update(buffer.subarray(0, read));
      at += read;
    }
    return hash.digest('hex');
  });
}
