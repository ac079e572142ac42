// What the service does by itself once in a while, and what it forgets then.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../config.ts';
import { outboxMemory, sweepBite, sweepInterval } from '../../core/operators/limits.ts';
import type { Vault } from '../../secrets/vault.ts';
import { databaseFile } from '../../storage/sqlite/open.ts';
import { overwriteAfterErasure } from '../../storage/sqlite/overwrite.ts';
import type { Store } from '../../storage/store.ts';
import { forgottenByTime, forgottenWithOthers } from '../../storage/sweep/forgotten.ts';
import { type Pace, type Sweep, sweepThrough } from '../../storage/sweep/sweep.ts';
import { listTenants } from '../../storage/tenant.ts';
import { staleCheckouts } from '../access/checkout.ts';
import type { PaymentMethod } from '../access/payment.ts';
import { oldAuditEvents } from '../audit/audit.ts';
import { dueMembers } from '../member/member.ts';
import { rotateDueKeys } from '../tenant/keys.ts';
import type { Tenants } from '../tenant/open-tenants.ts';

/** Something the service does by itself once in a while. */
export interface Chore {
  /** What is said of it when it fails. */
  readonly name: string;
  /** ms */
  readonly every: number;
  readonly run: (pace: Pace) => Promise<unknown>;
}

/** What the chores work with. */
export interface ChoreDeps {
  readonly config: Pick<Config, 'auditRetention' | 'auditRefreshRetention' | 'dataFolder'>;
  readonly store: Store;
  readonly vault: Vault;
  readonly tenants: Pick<Tenants, 'read'>;
  readonly payments: readonly PaymentMethod[];
  /** null where mails are sent. */
  readonly outboxFolder: string | null;
  readonly clock: () => number;
  /** Is told what was deleted, where something was. */
  readonly tell: (deleted: Readonly<Record<string, number>>) => void;
}

/** All chores; what a person may wait for comes first. */
export function choresOf(deps: ChoreDeps): readonly Chore[] {
  const { config, store, vault, tenants, payments, outboxFolder, clock } = deps;
  const { indexed: hourly, walked: daily } = sweepInterval;
  const sweeping = (sweeps: () => readonly Sweep[] | Promise<readonly Sweep[]>) => async (pace: Pace) =>
    sweepAll(deps, await sweeps(), pace);
  return [
    {
      name: 'rotate signing keys',
      every: hourly,
      run: () => rotateDueKeys(store, { vault, tenants, now: clock() }),
    },
    { name: 'erase deleted members', every: hourly, run: sweeping(() => [dueMembers(clock())]) },
    {
      name: 'overwrite what erased members left in the file and its log',
      every: hourly,
      run: overwriteAfterErasure(store, join(config.dataFolder, databaseFile)),
    },
    {
      name: 'delete what is over',
      every: hourly,
      run: sweeping(async () => {
        const tenantIds = (await store.transaction(listTenants)).map(({ tenant }) => tenant.id);
        const now = clock();
        return [
          ...staleCheckouts(payments, now),
          ...forgottenByTime(tenantIds, now),
          ...oldAuditEvents(config, now),
        ];
      }),
    },
    {
      name: 'delete old mails of the outbox',
      every: hourly,
      run: () => deleteOldOutboxMails(outboxFolder, clock()),
    },
    {
      name: 'delete sign-ins and sessions that are over',
      every: daily,
      run: sweeping(() => forgottenWithOthers(config.auditRetention, clock())),
    },
  ];
}

async function sweepAll(
  { store, tell }: Pick<ChoreDeps, 'store' | 'tell'>,
  sweeps: readonly Sweep[],
  pace: Pace,
): Promise<void> {
  const deleted: Record<string, number> = {};
  for (const sweep of sweeps) {
    const count = await sweepThrough(store, sweep, pace);
    if (count > 0) deleted[sweep.rows] = (deleted[sweep.rows] ?? 0) + count;
  }
  if (Object.keys(deleted).length > 0) tell(deleted);
}

/** Chores under way. */
export interface Chores {
  /** Begins no further bite, and waits for the one under way. */
  stop(): Promise<void>;
}

/**
 * Does every chore soon and once in a while, one at a time, so that two never share the load they make.
 *
 * @param failed is told of a chore that failed: it is done again when its time comes
 * @param after when they are done first: ms from now
 */
export function startChores(
  chores: readonly Chore[],
  failed: (name: string, error: unknown) => void,
  after: number,
): Chores {
  const ending = new AbortController();
  const isOver = () => ending.signal.aborted;
  const pause = () =>
    wait(sweepBite.pause, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
  const waiting = new Set<Chore>();
  let running: Promise<void> | null = null;
  const work = async () => {
    for (const chore of waiting) {
      waiting.delete(chore);
      if (isOver()) continue;
      await chore.run({ pause, isOver }).catch((error: unknown) => failed(chore.name, error));
    }
    running = null;
  };
  const ask = (chore: Chore) => {
    waiting.add(chore);
    running ??= work();
  };
  const timers = chores.map((chore) => setInterval(ask, chore.every, chore).unref());
  const beginning = setTimeout(() => chores.forEach(ask), after).unref();
  return {
    stop: async () => {
      clearTimeout(beginning);
      for (const timer of timers) clearInterval(timer);
      ending.abort();
      await running;
    },
  };
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
