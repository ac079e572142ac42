/** The numbers of figures over time, and of what needs attention: each once, as in `core/limits.ts`. Times are ms. */
import { day, minute, second } from '../../limits.ts';

/**
 * Figures are rolled up each minute, so many events or rows in a bite and so many bites at a time: half a million events
 * that were there before take about half a minute. Where processes share a database, an event is counted when those that
 * came at its time are committed, which takes no transaction as long. What there is takes a walk over all members and
 * subscriptions, which goes on for a fiftieth of the time at most, and is done each day at least.
 */
export const figureRollUp = {
  every: minute,
  settled: 30 * second,
  bite: 500,
  bites: 1_000,
  /** How many hours or days are written at once. */
  steps: 30,
  walkShare: 50,
} as const;

/**
 * What needs the attention of an operator: an invoice when it is due, a backup that is older than two days, a signing
 * key that should have got a successor two days ago, refused requests that are three times as many as the day before,
 * and clients for which so many TV codes of a day were told to slow down. So many rows are looked at
 * for each, and so many for the two whom it names.
 */
export const attention = {
  backup: 2 * day,
  key: 2 * day,
  refused: { least: 50, times: 3 },
  mails: 7 * day,
  polling: { time: day, least: 3 },
  rows: 1_000,
  named: 20,
} as const;

/** What happened last is looked for among so many events, and so many of it are told. */
export const whatHappened = { looked: 500, told: 30 } as const;

/** Figures of hours are kept as long as they tell a day from the week before, those of days for two years and a month. */
export const figureMemory = { hour: 8 * day, day: 760 * day } as const;
