// Rounds of clients at work on all processes, and what they found in the end.
import { type Outcome, type Violations, violations } from '../../faults/case.ts';
import { createFigures, type Figures } from '../../faults/figures.ts';
import { playRound } from '../../faults/round.ts';
import type { Served } from '../../faults/site.ts';
import type { Cluster } from './cluster.ts';
import { examineDatabase } from './integrity.ts';
import { openPlayers } from './players.ts';
import type { LedgerCase } from './tenants.ts';

/** How the clients of a case work. */
interface Rounds {
  readonly name: LedgerCase;
  readonly count: number;
  /** See `openPlayers`. */
  readonly waitsForMails?: boolean;
  /** Whether 503 is right at the moment. */
  readonly mayRefuse?: () => boolean;
}

/** One of the rounds, while the clients work. */
export interface Round {
  readonly number: number;
  /** The service as the clients reach it, which counts what it answers. */
  readonly door: Served;
  readonly found: Violations;
  /** Tells the clients to stop that are not cut off. */
  readonly stop: () => void;
}

/**
 * Has clients work in rounds, and holds the service to what each of them was told after every round, and the database
 * to what must be so in it after the last.
 *
 * @param disturb is called in each round once a change was acknowledged. It returns what has the service ready again
 *   once all clients have stopped.
 * @param tell what the case adds to the note, and looks at once more in the end
 */
export async function playRounds(
  cluster: Cluster,
  { name, count, waitsForMails = true, mayRefuse = () => false }: Rounds,
  disturb: (round: Round) => Promise<() => Promise<Served>>,
  tell: (found: Violations, figures: Figures) => Promise<string> | string,
): Promise<Outcome> {
  const found = violations();
  const figures = createFigures(found);
  const door = figures.counting(cluster.door, mayRefuse);
  const players = openPlayers(cluster.folder, name, waitsForMails);
  for (let number = 1; number <= count; number += 1) {
    const problems = await playRound(door, players, (stop) => disturb({ number, door, found, stop }));
    for (const problem of problems) found.add(`round ${number}: ${problem}`);
  }
  const told = await tell(found, figures);
  for (const problem of await examineDatabase(cluster.databaseUrl)) found.add(problem);
  const acks = players.close();
  return {
    rounds: count,
    violations: found.all,
    note: `${acks} acknowledged changes, ${figures.text()}, ${told}`,
  };
}
