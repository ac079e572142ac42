// Where the lines of the log go: standard output, which may be full, stopped or gone without stopping the service.
import { fstatSync, writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isoTime } from '../core/access/iso-time.ts';
import { logFlushInterval, logPieceBytes, logWaitingBytes } from '../core/operators/limits.ts';
import type { Clock } from '../system/clock.ts';

/** A file descriptor, and how the reader of its lines wants them. */
interface LogTarget {
  readonly fd: number;
  readonly isTerminal: boolean;
  /** journald reads each line's priority from `<6>` before it (sd-daemon(3)). */
  readonly isJournal: boolean;
}

/**
 * How lines are to be written to a stream of this process.
 *
 * @param stdout Node's stream, which has made a pipe one that never waits for its reader
 * @param journal the variable JOURNAL_STREAM: device and inode of journald's socket (systemd.exec(5))
 */
export function logTarget(
  { isTTY = false, fd }: { readonly isTTY?: boolean; readonly fd: number },
  journal: string | undefined,
): LogTarget {
  const { dev, ino } = fstatSync(fd);
  return { fd, isTerminal: isTTY, isJournal: journal === `${dev}:${ino}` };
}

/**
 * Lines are written a few at a time, since a system call for each is dearer than most answers; none waits longer than
 * `logFlushInterval`, and on a terminal each is written at once. What cannot be written now (a disk that is full, a
 * reader that stands still or is gone) waits, up to `logWaitingBytes`; the lines beyond that are lost, and the first
 * line that is written again says how many (security, F15).
 */
export function logStream({ fd, isTerminal, isJournal }: LogTarget, clock: Clock) {
  const lineOf = isTerminal ? prettyLine() : isJournal ? withPriority : (line: string) => line;
  const pieceBytes = isTerminal ? 0 : logPieceBytes;
  let lines: string[] = [];
  let waiting = 0;
  /** The part of a piece that was not written yet; it may begin within a line. */
  let rest: Buffer = Buffer.alloc(0);
  let isStuck = false;
  let lost = 0;
  let untold = 0;

  const keep = (text: string) => {
    lines.push(text);
    waiting += text.length;
  };
  const writeRest = () => {
    while (rest.length > 0) rest = rest.subarray(writeSync(fd, rest));
  };
  const writeWaiting = () => {
    // The lines stay what they are until it is their turn: to copy all that waits at each try takes far more memory.
    writeRest();
    rest = Buffer.from(lines.join(''));
    lines = [];
    waiting = 0;
    writeRest();
  };
  const flush = () => {
    isStuck = true;
    try {
      writeWaiting();
      if (untold > 0) {
        keep(lineOf(lossLine(untold, clock())));
        untold = 0;
        writeWaiting();
      }
      isStuck = false;
    } catch {
      // The next turn tries again, whatever the reason.
    }
  };
  setInterval(flush, logFlushInterval).unref();
  return {
    /** @param line whole, with its end; a line that finds no place is lost, and counted */
    write: (line: string) => {
      if (waiting + rest.length > logWaitingBytes) {
        lost += 1;
        untold += 1;
        return;
      }
      keep(lineOf(line));
      if (waiting >= pieceBytes && !isStuck) flush();
    },
    /** Writes text for people as it is, at once, after the lines that wait. */
    say: (text: string) => {
      keep(text);
      flush();
    },
    /** How many lines were lost since the start. */
    lost: () => lost,
    /** Writes what still waits, as far as it can be written now; to be called when the process ends. */
    flush,
  };
}

/** Readable text for a terminal: what makes it is loaded where there is one. */
function prettyLine(): (line: string) => string {
  const { prettyFactory } = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty');
  const pretty = prettyFactory({ colorize: true, ignore: 'reqId' });
  return (line) => pretty(line) ?? '';
}

/** The priorities of syslog (RFC 5424 §6.2.1) by the level that a line begins with. */
const priorities: Readonly<Record<string, number>> = { debug: 7, info: 6, warn: 4, error: 3, fatal: 2 };

function withPriority(line: string): string {
  const level = /^\{"level":"([a-z]+)"/.exec(line)?.[1] ?? '';
  return `<${priorities[level] ?? priorities.info}>${line}`;
}

const lossLine = (lost: number, now: number) =>
  `${JSON.stringify({ level: 'warn', time: isoTime(now), lost, msg: 'lines of the log were lost' })}\n`;
