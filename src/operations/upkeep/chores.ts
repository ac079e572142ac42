// All that the service does by itself once in a while, and what it forgets then.
import { join } from 'node:path';
import type { ServiceConfig } from '../../config.ts';
import { settledEvery } from '../../core/events/limits.ts';
import { figureRollUp } from '../../core/operators/figures/limits.ts';
import { outboxMemory, sweepInterval } from '../../core/operators/limits.ts';
import type { Vault } from '../../secrets/vault.ts';
import { databaseFile } from '../../storage/sqlite/open.ts';
import { overwriteAfterErasure } from '../../storage/sqlite/overwrite.ts';
import type { Store } from '../../storage/store.ts';
import { forgottenClients } from '../../storage/sweep/clients.ts';
import { forgottenByTime, forgottenWithOthers } from '../../storage/sweep/forgotten.ts';
import { type Pace, type Sweep, sweepThrough } from '../../storage/sweep/sweep.ts';
import { listTenants } from '../../storage/tenant.ts';
import type { Clock, Schedule } from '../../system/clock.ts';
import type { Random } from '../../system/random.ts';
import { staleCheckouts } from '../access/checkout.ts';
import type { PaymentMethod } from '../access/payment.ts';
import { settlingSubscriptions } from '../access/subscription.ts';
import { oldAuditEvents } from '../audit/audit.ts';
import { countingEvents } from '../figures/count-events.ts';
import { takeFirstLevels, takeLevels } from '../figures/take-levels.ts';
import type { Outbox } from '../mail/outbox.ts';
import { dueMembers } from '../member/member.ts';
import { keepFromComingBack } from '../member/moved-address.ts';
import { makeMissingKeys, rotateDueKeys } from '../tenant/keys.ts';
import type { Tenants } from '../tenant/open-tenants.ts';
import { type Chore, unhurried } from './chore.ts';
import { onceAmongAll } from './once.ts';

/** What the chores work with. */
export interface ChoreDeps {
  readonly config: Pick<ServiceConfig, 'auditRetention' | 'auditRefreshRetention' | 'dataFolder'>;
  readonly store: Store;
  readonly vault: Vault;
  readonly tenants: Pick<Tenants, 'read' | 'all'>;
  readonly payments: readonly PaymentMethod[];
  /** null where mails are sent. */
  readonly outbox: Outbox | null;
  readonly clock: Clock;
  readonly schedule: Schedule;
  readonly random: Pick<Random, 'id'>;
  /** Called with what was deleted, if anything was. */
  readonly tell: (deleted: Readonly<Record<string, number>>) => void;
}

/** All chores; what a person may wait for comes first. Of several processes one does what is the service's. */
export function choresOf(deps: ChoreDeps): readonly Chore[] {
  const { store, outbox, clock, schedule, random } = deps;
  const process = { store, clock, schedule, holder: random.id(clock()) };
  const ofService = choresOfService(deps);
  return [
    ...(store.isShared ? ofService.map((chore) => onceAmongAll(chore, process)) : ofService),
    {
      name: 'delete old mails of the outbox',
      every: sweepInterval.indexed,
      run: () => deleteOldOutboxMails(outbox, clock()),
    },
  ];
}

function choresOfService(deps: ChoreDeps): readonly Chore[] {
  const { config, store, vault, tenants, payments, clock } = deps;
  const { dataFolder } = config;
  const { indexed: hourly, walked: daily } = sweepInterval;
  const sweeping = (sweeps: () => readonly Sweep[] | Promise<readonly Sweep[]>) => async (pace: Pace) =>
    sweepAll(deps, await sweeps(), pace);
  return [
    {
      name: 'rotate signing keys',
      every: hourly,
      run: async () => {
        await rotateDueKeys(store, { vault, tenants, now: clock() });
        await makeMissingKeys(store, { vault, tenants, now: clock() });
      },
    },
    {
      name: 'begin and end subscriptions',
      every: settledEvery,
      run: (pace) => sweepThrough(store, settlingSubscriptions(clock()), pace),
    },
    ...choresOfFigures(deps),
    { name: 'erase deleted members', every: hourly, run: sweeping(() => [erasingMembers(tenants, clock())]) },
    ...(store.isShared || dataFolder === null
      ? []
      : [
          {
            name: 'overwrite what erased members left in the file and its log',
            every: hourly,
            run: overwriteAfterErasure(store, join(dataFolder, databaseFile)),
          },
        ]),
    {
      name: 'delete what is over',
      every: hourly,
      run: sweeping(async () => {
        const tenantIds = await tenantIdsOf(store);
        const now = clock();
        return [
          ...staleCheckouts(payments, now),
          ...forgottenByTime(tenantIds, now),
          ...oldAuditEvents(config, now),
        ];
      }),
    },
    {
      name: 'delete sign-ins and sessions that are over',
      every: daily,
      run: sweeping(async () => {
        const now = clock();
        // Clients last: what names them goes first.
        return [
          ...forgottenWithOthers(config.auditRetention, now),
          ...forgottenClients(await tenantIdsOf(store), now),
        ];
      }),
    },
  ];
}

/** Figures over time: what happens is counted, and what there is. */
function choresOfFigures({ store, clock }: ChoreDeps): readonly Chore[] {
  const countEvents = countingEvents(store);
  return [
    {
      name: 'count what happened',
      every: figureRollUp.every,
      run: (pace) => countEvents(clock(), pace),
    },
    {
      name: 'count what there is for the first time',
      every: sweepInterval.walked,
      isUrgent: true,
      run: (pace) => takeFirstLevels(store, clock(), pace),
    },
    {
      name: 'count what there is',
      every: figureRollUp.every,
      run: unhurried(clock, (pace) => takeLevels(store, clock(), pace)),
    },
  ];
}

const tenantIdsOf = async (store: Store): Promise<readonly string[]> =>
  (await store.transaction(listTenants)).map(({ tenant }) => tenant.id);

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

/**
 * Deletes mails that a development start put into its outbox; the time stands at the head of their names.
 *
 * @param outbox null where mails are sent
 * @param now ms
 */
export async function deleteOldOutboxMails(outbox: Outbox | null, now: number): Promise<void> {
  for (const name of (await outbox?.names()) ?? []) {
    const [, queuedAt] = /^(\d+)-\d+\.[\w-]+\.eml$/.exec(name) ?? [];
    if (queuedAt !== undefined && Number(queuedAt) < now - outboxMemory) await outbox?.remove(name);
  }
}

/** Those whose time is over; the old system of their tenant brings none of them back. */
const erasingMembers = (tenants: ChoreDeps['tenants'], now: number) =>
  dueMembers(now, async (tx, member) => {
    const tenant = tenants.all().find(({ id }) => id === member.tenantId);
    if (tenant !== undefined) await keepFromComingBack(tx, tenant, member, now);
  });
