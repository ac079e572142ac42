// Runs the whole examination: this machine, and the public address of each tenant.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { checkMailServer } from '../operations/mail/mail-transport.ts';
import type { DatabaseFacts } from '../storage/facts.ts';
import { readDatabase } from '../storage/sqlite/backup.ts';
import { databaseFile } from '../storage/sqlite/open.ts';
import type { Clock } from '../system/clock.ts';
import type { Random } from '../system/random.ts';
import { StartupError } from '../system/startup-error.ts';
import {
  claimedAddress,
  judgeAddress,
  judgePlainHttp,
  type PublicAddress,
  plainHttpPath,
} from './address.ts';
import { call, type Place, readiness } from './call.ts';
import { type Finding, well, wrong } from './finding.ts';
import { judgeAccess, judgeDisk, judgeNames, judgeSchema, judgeTime } from './machine.ts';
import { doctorHeader, doctorPath, makeNonce, makeSharedNonce, type Nonce } from './nonce.ts';

/** What a doctor needs to know, and where it may call instead of where the name service leads. */
export interface DoctorDeps {
  readonly config: Pick<
    Config,
    'apiHost' | 'databaseUrl' | 'dataFolder' | 'environment' | 'host' | 'mail' | 'port' | 'settingFiles'
  >;
  readonly clock: Clock;
  readonly random: Random;
  /** Where the proxies are; null follows the name service. */
  readonly at: Place | null;
  /** Where they take plain http; null where that is not looked at. */
  readonly plainAt: Place | 'by name' | null;
}

/**
 * Looks at this machine, and calls the running service through the public address of each tenant. Nothing is
 * changed.
 *
 * @returns everything that was looked at, in order
 */
export async function examine(deps: DoctorDeps): Promise<readonly Finding[]> {
  const { config, clock } = deps;
  let facts: DatabaseFacts;
  let database: readonly Finding[];
  let newNonce: () => Nonce;
  try {
    ({ facts, database, newNonce } = await examineDatabase(deps));
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    const advice =
      config.databaseUrl === null
        ? 'see whether MEMBERDOOR_DATA is right, or restore a backup'
        : 'see whether MEMBERDOOR_DATABASE_URL is right, and whether PostgreSQL runs';
    return [wrong('database', error.message, advice)];
  }
  const unready = await readiness(config);
  const service =
    unready === null
      ? well('service', `it is ready on port ${config.port}`)
      : wrong('service', `it is not ready: ${unready}`, 'start it, and see its log');
  return [
    service,
    ...database,
    judgeTime(facts, clock()),
    judgeAccess(config),
    ...judgeNames(facts),
    ...(await judgeMail(config.mail.smtpUrl)),
    // A proxy has no service to reach then.
    ...(unready === null ? await examineAddresses(deps, facts, newNonce) : []),
  ];
}

/** The database that the settings name, what is to be said of it, and what makes nonces for a service that has it. */
async function examineDatabase({ config: { databaseUrl, dataFolder }, random, clock }: DoctorDeps) {
  const newNonce = () => makeNonce(dataFolder, random, clock());
  if (databaseUrl === null) {
    const facts = readDatabase(join(dataFolder, databaseFile), 'none');
    return { facts, database: [judgeSchema(facts), ...judgeDisk(dataFolder)], newNonce };
  }
  const { readPostgres } = await import('../storage/postgres/facts.ts');
  const facts = await readPostgres(databaseUrl);
  const answers = well('database', `PostgreSQL ${facts.version} answers`);
  const { keyCheck } = facts;
  return {
    facts,
    database: [answers, judgeSchema(facts, 'postgres')],
    newNonce: keyCheck === null ? newNonce : () => makeSharedNonce(keyCheck, random, clock()),
  };
}

async function judgeMail(url: string | null): Promise<readonly Finding[]> {
  if (url === null) return [well('mail', 'mails are written to a folder')];
  const { hostname } = new URL(url);
  const problem = await checkMailServer({ url });
  if (problem === null) return [well('mail', `${hostname} takes mails`)];
  // What OpenSSL calls a certificate whose authority it does not know (X509_V_ERR_…).
  const isUntrusted = /\b(?:UNABLE_TO_|\w*SELF_SIGNED)/.test(problem);
  const advice = isUntrusted
    ? 'if its certificate is of an authority of your own, name the file of that authority in NODE_EXTRA_CA_CERTS'
    : 'see MEMBERDOOR_SMTP_URL, and the firewall';
  return [wrong('mail', `${hostname} takes no mails: ${problem}`, advice)];
}

async function examineAddresses(
  deps: DoctorDeps,
  { tenants }: DatabaseFacts,
  newNonce: () => Nonce,
): Promise<readonly Finding[]> {
  const { port, apiHost } = deps.config;
  const addresses = tenants
    .filter(({ disabledAt }) => disabledAt === null)
    .map(({ issuer, host }) => ({ origin: issuer, host, port, hasPages: true }));
  if (apiHost !== null) {
    addresses.push({ origin: `https://${apiHost}`, host: apiHost, port, hasPages: false });
  }
  const findings: Finding[] = [];
  if (tenants.length === 0) {
    findings.push(wrong('tenants', 'there is none yet', 'open the set-up link that the start printed'));
  }
  for (const address of addresses) findings.push(...(await examineAddress(deps, address, newNonce)));
  return findings;
}

async function examineAddress(
  deps: DoctorDeps,
  address: PublicAddress,
  newNonce: () => Nonce,
): Promise<readonly Finding[]> {
  const { origin } = address;
  let nonce: Nonce;
  try {
    nonce = newNonce();
  } catch {
    return [wrong(origin, 'the data folder cannot be written', "run the doctor as the service's own user")];
  }
  try {
    const headers = { [doctorHeader]: nonce.secret, 'x-forwarded-for': claimedAddress };
    const result = await call(new URL(doctorPath, origin), headers, deps.at);
    return [...judgeAddress(address, result, nonce, deps.clock()), ...(await examinePlainHttp(deps, origin))];
  } finally {
    nonce.withdraw();
  }
}

async function examinePlainHttp({ plainAt }: DoctorDeps, origin: string): Promise<readonly Finding[]> {
  const url = new URL(plainHttpPath, origin);
  if (url.protocol !== 'https:' || url.port !== '' || plainAt === null) return [];
  url.protocol = 'http:';
  return [judgePlainHttp(origin, await call(url, {}, plainAt === 'by name' ? null : plainAt))];
}
