/** How long the disk takes, and so where the next commit waits for it. */
import { heldPart, lingering, slowSync } from '../../core/limits.ts';

/**
 * The trip through the thread pool costs more than a quick disk takes: there the event loop itself waits. A disk that
 * turns slow holds the loop once, and is then left to the pool for a while. All times in ms, of one clock that only
 * goes forward.
 */
export class DiskPace {
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

  /** Is told that the event loop has waited for a commit. */
  held(begunAt: number, now: number): void {
    this.#note(begunAt, now);
    if (this.isSlow) this.#holdAgainAt = now + this.#took / heldPart;
  }

  /** Is told that the pool has waited for a commit; the loop's own work meanwhile is in this time. */
  waited(begunAt: number, now: number): void {
    this.#note(begunAt, now);
    this.#gatherUntil = now + this.#took * lingering;
  }

  #note(begunAt: number, now: number): void {
    this.#took = now - begunAt;
  }
}
