/** The pieces of work that are not answered yet. */
import { asUnavailable, type Piece, type Result, StorageUnavailable } from './piece.ts';

/** Those that wait for their turn; and a count of all that wait for an answer, so that there is an end to them. */
export class Queue {
  readonly #most: number;
  #waiting: Piece[] = [];
  #unanswered = 0;
  #wake: () => void = () => {};

  /** @param most how many may be unanswered */
  constructor(most: number) {
    this.#most = most;
  }

  get unanswered(): number {
    return this.#unanswered;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** @returns what comes of the work; rejects at once where too much is waiting */
  add(work: Piece['work']): Promise<unknown> {
    if (this.#unanswered >= this.#most) {
      return Promise.reject(new StorageUnavailable('too many transactions are waiting'));
    }
    this.#unanswered += 1;
    return new Promise((resolve, reject) => {
      this.again([{ work, resolve, reject, isAnswered: false, writes: false }]);
    });
  }

  /** Lets pieces wait once more that were taken. */
  again(pieces: readonly Piece[]): void {
    this.#waiting.push(...pieces);
    this.#wake();
  }

  /** Takes those that waited longest. */
  take(most = this.#waiting.length): Piece[] {
    return this.#waiting.splice(0, most);
  }

  /** Resolves when the next piece comes. One at a time may wait for that. */
  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** @param outage what a piece that could not write is told, where that is known already */
  answer(piece: Piece, result: Result, outage?: StorageUnavailable): void {
    if (piece.isAnswered) return;
    piece.isAnswered = true;
    this.#unanswered -= 1;
    if ('error' in result) piece.reject(asUnavailable(result.error, outage));
    else piece.resolve(result.value);
  }

  reject(pieces: readonly Piece[], error: StorageUnavailable): void {
    for (const piece of pieces) this.answer(piece, { error });
  }
}
