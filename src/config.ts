// Reads the configuration from the environment, or lists everything that is wrong with it.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { emailProblem } from './core/members/details.ts';
import { type AuditStream, readAuditStream } from './core/operators/audit-stream.ts';
import { readDatabaseUrl } from './core/operators/database-url.ts';
import { auditRefreshRetentionDays, auditRetentionDays } from './core/operators/limits.ts';
import { type MailSettings, readMailSettings } from './core/operators/mail-settings.ts';
import { type AccessTokenAlgorithm, readIssuer } from './core/tenant.ts';
import { parseMasterKey } from './secrets/vault.ts';
import { reasonOf } from './system/files.ts';
import { closestWord } from './text/spelling.ts';

/** How the service runs, read once from the environment. */
export interface Config {
  readonly environment: 'development' | 'production';
  readonly port: number;
  /** The address to listen on. `localhost` listens on both loopback addresses. */
  readonly host: string;
  readonly dataFolder: string;
  /** The PostgreSQL database that several processes share; null keeps all of it in the data folder, in SQLite. */
  readonly databaseUrl: string | null;
  /** null in development, where a key file in the data folder is made at the first start. */
  readonly masterKey: Buffer | null;
  /** Peers whose X-Forwarded-For counts (decision 1). */
  readonly trustedProxies: readonly string[];
  /** The `aud` of access tokens (decision 26). */
  readonly apiAudience: string;
  /** What signs access tokens, unless a client asks for RS256 (decision 42). */
  readonly apiAlgorithm: AccessTokenAlgorithm;
  /** A Host that serves the member API alone, beside the tenants' own (decision 2). */
  readonly apiHost: string | null;
  /** An MMDB file that knows where addresses are (decision 34); null shows addresses alone. */
  readonly places: string | null;
  readonly mail: MailSettings;
  /** The public address of the first tenant, where a production service has no administrator yet. */
  readonly issuer: string | null;
  /** The first administrator; null where a link of one use makes one. */
  readonly firstAdmin: FirstAdmin | null;
  /** The loopback port of the metrics; null where they are not asked for. */
  readonly metricsPort: number | null;
  /** How long events of the audit are kept (ms). */
  readonly auditRetention: number;
  /** How long its refreshes are kept (ms): no longer than the others. */
  readonly auditRefreshRetention: number;
  /** Where the audit is streamed to; null where it is not. */
  readonly auditStream: AuditStream | null;
  /** The files that settings were read from: others must not read them. */
  readonly settingFiles: readonly string[];
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** How a service runs whose data may be in memory alone, and go with the process: it has no data folder then. */
export interface ServiceConfig extends Omit<Config, 'dataFolder'> {
  readonly dataFolder: string | null;
}

/** The first administrator of a production service that has none. */
export interface FirstAdmin {
  readonly email: string;
  readonly password: string;
}

type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

const prefix = 'MEMBERDOOR_';
const defaultDataFolder = 'db/data';
const ports = { least: 1, most: 65_535, default: 3_000 };
const day = 24 * 60 * 60 * 1_000;

/** Every setting, with what it means: also the text of `memberdoor help`. */
export const settings = {
  ENV: 'development (default) or production',
  PORT: 'the HTTP port; 3000 by default',
  HOST: 'the address to listen on; localhost in development, 127.0.0.1 in production',
  DATA: 'the data folder; db/data below the project by default',
  DATABASE_URL:
    'the address (postgres://…) of a PostgreSQL database that several processes may share; SQLite in the data folder by default',
  MASTER_KEY: 'production: 32 bytes in base64 that encrypt the private keys; openssl rand -base64 32',
  TRUSTED_PROXIES: 'addresses of reverse proxies, separated by commas',
  API_AUDIENCE: 'the aud of access tokens; urn:memberdoor:api by default',
  API_ALGORITHM: 'what signs access tokens: ES256 (default), or RS256 for APIs that read nothing else',
  API_HOST: 'a host name that serves the member API alone',
  PLACES: 'an MMDB file with cities or countries, to show where a device is; none by default',
  SMTP_URL: 'production: the mail server; smtp://user:password@host:587 or smtps://… for port 465',
  MAIL_FROM: 'production: the address that mails come from',
  ISSUER:
    'production, first start: the public address of the first tenant, such as https://login.example.com',
  ADMIN_EMAIL: 'production, first start: the address of the first administrator; a link makes one by default',
  ADMIN_PASSWORD: 'production, first start: the password of the first administrator',
  METRICS_PORT: 'a port on 127.0.0.1 that tells Prometheus how the service does; none by default',
  AUDIT_DAYS: 'for how many days events of the audit are kept; 365 by default',
  AUDIT_REFRESH_DAYS: 'for how many days its refreshes are kept, which are most of it; 7 by default',
  AUDIT_STREAM:
    'where the audit is streamed to as JSON lines: /path/of/a/file, or syslog://host:port; nowhere by default',
  LOG_LEVEL: 'debug, info (default), warn, error or silent',
} as const;

type Setting = keyof typeof settings;

/**
 * Reads the settings from the environment. Each may also come from a file named by the same variable with
 * `_FILE` behind it. An unknown variable of our prefix is an error, since it is most likely a misspelt one.
 *
 * @returns the configuration, or every problem at once
 */
export function readConfig(environment: NodeJS.ProcessEnv, projectFolder: string): ConfigResult {
  const problems: string[] = [];
  const { values, files } = readValues(environment, problems);
  const oneOf = <T extends string>(setting: Setting, allowed: readonly T[], fallback: T): T => {
    const value = values[setting];
    if (value === undefined) return fallback;
    const known = allowed.find((candidate) => candidate === value);
    if (known === undefined) problems.push(`${prefix}${setting} must be one of ${allowed.join(', ')}.`);
    return known ?? fallback;
  };
  const wholeNumber = (setting: Setting, { least, most, default: usual }: Readonly<typeof ports>): number => {
    const number = Number(values[setting] ?? usual);
    if (!Number.isInteger(number) || number < least || number > most) {
      problems.push(`${prefix}${setting} must be a whole number from ${least} to ${most}.`);
    }
    return number;
  };

  const mode = oneOf('ENV', ['development', 'production'], 'development');
  const port = wholeNumber('PORT', ports);
  const metricsPort = values.METRICS_PORT === undefined ? null : wholeNumber('METRICS_PORT', ports);
  if (metricsPort === port) problems.push(`${prefix}METRICS_PORT must be another than ${prefix}PORT.`);
  const trustedProxies = (values.TRUSTED_PROXIES ?? '').split(',').flatMap((part) => part.trim() || []);
  for (const proxy of trustedProxies) {
    if (!isAddressOrNetwork(proxy)) {
      problems.push(`${prefix}TRUSTED_PROXIES has an entry that is neither an address nor a network.`);
    }
  }
  const auditDays = wholeNumber('AUDIT_DAYS', auditRetentionDays);
  const config: Config = {
    environment: mode,
    port,
    host: values.HOST?.toLowerCase() ?? (mode === 'production' ? '127.0.0.1' : 'localhost'),
    dataFolder: resolve(projectFolder, values.DATA ?? defaultDataFolder),
    databaseUrl: readDatabaseUrl(values.DATABASE_URL, mode, `${prefix}DATABASE_URL`, problems),
    masterKey: readMasterKey(values.MASTER_KEY, mode, problems),
    trustedProxies,
    apiAudience: values.API_AUDIENCE ?? 'urn:memberdoor:api',
    apiAlgorithm: oneOf('API_ALGORITHM', ['ES256', 'RS256'], 'ES256'),
    apiHost: values.API_HOST?.toLowerCase() ?? null,
    places: values.PLACES ?? null,
    mail: readMailSettings(values.SMTP_URL, values.MAIL_FROM, mode, prefix, problems),
    issuer: readIssuerSetting(values.ISSUER, problems),
    firstAdmin: readFirstAdmin(values, problems),
    metricsPort,
    auditRetention: auditDays * day,
    auditRefreshRetention:
      Math.min(auditDays, wholeNumber('AUDIT_REFRESH_DAYS', auditRefreshRetentionDays)) * day,
    auditStream: readStream(values.AUDIT_STREAM, problems),
    settingFiles: files,
    logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  };
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

/** The data folder alone: a command that only asks the running service needs none of the other settings. */
export function readDataFolder(environment: NodeJS.ProcessEnv, projectFolder: string): string {
  return resolve(projectFolder, readValues(environment, []).values.DATA ?? defaultDataFolder);
}

/** @returns the settings, and the files that some of them came from */
function readValues(environment: NodeJS.ProcessEnv, problems: string[]) {
  const values: Partial<Record<Setting, string>> = {};
  const files: string[] = [];
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || text === undefined || text === '') continue;
    const key = name.slice(prefix.length);
    const setting = key.replace(/_FILE$/, '');
    if (!isSetting(setting)) {
      const near = closestWord(setting, Object.keys(settings));
      problems.push(`${name} is not a setting.${near === null ? '' : ` Did you mean ${prefix}${near}?`}`);
    } else if (values[setting] !== undefined) {
      problems.push(`${prefix}${setting} is given twice, as a value and as a file.`);
    } else if (key.endsWith('_FILE')) {
      files.push(text);
      values[setting] = readSettingFile(name, text, problems);
    } else values[setting] = text;
  }
  return { values, files };
}

