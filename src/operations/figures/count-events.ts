// Counts what happened: rolls events of the audit up into figures, each once.
import { day, hour } from '../../core/limits.ts';
import { figuresOfEvent } from '../../core/operators/figures/figure.ts';
import { figureMemory, figureRollUp } from '../../core/operators/figures/limits.ts';
import { highestEvent } from '../../storage/operators/audit-list.ts';
import {
  addFigures,
  type CountedEvents,
  countEvents,
  endOfBite,
  moveRolledUp,
  rolledUpTo,
} from '../../storage/operators/figure.ts';
import type { FigureRow } from '../../storage/operators/schema.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Pace } from '../../storage/sweep/sweep.ts';

/** Events up to this one are committed, and no other will come before it. */
interface Settled {
  readonly id: number;
  /** When it was the newest (ms). */
  readonly at: number;
}

/**
 * Counts the events that came since it was done last. A sign-in does nothing for it: the audit has it anyway.
 *
 * Events are read in the order of their ids, whatever their times say. Where processes share a database ids are given
 * before they are committed, so that a lower one may still come: there it is counted up to the one that was the newest
 * when it was done before. What is read is looked up, which holds up no one; the counts and how far they go are written
 * together, by the one who moves on from where it was.
 */
export function countingEvents(store: Store): (now: number, pace: Pace) => Promise<void> {
  let settled: Settled | null = null;
  return async (now, { pause, isOver }) => {
    const newest = { id: await store.lookUp(highestEvent), at: now };
    const isSettled = settled !== null && now - settled.at >= figureRollUp.settled;
    const last = !store.isShared ? newest : isSettled ? settled : null;
    if (isSettled || settled === null) settled = newest;
    if (last === null) return;
    for (let bites = 0; bites < figureRollUp.bites && !isOver(); bites += 1) {
      const bite = await store.lookUp((tx) => nextBite(tx, last.id));
      if (bite === null) return;
      await store.transaction(async (tx) => {
        await addFigures(tx, figuresOf(bite.counted, now));
        await moveRolledUp(tx, { what: 'events', until: bite.end }, bite.from);
      });
      await pause();
    }
  };
}

async function nextBite(tx: Tx, settled: number) {
  const from = await rolledUpTo(tx, 'events');
  const highest = await highestEvent(tx);
  // If all events have been deleted, their ids may begin anew.
  const after = highest < from ? 0 : from;
  const last = Math.min(settled, highest);
  if (last <= after) return null;
  const end = await endOfBite(tx, after, last, figureRollUp.bite);
  return { from, end, counted: await countEvents(tx, after, end) };
}

/** The figures that events count for, those of days and those of hours that are still kept. */
function figuresOf(counted: readonly CountedEvents[], now: number): readonly FigureRow[] {
  const figures = new Map<string, FigureRow>();
  const add = (figure: FigureRow) => {
    const key = `${figure.tenantId} ${figure.unit} ${figure.at} ${figure.name}`;
    const value = (figures.get(key)?.value ?? 0) + figure.value;
    figures.set(key, { ...figure, value });
  };
  for (const { tenantId, at, count: value, ...event } of counted) {
    for (const name of figuresOfEvent(event)) {
      if (at >= now - figureMemory.day) add({ tenantId, unit: 'day', at: at - (at % day), name, value });
      if (at >= now - figureMemory.hour) add({ tenantId, unit: 'hour', at: at - (at % hour), name, value });
    }
  }
  return [...figures.values()];
}
