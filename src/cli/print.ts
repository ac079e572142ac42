// Prints the answer of an operation: for people, or as JSON.
import type { FieldChange } from '../core/operators/audit-event.ts';
import { fieldText } from '../operations/field-changes.ts';
import { columns, fold, shown, shownJson, type Terminal } from './terminal.ts';

/** The longest value in a table, in characters. */
const widest = 60;
/** The longest on a line of its own, where sentences are read to their end: a picture would fill the screen. */
const longest = 400;

/**
 * Prints an answer. A secret that is shown once stands alone on the standard output, so that it can be kept without
 * being read; what else there is to say goes beside it.
 */
export function printAnswer(answer: object, json: boolean, terminal: Terminal): void {
  const { secret, ...rest } = answer as Record<string, unknown>;
  if (typeof secret === 'string' && !json) {
    terminal.err(blockOf(rest, terminal.errWidth));
    terminal.out(`${secret}\n`);
    return;
  }
  terminal.out(json ? `${shownJson(answer)}\n` : blockOf(answer, terminal.outWidth));
}

/**
 * Prints a file as it is, or as the `text` of a JSON object, part by part: it may be longer than the memory. Where
 * what reads it has gone, no more of it is read.
 */
export async function printFile(
  parts: AsyncIterable<string>,
  json: boolean,
  terminal: Terminal,
): Promise<void> {
  if (json) terminal.out('{\n  "text": "');
  for await (const part of parts) {
    const isRead = terminal.out(json ? shownJson(part).slice(1, -1) : part);
    if (!isRead) return;
  }
  if (json) terminal.out('"\n}\n');
}

/** How many rows each table has, in one line. */
export const listCounts = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([table, count]) => `${table} ${count}`)
    .join(', ');

/** An object line by line, its lists of objects as tables. @param width of the terminal, null for none */
function blockOf(answer: object, width: number | null, indent = ''): string {
  // The last page of a list has none that follows it.
  const entries = Object.entries(answer).filter(([name, value]) => name !== 'next' || value !== null);
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && isTable(only[1])) return tableOf(only[1], width, indent);
  const nameWidth = Math.max(0, ...entries.map(([name]) => name.length));
  const behind = ' '.repeat(indent.length + nameWidth + 2);
  return entries
    .map(([name, value]) => {
      if (isTable(value) && value.length > 0)
        return `${indent}${name}\n${tableOf(value, width, `${indent}  `)}`;
      if (isRecord(value)) return `${indent}${name}\n${blockOf(value, width, `${indent}  `)}`;
      return `${fold(`${indent}${name.padEnd(nameWidth)}  ${cell(value)}`.trimEnd(), width, behind)}\n`;
    })
    .join('');
}

/** Rows in columns; those that hold objects are left to --json. Too wide for the terminal, they stand one by one. */
function tableOf(rows: readonly Printed[], width: number | null, indent: string): string {
  if (rows.length === 0) return `${indent}none\n`;
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) =>
    rows.every(({ [name]: value }) => !isRecord(value) && (!isTable(value) || value.every(isFieldChange))),
  );
  const texts = rows.map((row) => names.map((name) => cell(row[name])));
  const cells = texts.map((row) => row.map((text) => cut(text, widest)));
  const lines = [names, ...cells];
  const widths = names.map((_name, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  const total = indent.length + widths.reduce((sum, one) => sum + one + 2, -2);
  if (width !== null && total > width) {
    const named = texts.map((row) =>
      row.map((text, index) => [String(names[index]), cut(text, longest)] as const),
    );
    return named.map((row) => columns(row, indent, width)).join('\n');
  }
  return lines
    .map((line) => `${indent}${line.map((text, index) => text.padEnd(widths[index] ?? 0)).join('  ')}`)
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

type Printed = Readonly<Record<string, unknown>>;

function isRecord(value: unknown): value is Printed {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTable(value: unknown): value is readonly Printed[] {
  return Array.isArray(value) && value.every(isRecord);
}

/** What the audit says that a change changed: short enough for a cell. */
const isFieldChange = (value: Printed) => 'field' in value && 'from' in value && 'to' in value;

function cell(value: unknown): string {
  if (isTable(value) && value.length > 0 && value.every(isFieldChange)) {
    return shown(value.map((change) => fieldText(change as unknown as FieldChange, '->')).join('; '));
  }
  if (value === null || value === undefined) return '-';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cell).join(', ');
  return shown(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

function cut(text: string, most: number): string {
  const letters = [...text];
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text;
}
