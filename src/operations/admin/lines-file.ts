// A file of JSON lines, as long as it may be, read part by part.
import { exportPart } from '../../core/limits.ts';
import { exactly, type Schema, text, wholeNumber } from '../../json-schema.ts';
import type { Tx } from '../../storage/store.ts';
import type { FileAnswer } from './operation.ts';

export const linesMediaType = 'application/x-ndjson; charset=utf-8';

/** What such an operation answers. */
export const linesSchema = exactly('A file', {
  text: text('The entries, one JSON object a line', '{"id":4711}\n'),
});

/** How much of it is asked for. */
export const mostLinesField: Schema = {
  ...wholeNumber('How many entries at most; all of them where it is left out', 1_000),
  minimum: 1,
};

/** What a file is made of. */
export interface Lines<Entry> {
  /** Reads entries behind another one, or from the first on; fewer than asked for are the last. */
  readonly read: (tx: Tx, behind: Entry | null, atMost: number) => Promise<readonly Entry[]>;
  /** What a line says of an entry. */
  readonly lineOf: (entry: Entry) => object;
  /** How many lines at most; all of them where it is left out. */
  readonly most?: number | undefined;
}

/**
 * The first part of a file, with the way to the next. Each is read in a transaction of its own, so that no request
 * waits for all of it: an entry that is deleted before its part is read is not in it.
 */
export function linesFile<Entry>(
  tx: Tx,
  { read, lineOf, most = Number.POSITIVE_INFINITY }: Lines<Entry>,
): Promise<FileAnswer> {
  const part = async (own: Tx, behind: Entry | null, left: number): Promise<FileAnswer> => {
    const atMost = Math.min(left, exportPart);
    const entries = await read(own, behind, atMost);
    const last = entries.at(-1);
    const isEnd = last === undefined || entries.length < atMost || entries.length === left;
    const text = entries.map((entry) => `${JSON.stringify(lineOf(entry))}\n`).join('');
    return isEnd ? { text } : { text, more: (context) => part(context.tx, last, left - entries.length) };
  };
  return part(tx, null, most);
}
