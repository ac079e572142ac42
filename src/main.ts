// The running service: configuration, store and app, from the start to the stop.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { ServiceConfig } from './config.ts';
import type { AuditEvent } from './core/operators/audit-event.ts';
import { drainTime, firstChores } from './core/operators/limits.ts';
import { followInterval, unjudgedAfter } from './core/operators/store-limits.ts';
import { type LocalSocket, openSocket } from './http/admin/socket.ts';
import { buildApp } from './http/app.ts';
import { logAuditEvent, withAuditLog } from './http/audit.ts';
import { createMemory, type Deps } from './http/deps.ts';
import { listen } from './http/server/http-server.ts';
import { countPasswords } from './http/upkeep/metrics.ts';
import { type Log, logOptions } from './log/log.ts';
import { logStream, logTarget } from './log/stream.ts';
import { paymentMethods } from './operations/access/payment.ts';
import { auditServiceEvent } from './operations/audit/audit.ts';
import { banner } from './operations/development/banner.ts';
import { createEventWaiting, type EventWaiting } from './operations/events/waiting.ts';
import { outboxTransport, smtpTransport } from './operations/mail/mail-transport.ts';
import { folderOutbox, memoryOutbox } from './operations/mail/outbox.ts';
import { firstRun, setupNotice } from './operations/service/first-admin.ts';
import { createQueues, type Queues } from './operations/service/queues.ts';
import { closeClean, openService } from './operations/service/service.ts';
import type { Operate, StartOptions } from './operations/service/start.ts';
import { noPlaces, openPlaces } from './operations/session/geolocation.ts';
import { replaceRestoredKeys } from './operations/tenant/keys.ts';
import { createTenants, type OpenTenant } from './operations/tenant/open-tenants.ts';
import { createAuditStream } from './operations/upkeep/audit-stream.ts';
import { backupTime, finishUpgrades, listUpgradeCopies } from './operations/upkeep/backup.ts';
import { type Chores, startChores } from './operations/upkeep/chore.ts';
import { choresOf } from './operations/upkeep/chores.ts';
import { takeUnjudgedBack } from './storage/members/guesses/sign-in-failure.ts';
import { auditedStore } from './storage/operators/audited.ts';
import { type Schedule, systemClock, systemSchedule } from './system/clock.ts';
import { createOutbound } from './system/outbound/outbound.ts';
import { systemRandom } from './system/random.ts';

/** A service that answers. */
export interface Service {
  readonly app: FastifyInstance;
  /** Finishes what is under way, then closes the database. */
  stop(): Promise<void>;
}

/**
 * Starts the service: configuration, store, app, listen.
 *
 * @throws StartupError with one line for the operator; no port is open then
 */
