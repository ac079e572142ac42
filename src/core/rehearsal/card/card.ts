/** The report card of a client: each rule kept, broken, or not seen yet, and what showed it. */
import type { Source } from '../explain/rule.ts';
import { cardRules, type RuleName } from './rules.ts';
import type { Sighting } from './sighting.ts';
import type { ClientTally, Grade } from './tally.ts';

export type Verdict = 'kept' | 'broken' | 'not_seen';

export interface GradedRule {
  readonly rule: RuleName;
  readonly part: (typeof cardRules)[number]['part'];
  readonly title: string;
  readonly verdict: Verdict;
  /** What was seen the last time and, unless the rule was kept, what to do: a sentence. */
  readonly says: string;
  /** How often that was seen. */
  readonly count: number;
  readonly entries: readonly Sighting[];
  readonly sources: readonly Source[];
}

export interface CardSum {
  readonly kept: number;
  readonly broken: number;
  readonly not_seen: number;
}

export interface Card {
  readonly client: string;
  /** No rule was broken, and one at least was seen kept. */
  readonly passed: boolean;
  readonly sum: CardSum;
  readonly rules: readonly GradedRule[];
}

/** @param tally null of a client that nothing came of yet */
export function cardOf(client: string, tally: Pick<ClientTally, 'grades'> | null): Card {
  const rules = cardRules.map((one): GradedRule => {
    const { toSee, ...rule } = one;
    const grade: Grade = tally?.grades.get(rule.rule) ?? { kept: null, broken: null };
    // Once broken it stays so, however often it is kept: a card begins anew when it is cleared.
    const found = grade.broken ?? grade.kept;
    if (found === null) return { ...rule, verdict: 'not_seen', says: toSee, count: 0, entries: [] };
    const { verdict, says, entries } = found.last;
    return { ...rule, verdict, says, count: found.count, entries };
  });
  const countOf = (verdict: Verdict) => rules.filter((rule) => rule.verdict === verdict).length;
  const sum = { kept: countOf('kept'), broken: countOf('broken'), not_seen: countOf('not_seen') };
  return { client, passed: sum.broken === 0 && sum.kept > 0, sum, rules };
}
