// Counts what a member has: what would end with her.
import type { Tx } from '../store.ts';

/** How much of each. */
export interface Held {
  /** Subscriptions that run, or wait for their day or a payment. */
  readonly subscriptions: number;
  /** TVs and apps that are signed in. */
  readonly signIns: number;
  /** Browsers that are signed in. */
  readonly sessions: number;
}

/** What a member has now. What is over and not swept yet may be among it. */
export async function countHeld(tx: Tx, memberId: string, now: number): Promise<Held> {
  const active = async (table: 'signIns' | 'sessions') => {
    const rows = tx.selectFrom(table).where('memberId', '=', memberId).where('state', '=', 'active');
    return (await rows.select(({ fn }) => fn.countAll<number>().as('rows')).executeTakeFirstOrThrow()).rows;
  };
  const { rows: subscriptions } = await tx
    .selectFrom('subscriptions')
    .select(({ fn }) => fn.countAll<number>().as('rows'))
    .where('memberId', '=', memberId)
    .where('state', 'in', ['pending', 'active', 'cancelled'])
    .where((eb) => eb.or([eb('expiresAt', 'is', null), eb('expiresAt', '>', now)]))
    .executeTakeFirstOrThrow();
  return { subscriptions, signIns: await active('signIns'), sessions: await active('sessions') };
}
