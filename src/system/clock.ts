/** The one clock: ms since the epoch. It is handed in, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** Does something later. @returns what calls it off */
export type Schedule = (work: () => void, ms: number) => () => void;

/** Keeps no process from ending. */
export const systemSchedule: Schedule = (work, ms) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};
