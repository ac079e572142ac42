/** The one call into xstate: a stored state, and an event, give the next state and what to do. */
import type { AnyMachineSnapshot, AnyStateMachine, ContextFrom, EventFromLogic, StateMachine } from 'xstate';

/** The names of a machine's states, and those of its actions, as it was set up. */
type NamesOf<M> =
  M extends StateMachine<
    infer _Context,
    infer _Event,
    infer _Children,
    infer _Actor,
    infer Action,
    infer _Guard,
    infer _Delay,
    infer State,
    infer _Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _Config
  >
    ? { readonly state: Extract<State, string>; readonly outcome: Action['type'] }
    : never;

/** The names of a machine's states. */
export type StateOf<M> = NamesOf<M>['state'];

/** What one event did: the state that the record is in now, and what the transition asks its caller to do. */
export interface Step<State extends string, Outcome extends string> {
  readonly state: State;
  readonly outcome: Outcome;
}

/**
 * Names the outcomes of a machine where it is set up, as xstate's actions, which do nothing by themselves. Each
 * transition has exactly one.
 */
export function outcomes<Name extends string>(...names: readonly Name[]): Record<Name, () => void> {
  return Object.fromEntries(names.map((name) => [name, () => {}])) as Record<Name, () => void>;
}

/** Ends an exhaustive switch over outcomes with those that belong to other events: they are bugs of ours. */
export function impossible(outcome: string): never {
  throw new Error(`this event cannot come to ${outcome}`);
}

/**
 * Moves a stored record one event further. This is the only call into xstate.
 *
 * The snapshot is rebuilt from the record's columns, so nothing lives between two requests. A state that the
 * machine does not know, or an event that its state does not list, is a bug of ours and throws: xstate itself
 * would drop the event silently, and a dropped event in a grant is a hole.
 *
 * xstate chooses the transition. What its public `transition()` does beyond that is for machines that live on,
 * with entry and exit actions, and takes 4 to 5 µs where this takes 0.3: two of them are several hundredths of a
 * refresh. Our machines have none of that: a test holds them to it, and both to the same answers.
 *
 * @param machine the noun's machine; every state lists every event
 * @param state the stored state
 * @param context what the guards read of the record
 * @param event what happened, with its time and the facts found by comparing secrets
 */
export function step<M extends AnyStateMachine>(
  machine: M,
  state: StateOf<M>,
  context: ContextFrom<M>,
  event: EventFromLogic<M>,
): Step<StateOf<M>, NamesOf<M>['outcome']> {
  const { events, snapshot } = knownState(machine, state);
  if (!events.has(event.type)) throw new Error(`${machine.id}: state ${state} does not list ${event.type}`);
  const [chosen] = (machine as AnyStateMachine).getTransitionData({ ...snapshot, context }, event);
  const action: unknown = chosen?.actions[0];
  if (action === undefined) throw new Error(`${machine.id}: ${event.type} has no outcome in state ${state}`);
  return {
    state: (chosen?.target?.[0]?.key as StateOf<M> | undefined) ?? state,
    // An action stands in a transition by its name alone, or as an object of this type.
    outcome: typeof action === 'string' ? action : (action as { type: string }).type,
  };
}

/** All records of one state become another. */
export interface Move {
  readonly from: string;
  readonly to: string;
}

/** Where an event leads all the records of a machine: one move for each state that it changes. */
export function movesOf<M extends AnyStateMachine>(
  machine: M,
  context: ContextFrom<M>,
  event: EventFromLogic<M>,
): readonly Move[] {
  return (Object.keys(machine.states) as StateOf<M>[])
    .map((from) => ({ from, to: step(machine, from, context, event).state }))
    .filter(({ from, to }) => from !== to);
}

/** What a machine says of one of its states, whatever record is in it. */
interface KnownState {
  readonly events: ReadonlySet<string>;
  readonly snapshot: AnyMachineSnapshot;
}

const knownStates = new WeakMap<AnyStateMachine, Map<string, KnownState>>();

/** Asks the machine once: working it out takes it longer than choosing a transition. */
function knownState(machine: AnyStateMachine, state: string): KnownState {
  const states = knownStates.get(machine) ?? new Map<string, KnownState>();
  knownStates.set(machine, states);
  const known = states.get(state);
  if (known !== undefined) return known;
  const node = machine.states[state];
  if (node === undefined) throw new Error(`${machine.id}: unknown state`);
  const asked = {
    events: new Set<string>(node.ownEvents),
    snapshot: machine.resolveState({ value: state, context: {} }),
  };
  states.set(state, asked);
  return asked;
}
