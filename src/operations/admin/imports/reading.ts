// Reads lines of a file before they are judged: what they say, the hashes that are kept of them, and what goes by.
import type { ImportedMember, ReadingOptions } from '../../../core/import/entry.ts';
import { namesNotTakenIn, toldTogether } from '../../../core/import/fields.ts';
import { type FileHead, readRecord, recordOf } from '../../../core/import/format.ts';
import type { PreparationContext } from '../operation.ts';
import type { Batch } from './batches.ts';
import type { PreparedEntry } from './entries.ts';

/** Reads lines, and makes what is kept of their hashes: that takes its time, and no transaction waits for it. */
export async function prepareEntries(
  entries: Batch['entries'],
  { head, columns, firebase }: { readonly head: FileHead } & ReadingOptions,
  { passwords, isTrial }: Pick<PreparationContext, 'passwords' | 'isTrial'>,
): Promise<readonly PreparedEntry[]> {
  const prepared: PreparedEntry[] = [];
  // One hash after the other: members who sign in meanwhile find a place.
  for (const { line, text } of entries) {
    const found = recordOf({ bytes: text === null ? null : Buffer.from(text) }, head);
    if (!found.ok) {
      prepared.push({ line, read: found });
      continue;
    }
    const read = readRecord(found.record, head, { columns, firebase });
    const named = { record: found.record, format: head.format, columns };
    if (read.ok) prepared.push({ line, named, read: { ...read, hash: await hashOf(read.member.password) } });
    else prepared.push({ line, named, read });
  }
  return prepared;

  async function hashOf(password: ImportedMember['password']): Promise<string | null> {
    if (password === null) return null;
    // What is tried and taken back needs no hash of ours over a fast one.
    return isTrial && password.kind === 'fast' ? passwords.ofNoPassword('') : passwords.keep(password);
  }
}

/** The names in these lines that mean nothing here. */
export const notTakenOf = (
  prepared: readonly PreparedEntry[],
  head: FileHead,
  columns: ReadingOptions['columns'],
): readonly string[] =>
  toldTogether(
    [],
    namesNotTakenIn(
      prepared.map(({ named }) => named),
      head,
      columns,
    ),
  );
