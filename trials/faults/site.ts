import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type Ask, type HttpClient, httpClient } from '../../test/support/http.ts';
import { type Started, startProcess } from '../../test/support/process/started.ts';
import { freePort, type TestService } from '../../test/support/service.ts';
import { newestMail } from './outbox.ts';

/** A data folder with the port of its service, and the service while one runs on it. */
export interface Site {
  readonly folder: string;
  readonly port: number;
  readonly host: string;
}

/** A service as its clients see it. */
export interface Served {
  readonly host: string;
  readonly http: HttpClient;
  /** To be handed to what only speaks HTTP to a service. */
  readonly service: TestService;
  /** The newest mail to an address, as it was sent; null as long as there is none. */
  mailTo(email: string): Buffer | null;
}

/** The service of a site as its operator starts it: `memberdoor start`, a process of its own. */
export interface RunningSite extends Site, Served {
  readonly started: Started;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
}

export interface SiteStart {
  readonly settings?: Readonly<Record<string, string>>;
  readonly under?: readonly string[];
  /** Options of Node's own. */
  readonly options?: readonly string[];
  /** The file or pipe that its log goes to; without one, this process reads it. */
  readonly log?: string;
}

export async function newSite(folder = mkdtempSync(join(tmpdir(), 'memberdoor-faults-'))): Promise<Site> {
  const port = await freePort();
  return { folder, port, host: `localhost:${port}` };
}

export function removeSite({ folder }: Site): void {
  rmSync(folder, { recursive: true, force: true });
}

/** What was begun and has not ended. */
const alive = new Set<Started>();

/** Ends what a case that broke off has left running. */
export async function killAll(): Promise<void> {
  await Promise.all([...alive].map((started) => started.kill()));
}

/** The development start on a site, as it is started: it may not become ready. */
export function begin(site: Site, { settings = {}, under = [], options = [], log }: SiteStart = {}): Started {
  const started = startProcess({
    under: log === undefined ? under : ['sh', '-c', 'exec "$@" >>"$0"', log, ...under],
    options,
    settings: {
      MEMBERDOOR_DATA: site.folder,
      MEMBERDOOR_PORT: String(site.port),
      MEMBERDOOR_LOG_LEVEL: 'error',
      MEMBERDOOR_TRUSTED_PROXIES: '127.0.0.1',
      ...settings,
    },
  });
  alive.add(started);
  void started.exited.finally(() => alive.delete(started));
  return started;
}

/** A command of `memberdoor` on a site, as it is started. */
export const commandOf = (
  { folder, port }: Site,
  settings: Readonly<Record<string, string>>,
  ...words: string[]
): Started =>
  startProcess({
    settings: { MEMBERDOOR_DATA: folder, MEMBERDOOR_PORT: String(port), ...settings },
    words,
  });

/** Starts the service of a site, and waits until it is ready. */
export async function run(site: Site, how: SiteStart = {}): Promise<RunningSite> {
  const started = begin(site, how);
  const { http, service } = httpFromAnywhere(site.port);
  await (how.log === undefined ? started.ready : answering(site, http, started));
  return {
    ...site,
    http,
    service,
    mailTo: (email) => newestMail(site.folder, email),
    started,
    kill: async () => {
      await started.kill();
      http.close();
    },
    stop: async () => {
      const code = await started.stop();
      http.close();
      return code;
    },
  };
}

/** Asks until a service is ready whose log others read. @throws if it ends before */
async function answering({ host }: Site, http: HttpClient, { exited, errorLines }: Started): Promise<void> {
  let hasEnded = false;
  void exited.then(() => {
    hasEnded = true;
  });
  const isReady = () =>
    http(host, '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
  while (!(await isReady())) {
    if (hasEnded) throw new Error(`it ended: ${errorLines().join(' | ')}`);
    await wait(20);
  }
}

/**
 * Speaks HTTP to a port, each request from an address of its own, so that no limit of one address is met.
 *
 * @param headers what each request has, beside its own
 */
export function httpFromAnywhere(
  port: number,
  headers: Readonly<Record<string, string>> = {},
): Pick<Served, 'http' | 'service'> {
  const plain = httpClient(port, 300);
  const http: HttpClient = Object.assign(
    (host: string, path: string, ask: Ask = {}) =>
      plain(host, path, {
        ...ask,
        headers: { 'x-forwarded-for': anyAddress(), ...headers, ...ask.headers },
      }),
    { close: () => plain.close() },
  );
  return { http, service: { http } as TestService };
}

/** 198.18.0.0/15 is for tests of networks (RFC 2544). */
const anyAddress = () => `198.${18 + anyUnder(2)}.${anyUnder(256)}.${anyUnder(256)}`;

export const anyUnder = (limit: number) => Math.floor(Math.random() * limit);

/** The service said that it cannot do it now (503); where a commit got no answer it may have been done all the same. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** Whether a request failed because the other side went away or cannot do it now, and not because of what it answered. */
export function isCut(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return error instanceof Refused || code === 'ECONNRESET' || code === 'ECONNREFUSED' || code === 'EPIPE';
}
