// What the chart of a state machine shows: its states, and which events lead from one to another.
import type { Line, Machine } from '../../machine.ts';

/** Any machine of the core. */
export type AnyMachine = Machine<unknown, { type: string }, Line>;

/** One transition of a machine, in words. */
export interface Transition {
  readonly state: string;
  readonly event: string;
  /** The guard's name, or – for "otherwise". */
  readonly condition: string;
  readonly next: string;
  readonly outcome: string;
}

/** Every transition of a machine, in the order in which its conditions are asked. */
export function transitionsOf({ logic }: AnyMachine): readonly Transition[] {
  return Object.entries(logic.states).flatMap(([state, node]) =>
    [...node.transitions].flatMap(([event, transitions]) =>
      transitions.map(({ guard, target, actions }) => ({
        state,
        event,
        condition: guard === undefined ? '–' : String(guard),
        next: target?.[0]?.key ?? state,
        outcome: String(actions[0]),
      })),
    ),
  );
}

/** Events that lead the same way on the same condition. */
export interface Cause {
  readonly events: readonly string[];
  /** Null for "otherwise". */
  readonly condition: string | null;
}

/** All that leads from one state to another. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly causes: readonly Cause[];
}

/** A state, with the events that can leave it as it is. */
export interface State {
  readonly name: string;
  readonly stays: readonly string[];
}

/** A machine as a graph. Its first state is where records begin. */
export interface Graph {
  readonly states: readonly State[];
  readonly arrows: readonly Arrow[];
}

export function graphOf(machine: AnyMachine): Graph {
  const transitions = transitionsOf(machine);
  const moves = Map.groupBy(
    transitions.filter(({ state, next }) => state !== next),
    ({ state, next }) => `${state} ${next}`,
  );
  const stays = Map.groupBy(
    transitions.filter(({ state, next }) => state === next),
    ({ state }) => state,
  );
  return {
    states: [...machine.states.keys()].map((name) => ({ name, stays: eventsOf(stays.get(name) ?? []) })),
    arrows: [...moves.values()].flatMap((all) => {
      const [first] = all;
      return first === undefined ? [] : [{ from: first.state, to: first.next, causes: causesOf(all) }];
    }),
  };
}

const eventsOf = (transitions: readonly Transition[]) => [...new Set(transitions.map(({ event }) => event))];

function causesOf(transitions: readonly Transition[]): readonly Cause[] {
  const byCondition = Map.groupBy(transitions, ({ condition }) => condition);
  return [...byCondition].map(([condition, all]) => ({
    events: eventsOf(all),
    condition: condition === '–' ? null : condition,
  }));
}