export async function start(config: ServiceConfig, options: StartOptions = {}): Promise<Service> {
  const measuring = await loadMetrics(config.metricsPort);
  const room = config.environment === 'production' ? null : await import('./http/rehearsal/rehearsal.ts');
  const olderCopies = config.dataFolder === null ? [] : listUpgradeCopies(config.dataFolder);
  let tellLost = (why: string): unknown => process.stderr.write(`memberdoor: ${why}.\n`);
  const opened = await openService(config, {
    initialise: config.environment === 'development',
    migrate: true,
    examples: options.examples ?? 'all',
    surroundings: { commit: measuring?.metrics.commit, lost: (why) => tellLost(why) },
  });
  const { store, vault } = opened;
  try {
    const { passwords, inHand } = countPasswords(opened.passwords);
    const tenants = createTenants(vault);
    const system = { clock: systemClock, random: systemRandom };
    const rehearsal = room?.createRehearsal({ ...system, tenants }) ?? null;
    const { clock, random } = rehearsal ?? system;
    const metrics = measuring?.metrics ?? null;
    const base = { config, store, vault, passwords, tenants, rehearsal, clock, random, metrics };
    await bringUpToDate(base);
    const { setupLink, early } = await prepareFirstRun(base);
    const wired = await wire(base, setupLink !== null, () => app.log);
    const { deps } = wired;
    const stream = openLog(options);
    const app = buildApp(deps, { ...logOptions(config.logLevel), stream });
    tellLost = (why) =>
      app.log.error(`${why}. Nothing is written any more: stop the service before you put it right`);
    for (const event of early) logAuditEvent(app.log, event);
    // What has no number yet was written before what is to come.
    await wired.queues.numbering.run();
    const metricsServer = await measuring?.serve({
      ...deps,
      passwordsInHand: inHand,
      logLinesLost: stream.lost,
    });
    await options.begin?.(operating(deps));
    await rehearsal?.begin();
    await listen(app, config);
    const { dataFolder } = config;
    const socket = dataFolder === null ? null : await openSocket(dataFolder, loadOperations, deps, app.log);
    await auditServiceEvent(deps.store, 'service_started', clock());
    if (options.announce === undefined) announce(stream, config, tenants.all(), setupLink);
    else options.announce(tenants.all());
    finishUpgrades(olderCopies, opened.upgradeCopy, app.log);
    const background = workInBackground(base, wired, app.log);
    return {
      app,
      stop: async () => {
        await stop({ app, socket }, background, deps);
        await metricsServer?.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** What there is before the app: the open store, and what the configuration asks for. */
type Base = Pick<
  Deps,
  'vault' | 'passwords' | 'tenants' | 'rehearsal' | 'clock' | 'random' | 'metrics' | 'store'
> & { readonly config: ServiceConfig };

/** The metrics and how they are served; null where no port is configured for them, since they take long to load. */
async function loadMetrics(port: number | null) {
  if (port === null) return null;
  const { createMetrics, serveMetrics, watch } = await import('./http/upkeep/prometheus.ts');
  const metrics = createMetrics();
  return {
    metrics,
    serve(watched: Parameters<typeof watch>[1]) {
      watch(metrics, watched);
      return serveMetrics(metrics, port);
    },
  };
}

/** Puts right what a restore or a crash left behind, and reads the tenants. */
async function bringUpToDate({ store, vault, tenants }: Base): Promise<void> {
  await replaceRestoredKeys(store, { vault, now: systemClock() });
  // Where nothing can be written they stay counted, and the service still answers what only reads (security, promise 5).
  const unjudgedBefore = store.isShared ? systemClock() - unjudgedAfter : undefined;
  await store.transaction((tx) => takeUnjudgedBack(tx, unjudgedBefore)).catch(() => {});
  await store.transaction((tx) => tenants.follow(tx));
}

/** Makes the link to the first administrator where there is none. The log does not exist yet: `early` is for it. */
async function prepareFirstRun({ store, config, vault, passwords, tenants, random, clock }: Base) {
  const early: AuditEvent[] = [];
  const starting = auditedStore(store, clock, (event) => early.push(event));
  const setupLink = await firstRun(starting, config, { vault, passwords, tenants, random, now: clock() });
  return { setupLink, early };
}

interface Wired {
  readonly deps: Deps;
  readonly queues: Queues;
  readonly events: EventWaiting;
  readonly schedule: Schedule;
  readonly log: () => Log;
}

/** Makes all that a handler may use, and the queues that work beside the requests. */
async function wire(base: Base, setupOffered: boolean, log: () => Log): Promise<Wired> {
  const { config, store, tenants, clock, rehearsal, metrics } = base;
  const schedule = systemSchedule;
  const { transport, outbox } = mailTransport(config);
  const outbound = createOutbound({ clock, schedule, log });
  const events = createEventWaiting({ store, schedule });
  const newMemory = () => createMemory(clock, store, schedule);
  const memory = rehearsal?.remembering(newMemory) ?? newMemory();
  const { rateLimiter } = memory;
  const queues = createQueues({
    ...{ ...base, schedule, transport, outbound, events, log, rateLimiter },
    audit: (wake, numbers) => withAuditLog(store, { clock, tenants, metrics }, log, wake, numbers),
    counted: (host, outcome) => metrics?.webhook(host, outcome),
  });
  const deps: Deps = {
    ...base,
    ...{ events, outbound, outbox, setupOffered },
    ...memory,
    store: queues.audited,
    mails: queues.mailer,
    payments: paymentMethods,
    backedUpAt: backupTime(config, store),
    placeOf: config.places === null ? noPlaces : await openPlaces(config.places),
    pause: (ms) => wait(ms),
  };
  return { deps, queues, events, schedule, log };
}

/** The log of this process; what still waits is written when the process ends. */
function openLog({ logTo }: StartOptions) {
  const output = logTo === 'errors' ? process.stderr : process.stdout;
  const stream = logStream(logTarget(output, process.env.JOURNAL_STREAM), systemClock);
  process.on('exit', stream.flush);
  return stream;
}

/** What the service does by itself, beside its requests. */
interface Background {
  readonly chores: Chores;
  /** What brings something to others: queues, and streams of the audit. */
  readonly deliveries: readonly Pick<Queues, 'stop'>[];
  /** Lets no further answer wait for events, and looks no more for changes of other processes. */
  readonly stopWaiting: () => void;
}

/** Begins the work beside the requests, and does not wait for any of it. */
function workInBackground({ config, store, tenants, rehearsal }: Base, wired: Wired, log: Log): Background {
  const { deps, queues, events, schedule } = wired;
  queues.begin();
  const streamDeps = { store, clock: systemClock, schedule, random: systemRandom, log: wired.log };
  const streams = config.auditStream === null ? [] : [createAuditStream(streamDeps, config.auditStream)];
  for (const auditStream of streams) void auditStream.run();
  const tell = (deleted: Readonly<Record<string, number>>) => log.info({ deleted }, 'swept');
  const chores = startChores(
    choresOf({ ...deps, config, schedule, tell }),
    (name, err) => log.error({ err }, `a chore failed: ${name}`),
    firstChores,
  );
  rehearsal?.attend(async (passed) => {
    await chores.skip(passed);
    await queues.deliver();
  });
  // Pages that read nothing, such as discovery, show what another process changed.
  const following = store.isShared
    ? setInterval(() => void store.transaction(tenants.follow).catch(() => {}), followInterval).unref()
    : undefined;
  const stopWaiting = () => {
    clearInterval(following);
    events.stop();
  };
  return { chores, deliveries: [queues, ...streams], stopWaiting };
}

/** The table of operations takes long to load, and few starts are asked for any. */
const loadOperations = async () => (await import('./operations/admin/index.ts')).operationsOfCommand;

/** Runs operations for who started this process, in the store and with the clock of the running service. */
const operating =
  (deps: Deps): Operate =>
  async (call) => {
    const { runOperation } = await import('./operations/admin/run.ts');
    const own = { ...call, actor: { kind: 'operator' }, address: null } as const;
    return runOperation(own, deps.store, { ...deps, now: deps.clock() });
  };

/** Says where it is, for the person who started it. Its last line is what scripts wait for. */
function announce(
  { say }: Pick<ReturnType<typeof logStream>, 'say'>,
  config: ServiceConfig,
  tenants: readonly OpenTenant[],
  setupLink: string | null,
): void {
  const { environment, host, port } = config;
  if (setupLink !== null) say(setupNotice(setupLink));
  if (environment === 'development') say(banner(config, tenants));
  say(`ready ${tenants[0]?.issuer ?? `http://${host}:${port}`}\n`);
}

/** Mails go to the mail server; in development, where none is configured, into the outbox. */
function mailTransport({ mail: { smtpUrl, from }, dataFolder }: ServiceConfig) {
  if (smtpUrl !== null) return { transport: smtpTransport({ url: smtpUrl, from }), outbox: null };
  const outbox = dataFolder === null ? memoryOutbox() : folderOutbox(join(dataFolder, 'outbox'));
  return { transport: outboxTransport(outbox, from), outbox };
}

/** Finishes what is under way, for as long as `drainTime`, and closes the store. */
async function stop(
  { app, socket }: { readonly app: FastifyInstance; readonly socket: LocalSocket | null },
  { chores, deliveries, stopWaiting }: Background,
  { config: { dataFolder }, store, clock }: Pick<Deps, 'config' | 'store' | 'clock'>,
): Promise<void> {
  stopWaiting();
  app.log.info('stopping');
  // A client that never finishes its request, a mail server or a client's server must not keep the service from
  // stopping.
  const drain = async () => {
    await Promise.all([app.close(), socket?.close(), chores.stop()]);
    await Promise.all(deliveries.map((delivery) => delivery.stop()));
  };
  const timeIsOver = wait(drainTime, 'time is over', { ref: false });
  if ((await Promise.race([drain(), timeIsOver])) !== undefined) {
    app.log.warn('what is under way takes too long to end: it is cut off');
  }
  // What it cannot write any more is no reason to stay.
  await auditServiceEvent(store, 'service_stopped', clock()).catch((error: unknown) => {
    app.log.error({ err: error }, 'the stop cannot be written to the audit');
  });
  await closeClean(store, dataFolder, (error) => {
    app.log.error({ err: error }, 'what erased members left in the file cannot be overwritten now');
  });
}