function readSettingFile(name: string, path: string, problems: string[]): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    // The path is not repeated: it may be a secret that was meant for the setting itself.
    problems.push(`${name} names a file that cannot be read: ${reasonOf(error)}.`);
    return '';
  }
}

const keyAdvice =
  '"openssl rand -base64 32" makes one for a new service; a service that runs already needs the one that it has, or, if that is lost, a new one and "memberdoor new-keys --lost-master-key".';

function readMasterKey(
  text: string | undefined,
  mode: Config['environment'],
  problems: string[],
): Buffer | null {
  if (text === undefined) {
    if (mode === 'production') problems.push(`${prefix}MASTER_KEY must be given in production. ${keyAdvice}`);
    return null;
  }
  const key = parseMasterKey(text);
  if (key === null) {
    problems.push(
      text.trim() === ''
        ? `${prefix}MASTER_KEY is empty. ${keyAdvice}`
        : `${prefix}MASTER_KEY must be 32 bytes in base64.`,
    );
  }
  return key;
}

function readStream(text: string | undefined, problems: string[]): AuditStream | null {
  if (text === undefined) return null;
  const stream = readAuditStream(text);
  if (stream === null) {
    problems.push(`${prefix}AUDIT_STREAM must be the whole path of a file, or syslog://host:port.`);
  }
  return stream;
}

