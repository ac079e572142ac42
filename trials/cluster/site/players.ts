// The clients of the ledger, several of each kind.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerClient } from '../../faults/clients/client.ts';
import { consentClient } from '../../faults/clients/consent.ts';
import { deviceClient } from '../../faults/clients/device.ts';
import { passwordClient } from '../../faults/clients/password.ts';
import { refresher } from '../../faults/clients/refresher.ts';
import { revoker } from '../../faults/clients/revoker.ts';
import { sessionClient } from '../../faults/clients/session.ts';
import { signUpClient } from '../../faults/clients/sign-up.ts';
import { webClient } from '../../faults/clients/web.ts';
import { openLedger } from '../../faults/ledger.ts';
import { acksOf, type Players } from '../../faults/round.ts';
import { changerOf, type LedgerCase, playerCount, playerOf } from './tenants.ts';

/** Players that there may be several of, each with a member: one member who signs in too often at once is told to wait (F1). */
const ofSeveral = { refresher, web: webClient, device: deviceClient, revoker, 'sign-up': signUpClient };
const ofOne = { session: sessionClient, consent: consentClient };

/**
 * @param name the case that they work in
 * @param waitsForMails whether those are among them whose mails come at once, unless the process that has taken them is
 *   killed or cut off
 */
export function openPlayers(
  folder: string,
  name: LedgerCase,
  waitsForMails = true,
): Players & { close(): number } {
  const kinds = Object.entries(ofSeveral).filter(([kind]) => waitsForMails || kind !== 'sign-up');
  const several = kinds.flatMap(([kind, make]) =>
    Array.from({ length: playerCount }, (_, index) => make(`${kind}-${index + 1}`, playerOf(index))),
  );
  const clients: readonly LedgerClient[] = [
    ...several,
    passwordClient('password', changerOf(name)),
    ...Object.entries(ofOne).map(([kind, make]) => make(kind)),
  ];
  const place = join(folder, 'ledgers', name);
  mkdirSync(place, { recursive: true });
  const ledgers = clients.map((client) => openLedger(join(place, client.name)));
  return {
    clients,
    ledgers,
    /** @returns how much was acknowledged */
    close: () => {
      for (const ledger of ledgers) ledger.close();
      return acksOf(ledgers);
    },
  };
}
