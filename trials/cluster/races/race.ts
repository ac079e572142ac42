// A race: the same artefact used at the same moment through two processes, and what may come of it.
import type { Answer } from '../../../test/support/http.ts';
import { answerOf } from '../../../test/support/visitor.ts';
import { anyUnder, type Served } from '../../faults/site.ts';
import type { Cluster } from '../site/cluster.ts';

/** What one of those in a race does, at the process that it is given. @returns what was answered, in a few words */
export type Part = (at: Served) => Promise<string>;

/** One round of a race. */
export interface Contest {
  readonly parts: readonly Part[];
  /** Looks what is so afterwards. */
  after(at: Served): Promise<string>;
}

export interface Race {
  readonly name: string;
  /** Whether all parts do the same, so that their order says nothing. */
  readonly isOfEquals: boolean;
  /** Of how many rounds of the others it has one; without it, of one. */
  readonly oneIn?: number;
  /** @param round from 0; each round of a race needs an artefact of its own */
  begin(at: Served, round: number): Promise<Contest>;
}

/** Rounds in which the parts come one after another, at one process: what they bring is what any race may bring. */
const orderly = 2;

/**
 * Runs rounds of a race.
 *
 * @param found is told of each outcome that one process, asked in turn, does not have
 * @returns how often each outcome came
 */
export async function runRace(
  cluster: Cluster,
  race: Race,
  rounds: number,
  at: (index: number) => Served,
  found: { add(text: string): void },
): Promise<ReadonlyMap<string, number>> {
  let begun = 0;
  const begin = () => {
    begun += 1;
    return race.begin(at(0), begun - 1);
  };
  const expected = new Set<string>();
  for (let count = 0; count < orderly; count += 1) {
    for (const isReversed of race.isOfEquals ? [false] : [false, true]) {
      const { parts, after } = await begin();
      const said: string[] = [];
      for (const index of isReversed ? [1, 0] : parts.keys())
        said[index] = await (parts[index] as Part)(at(0));
      expected.add(outcomeOf(race, said, await after(at(0))));
    }
  }
  const outcomes = new Map<string, number>();
  for (let round = 1; round <= rounds; round += 1) {
    const { parts, after } = await begin();
    const first = anyUnder(cluster.processes.length);
    const said = await Promise.all(
      parts.map(async (part, index) => {
        // Some begin a moment after the others, so that each step of the one meets each of the other.
        for (let turns = anyUnder(4); turns > 0; turns -= 1) await new Promise(setImmediate);
        return part(at((first + (index % 2)) % cluster.processes.length));
      }),
    );
    const outcome = outcomeOf(race, said, await after(at((first + 2) % cluster.processes.length)));
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    if (!expected.has(outcome)) {
      found.add(`${race.name}, round ${round}: ${outcome}, and in turn: ${[...expected].join(' or ')}`);
    }
  }
  return outcomes;
}

const outcomeOf = ({ isOfEquals }: Race, said: readonly string[], after: string) =>
  `${isOfEquals ? counted(said) : said.join(', ')}; then ${after}`;

/** Equal words once, with their number. */
function counted(said: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const words of said.toSorted()) counts.set(words, (counts.get(words) ?? 0) + 1);
  return [...counts].map(([words, count]) => (count === 1 ? words : `${count} × ${words}`)).join(', ');
}

/** The status of an answer, with what else tells answers apart: the error, where it leads, or the title of the page. */
export function wordsOf(answer: Answer): string {
  const { status, headers, text } = answer;
  if (headers.location !== undefined) {
    const isWay = headers.location.startsWith('/');
    const [way = ''] = isWay ? headers.location.split('?') : [...answerOf(answer).keys()];
    return `${status} ${way}`;
  }
  if (headers['content-type']?.startsWith('application/json') && status >= 400) {
    return `${status} ${String(answer.json().error)}`;
  }
  const title = /<title>([^<]*)<\/title>/.exec(text)?.[1];
  return title === undefined ? String(status) : `${status} ${title}`;
}
