// Keeps the metrics with prom-client.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Tenants } from '../../operations/tenant/open-tenants.ts';
import { lastBackupFile } from '../../operations/upkeep/backup.ts';
import { countPendingDeviceCodes } from '../../storage/device-code.ts';
import { countMails } from '../../storage/members/mail.ts';
import { databaseFile } from '../../storage/sqlite/open.ts';
import type { Store, Tx } from '../../storage/store.ts';
import type { Clock } from '../../system/clock.ts';
import { version } from '../../system/version.ts';
import type { Metrics } from './metrics.ts';

/** Metrics that are kept by prom-client. It is loaded only where they are asked for: it takes 20 MB. */
export interface PrometheusMetrics extends Metrics {
  readonly registry: Registry;
}

const seconds = {
  request: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  commit: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
};

/** Makes the counters of one service, with those of the process and of Node. */
export function createMetrics(): PrometheusMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'memberdoor_requests_total',
    help: 'Answers by route, method and status',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'memberdoor_request_seconds',
    help: 'From the request line to the end of the answer, by route',
    labelNames: ['route'],
    buckets: seconds.request,
    registers,
  });
  const grants = new Counter({
    name: 'memberdoor_grants_total',
    help: 'Answers of the token endpoint by tenant, grant type and result: done, or the error code',
    labelNames: ['tenant', 'type', 'result'],
    registers,
  });
  const reused = new Counter({
    name: 'memberdoor_refresh_reuse_total',
    help: 'Used refresh tokens that came back, each ending its sign-in',
    labelNames: ['tenant'],
    registers,
  });
  const limits = new Counter({
    name: 'memberdoor_limit_refusals_total',
    help: 'Requests that a limit refused (429), by tenant, limit and where it was met',
    labelNames: ['tenant', 'limit', 'surface'],
    registers,
  });
  const signIns = new Counter({
    name: 'memberdoor_sign_ins_total',
    help: 'Sign-ins with a password, of members and of administrators, by tenant and result',
    labelNames: ['tenant', 'who', 'result'],
    registers,
  });
  const commits = new Histogram({
    name: 'memberdoor_commit_seconds',
    help: 'How long a commit took, with all transactions that shared it',
    buckets: seconds.commit,
    registers,
  });
  const committed = new Counter({
    name: 'memberdoor_transactions_total',
    help: 'Transactions, of which several share one commit',
    registers,
  });
  new Gauge({
    name: 'memberdoor_build_info',
    help: '1, with the version of Memberdoor and of Node',
    labelNames: ['version', 'node'],
    registers,
  }).set({ version: version(), node: process.versions.node }, 1);
  return {
    registry,
    text: async () => ({ type: registry.contentType, body: await registry.metrics() }),
    request: (route, method, status, duration) => {
      const name = route ?? 'none';
      requests.inc({ route: name, method, status });
      durations.observe({ route: name }, duration);
    },
    grant: (tenant, type, result) => grants.inc({ tenant, type, result }),
    refreshReused: (tenant) => reused.inc({ tenant }),
    limit: (tenant, limit, surface) => limits.inc({ tenant, limit, surface }),
    signIn: (tenant, who, result) => signIns.inc({ tenant, who, result }),
    commit: (ms, pieces) => {
      commits.observe(ms / 1_000);
      committed.inc(pieces);
    },
  };
}

const factsOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/** What is looked at when the metrics are read. */
export interface Watched {
  readonly store: Store;
  readonly tenants: Tenants;
  readonly clock: Clock;
  /** Passwords that are being hashed or wait for it. */
  readonly passwordsInHand: () => number;
  /** Lines of the log that were lost since the start. */
  readonly logLinesLost: () => number;
  readonly dataFolder: string;
}

/** Adds what is not counted but looked at: queues, pending codes, mails that wait. */
export function watch(
  { registry }: PrometheusMetrics,
  { store, tenants, clock, passwordsInHand, logLinesLost, dataFolder }: Watched,
): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  gauge('memberdoor_transactions_waiting', 'Transactions that wait for a commit', () => store.waiting());
  gauge('memberdoor_passwords_in_hand', 'Passwords that are hashed now or wait for it', passwordsInHand);

  gauge('memberdoor_log_lines_lost', 'Lines of the log that were lost since the start', logLinesLost);
  gauge('memberdoor_last_backup_timestamp_seconds', 'When the last backup was made; 0 if none was', () =>
    Math.floor((factsOf(join(dataFolder, lastBackupFile))?.mtimeMs ?? 0) / 1_000),
  );
  new Gauge({
    name: 'memberdoor_database_bytes',
    help: 'Size of the database and of its write-ahead log',
    labelNames: ['file'],
    registers: [registry],
    collect() {
      const path = join(dataFolder, databaseFile);
      this.set({ file: 'database' }, factsOf(path)?.size ?? 0);
      this.set({ file: 'log' }, factsOf(`${path}-wal`)?.size ?? 0);
    },
  });

  const asked = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: (tx: Tx) => Promise<readonly { labels: Partial<Record<Label, string>>; count: number }[]>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        // Storage in trouble must not hide everything else.
        const found = await store.transaction(read).catch(() => []);
        for (const { labels, count } of found) this.set(labels, count);
      },
    });
  asked('memberdoor_pending_device_codes', 'Device codes that wait for a member', ['tenant'], async (tx) => {
    const found = [];
    for (const { id, host } of tenants.all()) {
      found.push({ labels: { tenant: host }, count: await countPendingDeviceCodes(tx, id, clock()) });
    }
    return found;
  });
  asked('memberdoor_mails', 'Mails that wait to be sent, and that were given up', ['state'], async (tx) => {
    const { waiting, failed } = await countMails(tx);
    return [
      { labels: { state: 'waiting' }, count: waiting },
      { labels: { state: 'given_up' }, count: failed },
    ];
  });
}
