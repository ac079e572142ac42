// Judges the machine: the database, its disk, the clock.
import { existsSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { clockTolerance, largestWriteAheadLog, leastFreeDisk } from '../core/operators/limits.ts';
import { type DatabaseFacts, schemaDifference } from '../storage/facts.ts';
import { databaseFile } from '../storage/sqlite/open.ts';
import { type Finding, well, wrong } from './finding.ts';

/** The schema of the database beside that of this version. */
export function judgeSchema(
  { schema }: Pick<DatabaseFacts, 'schema'>,
  engine: 'postgres' | 'sqlite' = 'sqlite',
): Finding {
  const { missing, unknown } = schemaDifference(schema, engine);
  if (unknown.length > 0) {
    const advice = 'run the version that made it, or a newer one';
    return wrong('schema', `the database is of a newer version: ${unknown.join(', ')}`, advice);
  }
  if (missing.length > 0) {
    const advice = 'restart the service: a start brings it up to date';
    return wrong('schema', `the database is of an older version: it lacks ${missing.join(', ')}`, advice);
  }
  return well('schema', `the database is of this version (${schema.at(-1)})`);
}

/** A clock that was set back makes old tokens live longer, and new ones start in the past. */
export function judgeTime({ newestEventAt }: DatabaseFacts, now: number): Finding {
  const ahead = (newestEventAt ?? 0) - now;
  if (ahead <= clockTolerance) return well('clock', 'nothing in the database lies in the future');
  const what = `the newest event lies ${Math.round(ahead / 1_000)} s ahead: the clock was set back`;
  return wrong('clock', what, 'set the clock, and let it follow a time server');
}

/** Products and packages that share a name from before names were unique: members cannot tell them apart. */
export function judgeNames({ doubles }: Pick<DatabaseFacts, 'doubles'>): readonly Finding[] {
  if (doubles.length === 0) return [well('names', 'no two products or packages of a tenant share one')];
  return doubles.map(({ host, noun, name, ids }) => {
    const option = `--${noun.slice(0, -1)}-id ${ids.at(-1)}`;
    return wrong(
      'names',
      `${ids.length} ${noun} of ${host} are called ${JSON.stringify(name)}: ${ids.join(', ')}`,
      `give one another name: memberdoor ${noun} change --tenant ${host} ${option} --name NAME`,
    );
  });
}

/** @returns what is known of the space for the database and its write-ahead log */
export function judgeDisk(dataFolder: string): readonly Finding[] {
  const { bavail, bsize } = statfsSync(dataFolder);
  const path = join(dataFolder, databaseFile);
  const log = existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0;
  return [judgeFreeDisk(bavail * bsize, statSync(path).size), judgeWriteAheadLog(log)];
}

/** @param free bytes; `database` too. A migration or a backup beside it takes as much again. */
export function judgeFreeDisk(free: number, database: number): Finding {
  const what = `${megabytes(free)} are free, and the database takes ${megabytes(database)}`;
  if (free >= Math.max(leastFreeDisk, database)) return well('disk', what);
  return wrong('disk', what, 'make room: with a full disk no member can sign in');
}

/** @param size bytes */
export function judgeWriteAheadLog(size: number): Finding {
  const what = `the write-ahead log takes ${megabytes(size)}`;
  if (size <= largestWriteAheadLog) return well('disk', what);
  return wrong('disk', what, 'end what has been reading the database for long, such as a backup that hangs');
}

/** Whether others of this machine can read what is ours alone. */
export function judgeAccess({
  dataFolder,
  settingFiles,
}: Pick<Config, 'dataFolder' | 'settingFiles'>): Finding {
  // Windows has other rights than these.
  if (process.platform === 'win32') return well('access', 'not looked at on Windows');
  const ours = ['', databaseFile, `${databaseFile}-wal`, 'master.key', 'outbox'];
  const open = [
    ...ours.map((name) => join(dataFolder, name)).filter((path) => hasMode(path, 0o077)),
    // A group of its own may read a secret: systemd and containers hand them over like that.
    ...settingFiles.filter((path) => hasMode(path, 0o007)),
  ];
  if (open.length === 0)
    return well('access', 'the data folder and the secrets are readable by their owner alone');
  return wrong('access', `others can read ${open.join(', ')}`, `run chmod go= ${open.join(' ')}`);
}

function hasMode(path: string, bits: number): boolean {
  return existsSync(path) && (statSync(path).mode & bits) !== 0;
}

const megabytes = (bytes: number) => `${Math.round(bytes / 1_024 / 1_024)} MB`;
