// One round of the ledger: clients at work while something is done to the service, and the reckoning afterwards.
import { setTimeout as wait } from 'node:timers/promises';
import type { LedgerClient } from './clients/client.ts';
import type { Ledger } from './ledger.ts';
import { isCut, type Served } from './site.ts';

/** The clients of a round, each with the ledger at its place. */
export interface Players {
  readonly clients: readonly LedgerClient[];
  readonly ledgers: readonly Ledger[];
}

export const acksOf = (ledgers: readonly Ledger[]) => ledgers.reduce((sum, ledger) => sum + ledger.acks(), 0);

/**
 * Lets all clients work until they are cut off or told to stop; then what each was told is held against the service.
 *
 * @param disturb is called once a first change was acknowledged, and told how to stop the clients that are not cut off.
 *   It returns what has the service ready again once all of them have stopped.
 * @returns what broke a promise
 */
export async function playRound(
  site: Served,
  { clients, ledgers }: Players,
  disturb: (stop: () => void) => Promise<() => Promise<Served>>,
): Promise<readonly string[]> {
  const acks = acksOf(ledgers);
  const over = new AbortController();
  const work = clients.map((client, index) => goOn(client, site, ledgers[index] as Ledger, over.signal));
  while (acksOf(ledgers) === acks) await wait(1);
  const again = await disturb(() => over.abort());
  const problems = (await Promise.all(work)).flat();
  const next = await again();
  const checks = clients.map(async (client) => {
    const found = await client.check(next).catch((error: unknown) => [String(error)]);
    return found.map((problem) => `${client.name}: ${problem}`);
  });
  return [...problems, ...(await Promise.all(checks)).flat()];
}

/** A client that goes on until the connection ends, or until it is told to stop. */
async function goOn(
  client: LedgerClient,
  site: Served,
  ledger: Ledger,
  over: AbortSignal,
): Promise<readonly string[]> {
  try {
    while (!over.aborted) await client.act(site, ledger);
    return [];
  } catch (error) {
    return isCut(error) ? [] : [`${client.name}: ${String(error)}`];
  }
}
