import { type AnyMachine, transitionsOf } from '../../../src/core/rehearsal/chart/graph.ts';

/** The first three columns of each line of a machine's state table: what a case of a test is named after. */
export function linesOf(machine: AnyMachine): readonly string[] {
  return transitionsOf(machine).map(({ state, event, condition }) => `${state} | ${event} | ${condition}`);
}
