// Where a development start puts mails instead of sending them: in a folder, or in memory.
import { mkdirSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { outboxSearched } from '../../core/members/limits.ts';

/** The mails that were written, each as a file that mail programs can open, by its name. */
export interface Outbox {
  /** All names, in no order. */
  names(): Promise<readonly string[]>;
  /** Null where there is no such mail. */
  read(name: string): Promise<Buffer | null>;
  write(name: string, message: Buffer): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The name of a mail: by time, then number, and of one tenant. */
export const outboxName = (id: string, tenantId: string) => `${id}.${tenantId}.eml`;

/** Mails as files of a folder, which is made for the first. */
export function folderOutbox(folder: string): Outbox {
  return {
    names: () => readdir(folder).catch(() => []),
    read: (name) => readFile(join(folder, name)).catch(ifMissing(null)),
    write: async (name, message) => {
      const path = join(folder, name);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // The page that shows the mails never meets half a file.
      await writeFile(`${path}.new`, message, { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    remove: (name) => rm(join(folder, name), { force: true }),
  };
}

/** Mails that go with the process; of too many the oldest is let go of. */
export function memoryOutbox(most = outboxSearched): Outbox {
  const mails = new Map<string, Buffer>();
  return {
    names: async () => [...mails.keys()],
    read: async (name) => mails.get(name) ?? null,
    write: async (name, message) => {
      mails.set(name, message);
      const [oldest] = mails.keys();
      if (mails.size > most && oldest !== undefined) mails.delete(oldest);
    },
    remove: async (name) => {
      mails.delete(name);
    },
  };
}

function ifMissing<T>(fallback: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT') return fallback;
    throw error;
  };
}
