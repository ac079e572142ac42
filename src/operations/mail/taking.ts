// Takes due mails out of the queue, so that one of several processes sends each of them.
import { mailBatch } from '../../core/members/limits.ts';
import { lease } from '../../core/operators/limits.ts';
import { listDueMails, moveTakenMails, takeDueMails, type WaitingMail } from '../../storage/members/mail.ts';
import type { Store } from '../../storage/store.ts';
import type { Clock, Schedule } from '../../system/clock.ts';
import { hold } from '../lease.ts';

/** Due mails that no other process sends. */
export interface Taken {
  readonly due: readonly WaitingMail[];
  /** Whether there is time to send the next of them. */
  readonly isOurs: () => boolean;
  /** Ends it; these were not tried, and are due again. The others are due when they are said to be. */
  readonly letGo: (untried: readonly WaitingMail[]) => Promise<void>;
}

/** What takes some of the mails that are due. Where there is one process they need not be held. */
export function createTaking({
  store,
  clock,
  schedule,
}: {
  readonly store: Store;
  readonly clock: Clock;
  readonly schedule: Schedule;
}): () => Promise<Taken> {
  if (!store.isShared) {
    return async () => ({
      due: await store.transaction((tx) => listDueMails(tx, clock(), mailBatch)),
      isOurs: () => true,
      letGo: async () => {},
    });
  }
  const move = (mails: readonly WaitingMail[], until: number, to: number) => {
    const ids = mails.map(({ id }) => id);
    return store.transaction((tx) => moveTakenMails(tx, { ids, until }, to));
  };
  return async () => {
    const now = clock();
    const due = await store.transaction((tx) => takeDueMails(tx, now, mailBatch, now + lease.time));
    if (due.length === 0) return { due, isOurs: () => true, letGo: async () => {} };
    const held = hold({ clock, schedule }, now, (until, to) => move(due, until, to).then(() => true));
    return {
      due,
      isOurs: held.isHeld,
      letGo: async (untried) => {
        const until = await held.letGo();
        if (untried.length > 0) await move(untried, until, now);
      },
    };
  };
}
