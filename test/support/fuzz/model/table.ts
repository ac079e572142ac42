import {
  type AnyMachine,
  type Transition,
  transitionsOf,
} from '../../../../src/core/rehearsal/chart/graph.ts';

/**
 * What a machine's own table says of an event: the first line of the state and event whose condition holds.
 *
 * @param holds the conditions of those lines, by their names there
 * @throws for a condition that nothing is known of: a new line needs a new fact here
 */
export function lineOf(
  machine: AnyMachine,
  state: string,
  event: string,
  holds: Readonly<Record<string, boolean>> = {},
): Transition {
  const lines = transitionsOf(machine).filter((line) => line.state === state && line.event === event);
  for (const line of lines) {
    if (line.condition === '–') return line;
    const isTrue = holds[line.condition];
    if (isTrue === undefined) throw new Error(`nothing is known of "${line.condition}"`);
    if (isTrue) return line;
  }
  throw new Error(`the table has no line for ${event} in ${state}`);
}
