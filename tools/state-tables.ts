// Makes docs/states.md from the state machines of the core.
import { checkoutMachine } from '../src/core/access/checkout.ts';
import { subscriptionMachine } from '../src/core/access/subscription.ts';
import { authorizationCodeMachine } from '../src/core/grants/authorization-code.ts';
import { deviceCodeMachine } from '../src/core/grants/device-code.ts';
import { refreshTokenMachine } from '../src/core/grants/refresh-token.ts';
import { signInMachine } from '../src/core/grants/sign-in.ts';
import type { Line, Machine } from '../src/core/machine.ts';
import { emailProofMachine } from '../src/core/members/email-proof.ts';
import { sessionMachine } from '../src/core/session.ts';

/** Any machine of the core. */
export type AnyMachine = Machine<unknown, { type: string }, Line>;

/** A machine of the core, with its file and the table that stores its state. */
export interface DocumentedMachine {
  readonly machine: AnyMachine;
  /** Below the project's folder. */
  readonly file: string;
  /** null where the state is not stored but follows from another row. */
  readonly table: string | null;
}

/** Every machine of the core, in the order of the document. A new one is added here. */
export const machines: readonly DocumentedMachine[] = [
  {
    machine: authorizationCodeMachine,
    file: 'src/core/grants/authorization-code.ts',
    table: 'authorizationCodes',
  },
  { machine: deviceCodeMachine, file: 'src/core/grants/device-code.ts', table: 'deviceCodes' },
  { machine: refreshTokenMachine, file: 'src/core/grants/refresh-token.ts', table: null },
  { machine: signInMachine, file: 'src/core/grants/sign-in.ts', table: 'signIns' },
  { machine: emailProofMachine, file: 'src/core/members/email-proof.ts', table: 'emailProofs' },
  { machine: sessionMachine, file: 'src/core/session.ts', table: 'sessions' },
  { machine: subscriptionMachine, file: 'src/core/access/subscription.ts', table: 'subscriptions' },
  { machine: checkoutMachine, file: 'src/core/access/checkout.ts', table: 'checkouts' },
];

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

/** The Markdown table of a machine, line by line. */
function stateTable(machine: AnyMachine): readonly string[] {
  return [
    '| state | event | condition | next state | outcome |',
    '|---|---|---|---|---|',
    ...transitionsOf(machine).map(
      ({ state, event, condition, next, outcome }) =>
        `| ${state} | ${event} | ${condition} | ${next} | ${outcome} |`,
    ),
  ];
}

/** The whole of docs/states.md. */
export function statesDocument(): string {
  const parts = machines.map(({ machine, file, table }) => {
    const where =
      table === null ? 'Not stored: it follows from another row.' : `Stored in the table \`${table}\`.`;
    const lines = [`## ${capitalised(machine.id)}`, `\`${file}\`. ${where}`, stateTable(machine).join('\n')];
    return lines.join('\n\n');
  });
  return `${[heading, ...parts].join('\n\n')}\n`;
}

const heading = `# States

Every state machine of the core, written by \`npm run docs\` from the machines themselves. The conditions of one
state and event are asked from top to bottom; the first that holds decides, and – means otherwise. The outcome
is what the caller does then. An event that a state does not list does not exist.`;

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
