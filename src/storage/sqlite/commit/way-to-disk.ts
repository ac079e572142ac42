// The way of a commit to the disk, with those whose answers wait for that.
import { heldPart, lingering, slowSync } from '../../../core/limits.ts';
import { type CommitObserver, StorageUnavailable } from '../../store.ts';
import type { DurableFile } from '../durable-file.ts';
import type { Done, Piece, Queue } from './queue.ts';

/**
 * The trip through the thread pool costs more than a quick disk takes: there the event loop itself waits. A disk that
 * turns slow holds the loop once, and is then left to the pool for a while. All times in ms, of one clock that only
 * goes forward.
 */
class DiskPace {
  #took = 0;
  #holdAgainAt = 0;
  #gatherUntil = 0;

  /** Whether the event loop may wait for the next commit. */
  mayHold(now: number): boolean {
    return !this.isSlow && now >= this.#holdAgainAt;
  }

  /** Whether the last commit took so long that those who only read are not to wait for the next one. */
  get isSlow(): boolean {
    return this.#took > slowSync;
  }

  /** Whether a commit that had to wait for the one before is to wait a little longer, for those just answered. */
  isGathering(now: number): boolean {
    return this.isSlow && now < this.#gatherUntil;
  }

  /** Called when the event loop has waited for a commit. */
  held(begunAt: number, now: number): void {
    this.#note(begunAt, now);
    if (this.isSlow) this.#holdAgainAt = now + this.#took / heldPart;
  }

  /** Called when the pool has waited for a commit; the time includes the loop's own work meanwhile. */
  waited(begunAt: number, now: number): void {
    this.#note(begunAt, now);
    this.#gatherUntil = now + this.#took * lingering;
  }

  #note(begunAt: number, now: number): void {
    this.#took = now - begunAt;
  }
}

/** A synchronisation that failed, with those who wait for it. */
export interface Failure {
  readonly error: StorageUnavailable;
  readonly pieces: readonly Piece[];
}

/** At most one commit is on its way. A disk that is quick is waited for at once: then none ever is. */
export class WayToDisk {
  readonly #file: DurableFile;
  readonly #queue: Queue;
  readonly #observe: CommitObserver;
  readonly #wake: () => void;
  readonly #pace = new DiskPace();
  /** Resolves when the commit that is on its way is on the disk, or failed to get there. */
  underWay: Promise<void> | null = null;
  /** To be taken back before anything else is committed. */
  failure: Failure | null = null;

  /** @param wake makes the group commit look at the queue, and at what failed */
  constructor(file: DurableFile, queue: Queue, observe: CommitObserver, wake: () => void) {
    this.#file = file;
    this.#queue = queue;
    this.#observe = observe;
    this.#wake = wake;
  }

  /** Whether the disk is so slow that those who only read do not wait for it. */
  get isSlow(): boolean {
    return this.#pace.isSlow;
  }

  /** Whether a commit that had to wait for the one before waits a little longer: in half as many each takes half as long. */
  get isGathering(): boolean {
    return this.#pace.isGathering(this.#file.now());
  }

  /** To be called before each commit, while nothing is on its way. @throws if the file may not be written */
  beforeCommit(): void {
    const lost = this.#file.check();
    if (lost !== null) throw new StorageUnavailable(lost.why);
    if (this.isSlow && this.#file.snapshot() === null) this.#file.holdSnapshot();
  }

  /** Puts a commit on the disk, and answers those who wait for that. `begunAt` is of `performance.now()`. */
  put(done: readonly Done[], begunAt: number, pieces: number): void {
    const syncedAt = this.#file.now();
    const end = () => this.#observe(performance.now() - begunAt, pieces);
    if (!this.#pace.mayHold(syncedAt)) {
      this.underWay = this.#file.sync().then(
        () => {
          this.underWay = null;
          this.#pace.waited(syncedAt, this.#file.now());
          this.#arrived(done);
          end();
        },
        (cause: unknown) => {
          this.underWay = null;
          this.#failed(done, cause);
          end();
        },
      );
      return;
    }
    try {
      this.#file.syncAtOnce();
      this.#pace.held(syncedAt, this.#file.now());
      this.#arrived(done);
    } catch (cause) {
      this.#failed(done, cause);
    }
    end();
  }

  /** Answers readers, once what they saw is on the disk. A reader who saw what never got there reads again. */
  answerAfter(done: readonly Done[]): void {
    if (done.length === 0) return;
    void (this.underWay ?? Promise.resolve()).then(() => {
      if (this.failure === null) return this.#answer(done);
      this.#queue.again(piecesOf(done));
      this.#wake();
    });
  }

  #arrived(done: readonly Done[]): void {
    if (this.isSlow) this.#file.holdSnapshot();
    else this.#file.snapshot()?.letGo();
    this.#answer(done);
  }

  #failed(done: readonly Done[], cause: unknown): void {
    const error = new StorageUnavailable('what was written did not reach the disk', { cause });
    this.failure = { error, pieces: piecesOf(done) };
    this.#wake();
  }

  #answer(done: readonly Done[]): void {
    for (const { piece, result } of done) this.#queue.answer(piece, result);
  }
}

function piecesOf(done: readonly Done[]): Piece[] {
  return done.map(({ piece }) => piece);
}
