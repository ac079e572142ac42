import { setTimeout as wait } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { busyRetry, busyTimeout, groupSize, lingering, slowSync } from '../core/limits.ts';
import {
  type Done,
  isBusy,
  type Piece,
  runInSavepoint,
  StorageUnavailable,
  takenBack,
} from './commit/piece.ts';
import { Queue } from './commit/queue.ts';
import type { DurableFile } from './file/durable-file.ts';
import type { Lost } from './file/place.ts';
import { connect } from './queries/prepared.ts';
import type { Statements } from './queries/statements.ts';
import type { Database } from './schema.ts';
import type { Tx } from './store.ts';

/** How the next transaction begins: able to write, or as a reader while nobody can. */
export interface Beginning {
  mode: 'immediate' | 'deferred';
}

/**
 * Is told of each group that was committed or failed to be.
 *
 * @param ms from the beginning of the transaction until it is on the disk, waiting for the file included
 * @param pieces how many pieces of work shared it
 */
export type CommitObserver = (ms: number, pieces: number) => void;

/** A synchronisation that failed, with those who wait for it. */
interface Failure {
  readonly error: StorageUnavailable;
  readonly pieces: readonly Piece[];
}

/**
 * Lets the pieces of work that wait at the same moment share one durable commit. Alone it is the dearest part of a
 * refresh: the disk has to say that it has the log.
 *
 * Each piece that writes does so in a savepoint of its own: one that throws is rolled back alone. Nobody is answered
 * before what they wrote is on the disk, nor before what they saw is: who only read, and saw nothing newer, is
 * answered at once. The event loop does not wait for the disk (security, F13). The next group runs meanwhile, in a
 * transaction that takes in whatever else arrives, and is committed when the one before is on the disk: so there is
 * never more than one commit that is not. On a slow disk those who only read do not wait for it either. They run once
 * more on a snapshot of what is on the disk.
 *
 * If the commit fails, or its way to the disk, nothing has changed: whoever wrote is told so, and whoever did
 * not is answered from what was there before. Work may run a second time then, so it changes nothing but through
 * its `tx` that must not happen twice.
 */
export class GroupCommit {
  readonly #kysely: Kysely<Database>;
  readonly #statements: Statements;
  readonly #beginning: Beginning;
  readonly #file: DurableFile;
  readonly #queue: Queue;
  readonly #observe: CommitObserver;
  #running: Promise<void> | null = null;
  /** The commit that is on its way to the disk; it never rejects. */
  #syncing: Promise<void> | null = null;
  #failure: Failure | null = null;
  /** Whether the disk was slow the last time. */
  #isSlow = false;
  /** When a commit that waited for the one before goes on its way. */
  #commitAt = 0;

  constructor(
    kysely: Kysely<Database>,
    statements: Statements,
    beginning: Beginning,
    file: DurableFile,
    mostWaiting: number,
    observe: CommitObserver = () => {},
  ) {
    this.#kysely = kysely;
    this.#statements = statements;
    this.#beginning = beginning;
    this.#file = file;
    this.#queue = new Queue(mostWaiting);
    this.#observe = observe;
  }

  /** How many pieces wait for their turn, or for the disk. */
  get waiting(): number {
    return this.#queue.unanswered;
  }

  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = this.#queue.add(work);
    if (!this.#queue.isEmpty) this.#running ??= this.#drain();
    return result as Promise<T>;
  }

