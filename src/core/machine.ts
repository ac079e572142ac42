import type { AnyMachineSnapshot, AnyStateMachine, ContextFrom, EventFromLogic, StateMachine } from 'xstate';

/** The action names of a machine: what a transition asks its caller to do. */
type OutcomeOf<M> =
  M extends StateMachine<
    infer _Context,
    infer _Event,
    infer _Children,
    infer _Actor,
    infer Action,
    infer _Guard,
    infer _Delay,
    infer _State,
    infer _Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _Config
  >
    ? Action['type']
    : never;

/** What one event did: the state the record is in now, and the outcomes named by the transition. */
export interface Step<Outcome extends string> {
  readonly state: string;
  readonly outcomes: readonly Outcome[];
}

/**
 * Moves a stored record one event further. This is the only call into xstate.
 *
 * The snapshot is rebuilt from the record's columns, so nothing lives between two requests. A state the
 * machine does not know, or an event its state does not list, is a bug of ours and throws: xstate itself
 * would drop the event silently, and a dropped event in a grant is a hole.
 *
 * xstate chooses the transition. What its `transition()` does beyond that is for machines that live on, with
 * entry and exit actions, and takes ten times as long; ours have none. A test holds them to that, and both to
 * the same answers.
 *
 * @param machine the noun's machine; every state lists every event
 * @param state the stored state
 * @param context what the guards read of the record
 * @param event what happened, with its time and the facts found by comparing secrets
 */
export function step<M extends AnyStateMachine>(
  machine: M,
  state: string,
  context: ContextFrom<M>,
  event: EventFromLogic<M>,
): Step<OutcomeOf<M>> {
  const { events, snapshot } = knownState(machine, state);
  if (!events.has(event.type)) throw new Error(`${machine.id}: state ${state} does not list ${event.type}`);
  const [chosen] = (machine as AnyStateMachine).getTransitionData({ ...snapshot, context }, event);
  return {
    state: chosen?.target?.[0]?.key ?? state,
    outcomes: (chosen?.actions ?? []).map(nameOf<OutcomeOf<M>>),
  };
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

/** An action stands in a transition by its name alone, or as an object of this type. */
function nameOf<Outcome extends string>(action: unknown): Outcome {
  return (typeof action === 'object' ? (action as { type: string }).type : action) as Outcome;
}
