// Works on the files of members that were uploaded, one after the other, in the background.
import { setTimeout as wait } from 'node:timers/promises';
import { importPace } from '../../core/import/limits.ts';
import type { Log } from '../../log/log.ts';
import { deletePartOver, nextUpload } from '../../storage/imports/upload.ts';
import type { Schedule } from '../../system/clock.ts';
import type { TakingDeps } from '../admin/imports/taking.ts';
import { createRunner, type Runner } from '../delivery/runner.ts';
import { onceAmongAll } from '../upkeep/once.ts';

export interface ImportingDeps extends TakingDeps {
  readonly schedule: Schedule;
  /** Asked for at each line, since the log begins with the app. */
  readonly log: () => Pick<Log, 'warn'>;
}

/** Makes what works on them; of several processes one does, and another goes on where it was when that one dies. */
export function createImporting(deps: ImportingDeps): Runner {
  const { store, clock, random, log, schedule } = deps;
  const pause = () => wait(importPace.pause, undefined, { ref: false });
  const run = async ({ isOver }: { readonly isOver: () => boolean }) => {
    while (!isOver() && (await store.transaction(deletePartOver))) await pause();
    for (let one = await next(isOver); one !== null; one = await next(isOver)) {
      // The table of operations takes long to load, and most starts have no import.
      const { workOn } = await import('../admin/imports/taking.ts');
      await workOn(one, deps, { pause, isOver });
      while (!isOver() && (await store.transaction(deletePartOver))) await pause();
    }
  };
  const next = async (isOver: () => boolean) => (isOver() ? null : store.transaction(nextUpload));
  const chore = { name: 'take members in', every: 0, run };
  const shared = { store, clock, schedule, holder: random.id(clock()) };
  const once = store.isShared ? onceAmongAll(chore, shared) : chore;
  const work = async () => {
    await once.run({ pause, isOver: () => runner.isStopped() });
    // A process that died may have left one that this one was not told of.
    return { wait: store.isShared ? importPace.look : null, mayGoOn: true };
  };
  const failed = (error: unknown) => log().warn({ err: error }, 'an import cannot go on now');
  const runner = createRunner({ schedule }, work, failed, importPace.failed);
  return runner;
}
