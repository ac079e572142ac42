import { randomBytes } from 'node:crypto';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { sha256 } from '../../src/core/hash.ts';
import { createPasswords } from '../../src/secrets/password.ts';
import { startProcess } from '../../test/support/process/started.ts';
import { freePort } from '../../test/support/service.ts';
import type { App } from '../../test/support/tokens.ts';
import { type Server, startServer } from '../bench/machine/process.ts';
import { fillService } from '../bench/service/fill.ts';
import { serviceHost } from '../bench/service/folder.ts';

/** The tenant that everything is asked of, and one that its things are tried at. */
export const host = serviceHost;
export const otherHost = 'other.soak.test';

export const operator = { email: 'operator@soak.test', password: randomBytes(24).toString('base64url') };

/** The password of every member: what `visitor` fills in where it knows no other. */
const memberPassword = 'memberdoor-development';

/** Members by what happens to them, so that no guesser locks an honest one out. */
export const emailOf = (kind: MemberKind, number: number) => `${kind}${number}@soak.test`;
const memberCounts = { honest: 24, victim: 20, guesser: 4, suspended: 2 } as const;
type MemberKind = keyof typeof memberCounts;

export const apps = {
  web: {
    clientId: 'web',
    redirectUri: 'https://web.soak.test/cb',
    secret: randomBytes(32).toString('base64url'),
  },
  spa: { clientId: 'spa', redirectUri: 'https://spa.soak.test/cb' },
  tv: { clientId: 'tv', redirectUri: '' },
  otherTv: { clientId: 'other-tv', redirectUri: '' },
} as const satisfies Record<string, App>;

/** A production service on a fresh data folder, with tenants, members and a mail server. */
export interface SoakSite {
  readonly port: number;
  readonly metricsPort: number;
  readonly database: string;
  readonly log: string;
  readonly server: Server;
  /** May read and change members, by the admin API. */
  readonly adminToken: string;
  readonly mails: { readonly taken: number };
  close(): Promise<void>;
}

/** @param folder an empty one, for all of it */
export async function startSite(folder: string): Promise<SoakSite> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const mail = await startMailServer();
  const data = join(folder, 'data');
  const settings = {
    MEMBERDOOR_ENV: 'production',
    MEMBERDOOR_DATA: data,
    MEMBERDOOR_MASTER_KEY: randomBytes(32).toString('base64'),
    MEMBERDOOR_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    MEMBERDOOR_MAIL_FROM: 'no-reply@soak.test',
    MEMBERDOOR_TRUSTED_PROXIES: '127.0.0.1',
    MEMBERDOOR_ISSUER: `https://${host}`,
    MEMBERDOOR_ADMIN_EMAIL: operator.email,
    MEMBERDOOR_ADMIN_PASSWORD: operator.password,
    MEMBERDOOR_PORT: String(port),
    MEMBERDOOR_METRICS_PORT: String(metricsPort),
  };
  const command = async (...words: string[]) => {
    const started = startProcess({ settings, words });
    const { code } = await started.exited;
    if (code !== 0) throw new Error(`memberdoor ${words[0]}: ${started.errorLines().join('\n')}`);
    return started.lines();
  };
  await command('init');
  const log = join(folder, 'service.log');
  const first = await startServer({ settings, log, cores: null });
  const file = join(folder, 'tenants.json');
  writeFileSync(file, JSON.stringify(await tenantFile()));
  await command('apply', file, '--yes');
  const permissions = ['members:read', 'members:write'].flatMap((name) => ['--permissions', name]);
  const [adminToken = ''] = await command('service-tokens', 'create', '--name', 'soak', ...permissions);
  await first.stop();
  await fillService({ folder: data, settings }, { ...filling, clientId: apps.spa.clientId });
  const server = await startServer({ settings, log, cores: null });
  return {
    port,
    metricsPort,
    database: join(data, 'memberdoor.db'),
    log,
    server,
    adminToken,
    mails: mail,
    close: () => mail.close(),
  };
}

/**
 * Sign-ins of before: the database is larger than SQLite's page cache, which the check at the start then fills. A
 * cache that fills while memory is watched looks like a leak.
 */
const filling = { operation: 'refresh', amount: 10, stored: 60_000 } as const;

/** Takes every mail and forgets it. */
async function startMailServer() {
  let taken = 0;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onData(stream, _session, done) {
      stream.resume();
      stream.once('end', () => {
        taken += 1;
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const address = server.server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get taken() {
      return taken;
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

async function tenantFile(): Promise<object> {
  const passwordHash = await createPasswords().hash(memberPassword);
  const members = Object.entries(memberCounts).flatMap(([kind, count]) =>
    Array.from({ length: count }, (_, number) => ({
      email: emailOf(kind as MemberKind, number),
      fullName: `Member ${number}`,
      emailVerified: true,
      passwordHash,
      subscriptions: [{ package: 'Everything' }],
    })),
  );
  // Access tokens expire within the warm-up, so that what is remembered of them has its full size when it ends.
  const accessTokenSeconds = 120;
  const publicClient = { type: 'public', accessTokenSeconds };
  const clients = [
    {
      clientId: apps.web.clientId,
      name: 'Web',
      type: 'confidential',
      accessTokenSeconds,
      secretHash: sha256(apps.web.secret),
      redirectUris: [apps.web.redirectUri],
      postLogoutRedirectUris: ['https://web.soak.test/'],
    },
    { ...publicClient, clientId: apps.spa.clientId, name: 'Page', redirectUris: [apps.spa.redirectUri] },
    { ...publicClient, clientId: apps.tv.clientId, name: 'TV', deviceFlow: true },
    { ...publicClient, clientId: apps.otherTv.clientId, name: 'Other TV', deviceFlow: true },
  ];
  const common = {
    clients,
    products: ['News'],
    packages: [
      {
        name: 'Everything',
        price: { amount: 0, currency: 'EUR' },
        period: { unit: 'year', count: 1 },
        payment: 'free',
        products: ['News'],
      },
    ],
    channels: [{ id: 'news', name: 'News', products: ['News'] }],
  };
  return {
    tenants: [
      { issuer: `https://${host}`, name: 'Soak', ...common, members },
      { issuer: `https://${otherHost}`, name: 'Other', ...common },
    ],
  };
}

/** What the database takes, with its log. */
export function databaseBytes({ database }: SoakSite): number {
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return sizeOf(database) + sizeOf(`${database}-wal`);
}
