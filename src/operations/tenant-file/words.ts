/** What a tenant file changes, in the words that the command and the portal share. */
import { type Change, differs, type FieldChange, isOfSecret } from './difference.ts';

/** How many entries a file changes, or that it changes none. @param undone what is said where nothing was done yet */
export function summaryOf(changes: readonly Change[], isDone: boolean, undone: string): string {
  if (!differs(changes)) return 'Nothing to do.';
  const count = (kind: Change['change']) => changes.filter(({ change }) => change === kind).length;
  const counts = `${count('added')} added, ${count('changed')} changed, ${count('ended')} ended`;
  return isDone ? `Done: ${counts}.` : `${counts}. ${undone}`;
}

/** What becomes of an entry, beyond its fields; empty where that is all. @param pruned how to have it ended */
export function outcomeOf({ change, note }: Pick<Change, 'change' | 'note'>, pruned: string): string {
  if (change === 'ended') return note;
  if (change !== 'kept') return '';
  return `only in the database, and stays${note === '' ? '' : ` (${note} ${pruned})`}`;
}

/** A field before and from then on. @param arrow what stands between the two */
export function fieldText({ field, from, to }: FieldChange, arrow: string): string {
  return isOfSecret({ field, from, to }) ? `${field}: ${to}` : `${field}: ${from ?? 'unset'} ${arrow} ${to}`;
}