  /** Resolves when nothing is waiting any more, and all of it is on the disk. */
  async drained(): Promise<void> {
    while (this.#running !== null || this.#syncing !== null) await (this.#running ?? this.#syncing);
  }

  async #drain(): Promise<void> {
    while (!this.#queue.isEmpty || this.#failure !== null) {
      // Whatever else arrives in this turn of the event loop comes into the same commit.
      await new Promise(setImmediate);
      if (this.#failure !== null && !(await this.#takeBack(this.#failure))) break;
      if (this.#file.isFull() && this.#file.check() === null) {
        await this.#checkpoint();
        continue;
      }
      const pieces = this.#queue.take(groupSize);
      const lost = this.#file.lost();
      if (lost === null) await this.#commit(pieces);
      else await this.#refuse(pieces, lost);
    }
    this.#running = null;
  }

  async #commit(pieces: readonly Piece[]): Promise<void> {
    const until = performance.now() + busyTimeout;
    let failure = await this.#attempt(pieces, 'immediate');
    // Somebody else holds the file. Waiting is done here, not in SQLite, which would hold up the event loop.
    while (failure?.begun === false && isBusy(failure.cause) && performance.now() < until) {
      await wait(busyRetry);
      failure = await this.#attempt(pieces, 'immediate');
    }
    // Nobody can write now; whoever only reads goes on (security, promise 5).
    if (failure?.begun === false) failure = await this.#attempt(pieces, 'deferred');
    if (failure === null) return;
    const { begun, cause, group } = failure;
    const lost = this.#file.lost();
    const error =
      cause instanceof StorageUnavailable
        ? cause
        : new StorageUnavailable('the transaction could not be committed', { cause });
    // What it was built on did not reach the disk.
    if (this.#failure !== null && !(await this.#takeBack(this.#failure))) this.#queue.reject(group, error);
    else if (lost !== null) await this.#refuse(group, lost);
    // The disk is full, say, which SQLite finds at the commit, and takes back all. Who only read has seen what
    // the others wrote, so it reads again.
    else if (begun) await this.#readAgain(group, error);
    else this.#queue.reject(group, error);
  }

  /** The file is not the one that was opened: nothing is written any more, and nothing read of what is not ours. */
  async #refuse(pieces: readonly Piece[], { why, isIntact }: Lost): Promise<void> {
    const error = new StorageUnavailable(why);
    if (isIntact) await this.#readAgain(pieces, error);
    else this.#queue.reject(pieces, error);
  }

