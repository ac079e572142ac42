import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '../../../src/config.ts';
import { openService } from '../../../src/operations/service/service.ts';
import type { Addresses } from '../generator/plan.ts';
import { redirectUri } from '../generator/plan.ts';
import { runCommand, startServer } from '../machine/process.ts';

/** The tenant that everything is asked of but device codes: a tenant takes only so many. */
export const serviceHost = 'login.bench.test';

/** The tenants that take device codes. */
export const deviceHosts = Array.from({ length: 8 }, (_, index) => `tv${index + 1}.bench.test`);

export const serviceScope = 'openid offline_access profile email phone address';

export const serviceAddresses: Addresses = {
  authorization: '/api/oidc/auth',
  token: '/api/oidc/token',
  deviceAuthorization: '/api/oidc/device/auth',
  revocation: '/api/oidc/token/revocation',
  discovery: '/.well-known/openid-configuration',
  jwks: '/api/oidc/jwks',
  profile: '/api/v1/members/profile/info-with-active-subscriptions',
};

/** A data folder, and the settings that belong to it. */
export interface ServiceFolder {
  readonly folder: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** The settings of a production service behind a proxy on the same machine; what is not here is as shipped. */
function settingsOf(folder: string, masterKey: string, port: number): Readonly<Record<string, string>> {
  return {
    MEMBERDOOR_ENV: 'production',
    MEMBERDOOR_DATA: folder,
    MEMBERDOOR_MASTER_KEY: masterKey,
    MEMBERDOOR_SMTP_URL: 'smtp://127.0.0.1:25',
    MEMBERDOOR_MAIL_FROM: 'no-reply@bench.test',
    MEMBERDOOR_TRUSTED_PROXIES: '127.0.0.1',
    MEMBERDOOR_ISSUER: `https://${serviceHost}`,
    MEMBERDOOR_ADMIN_EMAIL: 'operator@bench.test',
    MEMBERDOOR_ADMIN_PASSWORD: randomBytes(24).toString('base64url'),
    MEMBERDOOR_PORT: String(port),
  };
}

/** Makes a data folder as an operator does: init, the first start, a tenant file. */
export async function makeServiceFolder(folder: string, port: number): Promise<ServiceFolder> {
  const settings = settingsOf(folder, randomBytes(32).toString('base64'), port);
  await runCommand(settings, ['init']);
  const server = await startServer({ settings, log: join(folder, '..', 'first-start.log'), cores: null });
  const file = join(folder, '..', 'tenants.json');
  writeFileSync(file, JSON.stringify(tenantFile));
  await runCommand(settings, ['apply', file, '--yes']);
  await server.stop();
  return { folder, settings };
}

/** What the proxy before the service says of each request. */
export const proxied = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' } as const;

/** Opens a data folder that no service runs on. */
export function openFolder({ folder, settings }: ServiceFolder) {
  const read = readConfig({ ...settings, MEMBERDOOR_DATA: folder }, folder);
  if (!read.ok) throw new Error(read.problems.join(' '));
  return openService(read.config, { initialise: false, migrate: false });
}

type OpenedService = Awaited<ReturnType<typeof openService>>;

/** Works in a data folder that no service runs on. */
export async function inFolder<Result>(
  folder: ServiceFolder,
  work: (opened: OpenedService) => Promise<Result>,
): Promise<Result> {
  const opened = await openFolder(folder);
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

/** One address brings the whole load, so what is limited per address has no limit here. */
const limits = {
  pendingDeviceCodes: 100_000,
  deviceRequestsPerAddressAndMinute: null,
  deviceRequestsPerAddressAndHour: null,
  deviceRequestsPerClientAndMinute: null,
  failedGrantsPerClientAddressAndMinute: null,
  failedSignInsPerAddressAndMinute: null,
};

const clientOf = (clientId: string, idTokenAlgorithm: string) => ({
  clientId,
  name: clientId,
  type: 'public',
  redirectUris: [redirectUri],
  idTokenAlgorithm,
  deviceFlow: true,
});

const clients = [clientOf('bench-rs256', 'RS256'), clientOf('bench-es256', 'ES256')];

const tenantFile = {
  tenants: [
    {
      issuer: `https://${serviceHost}`,
      name: 'Bench',
      limits,
      clients,
      products: ['News', 'Sport'],
      packages: [
        {
          name: 'Everything',
          price: { amount: 0, currency: 'EUR' },
          period: { unit: 'year', count: 1 },
          payment: 'free',
          products: ['News', 'Sport'],
        },
      ],
    },
    ...deviceHosts.map((host) => ({ issuer: `https://${host}`, name: host, limits, clients })),
  ],
};
