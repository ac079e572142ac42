// Where the log of a service goes, and how it can be written no more.
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { smallDisk } from './disk.ts';

/** A log that others read, or do not. */
export interface Log {
  /** The file or the pipe. */
  readonly path: string;
  /** Lets nothing more be written, if that is not so from the beginning. */
  spoil(): void;
  /** Lets it be written again; null where that cannot be. */
  readonly mend: (() => void) | null;
  /** All that has been written so far. */
  text(): string;
  remove(): void;
}

const temporary = () => mkdtempSync(join(tmpdir(), 'memberdoor-log-'));

/** A file, with room enough. */
export function logFile(): Log {
  const folder = temporary();
  const path = join(folder, 'log');
  return {
    path,
    spoil: () => {},
    mend: null,
    text: () => readFileSync(path, 'utf8'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** A file on a small disk, which is filled. */
export function logOnSmallDisk(): Log {
  const disk = smallDisk(32);
  const path = join(disk.folder, 'log');
  return {
    path,
    spoil: disk.fill,
    mend: disk.free,
    text: () => readFileSync(path, 'utf8'),
    remove: disk.unmount,
  };
}

/** What the system offers as a full disk to those who cannot mount one. */
export const fullDevice = (): Log => ({
  path: '/dev/full',
  spoil: () => {},
  mend: null,
  text: () => '',
  remove: () => {},
});

function newPipe() {
  const folder = temporary();
  const path = join(folder, 'log');
  execFileSync('mkfifo', [path]);
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

/** A pipe whose reader ends after three lines, as `| head -3` does. */
export function closedPipe(): Log {
  const { path, remove } = newPipe();
  const reader = spawn('sh', ['-c', 'exec head -n 3 <"$0"', path], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  reader.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  return { path, spoil: () => {}, mend: null, text: () => text, remove };
}

/** A pipe that is open all the time, and read only when its text is asked for. */
export function unreadPipe(): Log {
  const { path, remove } = newPipe();
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const chunk = Buffer.alloc(64 * 1_024);
  const chunks: Buffer[] = [];
  const readOn = () => {
    try {
      for (let length = readSync(reader, chunk); length > 0; length = readSync(reader, chunk)) {
        chunks.push(Buffer.from(chunk.subarray(0, length)));
      }
    } catch {
      // It is empty, for now.
    }
  };
  return {
    path,
    spoil: () => {},
    mend: readOn,
    text: () => {
      readOn();
      return Buffer.concat(chunks).toString();
    },
    remove: () => {
      closeSync(reader);
      remove();
    },
  };
}
