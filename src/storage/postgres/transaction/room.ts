// Says how many transactions of PostgreSQL may be under way beside each other.
import { postgresGroups, postgresMeetings } from '../../../core/operators/store-limits.ts';

export interface Room {
  /** How many may be under way now: one at least. */
  now(): number;
  /** One has heard of the database. @param ms after it began: it asked then, or somewhat later */
  heard(ms: number): void;
  /** One that began with this room has ended. @param metOthers whether it has to run again, for what others read or changed meanwhile */
  ended(metOthers: boolean): void;
}

/**
 * As many as keep the process busy while others wait for the database, by how far that is away; half of them while they
 * are often in each other's way. Another process is seen by that too.
 */
export function createRoom(): Room {
  const { least, most, forEachMs } = postgresGroups;
  let distance = 0;
  let meetings = 0;
  return {
    now: () => {
      const all = Math.min(most, least + Math.floor(distance * forEachMs));
      return meetings > postgresMeetings.most ? all >> 1 : all;
    },
    heard: (ms) => {
      // Most of what comes late waited for this process: the least counts, and is forgotten slowly.
      distance = Math.min(ms, distance * 1.02 + 0.01);
    },
    ended: (metOthers) => {
      meetings += ((metOthers ? 1 : 0) - meetings) * postgresMeetings.ofEach;
    },
  };
}
