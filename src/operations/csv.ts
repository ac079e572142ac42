// The entries of a list as lines of a CSV file: a column for each property, and for each part of one that has parts.
import { csvLine } from '../text/csv.ts';
import type { Schema } from './json-schema.ts';

/** The way to a value of an entry, such as `['address', 'city']`. */
type Column = readonly string[];

/** The columns of what a schema describes. */
export function csvColumns({ properties = {} }: Schema): readonly Column[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const parts = schema.properties === undefined ? [[]] : csvColumns(schema);
    return parts.map((part) => [name, ...part]);
  });
}

/** The first line: what the columns are called. */
export const csvHead = (columns: readonly Column[]): string =>
  csvLine(columns.map((column) => column.join('.')));

/** The line of an entry. */
export const csvEntry = (columns: readonly Column[], entry: object): string =>
  csvLine(columns.map((column) => textOf(column.reduce(partOf, entry))));

const partOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : null;

/** A list, and an object whose parts have no columns, is a cell of JSON; a value that is not there is an empty cell. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
