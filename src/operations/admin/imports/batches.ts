// Gathers the pieces of a file as they are taken in: so many by one transaction.
import { decoded, notUtf8 } from '../../../core/import/format.ts';
import { importBatch } from '../../../core/import/limits.ts';
import type { Piece, Place } from '../../../core/import/split.ts';

/** Pieces that are taken in at once. */
export interface Batch {
  readonly entries: readonly { readonly line: number; readonly text: string | null }[];
  /** Where the first begins, and where reading goes on. */
  readonly from: number;
  readonly readTo: number;
  readonly line: number;
}

/** The pieces of a file from a place on, gathered. */
export async function* batchesOf(pieces: AsyncIterable<Piece>, from: Place): AsyncGenerator<Batch> {
  let entries: Batch['entries'][number][] = [];
  let bytes = 0;
  let begins = from.offset;
  let last = { readTo: from.offset, line: from.line };
  for await (const piece of pieces) {
    const text = piece.bytes === null ? null : textOf(piece.bytes);
    const length = piece.bytes?.length ?? 0;
    if (
      entries.length > 0 &&
      (entries.length === importBatch.entries || bytes + length > importBatch.bytes)
    ) {
      yield { entries, from: begins, ...last };
      begins = last.readTo;
      entries = [];
      bytes = 0;
    }
    entries.push({ line: piece.line, text });
    bytes += length;
    last = { readTo: piece.end, line: piece.nextLine };
  }
  if (entries.length > 0) yield { entries, from: begins, ...last };
}

/** What is no UTF-8 cannot be sent as it is: a NUL stands for it, which no line may have, and it is refused. */
const textOf = (bytes: Buffer) => decoded(bytes, false) ?? notUtf8;
