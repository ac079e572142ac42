/** The one clock: ms since the epoch. It is handed in, so that tests can move it. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();
