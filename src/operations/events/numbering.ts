// Numbers the events that have no number yet: where processes share a database all of them, once they are committed; elsewhere
// those that were written beside the running service. From then on they are told.
import { numberedAtOnce, numberingRest } from '../../core/events/limits.ts';
import type { Log } from '../../log/log.ts';
import { numberEvents } from '../../storage/events/event.ts';
import type { Store } from '../../storage/store.ts';
import type { Schedule } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import { createRunner, type Runner } from '../delivery/runner.ts';

export interface NumberingDeps {
  readonly store: Store;
  readonly random: Pick<Random, 'id'>;
  readonly schedule: Schedule;
  /** Called anew for each line, since the log begins with the app. */
  readonly log: () => Pick<Log, 'warn'>;
  /** Called when events have been numbered, and can be read. */
  readonly numbered: (tenantIds: readonly string[]) => void;
}

/**
 * Makes the task that numbers the events of a service. It waits for nothing that is slow, so that readers get new events
 * at once.
 */
export function createNumbering({ store, random, schedule, log, numbered }: NumberingDeps): Runner {
  const work = async () => {
    let count = 0;
    do {
      const done = await store.apart((tx) => numberEvents(tx, numberedAtOnce, random.id));
      count = done.count;
      if (count > 0) numbered(done.tenantIds);
    } while (count === numberedAtOnce && !runner.isStopped());
    // A process that died may have left some that this one was not told of.
    return { wait: store.isShared ? numberingRest.look : null, mayGoOn: true };
  };
  const failed = (error: unknown) => log().warn({ err: error }, 'events cannot be numbered now');
  const runner = createRunner({ schedule }, work, failed, numberingRest.failed);
  return runner;
}
