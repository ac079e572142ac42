import { settings } from '../config.ts';
import type { Operation } from '../operations/admin/operation.ts';
import { type Field, fieldsOf } from './fields.ts';
import { nounsOf, operationsOf, wordsOf } from './words.ts';

/** The commands that are no operations: what stands behind each, and what it does. */
export const commands: Readonly<Record<string, readonly [operands: string, text: string]>> = {
  start: ['', 'run the service'],
  init: ['', 'make the database of a new production service'],
  backup: ['FILE', 'write a copy of the database, while the service runs or not'],
  restore: ['FILE', 'put a backup in its place, and end everything that was issued before'],
  reencrypt: [
    'FILE',
    'encrypt everything anew under the master key of that file, while the service is stopped',
  ],
  doctor: [
    '',
    'find what is wrong here and on the way to here; --at ADDRESS[:PORT] before the DNS leads here',
  ],
  healthcheck: ['', 'whether the service is ready'],
  apply: ['FILE', 'show what a tenant file would change; --yes changes it, --prune ends what is not in it'],
  export: ['', 'write the tenants as a tenant file; --tenant HOST, --format json, --members'],
  config: ['check FILE', 'find everything that is wrong with a tenant file, without a service'],
  help: ['', 'this text'],
};

const lines = (rows: readonly (readonly [string, string])[], before: string) => {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `${before}${`${left.padEnd(width)}  ${right}`.trimEnd()}\n`).join('');
};

/** `memberdoor help` */
export function generalHelp(operations: readonly Operation[]): string {
  const nouns = nounsOf(operations).map(
    (noun) =>
      [
        noun,
        operationsOf(operations, noun)
          .map((operation) => wordsOf(operation)[1])
          .join(', '),
      ] as const,
  );
  return `memberdoor: the members' door of a subscription platform

${lines(
  Object.entries(commands).map(([name, [operands, text]]) => [`${name} ${operands}`.trimEnd(), text]),
  '  memberdoor ',
)}
What there is to operate, through the running service or while it is stopped:

${lines(nouns, '  memberdoor ')}
  memberdoor <noun> help             says what each of these does
  memberdoor <noun> <verb> --help    says which options it takes

Settings come from the environment, each also from a file named by the variable with _FILE behind it:

${lines(
  Object.entries(settings).map(([name, text]) => [`MEMBERDOOR_${name}`, text]),
  '  ',
)}`;
}

/** `memberdoor <noun> help` */
export function nounHelp(operations: readonly Operation[], noun: string): string {
  const rows = operationsOf(operations, noun).map(
    (operation) => [`${noun} ${wordsOf(operation)[1]}`, operation.summary] as const,
  );
  return `${lines(rows, '  memberdoor ')}\n  Put --help behind one to see its options.\n`;
}

/** `memberdoor <noun> <verb> --help` */
export function operationHelp(operation: Operation): string {
  const fields = fieldsOf(operation.input);
  const rows = fields.map((field) => [optionOf(field), textOf(field)] as const);
  return `memberdoor ${wordsOf(operation).join(' ')}: ${operation.summary}

${lines([...rows, ['--json', 'prints the answer as JSON']], '  ')}`;
}

function optionOf({ option, kind, shape }: Field): string {
  return kind === 'flag' ? `--[no-]${option}` : `--${option} ${shape}`;
}

/** What a field is, and how it is written where that cannot be guessed. */
function textOf({ name, option, kind, nullable, required, description }: Field): string {
  const notes = [
    ...(required && name !== 'tenant' ? ['must be given'] : []),
    ...(name === 'tenant' && required ? ['may be left out where there is one tenant'] : []),
    ...(kind === 'secret' ? ['the file holds it; - is the standard input'] : []),
    ...(kind === 'list' ? [`may be repeated; --no-${option} for none`] : []),
    ...(nullable && kind !== 'list' && kind !== 'flag' ? [`--no-${option} for none`] : []),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}
