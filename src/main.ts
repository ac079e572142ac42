import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { banner } from './banner.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { drainTime } from './core/limits.ts';
import { buildApp } from './http/app.ts';
import type { Deps } from './http/deps.ts';
import { createRateLimiter } from './http/rate-limit.ts';
import { logOptions } from './log.ts';
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
    const deps: Deps = {
      config,
      store,
      tenants,
      passwords,
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
    return { app, stop: () => stop(app, store) };
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

async function stop(app: FastifyInstance, store: Store): Promise<void> {
  // A client that never finishes its request must not keep the service from stopping.
  await Promise.race([app.close(), wait(drainTime, undefined, { ref: false })]);
  await store.close();
}
