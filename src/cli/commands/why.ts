// The command `why`: why a request was refused, by the reference that its answer or page showed.
import { operationOf } from '../../operations/admin/index.ts';
import type { WhyAnswer, WhyReason, WhyValue } from '../../operations/admin/refusals.ts';
import { OperationRefused } from '../../operations/refusal.ts';
import { defineCommand, migrateOption, withConnection } from '../command.ts';
import type { Connection } from '../connection.ts';
import { exitCode, fold, shown, shownJson, type Terminal, tellProblems } from '../terminal.ts';

/** `memberdoor why REFERENCE`: on whichever tenant it is known. */
export const why = defineCommand({
  name: 'why',
  summary: 'say why a request was refused, by the reference that its answer or page showed',
  operands: ['reference'],
  options: {
    tenant: { value: 'TENANT', text: 'looks there alone' },
    json: { text: 'prints JSON' },
    migrate: migrateOption,
  },
  run: ({ reference, tenant, json, migrate }, context) =>
    withConnection(context, migrate, async (connection) => {
      const { terminal } = context;
      const hosts = tenant === undefined ? await connection.hosts() : [tenant];
      for (const host of hosts) {
        const answer = await askOn(connection, host, reference);
        if (answer === null) continue;
        terminal.out(json ? `${shownJson(answer)}\n` : tell(host, answer, terminal));
        return exitCode.done;
      }
      tellProblems(
        [
          `Nothing is known of ${reference}. The audit has what was refused, of a limit the first refusal in each of its windows, and not what a flood of refusals brought beside it. The log has a line for each request.`,
        ],
        terminal,
      );
      return exitCode.failed;
    }),
});

/** null where the tenant knows nothing of it. */
async function askOn(connection: Connection, tenant: string, reference: string): Promise<WhyAnswer | null> {
  try {
    const result = await connection.call(operationOf('refusals.why'), { tenant, reference });
    return 'answer' in result ? (result.answer as WhyAnswer) : null;
  } catch (error) {
    const isUnknown =
      error instanceof OperationRefused && error.problems.some(({ code }) => code === 'not_found');
    if (!isUnknown) throw error;
    return null;
  }
}

function tell(
  host: string,
  { clientId, clientName, reasons, sent, events }: WhyAnswer,
  terminal: Terminal,
): string {
  const client =
    clientId === null ? 'no client that is known' : `${clientName ?? 'an unregistered client'} (${clientId})`;
  const { at = '', address = null } = events[0] ?? { at: sent?.at };
  const lines = [
    `${host}, ${client}${at === '' ? '' : `, ${at}`}${address === null ? '' : `, from ${address}`}`,
    ...(reasons.length === 0 ? ['', 'Nothing was refused.'] : reasons.flatMap(linesOf)),
    ...(sent === null
      ? ['', 'What was sent is not kept: the audit is all there is.']
      : [
          '',
          `Sent: ${sent.method} ${sent.path}, answered ${sent.status}`,
          ...[...sent.parameters, ...sent.headers].map(valueLine),
        ]),
  ];
  return lines.map((line) => `${fold(shown(line), terminal.outWidth, '  ')}\n`).join('');
}

const valueLine = ({ name, values }: WhyValue) => `  ${name}: ${values.join(', ')}`;

function linesOf({
  error,
  refused,
  because,
  mend,
  differs,
  sections,
  document,
  registered,
}: WhyReason): readonly string[] {
  const cited = sections.map(({ text, href }) => `${text} (${href})`);
  return [
    '',
    refused,
    ...(because === null ? [] : [`In the words of the audit: ${because}`]),
    `What to do: ${mend}`,
    ...(differs === null ? [] : [`What differs: ${differs}`]),
    ...registered.map(({ setting, values }) => `Registered as ${setting}: ${values.join(', ') || 'nothing'}`),
    ...(error === null ? [] : [`The client was told: ${error}`]),
    `Where it is written: ${[...cited, document].join(', ')}`,
  ];
}
