// Runs the transactions that wait at the same moment as one, with one commit to the disk.
import { setTimeout as wait } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { busyRetry, busyTimeout, checkpointPatience, groupSize } from '../../../core/limits.ts';
import { connect } from '../../prepared.ts';
import type { Database } from '../../schema.ts';
import { type CommitObserver, StorageUnavailable, type Tx } from '../../store.ts';
import type { DurableFile } from '../durable-file.ts';
import type { Lost } from '../place.ts';
import { isBusy, type Statements } from '../statements.ts';
import { type Done, type Piece, Queue, runInSavepoint } from './queue.ts';
import { type Failure, WayToDisk } from './way-to-disk.ts';

/** How the next transaction begins: able to write, or as a reader while writing is impossible. */
export interface Beginning {
  mode: 'immediate' | 'deferred';
}

/**
 * Lets the pieces of work that wait at the same moment share one durable commit. Alone it is the dearest part of a
 * refresh: the disk has to say that it has the log.
 *
 * Each piece that writes does so in a savepoint of its own: one that throws is rolled back alone. A piece is not
 * answered before what it wrote is on the disk, nor before what it saw is: one that only read, and saw nothing newer,
 * is answered at once. The event loop does not wait for a slow disk (security, F13). The next group runs meanwhile, in a
 * transaction that takes in whatever else arrives, and is committed when the one before is on the disk: so there is
 * never more than one commit that is not. On a slow disk the pieces that only read do not wait for it either. They run once
 * more on a snapshot of what is on the disk.
 *
 * If the commit fails, or its way to the disk, nothing has changed: the pieces that wrote are told so, and the
 * others are answered from what was there before. Work may run a second time then, so it changes nothing but through
 * its `tx` that must not happen twice.
 */
export class GroupCommit {
  readonly #kysely: Kysely<Database>;
  readonly #statements: Statements;
  readonly #beginning: Beginning;
  readonly #file: DurableFile;
  readonly #queue: Queue;
  readonly #way: WayToDisk;
  readonly #observe: CommitObserver;
  #running: Promise<void> | null = null;

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
    this.#way = new WayToDisk(file, this.#queue, observe, () => this.#wake());
  }

  /** How many pieces wait for their turn, or for the disk. */
  get waiting(): number {
    return this.#queue.unanswered;
  }

  run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = this.#queue.add(work);
    if (!this.#queue.isEmpty) this.#wake();
    return result as Promise<T>;
  }

  /** Resolves when nothing is waiting any more, and all of it is on the disk. */
  async drained(): Promise<void> {
    while (this.#running !== null || this.#way.underWay !== null) await (this.#running ?? this.#way.underWay);
  }

  #wake(): void {
    this.#running ??= this.#drain();
  }

  async #drain(): Promise<void> {
    while (!this.#queue.isEmpty || this.#way.failure !== null) {
      // Whatever else arrives in this turn of the event loop comes into the same commit.
      await new Promise(setImmediate);
      if (this.#way.failure !== null && !(await this.#takeBack(this.#way.failure))) break;
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
    // Another process holds the file. Waiting is done here, not in SQLite, which would hold up the event loop.
    while (failure?.begun === false && isBusy(failure.cause) && performance.now() < until) {
      await wait(busyRetry);
      failure = await this.#attempt(pieces, 'immediate');
    }
    // Writing is impossible now; pieces that only read go on (security, promise 5).
    if (failure?.begun === false) failure = await this.#attempt(pieces, 'deferred');
    if (failure === null) return;
    const { begun, cause, group } = failure;
    const lost = this.#file.lost();
    const error =
      cause instanceof StorageUnavailable
        ? cause
        : new StorageUnavailable('the transaction could not be committed', { cause });
    // What it was built on did not reach the disk.
    if (this.#way.failure !== null && !(await this.#takeBack(this.#way.failure)))
      this.#queue.reject(group, error);
    else if (lost !== null) await this.#refuse(group, lost);
    // The disk is full, say: SQLite finds that at the commit, and takes back all. Work that only read has seen what
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
            const seesUnsynced = writers > 0 || this.#way.underWay !== null;
            const { result, hasWritten } = await runInSavepoint(tx, piece.work, this.#statements);
            if (!this.#statements.isInTransaction()) {
              // The next piece would be in no transaction, and committed by itself.
              lost = 'error' in result ? result.error : new Error('SQLite took the transaction back');
              throw lost;
            }
            if (hasWritten) writers += 1;
            if (hasWritten || (seesUnsynced && !this.#readSnapshot(piece))) done.push({ piece, result });
            else if (!seesUnsynced) this.#queue.answer(piece, result, outage);
          }
          if (writers === 0 || (this.#way.underWay === null && !(wasHeld && this.#way.isGathering))) break;
          wasHeld = true;
          if (this.#queue.isEmpty) await Promise.race([this.#way.underWay ?? wait(1), this.#queue.arrival()]);
          if (this.#way.failure !== null) throw this.#way.failure.error;
          group.push(...this.#queue.take());
        }
        if (writers > 0) this.#way.beforeCommit();
        return writers > 0;
      });
      if (hasWritten) this.#way.put(done, begunAt, group.length);
      else {
        this.#way.answerAfter(done);
        this.#observe(performance.now() - begunAt, group.length);
      }
      return null;
    } catch (cause) {
      this.#statements.memory.clear();
      // Kysely says of a transaction that is gone that it cannot be rolled back.
      return { begun, cause: lost ?? cause, group };
    }
  }

  /**
   * Undoes what did not reach the disk, and lets those read again who saw it.
   *
   * @returns whether it could be undone; otherwise no piece is served, and the next one that comes tries again
   */
  async #takeBack({ error, pieces }: Failure): Promise<boolean> {
    this.#statements.memory.clear();
    try {
      this.#file.snapshot()?.letGo();
      this.#file.takeBack();
    } catch {
      this.#way.failure = { error, pieces: [] };
      this.#queue.reject([...pieces, ...this.#queue.take()], error);
      return false;
    }
    this.#way.failure = null;
    const lost = this.#file.lost();
    if (lost === null) await this.#readAgain(pieces, error);
    else await this.#refuse(pieces, lost);
    return true;
  }

  /** While the log is copied into the database there is no commit; pieces that only read go on if that takes long. */
  async #checkpoint(): Promise<void> {
    let isOver = false;
    const alone = (work: () => void) => {
      this.#file.snapshot()?.letGo();
      work();
      this.#file.holdSnapshot();
    };
    const copy = async () => {
      await this.#way.underWay;
      if (this.#way.failure !== null) return;
      this.#file.holdSnapshot();
      await this.#file.checkpoint(alone);
    };
    const over = copy()
      .catch((cause: unknown) => {
        const error = new StorageUnavailable('the log could not be begun again', { cause });
        this.#way.failure = { error, pieces: [] };
      })
      .then(() => {
        isOver = true;
      });
    // Most work that comes writes, and would be done twice. On a quick disk this is over soon.
    await Promise.race([over, this.#file.wait(checkpointPatience)]);
    while (!isOver) {
      // Those that write stay.
      this.#queue.again(this.#queue.take().filter((piece) => !this.#readSnapshot(piece)));
      await Promise.race([over, this.#queue.arrival()]);
    }
    if (!this.#way.isSlow) this.#file.snapshot()?.letGo();
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
    this.#wake();
  }

  #statement(text: string): void {
    this.#statements.prepare(text).run();
  }
}
