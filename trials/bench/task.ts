import type { Line } from './figures.ts';
import type { Bench } from './measure.ts';

/** A row to be measured, when its turn comes. */
export interface Task {
  readonly name: string;
  readonly measure: (bench: Bench) => Promise<Line>;
}
