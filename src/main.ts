// The running service: configuration, store and app, from the start to the stop.
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import type { AuditEvent } from './core/operators/audit-event.ts';
import { drainTime, firstChores, followInterval, unjudgedAfter } from './core/operators/limits.ts';
import { type LocalSocket, openSocket } from './http/admin/socket.ts';
import { buildApp } from './http/app.ts';
import { logAuditEvent, withAuditLog } from './http/audit.ts';
import { createMemory, type Deps } from './http/deps.ts';
import { listen } from './http/server/http-server.ts';
import { countPasswords } from './http/upkeep/metrics.ts';
import { logOptions } from './log/log.ts';
import { logStream, logTarget } from './log/stream.ts';
import { paymentMethods } from './operations/access/payment.ts';
import { operations } from './operations/admin/index.ts';
import { auditServiceEvent } from './operations/audit/audit.ts';
import type { Delivery } from './operations/delivery/delivery.ts';
import { banner } from './operations/development/banner.ts';
import { createLogoutNotices } from './operations/logout/notices.ts';
import { outboxTransport, smtpTransport } from './operations/mail/mail-transport.ts';
import { createMailer } from './operations/mail/mailer.ts';
import { firstRun, setupNotice } from './operations/service/first-admin.ts';
import { closeClean, openService } from './operations/service/service.ts';
import { noPlaces, openPlaces } from './operations/session/geolocation.ts';
import { replaceRestoredKeys } from './operations/tenant/keys.ts';
import { createTenants, type OpenTenant } from './operations/tenant/open-tenants.ts';
import { backupTime, finishUpgrades, listUpgradeCopies } from './operations/upkeep/backup.ts';
import { type Chores, startChores } from './operations/upkeep/chore.ts';
import { choresOf } from './operations/upkeep/chores.ts';
import { takeUnjudgedBack } from './storage/members/sign-in-failure.ts';
import { auditedStore } from './storage/operators/audited.ts';
import type { Store } from './storage/store.ts';
import { systemClock, systemSchedule } from './system/clock.ts';
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
export async function start(config: Config): Promise<Service> {
  const { metricsPort } = config;
  const prometheus = metricsPort === null ? null : await import('./http/upkeep/prometheus.ts');
  const metrics = prometheus?.createMetrics() ?? null;
  const olderCopies = listUpgradeCopies(config.dataFolder);
  let tellLost = (why: string): unknown => process.stderr.write(`memberdoor: ${why}.\n`);
  const opened = await openService(config, {
    initialise: config.environment === 'development',
    migrate: true,
    surroundings: { commit: metrics?.commit, lost: (why) => tellLost(why) },
  });
  const { store, vault } = opened;
  const { passwords, inHand } = countPasswords(opened.passwords);
  try {
    const tenants = createTenants(vault);
    await replaceRestoredKeys(store, { vault, now: systemClock() });
    // Where nothing can be written they stay counted, and those who read are served (security, promise 5).
    const unjudgedBefore = store.isShared ? systemClock() - unjudgedAfter : undefined;
    await store.transaction((tx) => takeUnjudgedBack(tx, unjudgedBefore)).catch(() => {});
    await store.transaction((tx) => tenants.follow(tx));
    const firstDeps = { vault, passwords, tenants, random: systemRandom, now: systemClock() };
    // What happens before there is a log to write to is told when there is one.
    const early: AuditEvent[] = [];
    const starting = auditedStore(store, systemClock, (event) => early.push(event));
    const setupLink = await firstRun(starting, config, firstDeps);
    const { transport, outboxFolder } = mailTransport(config);
    const mailer = createMailer({
      store,
      vault,
      clock: systemClock,
      transport,
      log: () => app.log,
      schedule: systemSchedule,
    });
    const outbound = createOutbound({ clock: systemClock, schedule: systemSchedule, log: () => app.log });
    const logoutNotices = createLogoutNotices({
      store,
      tenants,
      outbound,
      clock: systemClock,
      schedule: systemSchedule,
      log: () => app.log,
    });
    const audited = withAuditLog(
      store,
      { clock: systemClock, tenants, metrics },
      () => app.log,
      logoutNotices.wake,
    );
    const deps: Deps = {
      config,
      store: audited,
      tenants,
      vault,
      passwords,
      mails: mailer,
      outbound,
      payments: paymentMethods,
      outboxFolder,
      backedUpAt: backupTime(config, store),
      clock: systemClock,
      random: systemRandom,
      ...createMemory(systemClock, store, systemSchedule),
      placeOf: config.places === null ? noPlaces : await openPlaces(config.places),
      pause: (ms) => wait(ms),
      metrics,
      setupOffered: setupLink !== null,
    };
    const stream = logStream(logTarget(process.stdout, process.env.JOURNAL_STREAM), systemClock);
    process.on('exit', stream.flush);
    const app = buildApp(deps, { ...logOptions(config.logLevel), stream });
    tellLost = (why) =>
      app.log.error(`${why}. Nothing is written any more: stop the service before you put it right`);
    for (const event of early) logAuditEvent(app.log, event);
    if (metrics !== null) {
      prometheus?.watch(metrics, { ...deps, passwordsInHand: inHand, logLinesLost: stream.lost });
    }
    const metricsServer =
      metrics === null || metricsPort === null ? null : await prometheus?.serveMetrics(metrics, metricsPort);
    await listen(app, config);
    const socket = await openSocket(config.dataFolder, operations, deps, app.log);
    await auditServiceEvent(audited, 'service_started', systemClock());
    announce(stream, config, tenants.all(), setupLink);
    finishUpgrades(olderCopies, opened.upgradeCopy, app.log);
    // What waited when the service last stopped; the start does not wait for it.
    void mailer.deliver();
    void logoutNotices.deliver();
    const chores = startChores(
      choresOf({
        ...deps,
        config,
        schedule: systemSchedule,
        tell: (deleted) => app.log.info({ deleted }, 'swept'),
      }),
      (name, err) => app.log.error({ err }, `a chore failed: ${name}`),
      firstChores,
    );
    // Pages that read nothing, such as discovery, show what another process changed.
    const following = store.isShared
      ? setInterval(() => void store.transaction(tenants.follow).catch(() => {}), followInterval).unref()
      : undefined;
    return {
      app,
      stop: async () => {
        clearInterval(following);
        await stop(app, socket, [mailer, logoutNotices], chores, audited, config.dataFolder);
        await metricsServer?.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Says where it is, for the person who started it. Its last line is what scripts wait for. */
function announce(
  { say }: Pick<ReturnType<typeof logStream>, 'say'>,
  config: Config,
  tenants: readonly OpenTenant[],
  setupLink: string | null,
): void {
  const { environment, host, port } = config;
  if (setupLink !== null) say(setupNotice(setupLink));
  if (environment === 'development') say(banner(config, tenants));
  say(`ready ${tenants[0]?.issuer ?? `http://${host}:${port}`}\n`);
}

/** Mails go to the mail server; in development, where none is configured, into a folder. */
function mailTransport({ mail: { smtpUrl, from }, dataFolder }: Config) {
  if (smtpUrl !== null) return { transport: smtpTransport({ url: smtpUrl, from }), outboxFolder: null };
  const outboxFolder = join(dataFolder, 'outbox');
  return { transport: outboxTransport(outboxFolder, from), outboxFolder };
}

async function stop(
  app: FastifyInstance,
  socket: LocalSocket | null,
  deliveries: readonly Pick<Delivery, 'stop'>[],
  chores: Chores,
  store: Store,
  dataFolder: string,
): Promise<void> {
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
  await auditServiceEvent(store, 'service_stopped', systemClock()).catch((error: unknown) => {
    app.log.error({ err: error }, 'the stop cannot be written to the audit');
  });
  await closeClean(store, dataFolder, (error) => {
    app.log.error({ err: error }, 'what erased members left in the file cannot be overwritten now');
  });
}
