import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { outboxMemory } from '../../../src/core/operators/limits.ts';
import { folderOutbox, outboxName } from '../../../src/operations/mail/outbox.ts';
import { type Chore, startChores, unhurried } from '../../../src/operations/upkeep/chore.ts';
import { deleteOldOutboxMails } from '../../../src/operations/upkeep/chores.ts';
import { now } from '../../support/records/records.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const hour = 3_600_000;
const unexpected = (name: string, error: unknown) => {
  throw new Error(name, { cause: error });
};

describe('the chores', () => {
  it('are done once the service has started, one at a time and in their order', async () => {
    const told: string[] = [];
    const chore = (name: string): Chore => ({
      name,
      every: hour,
      run: async ({ pause }) => {
        told.push(`${name} begins`);
        await pause();
        told.push(`${name} ends`);
      },
    });
    const last = Promise.withResolvers<void>();
    const end: Chore = { name: 'end', every: hour, run: async () => last.resolve() };
    const chores = startChores([chore('keys'), chore('members'), end], unexpected, 0);
    await last.promise;
    await chores.stop();
    expect(told).toEqual(['keys begins', 'keys ends', 'members begins', 'members ends']);
  });

  it('are done again after their time, and one that fails keeps no other from being done', async () => {
    const failures: unknown[] = [];
    const failing: Chore = { name: 'failing', every: 5, run: () => Promise.reject(new Error('no disk')) };
    let times = 0;
    const thrice = Promise.withResolvers<void>();
    const counting: Chore = {
      name: 'counting',
      every: 5,
      run: async () => {
        times += 1;
        if (times === 3) thrice.resolve();
      },
    };
    const chores = startChores([failing, counting], (name, error) => failures.push([name, String(error)]), 0);
    await thrice.promise;
    await chores.stop();
    expect(failures.length).toBeGreaterThanOrEqual(3);
    expect(failures[0]).toEqual(['failing', 'Error: no disk']);
  });

  it('are done at once where time is skipped, as it adds up to theirs', async () => {
    const done: string[] = [];
    const chore = (name: string, every: number): Chore => ({
      name,
      every,
      run: async () => {
        done.push(name);
      },
    });
    const chores = startChores([chore('hourly', hour), chore('daily', 24 * hour)], unexpected, hour);
    const skipping = async (ms: number) => {
      await chores.skip(ms);
      return done.splice(0);
    };
    expect(await skipping(hour - 1)).toEqual([]);
    expect(await skipping(1)).toEqual(['hourly']);
    expect(await skipping(23 * hour)).toEqual(['hourly', 'daily']);
    expect(await skipping(hour / 2)).toEqual([]);
    await chores.stop();
  });

  it('stop at once: a pause ends, nothing begins any more, and what is under way is waited for', async () => {
    const told: string[] = [];
    const paused = Promise.withResolvers<void>();
    const first: Chore = {
      name: 'first',
      every: hour,
      run: async ({ pause, isOver }) => {
        for (;;) {
          const pausing = pause();
          paused.resolve();
          await pausing;
          if (isOver()) break;
        }
        told.push('first ends');
      },
    };
    const second: Chore = { name: 'second', every: hour, run: async () => void told.push('second begins') };
    const chores = startChores([first, second], unexpected, 0);
    await paused.promise;
    await chores.stop();
    expect(told).toEqual(['first ends']);
  });
});

it('are not done before their time unless they are urgent, and never by a service that stopped before', async () => {
  const told: string[] = [];
  const chore: Chore = { name: 'chore', every: hour, run: async () => void told.push('begins') };
  vi.useFakeTimers();
  try {
    const chores = startChores([chore], unexpected, 1_000);
    await vi.advanceTimersByTimeAsync(999);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(told).toEqual(['begins']);
    await chores.stop();
    const urgent: Chore = { ...chore, isUrgent: true, run: async () => void told.push('urgent begins') };
    await startChores([chore, urgent], unexpected, 1_000).stop();
    expect(told.splice(1)).toEqual(['urgent begins']);
    await vi.advanceTimersByTimeAsync(2 * hour);
    expect(told).toEqual(['begins']);
  } finally {
    vi.useRealTimers();
  }
});

it('a chore that is unhurried goes on for a fiftieth of the time, and is done each day', async () => {
  let at = 0;
  let takes = 2_000;
  const done: number[] = [];
  const run = unhurried(
    () => at,
    async () => {
      done.push(at);
      at += takes;
    },
  );
  const pace = { pause: () => Promise.resolve(), isOver: () => false };
  for (at of [0, 60_000, 99_999, 100_000]) await run(pace);
  takes = 2 * hour;
  for (at of [200_000, 200_000 + 24 * hour - 1, 200_000 + 24 * hour]) await run(pace);
  expect(done).toEqual([0, 100_000, 200_000, 200_000 + 24 * hour]);
});

describe('mails that a development start wrote to its folder', () => {
  it('are deleted after 30 days, and nothing else is', async () => {
    const folder = join(temporaryFolder(), 'outbox');
    await deleteOldOutboxMails(folderOutbox(folder), now);
    await deleteOldOutboxMails(null, now);
    mkdirSync(folder);
    const old = outboxName(`${now - outboxMemory - 1}-7`, 'tenant-a');
    const young = outboxName(`${now - outboxMemory}-8`, 'tenant-a');
    for (const name of [old, young, 'notes.txt', '1-2.eml.txt']) writeFileSync(join(folder, name), '');
    await deleteOldOutboxMails(folderOutbox(folder), now);
    expect(readdirSync(folder).sort()).toEqual([young, 'notes.txt', '1-2.eml.txt'].sort());
  });
});
