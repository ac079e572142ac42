// Makes docs/states.md, and its pictures, from the state machines of the core.
import { checkoutMachine } from '../src/core/access/checkout.ts';
import { seatMachine } from '../src/core/access/seats/seat.ts';
import { subscriptionMachine } from '../src/core/access/subscription.ts';
import { authorizationCodeMachine } from '../src/core/grants/authorization-code.ts';
import { deviceCodeMachine } from '../src/core/grants/device-code.ts';
import { refreshTokenMachine } from '../src/core/grants/refresh-token.ts';
import { signInMachine } from '../src/core/grants/sign-in.ts';
import { emailProofMachine } from '../src/core/members/email-proof.ts';
import { type AnyMachine, transitionsOf } from '../src/core/rehearsal/chart/graph.ts';
import { chartOf, chartStyle } from '../src/core/rehearsal/chart/svg.ts';
import { sessionMachine } from '../src/core/session.ts';

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
  { machine: seatMachine, file: 'src/core/access/seats/seat.ts', table: 'seats' },
  { machine: checkoutMachine, file: 'src/core/access/checkout.ts', table: 'checkouts' },
];

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
    const picture = `![Chart: ${machine.id}](images/states/${pictureOf(machine)})`;
    const lines = [`\`${file}\`. ${where}`, picture, stateTable(machine).join('\n')];
    return [`## ${capitalised(machine.id)}`, ...lines].join('\n\n');
  });
  return `${[heading, ...parts].join('\n\n')}\n`;
}

/** The name of a machine's picture. */
const pictureOf = ({ id }: AnyMachine) => `${id.replaceAll(' ', '-')}.svg`;

/** The charts of the machines, by their names in docs/images/states. */
export function stateCharts(): readonly { readonly file: string; readonly svg: string }[] {
  return machines.map(({ machine }) => {
    const label = `Chart: ${machine.id}`;
    const svg = chartOf(machine, { detail: 'whole', label, style: chartStyle });
    return { file: pictureOf(machine), svg: `${svg}\n` };
  });
}

const heading = `# States

Every state machine of the core, written by \`npm run docs\` from the machines themselves. The conditions of one
state and event are asked from top to bottom; the first that holds decides, and – means otherwise. The outcome
is what the caller does then. An event that a state does not list does not exist. In the pictures ↻ stands before the
events that can leave a state as it is.`;

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
