// Finds the lines of a file whose address an earlier line has too.
import { normaliseEmail } from '../members/member.ts';
import type { ImportCounts, ImportOptions } from './import.ts';

/** What would come of a line. */
interface Tried {
  readonly line: number;
  readonly outcome: keyof ImportCounts;
  readonly email: string | null;
}

/**
 * Makes what tells of the lines of a trial, in their order, whether an earlier one adds the member: a trial writes nothing that
 * stays, so no line finds those of an earlier piece.
 *
 * @returns what would come of a line, and the line that has the address first, or null
 */
export function createRepeats(existing: ImportOptions['existing']) {
  const first = new Map<string, number>();
  return ({ line, outcome, email }: Tried): Pick<Tried, 'outcome'> & { readonly before: number | null } => {
    const address = email === null ? null : normaliseEmail(email);
    const before = (address === null ? undefined : first.get(address)) ?? null;
    if (outcome !== 'added') return { outcome, before };
    if (before !== null) return { outcome: existing === 'skip' ? 'skipped' : 'changed', before };
    if (address !== null) first.set(address, line);
    return { outcome, before };
  };
}
