// Reads the mails that a development service writes into its outbox.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @returns the newest mail to an address; null if there is none yet */
export function newestMail(folder: string, email: string): Buffer | null {
  const outbox = join(folder, 'outbox');
  for (const file of namesIn(outbox).reverse()) {
    const mail = readFileSync(join(outbox, file));
    if (mail.includes(email)) return mail;
  }
  return null;
}

/** Those of the last minute, by name, which begins with the time: the other clients' mails come between. */
function namesIn(outbox: string): string[] {
  try {
    return readdirSync(outbox)
      .filter((file) => file.endsWith('.eml') && Number(file.split('-')[0]) > Date.now() - 60_000)
      .sort();
  } catch {
    return [];
  }
}
