import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { AccessTokenAlgorithm } from '../../src/core/tenant.ts';
import { buildApp } from '../../src/http/app.ts';
import { withAuditLog } from '../../src/http/audit.ts';
import { createMemory, type Deps } from '../../src/http/deps.ts';
import { createRehearsal } from '../../src/http/rehearsal/rehearsal.ts';
import { listen } from '../../src/http/server/http-server.ts';
import type { Metrics } from '../../src/http/upkeep/metrics.ts';
import { logOptions } from '../../src/log/log.ts';
import { type PaymentMethod, paymentMethods } from '../../src/operations/access/payment.ts';
import { createEventWaiting } from '../../src/operations/events/waiting.ts';
import type { Mailer } from '../../src/operations/mail/mailer.ts';
import { folderOutbox } from '../../src/operations/mail/outbox.ts';
import { createQueues } from '../../src/operations/service/queues.ts';
import { noPlaces, type PlaceOf } from '../../src/operations/session/geolocation.ts';
import { createTenants, type Tenants } from '../../src/operations/tenant/open-tenants.ts';
import type { Passwords } from '../../src/secrets/password.ts';
import { openVault, type Vault } from '../../src/secrets/vault.ts';
import type { Store } from '../../src/storage/store.ts';
import type { Schedule } from '../../src/system/clock.ts';
import { createOutbound, type Outbound } from '../../src/system/outbound/outbound.ts';
import { type Random, systemRandom } from '../../src/system/random.ts';
import { type TestClock, testClock } from './clock.ts';
import { type HttpClient, httpClient } from './http.ts';
import { type TestOutbox, testOutbox } from './mails/outbox.ts';
import { loopbackAddresses } from './process/raw-socket.ts';
import {
  copyFixtures,
  type FixtureData,
  fixtureKey,
  loadData,
  quickPasswords,
} from './run/fixture-folders.ts';
import { openShared, openTestStore } from './run/test-store.ts';

/** The service as it runs, on a real file and a real socket, with a clock that the test moves. */
export interface TestService {
  readonly app: FastifyInstance;
  readonly deps: Deps;
  readonly store: Store;
  readonly tenants: Tenants;
  readonly vault: Vault;
  readonly passwords: Passwords;
  readonly clock: TestClock;
  readonly port: number;
  readonly folder: string;
  readonly http: HttpClient;
  /** Every line that was logged, as it would stand in the log. */
  readonly logLines: readonly string[];
  /** The mails that were taken; it can be made to refuse them. */
  readonly outbox: TestOutbox;
  readonly mails: Pick<Mailer, 'queue' | 'retry'>;
  /** Sends every mail that is due now: until then they wait in the queue. */
  delivered(): Promise<void>;
  /** Tells clients of every sign-out that they are to be told of now: until then it waits in the queue. */
  clientsTold(): Promise<void>;
  /** Numbers the events that have no number yet: on PostgreSQL, and of what a test wrote by itself, none is told before. */
  eventsNumbered(): Promise<void>;
  /** The same, and tells the webhooks of all that is due. */
  webhooksTold(): Promise<void>;
  /** Works on every file of members that waits for it. */
  imported(): Promise<void>;
  /** Every wait (ms) that slowed a caller down; the test waits for none of them. */
  readonly pauses: readonly number[];
  /** Ends the service, keeps its folder, and starts it again, which takes no time by its clock. */
  restart(): Promise<void>;
  /** Ends the service, once, and removes its folder unless the test gave it one. */
  stop(): Promise<void>;
}

export interface TestServiceOptions {
  /**
   * `security`: tenants a.test, b.test and c.test of the fixtures; `development`: the development tenants;
   * `nothing`: a production service without a tenant.
   */
  readonly data: FixtureData;
  readonly folder?: string;
  /** The address of a PostgreSQL database that it shares with others (`sharedDatabase`); a store of its own unless given. */
  readonly database?: string;
  /** 32 bytes; the one of the fixtures unless given. */
  readonly masterKey?: Buffer;
  readonly apiAlgorithm?: AccessTokenAlgorithm;
  readonly apiHost?: string;
  readonly trustedProxies?: readonly string[];
  readonly placeOf?: PlaceOf;
  /** When it was backed up last (ms): null where that is not looked after. */
  readonly backedUpAt?: number;
  readonly setupOffered?: boolean;
  readonly issuer?: string;
  readonly metrics?: Metrics;
  /** How callers wait who are slowed down; without it they do not wait. */
  readonly pause?: (ms: number) => Promise<void>;
  /** Payment methods beside those that the service has. */
  readonly payments?: readonly PaymentMethod[];
  /** What calls addresses of others; one that dials no tenant's loopback address, but a development tenant's, unless given. */
  readonly outbound?: Outbound;
  /** Those whose hashes take as long as the service's; quick ones unless given. */
  readonly passwords?: Passwords;
  /** When those who wait for an event give up; never unless given. */
  readonly schedule?: Schedule;
  /** Any free one unless given. */
  readonly port?: number;
  /** Where codes, ids and secrets come from; the system unless given. */
  readonly random?: Random;
}

