import { chmodSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { onTestFinished } from 'vitest';
import type { Place } from '../../../src/doctor/call.ts';
import { type DoctorDeps, examine } from '../../../src/doctor/examine.ts';
import type { Finding } from '../../../src/doctor/finding.ts';
import { systemRandom } from '../../../src/system/random.ts';
import { hosts } from '../fixtures.ts';
import { type Authority, type Certificate, makeAuthority } from '../proxy/certificate.ts';
import { forward, type ProxyOptions, startProxy } from '../proxy/proxy.ts';
import { startTestService, type TestService } from '../service.ts';

const day = 24 * 60 * 60 * 1_000;

/** A service for a doctor to look at, behind proxies whose certificates the process trusts. */
export interface Patient {
  readonly service: TestService;
  readonly authority: Authority;
  readonly certificate: Certificate;
  /** Lets the doctor look at a service, by default through a proxy that does everything right. */
  findings(options?: Partial<ProxyOptions>, looked?: Looked): Promise<readonly Finding[]>;
  stop(): Promise<void>;
}

interface Looked {
  readonly of?: TestService;
  readonly at?: Place;
  readonly plainAt?: DoctorDeps['plainAt'];
  readonly smtpUrl?: string | null;
  /** Where the service has its data, if not in its folder. */
  readonly databaseUrl?: string | null;
}

/** The hosts that the patient answers on. */
export const names = Object.values(hosts);

/** Lets the doctor look at a service of production, through whatever is at this place; `now` is in ms. */
export function examineService(
  { folder: dataFolder, port }: TestService,
  now: number,
  at: Place,
  { plainAt = null, smtpUrl = null, databaseUrl = null }: Omit<Looked, 'of' | 'at'> = {},
): Promise<readonly Finding[]> {
  const mail = { smtpUrl, from: 'door@example.test' };
  const places = { apiHost: null, databaseUrl, dataFolder, host: 'localhost', mail, port };
  return examine({
    config: { ...places, environment: 'production', settingFiles: [] },
    clock: () => now,
    random: systemRandom,
    at,
    plainAt,
  });
}

/**
 * @param now the time of the service and of the doctor, in ms
 * @param database of PostgreSQL; a file in its folder unless given
 */
export async function startPatient(now: number, database?: string): Promise<Patient> {
  const trustedBefore = getCACertificates('default');
  const options = { data: 'security', trustedProxies: ['127.0.0.1'] } as const;
  const service = await startTestService(database === undefined ? options : { ...options, database });
  chmodSync(service.folder, 0o700);
  for (const name of database === undefined ? ['memberdoor.db', 'memberdoor.db-wal'] : []) {
    chmodSync(join(service.folder, name), 0o600);
  }
  service.clock.set(now);
  const authority = makeAuthority(now);
  const certificate = authority.issue(names, now - day, now + 60.5 * day);
  setDefaultCACertificates([...trustedBefore, authority.cert]);
  return {
    service,
    authority,
    certificate,
    findings: async (options = {}, looked = {}) => {
      const { of = service, at, plainAt = null, smtpUrl = null, databaseUrl = database ?? null } = looked;
      const down = (headers: IncomingHttpHeaders) => {
        // The proxy's clock stands still as the doctor's does, however long the tests take.
        headers.date = new Date(now).toUTCString();
        options.down?.(headers);
      };
      const proxy = await startProxy({ to: of.port, certificate, up: forward, ...options, down });
      onTestFinished(() => proxy.close());
      const place = at ?? { host: '127.0.0.1', port: proxy.port };
      return examineService(of, now, place, { plainAt, smtpUrl, databaseUrl });
    },
    stop: async () => {
      setDefaultCACertificates(trustedBefore);
      await service.stop();
    },
  };
}

/** What is wrong with one thing that was looked at. */
export const wrongAt = (all: readonly Finding[], where: string) =>
  all.filter((finding) => !finding.isWell && finding.where === where).map(({ what }) => what);