  /**
   * Runs each piece where nothing can be written: those that write are refused. Each runs in a transaction of its
   * own, so that one that meets a page which cannot be read takes no other with it.
   */
  async #readAgain(pieces: readonly Piece[], error: StorageUnavailable): Promise<void> {
    this.#statement('pragma query_only = on');
    try {
      for (const piece of pieces) {
        if (piece.isAnswered) continue;
        if ((await this.#attempt([piece], 'deferred', error)) !== null) this.#queue.reject([piece], error);
      }
    } finally {
      this.#statement('pragma query_only = off');
    }
  }

  /**
   * Runs the pieces in one transaction, and answers them: at once, or when what they wrote or saw is on the disk.
   *
   * @param outage what a piece that cannot write is told, where that is known already
   * @returns null unless the transaction could not begin or commit; then with all that it took in
   */
  async #attempt(
    pieces: readonly Piece[],
    mode: Beginning['mode'],
    outage?: StorageUnavailable,
  ): Promise<{ begun: boolean; cause: unknown; group: readonly Piece[] } | null> {
    const begunAt = performance.now();
    const group = [...pieces];
    const done: Done[] = [];
    let begun = false;
    let lost: unknown;
    this.#beginning.mode = mode;
    try {
      const hasWritten = await this.#kysely.transaction().execute(async (tx) => {
        begun = true;
        connect(tx, this.#statements);
        let writers = 0;
        let wasHeld = false;
        for (let next = 0; ; ) {
          for (; next < group.length; next += 1) {
            const piece = group[next] as Piece;
            const seesUnsynced = writers > 0 || this.#syncing !== null;
            const { result, hasWritten } = await runInSavepoint(tx, piece.work, this.#statements);
            if (!this.#statements.isInTransaction()) {
              // The next piece would be in no transaction, and committed by itself.
              lost = takenBack(result);
              throw lost;
            }
            if (hasWritten) writers += 1;
            if (hasWritten || (seesUnsynced && !this.#readSnapshot(piece))) done.push({ piece, result });
            else if (!seesUnsynced) this.#queue.answer(piece, result, outage);
          }
          if (writers === 0 || (this.#syncing === null && !this.#isLingering(wasHeld))) break;
          wasHeld = true;
          if (this.#queue.isEmpty) await Promise.race([this.#syncing ?? wait(1), this.#queue.arrival()]);
          if (this.#failure !== null) throw this.#failure.error;
          group.push(...this.#queue.take());
        }
        if (writers > 0) this.#beforeCommit();
        return writers > 0;
      });
      if (hasWritten) this.#syncing = this.#sync(done, begunAt, group.length);
      else {
        this.#answerSynced(done);
        this.#observe(performance.now() - begunAt, group.length);
      }
      return null;
    } catch (cause) {
      this.#statements.memory.clear();
      // Of a transaction that is gone Kysely tells that it cannot be rolled back.
      return { begun, cause: lost ?? cause, group };
    }
  }

  /**
   * A commit that had to wait for the one before waits a little longer, for those who were answered just now and ask
   * again: in half as many commits each takes half as long.
   */
  #isLingering(wasHeld: boolean): boolean {
    return wasHeld && this.#isSlow && performance.now() < this.#commitAt;
  }

  /** While nothing is on its way to the disk. */
  #beforeCommit(): void {
    const lost = this.#file.check();
    if (lost !== null) throw new StorageUnavailable(lost.why);
    if (this.#isSlow && this.#file.snapshot() === null) this.#file.holdSnapshot();
  }

  /** Puts a commit on the disk, and answers those who wait for that. */
  async #sync(done: readonly Done[], begunAt: number, pieces: number): Promise<void> {
    const syncedAt = performance.now();
    try {
      await this.#file.sync();
      this.#syncing = null;
      const now = performance.now();
      this.#isSlow = now - syncedAt > slowSync;
      this.#commitAt = now + (now - syncedAt) * lingering;
      if (this.#isSlow) this.#file.holdSnapshot();
      else this.#file.snapshot()?.letGo();
      for (const { piece, result } of done) this.#queue.answer(piece, result);
    } catch (cause) {
      this.#syncing = null;
      this.#failure = {
        error: new StorageUnavailable('what was written did not reach the disk', { cause }),
        pieces: done.map(({ piece }) => piece),
      };
      this.#running ??= this.#drain();
    }
    this.#observe(performance.now() - begunAt, pieces);
  }

  /** Answers those who only read, once what they saw is on the disk; who saw what never got there reads again. */
  #answerSynced(done: readonly Done[]): void {
    if (done.length === 0) return;
    const syncing = this.#syncing ?? Promise.resolve();
    void syncing.then(() => {
      if (this.#failure === null) for (const { piece, result } of done) this.#queue.answer(piece, result);
      else this.#again(done.map(({ piece }) => piece));
    });
  }

  /**
   * Undoes what did not reach the disk, and lets those read again who saw it.
   *
   * @returns whether it could be undone; otherwise nobody is served, and the next piece that comes tries again
   */
  async #takeBack({ error, pieces }: Failure): Promise<boolean> {
    this.#statements.memory.clear();
    try {
      this.#file.snapshot()?.letGo();
      this.#file.takeBack();
    } catch {
      this.#failure = { error, pieces: [] };
      this.#queue.reject([...pieces, ...this.#queue.take()], error);
      return false;
    }
    this.#failure = null;
    const lost = this.#file.lost();
    if (lost === null) await this.#readAgain(pieces, error);
    else await this.#refuse(pieces, lost);
    return true;
  }

  /** While the log is copied into the database nobody commits, and whoever only reads goes on. */
  async #checkpoint(): Promise<void> {
    while (this.#syncing !== null) await this.#syncing;
    if (this.#failure !== null) return;
    this.#file.holdSnapshot();
    let isOver = false;
    const alone = (work: () => void) => {
      this.#file.snapshot()?.letGo();
      work();
      this.#file.holdSnapshot();
    };
    const over = this.#file
      .checkpoint(alone)
      .catch((cause: unknown) => {
        const error = new StorageUnavailable('the log could not be begun again', { cause });
        this.#failure = { error, pieces: [] };
      })
      .then(() => {
        isOver = true;
      });
    while (!isOver) {
      // Those that write stay.
      this.#queue.again(this.#queue.take().filter((piece) => !this.#readSnapshot(piece)));
      await Promise.race([over, this.#queue.arrival()]);
    }
    if (!this.#isSlow) this.#file.snapshot()?.letGo();
  }

  /**
   * Answers a piece from what is on the disk, if it only reads. It comes back among those that wait if it writes.
   *
   * @returns false if that cannot be tried
   */
  #readSnapshot(piece: Piece): boolean {
    const snapshot = this.#file.snapshot();
    if (snapshot === null || piece.writes) return false;
    void snapshot.try(piece.work).then((tried) => {
      if (tried !== 'writes') return this.#queue.answer(piece, tried);
      piece.writes = true;
      this.#again([piece]);
    });
    return true;
  }

  #again(pieces: readonly Piece[]): void {
    this.#queue.again(pieces);
    this.#running ??= this.#drain();
  }

  #statement(text: string): void {
    this.#statements.prepare(text).run();
  }
}

export { StorageUnavailable };