export const apiAudience = 'urn:memberdoor:api';

export async function startTestService(options: TestServiceOptions): Promise<TestService> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'memberdoor-'));
  let running = await startIn(folder, options);
  let ended: Promise<void> | null = null;
  const end = async () => {
    await running.close();
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  };
  return {
    ...running,
    async restart() {
      const { clock } = running;
      await running.close();
      running = await startIn(folder, options);
      // Not before what the one that ended has written.
      running.clock.set(clock.now());
      Object.assign(this, running);
    },
    stop: () => (ended ??= end()),
  };
}

/** Nothing is done by itself: the test says when. */
const never: Schedule = () => () => {};

/** What a service is from one start to its end. */
interface Running extends Omit<TestService, 'restart' | 'stop'> {
  close(): Promise<void>;
}

async function startIn(folder: string, options: TestServiceOptions): Promise<Running> {
  const {
    data,
    trustedProxies = [],
    apiHost = null,
    apiAlgorithm = 'ES256',
    random: drawn = systemRandom,
  } = options;
  // The hashes of the folders are quick ones.
  if (options.passwords === undefined && options.database === undefined) copyFixtures(data, folder);
  const clock = testClock();
  const surroundings = { commit: options.metrics?.commit };
  const store =
    options.database === undefined
      ? await openTestStore(folder, true, surroundings)
      : await openShared(options.database, surroundings);
  const vault = openVault(options.masterKey ?? fixtureKey);
  const passwords = options.passwords ?? quickPasswords();
  const port = options.port ?? (await freePort());
  await loadData(store, data, { vault, passwords, random: drawn, now: clock.now() }, port);
  const tenants = createTenants(vault);
  await store.transaction((tx) => tenants.reload(tx));

  const rehearsal =
    data === 'development' ? createRehearsal({ clock: clock.now, random: drawn, tenants }) : null;
  // The clock and the randomness of a development start, which its rehearsal room can move.
  const { clock: now, random } = rehearsal ?? { clock: clock.now, random: drawn };
  const logLines: string[] = [];
  const pauses: number[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      logLines.push(chunk.toString());
      done();
    },
  });
  const outbox = testOutbox();
  const developmentOutbox = data === 'development' ? folderOutbox(join(folder, 'outbox')) : null;
  const log = () => app.log;
  const schedule = never;
  const outbound = options.outbound ?? createOutbound({ clock: now, schedule, log });
  const events = createEventWaiting({ store, schedule: options.schedule ?? never });
  const metrics = options.metrics ?? null;
  const newMemory = () => createMemory(now, store, never);
  const memory = rehearsal?.remembering(newMemory) ?? newMemory();
  const { rateLimiter } = memory;
  const queues = createQueues({
    ...{ store, tenants, vault, passwords, random, clock: now, schedule, outbound, events, log, rateLimiter },
    transport: outbox.transport(developmentOutbox),
    audit: (wake, numbers) => withAuditLog(store, { clock: now, tenants, metrics }, log, wake, numbers),
    counted: (host, outcome) => metrics?.webhook(host, outcome),
  });
  const { audited, mailer, logoutNotices, numbering, webhooks, importing } = queues;
  const { issuer = null } = options;
  const config = { apiAlgorithm, apiAudience, apiHost, dataFolder: folder, issuer, trustedProxies };
  const deps: Deps = {
    config,
    store: audited,
    tenants,
    vault,
    passwords,
    mails: mailer,
    events,
    outbound,
    payments: [...paymentMethods, ...(options.payments ?? [])],
    outbox: developmentOutbox,
    backedUpAt: () => options.backedUpAt ?? null,
    clock: now,
    random,
    ...memory,
    placeOf: options.placeOf ?? noPlaces,
    pause: async (ms) => {
      pauses.push(ms);
      await options.pause?.(ms);
    },
    metrics,
    rehearsal,
    setupOffered: options.setupOffered ?? false,
  };
  rehearsal?.attend(() => queues.deliver());
  const app = buildApp(deps, { ...logOptions('debug'), stream });
  await rehearsal?.begin();
  await listen(app, { host: 'localhost', port });
  const http = httpClient(port);
  return {
    app,
    deps,
    store,
    tenants,
    vault,
    passwords,
    clock,
    port,
    folder,
    http,
    logLines,
    outbox,
    mails: mailer,
    delivered: () => mailer.deliver(),
    clientsTold: () => logoutNotices.deliver(),
    eventsNumbered: () => numbering.run(),
    webhooksTold: async () => {
      await numbering.run();
      await webhooks.deliver();
    },
    imported: () => importing.run(),
    pauses,
    close: async () => {
      http.close();
      events.stop();
      await app.close();
      await queues.stop();
      await store.close();
    },
  };
}

/**
 * A port that was free a moment ago, on each address of localhost. It lies below those that Linux gives to outgoing
 * connections (from 32,768 on), so that none of them takes it before the service listens, or while it restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const free = await Promise.all(loopbackAddresses.map((host) => isFree(host, port)));
    if (free.every(Boolean)) return port;
  }
}

const isFree = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });
