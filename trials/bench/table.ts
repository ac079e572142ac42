import type { Line, SideFigures, Spread } from './figures.ts';
import type { Calibration } from './machine/machine.ts';

/** Of a database in processes of its own. */
const databaseHead = ['database CPU, µs', 'WAL, bytes'] as const;

const head = [
  'operation',
  'Memberdoor, req/s',
  'other, req/s',
  'ratio',
  'least',
  'p50, ms',
  'p99, ms',
  'CPU, µs',
  'limit, µs',
  'memory, MB',
  'generator, req/s',
  'verdict',
] as const;

/** The lines as a table in plain text; "ours | the other's" where a column has both. */
export function tableOf(lines: readonly Line[]): string {
  const hasDatabase = lines.some(({ ours }) => ours?.database);
  const cells = hasDatabase
    ? [[...head, ...databaseHead], ...lines.map((line) => [...cellsOf(line), ...databaseCellsOf(line)])]
    : [head, ...lines.map(cellsOf)];
  const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const text = cells.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
  const notes = lines.flatMap((line) => line.notes);
  return [...text, ...(notes.length === 0 ? [] : ['', ...notes])].join('\n');
}

/** A figure of both sides. */
const bothOf =
  ({ ours, other }: Line) =>
  (figure: (side: SideFigures) => string) =>
    [ours, other].map((side) => (side === null ? '–' : figure(side))).join(' | ');

const databaseCellsOf = (line: Line): readonly string[] =>
  (['processor', 'wal'] as const).map((figure) =>
    bothOf(line)(({ database }) => database?.[figure].toFixed(0) ?? '–'),
  );

function cellsOf(line: Line): readonly string[] {
  const { ours, other, ratio, target, limit } = line;
  const both = bothOf(line);
  return [
    line.name,
    rateOf(ours?.rate),
    rateOf(other?.rate),
    ratio === null ? '–' : `${ratio.median.toFixed(1)}× ± ${ratio.error.toFixed(1)}`,
    target === null ? '' : `${target}×`,
    both(({ p50 }) => p50.toFixed(1)),
    both(({ p99 }) => p99.toFixed(1)),
    both(({ processor }) => processor.toFixed(0)),
    limit.toFixed(0),
    both(({ memory }) => memory.toFixed(0)),
    both(({ generatorRate }) => generatorRate.toFixed(0)),
    line.verdict,
  ];
}

function rateOf(rate: Spread | undefined): string {
  if (rate === undefined) return '–';
  const { median, least, most } = rate;
  return `${median.toFixed(0)} (${least.toFixed(0)}–${most.toFixed(0)})`;
}

/** What the machine could do, in a sentence. */
export function machineLine({
  rsa,
  es256,
  commit,
  grouped,
  httpRate,
  get,
  post,
  generatorRate,
}: Calibration): string {
  const micros = (figure: number) => `${figure.toFixed(0)} µs`;
  return [
    `RSA-2048 signature ${micros(rsa)} of CPU, ES256 signature ${micros(es256)}`,
    `durable commit ${micros(commit)} alone by the clock, ${grouped.toFixed(1)} µs of CPU an update when 32 share it`,
    `node:http alone ${httpRate.toFixed(0)} req/s (GET ${micros(get)}, POST ${micros(post)} of CPU), where the generator could do ${generatorRate.toFixed(0)}`,
  ].join('; ');
}
