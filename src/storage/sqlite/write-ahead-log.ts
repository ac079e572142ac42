/** The write-ahead log of the open database: when it is on the disk, taken back, and begun again. */
import { randomInt } from 'node:crypto';
import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import SQLite from 'better-sqlite3';
import { checkpointPages, checkpointRetry } from '../../core/operators/store-limits.ts';
import { bytesAt } from '../../system/files.ts';
import { frameHeaderBytes, logHeaderBytes } from './check.ts';
import type { Checkpointer } from './checkpointer.ts';

/** `user_version` has 31 bits and a sign; 0 is that of a file without a mark. */
const largestMark = 2 ** 31 - 2;

/** Puts a file on the disk: `fdatasync`. */
export interface Disk {
  /** Does so in the thread pool. */
  synchronise(file: number): Promise<void>;
  /** Does so while the event loop waits. */
  synchroniseAtOnce(file: number): void;
  /** The time by which a disk is quick or slow: ms of a clock that only goes forward. */
  now(): number;
  /** Resolves after so many ms. */
  wait(ms: number): Promise<void>;
}

/** The wal-index. Its first 96 bytes are its header, twice: https://sqlite.org/walformat.html §2.2. */
const indexHeaderBytes = 96;
const lastFrameAt = 16;

/**
 * SQLite commits into the log without waiting for the disk (`synchronous=NORMAL`). This synchronises it: in the thread
 * pool, so that the event loop does not wait for a slow disk, or at once, where the disk is quick. No answer that
 * depends on a commit leaves before (security, promises 1 to 3, F13). The same order holds as under FULL:
 *
 * - **A commit is durable** when its frames are on the disk. `fdatasync` puts all of a file on the disk that was
 *   written before it was called, through whichever descriptor, and what of its inode is needed to read it again.
 *   The log alone is opened a second time: closing a descriptor of the database file, or of the wal-index, drops the
 *   locks that SQLite has on it, in the whole process (POSIX); nothing is locked on the log.
 * - **A log that is begun again** must lose its old frames before new ones are written: with the old header and some
 *   of the old frames still on the disk, and new frames after those, a power cut would bring old pages over newer
 *   ones. SQLite synchronises the header for that, even under NORMAL. `beginAgain` lets it not wait, and gets the same
 *   by writing one frame and nothing else until that is synchronised: either all of the old log is still there, which
 *   says what the database says already, or its first frame does not fit, and none of it counts. Should any other
 *   commit begin the log again, SQLite synchronises the header on the event loop: slow, and right.
 * - **A checkpoint** synchronises the log, writes its pages into the database, and synchronises that, before the log
 *   may be begun again. SQLite does all three (under FULL), in a thread with a connection of its own.
 * - **The directory's entry of a new log** is synchronised by SQLite when it synchronises the log for the first time,
 *   which the constructor makes it do, before the port opens.
 * - **After a kill** the log may hold commits that were not synchronised and whose requests got no answer; the next
 *   start takes them for good, and synchronises the log before it answers any request by them.
 * - **A synchronisation that fails** says that what was written since the last one may be lost, or not, and a second
 *   attempt would succeed without writing it again. So it is taken back: the log is cut where it was synchronised
 *   last, and the wal-index made void, which SQLite then builds anew from the log, as after a crash.
 */
export class WriteAheadLog {
  readonly #sqlite: SQLite.Database;
  readonly #checkpointer: Checkpointer;
  readonly #log: number;
  readonly #index: number;
  readonly #frameBytes: number;
  readonly #disk: Disk;
  readonly #setMark: (mark: number) => void;
  /** Frames that are on the disk, with all before them. */
  #synced: number;
  /** Frames that were there when it was synchronised last. */
  #length = 0;
  /** The next checkpoint comes no sooner. */
  #notBefore = 0;