function readIssuerSetting(text: string | undefined, problems: string[]): string | null {
  if (text === undefined) return null;
  const read = readIssuer(text);
  if (read === null) problems.push(`${prefix}ISSUER must be https:// with a host, without a path.`);
  return read?.issuer ?? null;
}

/** The rules of passwords are the tenant's, so it is held to them when the administrator is made. */
function readFirstAdmin(
  { ADMIN_EMAIL: email, ADMIN_PASSWORD: password, ISSUER }: Partial<Record<Setting, string>>,
  problems: string[],
): FirstAdmin | null {
  if (email === undefined && password === undefined) return null;
  if (email === undefined || password === undefined || ISSUER === undefined) {
    const names = ['ADMIN_EMAIL', 'ADMIN_PASSWORD', 'ISSUER'].map((name) => `${prefix}${name}`);
    problems.push(`${names.join(', ')} must be given together.`);
    return null;
  }
  if (emailProblem(email) !== null) problems.push(`${prefix}ADMIN_EMAIL must be one plain address.`);
  return { email, password };
}

function isAddressOrNetwork(text: string): boolean {
  const [, address = '', bits] = /^(.*?)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  // A network of everything would let every caller say who it is.
  return (
    family !== 0 && (bits === undefined || (Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128)))
  );
}

function isSetting(key: string): key is Setting {
  return Object.hasOwn(settings, key);
}
