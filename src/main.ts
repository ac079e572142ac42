import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { checkoutSweepInterval, deletionSweepInterval, drainTime } from './core/limits.ts';
import { buildApp } from './http/app.ts';
import type { Deps } from './http/deps.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import { logOptions } from './log.ts';
import { deleteStaleCheckouts } from './operations/access/checkout-sweep.ts';
import { paymentMethods } from './operations/access/payments/index.ts';
import { banner } from './operations/development/banner.ts';
import { outboxTransport, smtpTransport } from './operations/mail-transport.ts';
import { createMailer, type Mailer, type Schedule } from './operations/mailer.ts';
import { deleteDueMembers } from './operations/member.ts';
import { prepareService } from './operations/service.ts';
import { createPasswords } from './password.ts';
import { noPlaces, openPlaces } from './places.ts';
import { systemRandom } from './random.ts';
import { StartupError } from './startup-error.ts';
import { createPollPace } from './storage/poll-pace.ts';
import { openStore, type Store } from './storage/store.ts';
import { createTenants } from './tenants.ts';
import { developmentMasterKey, openVault } from './vault.ts';

/** A service that answers. */
export interface Service {
  readonly app: FastifyInstance;
  /** Finishes what is under way, then closes the database. */
  stop(): Promise<void>;
}

/**
 * Opens the data folder, and makes sure that it belongs to this configuration.
 *
 * @param mayInitialise whether a folder without a database becomes a new service
 * @throws StartupError
 */
export async function openService(config: Config, mayInitialise: boolean) {
  const store = await openStore(config.dataFolder, mayInitialise);
  try {
    const vault = openVault(config.masterKey ?? developmentMasterKey(config.dataFolder));
    const passwords = createPasswords();
    const deps = { vault, passwords, random: systemRandom, now: systemClock() };
    await prepareService(store, config.environment, deps, config.port);
    return { store, vault, passwords };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/**
 * Starts the service: configuration, store, app, listen.
 *
 * @throws StartupError with one line for the operator; no port is open then
 */
export async function start(config: Config): Promise<Service> {
  const { store, vault, passwords } = await openService(config, config.environment === 'development');
  try {
    const tenants = createTenants(vault);
    await store.transaction((tx) => tenants.reload(tx));
    const { transport, outboxFolder } = mailTransport(config);
    const mailer = createMailer({
      store,
      vault,
      clock: systemClock,
      transport,
      log: () => app.log,
      schedule,
    });
    const deps: Deps = {
      config,
      store,
      tenants,
      passwords,
      mails: mailer,
      payments: paymentMethods,
      outboxFolder,
      clock: systemClock,
      random: systemRandom,
      pollPace: createPollPace(),
      rateLimiter: createRateLimiter(systemClock),
      placeOf: config.places === null ? noPlaces : await openPlaces(config.places),
      pause: (ms) => wait(ms),
    };
    const app = buildApp(deps, logOptions(config.logLevel, process.stdout.isTTY === true));
    await listen(app, config);
    if (config.environment === 'development') process.stdout.write(banner(config, tenants.all()));
    process.stdout.write(`ready ${tenants.all()[0]?.issuer ?? `http://${config.host}:${config.port}`}\n`);
    // What waited when the service last stopped; nobody waits for it here.
    void mailer.deliver();
    const sweeps = [sweepMembers(app, store), sweepCheckouts(app, store)];
    return {
      app,
      stop: () => {
        for (const stopSweeping of sweeps) stopSweeping();
        return stop(app, mailer, store);
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: () => 'listening' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    const why = code === 'EACCES' ? 'is not allowed to this user' : 'is in use';
    throw new StartupError(`The port ${port} ${why}. Choose another with MEMBERDOOR_PORT.`);
  }
}

/** Mails go to the mail server; in development, where none is configured, into a folder. */
function mailTransport({ mail: { smtpUrl, from }, dataFolder }: Config) {
  if (smtpUrl !== null) return { transport: smtpTransport({ url: smtpUrl, from }), outboxFolder: null };
  const outboxFolder = join(dataFolder, 'outbox');
  return { transport: outboxTransport(outboxFolder, from), outboxFolder };
}

/** Erases the data of deleted members now and once in a while. @returns what calls it off */
function sweepMembers({ log }: FastifyInstance, store: Store): () => void {
  return sweepEvery(deletionSweepInterval, () =>
    deleteDueMembers(store, systemClock()).catch((error: unknown) => {
      log.error({ err: error }, 'deleted members cannot be erased now');
    }),
  );
}

/** Deletes checkouts that led nowhere now and once in a while. @returns what calls it off */
function sweepCheckouts({ log }: FastifyInstance, store: Store): () => void {
  return sweepEvery(checkoutSweepInterval, () =>
    deleteStaleCheckouts(store, paymentMethods, systemClock()).catch((error: unknown) => {
      log.error({ err: error }, 'stale checkouts cannot be deleted now');
    }),
  );
}

function sweepEvery(ms: number, sweep: () => Promise<unknown>): () => void {
  void sweep();
  const timer = setInterval(sweep, ms).unref();
  return () => clearInterval(timer);
}

const schedule: Schedule = (work, ms) => {
  const timer = setTimeout(work, ms).unref();
  return () => clearTimeout(timer);
};

async function stop(app: FastifyInstance, mailer: Mailer, store: Store): Promise<void> {
  app.log.info('stopping');
  // A client that never finishes its request, or a mail server, must not keep the service from stopping.
  const drained = app.close().then(() => mailer.stop());
  await Promise.race([drained, wait(drainTime, undefined, { ref: false })]);
  await store.close();
}
