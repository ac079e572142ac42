// What is said of a file of members on the command line.
import { readFileSync } from 'node:fs';
import type { FirebaseParameters } from '../core/import/entry.ts';
import { type ImportFormat, importFormats } from '../core/import/format.ts';
import { firebaseParameters } from '../core/import/formats/firebase.ts';
import { columnProblems } from '../core/import/formats/table.ts';
import { existingWays } from '../core/import/import.ts';
import { problemText } from '../operations/problem-text.ts';
import { reasonOf } from '../system/files.ts';
import { WrongUsage } from './terminal.ts';

/** @throws WrongUsage */
export function formatOf(said: string | undefined): ImportFormat | null {
  if (said === undefined) return null;
  const format = importFormats.find((one) => one === said);
  if (format === undefined) throw new WrongUsage([`--format must be one of ${importFormats.join(', ')}.`]);
  return format;
}

/** @throws WrongUsage */
export function existingOf(said: string | undefined): (typeof existingWays)[number] {
  const way = existingWays.find((one) => one === (said ?? 'skip'));
  if (way === undefined) throw new WrongUsage([`--existing must be one of ${existingWays.join(', ')}.`]);
  return way;
}

/** `NAME=FIELD`, with commas between. @throws WrongUsage */
export function columnsOf(said: string | undefined): Readonly<Record<string, string>> {
  if (said === undefined) return {};
  const pairs = said.split(',').map((pair) => pair.split(/=(.*)/s));
  if (pairs.some(([name = '', field]) => name.trim() === '' || field === undefined)) {
    throw new WrongUsage(['--columns must be NAME=FIELD, with commas between several.']);
  }
  const columns = Object.fromEntries(pairs.map(([name = '', field = '']) => [name.trim(), field.trim()]));
  const problems = columnProblems(columns);
  const nameOf = (path: readonly (string | number)[]) => String(columns[String(path[1])]);
  if (problems.length > 0)
    throw new WrongUsage(problems.map((one) => `--columns: ${problemText(one, nameOf)}.`));
  return columns;
}

/** @throws WrongUsage */
export function firebaseOf(path: string): FirebaseParameters {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').slice(0, 10_000);
  } catch (error) {
    throw new WrongUsage([`The file ${path} cannot be read: ${reasonOf(error)}.`]);
  }
  const parameters = firebaseParameters(text);
  if (parameters === null) {
    throw new WrongUsage([
      `${path} must hold base64_signer_key, base64_salt_separator, rounds and mem_cost, as Firebase shows them.`,
    ]);
  }
  return parameters;
}
