import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ask, type HttpClient, httpClient } from '../../test/support/http.ts';
import { type Started, startProcess } from '../../test/support/process/started.ts';
import { freePort, type TestService } from '../../test/support/service.ts';

/** A data folder with the port of its service, and the service while one runs on it. */
export interface Site {
  readonly folder: string;
  readonly port: number;
  readonly host: string;
}

/** The service of a site as its operator starts it: `memberdoor start`, a process of its own. */
export interface RunningSite extends Site {
  readonly http: HttpClient;
  /** To be handed to what only speaks HTTP to a service. */
  readonly service: TestService;
  readonly started: Started;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM. @returns the exit code */
  stop(): Promise<number | null>;
}

export interface SiteStart {
  readonly settings?: Readonly<Record<string, string>>;
  readonly under?: readonly string[];
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
export function begin(site: Site, { settings = {}, under = [] }: SiteStart = {}): Started {
  const started = startProcess({
    under,
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

/** Starts the service of a site, and waits until it is ready. */
export async function run(site: Site, how: SiteStart = {}): Promise<RunningSite> {
  const started = begin(site, how);
  await started.ready;
  const plain = httpClient(site.port, 300);
  // Each request comes from an address of its own, so that no limit of one address is met.
  const send: HttpClient = Object.assign(
    (host: string, path: string, ask: Ask = {}) =>
      plain(host, path, { ...ask, headers: { 'x-forwarded-for': anyAddress(), ...ask.headers } }),
    { close: () => plain.close() },
  ) as HttpClient;
  return {
    ...site,
    http: send,
    service: { http: send } as TestService,
    started,
    kill: async () => {
      await started.kill();
      plain.close();
    },
    stop: async () => {
      const code = await started.stop();
      plain.close();
      return code;
    },
  };
}

/** 198.18.0.0/15 is for tests of networks (RFC 2544). */
const anyAddress = () => `198.${18 + anyUnder(2)}.${anyUnder(256)}.${anyUnder(256)}`;

export const anyUnder = (limit: number) => Math.floor(Math.random() * limit);

/** Whether a request failed because the other side went away, and not because it answered. */
export function isCut(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNRESET' || code === 'ECONNREFUSED' || code === 'EPIPE';
}
