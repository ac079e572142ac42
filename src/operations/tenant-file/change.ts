// What a tenant file changes, and the words for it that the command and the portal share.
import type { FieldChange } from '../../core/operators/audit-event.ts';

/** The part of a tenant that a change is about. */
export const nouns = [
  'tenant',
  'property',
  'product',
  'package',
  'channel',
  'consent',
  'api',
  'provider',
  'client',
  'member',
  'subscription',
] as const;

/** One entry in which a file and the database differ. */
export interface Change {
  /** The host of its tenant. */
  readonly tenant: string;
  readonly noun: (typeof nouns)[number];
  /** What it is called in the file. */
  readonly name: string;
  /**
   * `kept`: it is only in the database, and is left alone. `ended`: it is only in the database, and the file
   * was to be all there is.
   */
  readonly change: 'added' | 'changed' | 'ended' | 'kept';
  readonly fields: readonly FieldChange[];
  /** How it ends, or would; empty for the others. */
  readonly note: string;
}

/** Whether applying the file would change anything. */
export const differs = (changes: readonly Change[]) => changes.some(({ change }) => change !== 'kept');

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
