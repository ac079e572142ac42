// Three processes of one service behind a proxy, and one PostgreSQL, each behind a gate of its own.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProcess } from '../../../test/support/process/started.ts';
import { openGate } from '../../../test/support/proxy/gate.ts';
import { type PostgresServer, startPostgres } from '../../../test/support/run/postgres-server.ts';
import { freePort } from '../../../test/support/service.ts';
import { httpFromAnywhere, type Served } from '../../faults/site.ts';
import { type Front, openFront } from './front.ts';
import { type Mails, openMails } from './mails.ts';
import { type ClusterProcess, createProcess } from './process.ts';
import { host, tenantFile } from './tenants.ts';

/** What each request has that the proxy passes on: it came by https. */
const headers = { 'x-forwarded-proto': 'https' };

export interface Cluster {
  /** The service as clients see it, behind the proxy. */
  readonly door: Served;
  readonly front: Front;
  readonly processes: readonly ClusterProcess[];
  readonly postgres: PostgresServer;
  /** The address of the database, past all gates. */
  readonly databaseUrl: string;
  readonly mails: Mails;
  /** May make members, by the admin API. */
  readonly adminToken: string;
  /** Where ledgers may be kept. */
  readonly folder: string;
  /** One process as clients would see it without the proxy. */
  at(index: number): Served;
  /** How many transactions of all processes ran again, since the beginning. */
  retries(): Promise<number>;
  /** Has every process run and reach the database, whatever a case left behind. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** What a cluster is started with. */
interface ClusterStart {
  /** How many rounds of a race there may be. */
  readonly racerCount?: number;
  readonly processCount?: number;
  /** The folder of the version that all of it begins with; this one, where it is not given. */
  readonly from?: string;
}

export async function startCluster({
  racerCount = 0,
  processCount = 3,
  from,
}: ClusterStart): Promise<Cluster> {
  const version = from === undefined ? {} : { from };
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-cluster-'));
  const mails = await openMails();
  const postgres = await startPostgres(await freePort(), { isDurable: true });
  const databaseUrl = `${postgres.url}/postgres`;
  const common = {
    MEMBERDOOR_ENV: 'production',
    MEMBERDOOR_MASTER_KEY: randomBytes(32).toString('base64'),
    MEMBERDOOR_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MEMBERDOOR_MAIL_FROM: 'no-reply@cluster.test',
    MEMBERDOOR_ISSUER: `https://${host}`,
    MEMBERDOOR_ADMIN_EMAIL: 'operator@cluster.test',
    MEMBERDOOR_ADMIN_PASSWORD: randomBytes(24).toString('base64url'),
  };
  const processes: ClusterProcess[] = [];
  for (let index = 0; index < processCount; index += 1) {
    const gate = await openGate(Number(new URL(postgres.url).port));
    const url = databaseUrl.replace(/:\d+\//, `:${gate.port}/`);
    const settings = { ...common, MEMBERDOOR_DATABASE_URL: url };
    processes.push(await createProcess(join(folder, `process-${index}`), gate, settings));
  }
  const [first, ...others] = processes as [ClusterProcess, ...ClusterProcess[]];
  const command = async (...words: string[]) => {
    const started = startProcess({ settings: first.settings, words, ...version });
    const { code } = await started.exited;
    if (code !== 0) throw new Error(`memberdoor ${words[0]}: ${started.errorLines().join('\n')}`);
    return started.lines();
  };
  await command('init');
  await first.start(version);
  const file = join(folder, 'tenants.json');
  writeFileSync(file, JSON.stringify(await tenantFile(racerCount)));
  await command('apply', file, '--yes');
  const [adminToken = ''] = await command(
    ...['service-tokens', 'create', '--name', 'cluster', '--permissions', 'members:write'],
  );
  await Promise.all(others.map((process) => process.start(version)));
  const front = await openFront(processes.map(({ port }) => port));
  const served = (port: number): Served => ({
    host,
    ...httpFromAnywhere(port, headers),
    mailTo: mails.to,
  });
  const door = served(front.port);
  const direct = processes.map(({ port }) => served(port));
  return {
    door,
    front,
    processes,
    postgres,
    databaseUrl,
    mails,
    adminToken,
    folder,
    at: (index) => direct[index] as Served,
    retries: async () => {
      const counts = await Promise.all(processes.map((process) => process.retries()));
      return counts.reduce((sum, count) => sum + count, 0);
    },
    mend: async () => {
      for (const [index, process] of processes.entries()) {
        process.gate.open();
        front.takeIn(index);
        if (!process.isRunning()) await process.start();
      }
    },
    close: async () => {
      for (const { http } of [door, ...direct]) http.close();
      await front.close();
      await Promise.all(processes.map((process) => process.stop()));
      await postgres.stop();
      await mails.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
