// Every number of events and of the ways to be told them, named once (see also `core/limits.ts`). Times are ms.
import { day, hour, minute, second } from '../limits.ts';

/** How long events can be read: a reader that was away for longer reads everything anew. */
export const eventMemory = 30 * day;

/**
 * A restored database has forgotten the numbers that it gave since its copy was made. They skip more than a tenant could
 * have used in a month, ten a second: no reader takes a new event for one that it has read.
 */
export const skippedAtRestore = 30_000_000;

/** So many events are numbered in one transaction. */
export const numberedAtOnce = 500;

/** How long numbering rests where it failed, and how often each of several processes looks for what a dead one left. */
export const numberingRest = { failed: 5 * second, look: 10 * second } as const;

/** How often subscriptions are looked at whose time has come or gone. */
export const settledEvery = minute;

/**
 * Reading events: how long a reader may wait for the next (s), how many may wait, in all and of one tenant, and how often
 * one of several processes looks for what another numbered.
 */
export const feed = { waitSeconds: 30, waiting: 500, waitingOfTenant: 20, look: second } as const;

/**
 * Webhooks: how long a delivery waits after it failed first, and at most, and for how long it is tried before its endpoint is
 * off; how long a secret still signs after another took its place; how many deliveries of an endpoint wait at once, are made
 * of events and taken at a time, and are sent beside each other; how many secrets are kept in clear; the wait where too much
 * is under way; how much of an answer is kept, and told in a mail; how many attempts of a delivery are kept; up to how many
 * deliveries that wait are counted; to how many administrators one goes; how often one of several processes looks for what
 * a dead one left; how many endpoints a tenant has, and how many
 * test events and repetitions it may send in a minute.
 */
export const webhook = {
  firstWait: 5 * second,
  longestWait: 4 * hour,
  giveUpAfter: 3 * day,
  overlap: day,
  window: 5_000,
  spread: 200,
  batch: 64,
  beside: 4,
  opened: 1_000,
  busyWait: second,
  answerLength: 1_024,
  answerInMail: 200,
  attempts: 40,
  counted: 10_000,
  told: 50,
  look: 10 * second,
  endpoints: 20,
  extrasPerMinute: 10,
} as const;
