import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseMasterKey } from './vault.ts';

/** How the service runs, read once from the environment. */
export interface Config {
  readonly environment: 'development' | 'production';
  readonly port: number;
  /** The address to listen on. `localhost` listens on both loopback addresses. */
  readonly host: string;
  readonly dataFolder: string;
  /** null in development, where a key file in the data folder is made at the first start. */
  readonly masterKey: Buffer | null;
  /** Peers whose X-Forwarded-For counts (decision 1). */
  readonly trustedProxies: readonly string[];
  /** The `aud` of access tokens (decision 26). */
  readonly apiAudience: string;
  /** A Host that serves the member API alone, beside the tenants' own (decision 2). */
  readonly apiHost: string | null;
  /** An MMDB file that knows where addresses are (decision 34); null shows addresses alone. */
  readonly places: string | null;
  readonly mail: MailSettings;
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error' | 'silent';
}

/** Where mails go. */
export interface MailSettings {
  /** `smtp://` or `smtps://`; null only in development, where mails are written to a folder. */
  readonly smtpUrl: string | null;
  /** The address that mails come from. */
  readonly from: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: Config }
  | { readonly ok: false; readonly problems: readonly string[] };

const prefix = 'MEMBERDOOR_';

/** Every setting, with what it means: also the text of `memberdoor help`. */
export const settings = {
  ENV: 'development (default) or production',
  PORT: 'the HTTP port; 3000 by default',
  HOST: 'the address to listen on; localhost in development, 127.0.0.1 in production',
  DATA: 'the data folder; db/data below the project by default',
  MASTER_KEY: 'production: 32 bytes in base64 that encrypt the private keys; openssl rand -base64 32',
  TRUSTED_PROXIES: 'addresses of reverse proxies, separated by commas',
  API_AUDIENCE: 'the aud of access tokens; urn:memberdoor:api by default',
  API_HOST: 'a host name that serves the member API alone',
  PLACES: 'an MMDB file with cities or countries, to show where a device is; none by default',
  SMTP_URL: 'production: the mail server; smtp://user:password@host:587 or smtps://… for port 465',
  MAIL_FROM: 'production: the address that mails come from',
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
  const values = readValues(environment, problems);
  const oneOf = <T extends string>(setting: Setting, allowed: readonly T[], fallback: T): T => {
    const value = values[setting];
    if (value === undefined) return fallback;
    const known = allowed.find((candidate) => candidate === value);
    if (known === undefined) problems.push(`${prefix}${setting} must be one of ${allowed.join(', ')}.`);
    return known ?? fallback;
  };

  const mode = oneOf('ENV', ['development', 'production'], 'development');
  const port = Number(values.PORT ?? '3000');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    problems.push(`${prefix}PORT must be a whole number from 1 to 65535.`);
  }
  const trustedProxies = (values.TRUSTED_PROXIES ?? '').split(',').flatMap((part) => part.trim() || []);
  for (const proxy of trustedProxies) {
    if (isIP(proxy.replace(/\/\d{1,3}$/, '')) === 0) {
      problems.push(`${prefix}TRUSTED_PROXIES has an entry that is neither an address nor a network.`);
    }
  }
  const config: Config = {
    environment: mode,
    port,
    host: values.HOST ?? (mode === 'production' ? '127.0.0.1' : 'localhost'),
    dataFolder: resolve(projectFolder, values.DATA ?? 'db/data'),
    masterKey: readMasterKey(values.MASTER_KEY, mode, problems),
    trustedProxies,
    apiAudience: values.API_AUDIENCE ?? 'urn:memberdoor:api',
    apiHost: values.API_HOST?.toLowerCase() ?? null,
    places: values.PLACES ?? null,
    mail: readMail(values, mode, problems),
    logLevel: oneOf('LOG_LEVEL', ['debug', 'info', 'warn', 'error', 'silent'], 'info'),
  };
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

function readValues(environment: NodeJS.ProcessEnv, problems: string[]): Partial<Record<Setting, string>> {
  const values: Partial<Record<Setting, string>> = {};
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith(prefix) || text === undefined || text === '') continue;
    const key = name.slice(prefix.length);
    const setting = key.replace(/_FILE$/, '');
    if (!isSetting(setting)) {
      const near = nearest(setting);
      problems.push(`${name} is not a setting.${near === null ? '' : ` Did you mean ${prefix}${near}?`}`);
    } else if (values[setting] !== undefined) {
      problems.push(`${prefix}${setting} is given twice, as a value and as a file.`);
    } else {
      values[setting] = key.endsWith('_FILE') ? readSettingFile(name, text, problems) : text;
    }
  }
  return values;
}

function readSettingFile(name: string, path: string, problems: string[]): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    problems.push(`${name} names a file that cannot be read.`);
    return '';
  }
}

function readMasterKey(
  text: string | undefined,
  mode: Config['environment'],
  problems: string[],
): Buffer | null {
  if (text === undefined) {
    if (mode === 'production') problems.push(`${prefix}MASTER_KEY must be given in production.`);
    return null;
  }
  const key = parseMasterKey(text);
  if (key === null) problems.push(`${prefix}MASTER_KEY must be 32 bytes in base64.`);
  return key;
}

/** Neither setting is repeated in a problem: the address of the server holds its password. */
function readMail(
  values: Partial<Record<Setting, string>>,
  mode: Config['environment'],
  problems: string[],
): MailSettings {
  const { SMTP_URL: smtpUrl, MAIL_FROM: from } = values;
  if (smtpUrl === undefined && mode === 'production') {
    problems.push(`${prefix}SMTP_URL must be given in production.`);
  }
  if (smtpUrl !== undefined && !isSmtpUrl(smtpUrl)) {
    problems.push(`${prefix}SMTP_URL must be smtp:// or smtps:// with a host, without a path.`);
  }
  if (from === undefined && (mode === 'production' || smtpUrl !== undefined)) {
    problems.push(`${prefix}MAIL_FROM must be given with a mail server.`);
  }
  if (from !== undefined && !/^[^\s@<>",;:()]+@[^\s@<>",;:()]+$/.test(from)) {
    problems.push(`${prefix}MAIL_FROM must be one plain address.`);
  }
  return { smtpUrl: smtpUrl ?? null, from: from ?? 'memberdoor@localhost' };
}

function isSmtpUrl(text: string): boolean {
  try {
    const { protocol, hostname, pathname, search, hash, username, password } = new URL(text);
    decodeURIComponent(`${username}${password}`);
    return (
      ['smtp:', 'smtps:'].includes(protocol) && hostname !== '' && `${pathname}${search}${hash}`.length <= 1
    );
  } catch {
    return false;
  }
}

function isSetting(key: string): key is Setting {
  return Object.hasOwn(settings, key);
}

function nearest(key: string): Setting | null {
  const ranked = (Object.keys(settings) as Setting[])
    .map((setting) => ({ setting, distance: editDistance(key, setting) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= 3 ? best.setting : null;
}

/** Levenshtein's distance: how many letters to change, add or drop. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      next.push(
        Math.min((next[j] ?? 0) + 1, (row[j + 1] ?? 0) + 1, (row[j] ?? 0) + (letter === other ? 0 : 1)),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
