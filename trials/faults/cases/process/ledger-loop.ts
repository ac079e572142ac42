import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Case, type CaseOptions, type Outcome, violations } from '../../case.ts';
import type { LedgerClient } from '../../clients/client.ts';
import { consentClient } from '../../clients/consent.ts';
import { deviceClient } from '../../clients/device.ts';
import { passwordClient } from '../../clients/password.ts';
import { refresher } from '../../clients/refresher.ts';
import { revoker } from '../../clients/revoker.ts';
import { sessionClient } from '../../clients/session.ts';
import { signUpClient } from '../../clients/sign-up.ts';
import { webClient } from '../../clients/web.ts';
import { examineFile } from '../../integrity.ts';
import { type Ledger, openLedger } from '../../ledger.ts';
import { acksOf, playRound } from '../../round.ts';
import { anyUnder, newSite, type RunningSite, removeSite, run } from '../../site.ts';

/** The service is killed so many ms after a first change was acknowledged. */
const kill = { earliest: 50, latest: 2_000 } as const;

const allClients: readonly LedgerClient[] = [
  refresher('refresher 1'),
  refresher('refresher 2'),
  webClient('web'),
  deviceClient('device'),
  revoker('revoker'),
  signUpClient('sign-up'),
  passwordClient('password'),
  sessionClient('session'),
  consentClient('consent'),
];

/**
 * One round: clients at work, kill -9, a new start, and what each was told is held against the service.
 *
 * @param after ms
 * @returns what broke a promise
 */
export async function ledgerRound(
  running: RunningSite,
  clients: readonly LedgerClient[],
  ledgers: readonly Ledger[],
  after: number,
): Promise<{ readonly next: RunningSite; readonly problems: readonly string[] }> {
  let next = running;
  const halves: string[] = [];
  const problems = await playRound(running, { clients, ledgers }, async () => {
    await wait(after);
    await running.kill();
    return async () => {
      next = await run(running);
      halves.push(...examineFile(running.folder));
      return next;
    };
  });
  return { next, problems: [...halves, ...problems] };
}

async function runLoop({ rounds }: CaseOptions): Promise<Outcome> {
  const site = await newSite();
  const found = violations();
  const ledgerFolder = join(site.folder, 'ledgers');
  let running = await run(site);
  mkdirSync(ledgerFolder, { recursive: true });
  const ledgers = allClients.map(({ name }) => openLedger(join(ledgerFolder, name)));
  for (let round = 1; round <= rounds; round += 1) {
    const after = kill.earliest + anyUnder(kill.latest - kill.earliest);
    const { next, problems } = await ledgerRound(running, allClients, ledgers, after);
    running = next;
    for (const problem of problems) found.add(`round ${round}, killed after ${after} ms: ${problem}`);
  }
  await running.kill();
  const acks = acksOf(ledgers);
  for (const ledger of ledgers) ledger.close();
  if (found.all.length === 0) removeSite(site);
  const kept = found.all.length === 0 ? '' : `; ledgers in ${ledgerFolder}`;
  return { rounds, violations: found.all, note: `${acks} acknowledged changes${kept}` };
}

export const ledgerLoop: Case = {
  id: 'Z1',
  title: 'kill -9 under load: what was acknowledged is there, and nothing is half',
  needs: [],
  run: runLoop,
};