  /**
   * @param sqlite the open connection, under FULL; from here on it is under NORMAL
   * @param setMark gives the lock file the mark that the database is about to get
   */
  constructor(
    path: string,
    sqlite: SQLite.Database,
    checkpointer: Checkpointer,
    setMark: (mark: number) => void,
    disk: Disk,
  ) {
    this.#disk = disk;
    this.#sqlite = sqlite;
    this.#checkpointer = checkpointer;
    this.#setMark = setMark;
    this.#frameBytes = frameHeaderBytes + Number(sqlite.pragma('page_size', { simple: true }));
    sqlite.pragma('wal_autocheckpoint = 0');
    this.#beginMarked();
    this.#log = openSync(`${path}-wal`, 'r+');
    this.#index = openSync(`${path}-shm`, 'r+');
    fdatasyncSync(this.#log);
    this.#synced = this.frames;
    sqlite.pragma('synchronous = normal');
    if (sqlite.pragma('synchronous', { simple: true }) !== 1) throw new Error('synchronous is not NORMAL');
  }

  /** How many frames are committed. */
  get frames(): number {
    return bytesAt(this.#index, lastFrameAt, 4).readUInt32LE();
  }

  /** Whether a checkpoint is due; one that comes is prepared for. */
  get isFull(): boolean {
    if (this.#length > checkpointPages / 2) void this.#checkpointer.prepare();
    return this.#length >= checkpointPages && performance.now() >= this.#notBefore;
  }

  /**
   * Resolves when all that is committed now is on the disk.
   *
   * @param confirm looks whether that is to stand
   * @throws what the system or that says if not; `takeBack` is to be called then
   */
  async sync(confirm: () => void = () => {}): Promise<void> {
    const { frames } = this;
    this.#length = frames;
    await this.#disk.synchronise(this.#log);
    confirm();
    this.#synced = frames;
  }

  /** The same, while the event loop waits. */
  syncAtOnce(confirm: () => void): void {
    const { frames } = this;
    this.#length = frames;
    this.#disk.synchroniseAtOnce(this.#log);
    confirm();
    this.#synced = frames;
  }

  /**
   * Undoes all commits that were not synchronised, while no transaction is open.
   *
   * @throws if the file cannot be cut, or that cannot be synchronised: to be tried again before any commit
   */
  takeBack(): void {
    const length = this.#synced === 0 ? 0 : logHeaderBytes + this.#synced * this.#frameBytes;
    ftruncateSync(this.#log, length);
    writeSync(this.#index, Buffer.alloc(indexHeaderBytes), 0, indexHeaderBytes, 0);
    fdatasyncSync(this.#log);
  }

  /**
   * Copies the log into the database and begins it again, while there are no commits. Readers go on.
   *
   * @param alone ends what still reads from the log, for a moment, and does this
   * @throws if the log could not be synchronised when it was begun again; `takeBack` is to be called then
   */
  async checkpoint(alone: (work: () => void) => void): Promise<void> {
    const isWhole = await this.#checkpointer.checkpoint().catch(() => null);
    if (isWhole !== true) {
      // The disk is full, which may end at any moment, and the log grows until then; or another program reads what is
      // in it, such as a backup, and each attempt in vain keeps those waiting who write.
      this.#notBefore = performance.now() + checkpointRetry[isWhole === null ? 'failed' : 'busy'];
      return;
    }
    alone(() => this.#beginAgain());
    await this.sync();
  }

  /** To be called once SQLite has closed the files. */
  close(): void {
    closeSync(this.#log);
    closeSync(this.#index);
  }

  /** A start on a full disk has no mark, and serves those who read (security, promise 5). */
  #beginMarked(): void {
    try {
      // The database itself has a mark before its log gets the next one.
      if (this.#lastMark === 0) this.#sqlite.pragma(`user_version = ${randomInt(1, largestMark)}`);
      this.#sqlite.pragma('wal_checkpoint(passive)');
      this.#mark();
    } catch (error) {
      if (!(error instanceof SQLite.SqliteError && error.code === 'SQLITE_FULL')) throw error;
    }
  }

  get #lastMark(): number {
    return Number(this.#sqlite.pragma('user_version', { simple: true }));
  }

  #beginAgain(): void {
    this.#sqlite.pragma('synchronous = off');
    try {
      this.#mark();
      // If the log was begun again: until it is synchronised it counts for nothing.
      if (this.frames === 1) this.#synced = 0;
    } catch {
      // A full disk, or another program that writes or reads: SQLite begins the log again at some later commit.
    } finally {
      this.#sqlite.pragma('synchronous = normal');
    }
  }

  /** Writes page 1, and nothing else, with the next mark: by it the log is known as this database's (`checkLog`). */
  #mark(): void {
    const mark = (this.#lastMark % largestMark) + 1;
    this.#setMark(mark);
    this.#sqlite.pragma(`user_version = ${mark}`);
  }
}
