// Keeps the metrics with prom-client, and serves them on a port of their own.
import { statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { isUnverified } from '../../core/registration/unverified-client.ts';
import { lastBackupFile } from '../../operations/upkeep/backup.ts';
import { countNotices } from '../../storage/clients/logout-notice.ts';
import { countDeliveries, oldestWaitingSince } from '../../storage/events/webhook-delivery.ts';
import { countPendingDeviceCodes } from '../../storage/grants/device-code.ts';
import { countMails } from '../../storage/members/mail.ts';
import type { Tx } from '../../storage/store.ts';
import { createServer } from '../../system/http.ts';
import { StartupError } from '../../system/startup-error.ts';
import { version } from '../../system/version.ts';
import type { Deps } from '../deps.ts';
import type { Metrics } from './metrics.ts';

/** Metrics that are kept by prom-client. It is loaded only where they are asked for: it takes 20 MB. */
export interface PrometheusMetrics extends Metrics {
  readonly registry: Registry;
}

/** Makes the counters of one service, with those of the process and of Node. */
export function createMetrics(): PrometheusMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addBuildInfo(registry);
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Counter({ name: `memberdoor_${name}_total`, help, labelNames, registers });
  const requests = counter('requests', 'Answers by route, method and status', ['route', 'method', 'status']);
  const durations = new Histogram({
    name: 'memberdoor_request_seconds',
    help: 'From the request line to the end of the answer, by route',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers,
  });
  const grants = counter(
    'grants',
    'Answers of the token endpoint by tenant, grant type and result: done, or the error code',
    ['tenant', 'type', 'result'],
  );
  const reused = counter(
    'refresh_reuse',
    'Used refresh tokens that came back, each ending its sign-in, by tenant, client and what that most likely was',
    ['tenant', 'client', 'class'],
  );
  const limits = counter(
    'limit_refusals',
    'Requests that a limit refused (429), by tenant, limit and where it was met',
    ['tenant', 'limit', 'surface'],
  );
  const signIns = counter(
    'sign_ins',
    'Sign-ins of members and of administrators, by tenant, way and result',
    ['tenant', 'who', 'way', 'result'],
  );
  const webhooks = counter(
    'webhook_attempts',
    'Attempts to tell a webhook of something, by tenant and outcome: delivered, refused, unreachable, gone',
    ['tenant', 'outcome'],
  );
  const oldSystems = counter(
    'old_system_questions',
    'Questions to the systems that members come from, by tenant and result; unasked are those that were left out',
    ['tenant', 'result'],
  );
  const commits = new Histogram({
    name: 'memberdoor_commit_seconds',
    help: 'How long a commit took, with all transactions that shared it',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
    registers,
  });
  const committed = counter('transactions', 'Transactions; several share one commit');
  return {
    registry,
    text: async () => ({ type: registry.contentType, body: await registry.metrics() }),
    request: (route, method, status, duration) => {
      const name = route ?? 'none';
      requests.inc({ route: name, method, status });
      durations.observe({ route: name }, duration);
    },
    grant: (tenant, type, result) => grants.inc({ tenant, type, result }),
    refreshReused: (tenant, client, kind) => {
      const label = isUnverified(client) ? 'unverified' : client.clientId;
      reused.inc({ tenant, client: label, class: kind });
    },
    limit: (tenant, limit, surface) => limits.inc({ tenant, limit, surface }),
    signIn: (tenant, who, way, result) => signIns.inc({ tenant, who, way, result }),
    webhook: (tenant, outcome) => webhooks.inc({ tenant, outcome }),
    oldSystem: (tenant, result) => oldSystems.inc({ tenant, result }),
    commit: (ms, pieces) => {
      commits.observe(ms / 1_000);
      committed.inc(pieces);
    },
  };
}

function addBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'memberdoor_build_info',
    help: '1, with the version of Memberdoor and of Node',
    labelNames: ['version', 'node'],
    registers: [registry],
  }).set({ version: version(), node: process.versions.node }, 1);
}

const factsOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/** What is looked at when the metrics are read. */
interface Watched extends Pick<Deps, 'clock' | 'config' | 'store' | 'tenants'> {
  /** Passwords that are being hashed or wait for it. */
  readonly passwordsInHand: () => number;
  /** Lines of the log that were lost since the start. */
  readonly logLinesLost: () => number;
}

type Counts = Readonly<Record<string, number>>;

/** Adds what is not counted but looked at: queues, pending codes, mails that wait. */
export function watch({ registry }: PrometheusMetrics, watched: Watched): void {
  const gauges = gaugesOf(registry);
  watchProcess(gauges, watched);
  watchDatabase(gauges, watched);
  watchQueues(gauges, watched);
}

type Gauges = ReturnType<typeof gaugesOf>;

