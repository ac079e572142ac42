// What is forgotten after its time.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { browserCookieLifetime, signInLimit } from '../../core/limits.ts';
import {
  emailProofMemory,
  formerAddressMemory,
  mailMemory,
  outboxMemory,
  sweepStep,
} from '../../core/operators/limits.ts';
import { deleteDeviceCodes } from '../../storage/device-code.ts';
import { deleteEmailProofs } from '../../storage/members/email-proof.ts';
import { deleteFormerAddresses } from '../../storage/members/former-address.ts';
import { deleteKnownBrowsers } from '../../storage/members/known-browser.ts';
import { deleteMails } from '../../storage/members/mail.ts';
import { deleteSignInFailures } from '../../storage/members/sign-in-failure.ts';
import { deleteWrongUserCodes } from '../../storage/members/wrong-user-code.ts';
import { forgottenCodes, forgottenSessions, forgottenSignIns } from '../../storage/sweep/forgotten.ts';
import { indexed, type Sweep } from '../../storage/sweep/sweep.ts';

/**
 * What has its time in an index: proofs of addresses, addresses given up, failed sign-ins, known browsers, mails, and of each tenant
 * wrong user codes and device codes that were never used.
 *
 * @param now ms
 */
export function forgottenByTime(tenantIds: readonly string[], now: number): readonly Sweep[] {
  return [
    indexed('emailProofs', (tx) => deleteEmailProofs(tx, now - emailProofMemory, sweepStep)),
    indexed('formerAddresses', (tx) => deleteFormerAddresses(tx, now - formerAddressMemory, sweepStep)),
    indexed('signInFailures', (tx) => deleteSignInFailures(tx, now - signInLimit.memory, sweepStep)),
    indexed('knownBrowsers', (tx) => deleteKnownBrowsers(tx, now - browserCookieLifetime, sweepStep)),
    indexed('mails', (tx) => deleteMails(tx, now - mailMemory, sweepStep)),
    ...tenantIds.flatMap((tenantId) => [
      indexed('wrongUserCodes', (tx) => deleteWrongUserCodes(tx, tenantId, now, sweepStep)),
      indexed('deviceCodes', (tx) => deleteDeviceCodes(tx, tenantId, now, sweepStep)),
    ]),
  ];
}

/**
 * What is remembered as long as something else lives; in this order, since each goes after what refers to it.
 *
 * @param memory how long events of the audit are kept, and with them the sign-ins that they name (ms)
 * @param now ms
 */
export function forgottenWithOthers(memory: number, now: number): readonly Sweep[] {
  return [forgottenCodes(now), forgottenSignIns(now, memory), forgottenSessions(now)];
}

/**
 * Deletes mails that a development start wrote to its folder; the time stands at the head of their names.
 *
 * @param folder null where mails are sent
 * @param now ms
 */
export async function deleteOldOutboxMails(folder: string | null, now: number): Promise<void> {
  // There is none before the first mail.
  const names = folder === null ? [] : await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, queuedAt] = /^(\d+)-\d+\.[\w-]+\.eml$/.exec(name) ?? [];
    if (folder !== null && queuedAt !== undefined && Number(queuedAt) < now - outboxMemory) {
      await rm(join(folder, name), { force: true });
    }
  }
}
