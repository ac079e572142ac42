// Tells all processes of a database that one of them keeps an address out.
import { prepared, query } from '../prepared.ts';
import type { Tx } from '../store.ts';

/**
 * Says until when (ms) there may be an address that is kept out. Each transaction that begins afterwards, at whatever
 * process, is told (`Connection.bannedUntil`), and looks whether it is its own; while there is none, none looks.
 */
export async function tellBan(autocommit: Tx, until: number): Promise<void> {
  await later.run(autocommit, { until });
}

const later = prepared(({ until }: { readonly until: number }) =>
  query.updateTable('remembered').set({ bannedUntil: until }).where('bannedUntil', '<', until),
);