/** Makes gauges that look when the metrics are read. */
function gaugesOf(registry: Registry) {
  const registers = [registry];
  return {
    gauge: (name: string, help: string, read: () => number | Promise<number>) =>
      new Gauge({
        name: `memberdoor_${name}`,
        help,
        registers,
        async collect() {
          this.set(await read());
        },
      }),
    /** @param label each of its values has a count of its own */
    gaugeBy: (label: string, name: string, help: string, read: () => Counts | Promise<Counts>) =>
      new Gauge({
        name: `memberdoor_${name}`,
        help,
        labelNames: [label],
        registers,
        async collect() {
          this.reset();
          for (const [value, count] of Object.entries(await read())) this.set({ [label]: value }, count);
        },
      }),
    /** What another part of the process has counted. */
    counter: (name: string, help: string, read: () => Promise<number>) =>
      new Counter({
        name: `memberdoor_${name}_total`,
        help,
        registers,
        async collect() {
          this.reset();
          this.inc(await read());
        },
      }),
  };
}

function watchProcess(
  { gauge }: Gauges,
  { store, passwordsInHand, logLinesLost, config: { dataFolder } }: Watched,
): void {
  gauge('transactions_waiting', 'Transactions that wait for a commit', () => store.waiting());
  gauge('passwords_in_hand', 'Passwords that are hashed now or wait for it', passwordsInHand);
  gauge('log_lines_lost', 'Lines of the log that were lost since the start', logLinesLost);
  gauge('last_backup_timestamp_seconds', 'When the last backup was made; 0 if none was', () =>
    dataFolder === null ? 0 : Math.floor((factsOf(join(dataFolder, lastBackupFile))?.mtimeMs ?? 0) / 1_000),
  );
}

/** Storage in trouble must not hide everything else: then there are no figures of it. */
function watchDatabase({ counter, gaugeBy }: Gauges, { store }: Watched): void {
  const figuresOf = (figure: 'bytes' | 'connections') => () =>
    store.figures().then(
      (figures): Counts => figures[figure],
      (): Counts => ({}),
    );
  counter('transaction_retries', 'Transactions that ran again, since others were in their way', () =>
    store.figures().then(
      ({ retries }) => retries,
      () => 0,
    ),
  );
  gaugeBy(
    'file',
    'database_bytes',
    'Size of the database and, of SQLite, its write-ahead log',
    figuresOf('bytes'),
  );
  gaugeBy(
    'state',
    'database_connections',
    'Connections of this process to PostgreSQL',
    figuresOf('connections'),
  );
}

function watchQueues({ gauge, gaugeBy }: Gauges, { store, tenants, clock }: Watched): void {
  const stored = (read: (tx: Tx) => Promise<Counts>) => () =>
    store.transaction(read).catch((): Counts => ({}));
  const secondsSince = (at: number | null) => (at === null ? 0 : Math.max(0, (clock() - at) / 1_000));
  const countCodes = async (tx: Tx) => {
    const counts: Record<string, number> = {};
    for (const { id, host } of tenants.all()) counts[host] = await countPendingDeviceCodes(tx, id, clock());
    return counts;
  };
  const countByState = async (tx: Tx) => {
    const { waiting, failed } = await countMails(tx);
    return { waiting, given_up: failed };
  };
  gaugeBy('tenant', 'pending_device_codes', 'Device codes that wait for a member', stored(countCodes));
  gaugeBy(
    'state',
    'logout_notices',
    'What clients are to be told of sign-outs, and what was given up',
    stored(countNotices),
  );
  gaugeBy(
    'state',
    'webhook_deliveries',
    'What webhooks are to be told, and what is held until then; of very many, that there are so many at least',
    stored(countDeliveries),
  );
  gauge(
    'webhook_oldest_waiting_seconds',
    'How long that has waited for its webhook, which is on, that has waited longest; 0 if nothing waits',
    () => store.transaction(oldestWaitingSince).then(secondsSince, () => 0),
  );
  gaugeBy('state', 'mails', 'Mails that wait to be sent, and that were given up', stored(countByState));
}

export type MetricsServer = Awaited<ReturnType<typeof serveMetrics>>;

/**
 * Serves `GET /metrics` in the text format of Prometheus, on loopback alone, so that the public port never shows them.
 *
 * @throws StartupError if the port cannot be had
 */
export async function serveMetrics(metrics: Pick<Metrics, 'text'>, port: number) {
  const answer: RequestListener = (request, response) => {
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Not found\n');
      return;
    }
    metrics.text().then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  };
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: Error & { code?: string }) => {
      const why = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be had: ${error.message}`;
      reject(new StartupError(`The port ${port} ${why}. Choose another with MEMBERDOOR_METRICS_PORT.`));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
