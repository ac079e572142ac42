import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transition } from 'xstate';
import { step } from '../../../src/core/machine.ts';
import type { AnyMachine } from '../../../src/core/rehearsal/chart/graph.ts';
import { machines } from '../../../tools/state-tables.ts';

/** What guards compare: times around each other, and yes and no. */
const value = fc.constantFrom(0, 5, 10, true, false, null);

/** The facts that a machine's guards read, of the record and of the event, found by letting them all read. */
function factsOf({ logic }: AnyMachine): { readonly context: Set<string>; readonly event: Set<string> } {
  const facts = { context: new Set<string>(), event: new Set<string>() };
  const reading = (names: Set<string>, type?: string) =>
    new Proxy(
      {},
      {
        has: () => true,
        get: (_, name) => {
          if (name === 'type') return type;
          names.add(String(name));
          return 1;
        },
      },
    );
  const guards = Object.values(logic.implementations.guards) as ((given: unknown) => unknown)[];
  for (const guard of guards) {
    for (const type of logic.events) {
      guard({ context: reading(facts.context), event: reading(facts.event, type) });
    }
  }
  return facts;
}

const recordOf = (names: Iterable<string>) =>
  fc.record(Object.fromEntries([...names].map((name) => [name, value])));

describe.each(machines.map(({ machine }) => ({ name: machine.id, machine })))(
  'the machine of the $name',
  ({ machine }) => {
    it('has nothing that happens beside its transitions, each with one outcome: no entry, exit, invocation, delay or history', () => {
      for (const node of Object.values(machine.logic.states)) {
        const { entry, exit, invoke, after, always, states, type, history } = node;
        expect({ entry, exit, invoke, after, always: always ?? [], states, type, history }).toEqual({
          entry: [],
          exit: [],
          invoke: [],
          after: [],
          always: [],
          states: {},
          type: 'atomic',
          history: false,
        });
        for (const transitions of node.transitions.values()) {
          for (const { target, reenter, actions } of transitions) {
            expect([target?.length ?? 1, reenter, actions.length]).toEqual([1, false, 1]);
          }
        }
      }
    });

    it("takes the step that xstate's own transition takes", () => {
      const facts = factsOf(machine);
      const given = fc.tuple(
        fc.constantFrom(...machine.states.keys()),
        fc.constantFrom(...machine.logic.events),
        recordOf(facts.context),
        recordOf(facts.event),
      );
      fc.assert(
        fc.property(given, ([state, type, context, said]) => {
          const event = { type, ...said };
          const before = machine.logic.resolveState({ value: state, context });
          const [next, actions] = transition(machine.logic, before, event);
          expect(step(machine, state, context, event)).toEqual({
            state: next.value,
            outcome: actions[0]?.type,
          });
        }),
        { numRuns: 200 },
      );
    });
  },
);
