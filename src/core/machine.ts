/** The one call into xstate: a stored state, and an event, give the next state and what to do. */
import { type AnyMachineSnapshot, type AnyStateMachine, createMachine } from 'xstate';

/**
 * One line of a machine's table: an event in a state, on a condition, leads to the next state and has an outcome,
 * which is what the caller is to do. A dash is "otherwise" for a condition, and "as it was" for the next state.
 */
export type Line<Event extends string = string, Condition extends string = string> = readonly [
  state: string | readonly string[],
  event: Event | readonly Event[],
  condition: Condition | '–',
  next: string,
  outcome: string,
];

/** A machine, as its table says: what xstate makes of it, and what that says of each state, asked once. */
export interface Machine<Context, Event extends { type: string }, L extends Line> {
  readonly id: string;
  readonly lines: readonly L[];
  readonly logic: AnyStateMachine;
  readonly states: ReadonlyMap<string, KnownState>;
  /** Only for the compiler. */
  readonly types?: { readonly context: Context; readonly event: Event };
}

/** What a machine says of one of its states, whatever record is in it. */
interface KnownState {
  readonly events: ReadonlySet<string>;
  readonly snapshot: AnyMachineSnapshot;
}

type Each<Listed> = Listed extends readonly (infer One)[] ? One : Listed;

/** The names of a machine's states. */
export type StateOf<M> = M extends Machine<infer _Context, infer _Event, infer L> ? Each<L[0]> : never;

/** The outcomes that an event can have. */
type OutcomeOf<L extends Line, Type extends string> = L extends Line
  ? [Type & Each<L[1]>] extends [never]
    ? never
    : L[4]
  : never;

/** What a machine is made of. */
interface Description<Context, Event extends { type: string }, Condition extends string, Lines> {
  readonly id: string;
  /** What the conditions read of the record; only the type counts. */
  readonly context: Context;
  /** What can happen, with its time and the facts found by comparing secrets; only the type counts. */
  readonly event: Event;
  readonly conditions: Readonly<Record<Condition, (given: { context: Context; event: Event }) => boolean>>;
  /** Every state lists every event. Of the lines of both, the first whose condition holds decides. */
  readonly lines: Lines;
}

interface Transition {
  readonly guard?: string;
  readonly target?: string;
  readonly actions: string;
}

/** Makes a machine of its table. Records begin in the state of the first line. */
export function machineOf<
  Context,
  Event extends { type: string },
  Condition extends string,
  const Lines extends readonly Line<Event['type'], NoInfer<Condition>>[],
>({
  id,
  conditions,
  lines,
}: Description<Context, Event, Condition, Lines>): Machine<Context, Event, Lines[number]> {
  const states: Record<string, { readonly on: Record<string, Transition[]> }> = {};
  for (const [inStates, atEvents, condition, next, actions] of lines) {
    for (const state of [inStates].flat()) {
      states[state] ??= { on: {} };
      for (const event of [atEvents].flat()) {
        states[state].on[event] ??= [];
        states[state].on[event].push({
          ...(condition === '–' ? {} : { guard: condition }),
          ...(next === '–' ? {} : { target: next }),
          actions,
        });
      }
    }
  }
  const [initial = ''] = Object.keys(states);
  const logic: AnyStateMachine = createMachine(
    { id, context: {}, initial, states },
    { guards: conditions as Readonly<Record<string, never>> },
  );
  const known = Object.entries(logic.states).map(([state, { ownEvents }]): [string, KnownState] => [
    state,
    { events: new Set(ownEvents), snapshot: logic.resolveState({ value: state, context: {} }) },
  ]);
  return { id, lines, logic, states: new Map(known) };
}

/**
 * Moves a stored record one event further. This is the only call into xstate.
 *
 * The snapshot is made of the record's columns, so nothing lives between two requests. A state that the
 * machine does not know, or an event that its state does not list, is a bug of ours and throws: xstate itself
 * would drop the event silently, and a dropped event in a grant is a hole.
 *
 * xstate chooses the transition. What its public `transition()` does beyond that is for machines that live on,
 * with entry and exit actions, and takes 4 to 5 µs where this takes 0.3: two of them are several hundredths of a
 * refresh. Our machines have none of that: a test holds them to it, and both to the same answers.
 *
 * @param state the stored state
 * @param context what the conditions read of the record
 * @returns the state that the record is in now, and what the line asks the caller to do
 */
export function step<Context, Event extends { type: string }, L extends Line, const Happened extends Event>(
  { id, logic, states }: Machine<Context, Event, L>,
  state: Each<L[0]>,
  context: NoInfer<Context>,
  event: Happened,
): { readonly state: Each<L[0]>; readonly outcome: OutcomeOf<L, Happened['type']> } {
  const known = states.get(state);
  if (known === undefined) throw new Error(`${id}: unknown state`);
  if (!known.events.has(event.type)) throw new Error(`${id}: state ${state} does not list ${event.type}`);
  const [chosen] = logic.getTransitionData({ ...known.snapshot, context }, event);
  if (chosen === undefined) throw new Error(`${id}: ${event.type} has no outcome in state ${state}`);
  return {
    state: (chosen.target?.[0]?.key as Each<L[0]> | undefined) ?? state,
    outcome: chosen.actions[0] as unknown as OutcomeOf<L, Happened['type']>,
  };
}

/** All records of one state become another. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Where an event leads all the records of a machine: one move for each state that it changes. */
export function movesOf<Context, Event extends { type: string }, L extends Line>(
  machine: Machine<Context, Event, L>,
  context: NoInfer<Context>,
  event: NoInfer<Event>,
): readonly Move[] {
  return [...machine.states.keys()]
    .map((from) => ({ from, to: step(machine, from as Each<L[0]>, context, event).state }))
    .filter(({ from, to }) => from !== to);
}
