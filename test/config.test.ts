import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Config, readConfig, readDataFolder, settings } from '../src/config.ts';
import { temporaryFolder } from './support/records/temporary-folder.ts';

const key = Buffer.alloc(32, 7);

/** What production cannot do without. */
const needed = {
  MEMBERDOOR_MASTER_KEY: key.toString('base64'),
  MEMBERDOOR_SMTP_URL: 'smtp://mail.test',
  MEMBERDOOR_MAIL_FROM: 'door@example.test',
};

function configOf(environment: Record<string, string>): Config {
  const result = readConfig(environment, '/project');
  if (!result.ok) throw new Error(result.problems.join(' '));
  return result.config;
}

function problemsOf(environment: Record<string, string>): readonly string[] {
  const result = readConfig(environment, '/project');
  return result.ok ? [] : result.problems;
}

/** A file with this text, by its path. */
function fileWith(text: string): string {
  const path = join(temporaryFolder(), 'setting');
  writeFileSync(path, text);
  return path;
}

describe('how long the audit is kept', () => {
  const day = 86_400_000;
  it.each<[string, Record<string, string>, number, number]>([
    ['a year, and a week of refreshes', {}, 365, 7],
    ['as long as it is said', { MEMBERDOOR_AUDIT_DAYS: '400', MEMBERDOOR_AUDIT_REFRESH_DAYS: '2' }, 400, 2],
    ['refreshes never longer than the rest', { MEMBERDOOR_AUDIT_DAYS: '3' }, 3, 3],
  ])('%s', (_how, environment, days, refreshDays) => {
    const kept = { auditRetention: days * day, auditRefreshRetention: refreshDays * day };
    expect(configOf(environment)).toMatchObject(kept);
  });

  it.each(['AUDIT_DAYS', 'AUDIT_REFRESH_DAYS'])('%s is a whole number of days', (setting) => {
    for (const days of ['0', '1.5', 'ever', '3651']) {
      const problem = `MEMBERDOOR_${setting} must be a whole number from 1 to 3650.`;
      expect(problemsOf({ [`MEMBERDOOR_${setting}`]: days })).toEqual([problem]);
    }
  });
});

describe('configuration', () => {
  it('of nothing at all is a development start', () => {
    expect(configOf({})).toMatchObject({
      environment: 'development',
      port: 3_000,
      host: 'localhost',
      dataFolder: '/project/db/data',
      masterKey: null,
      trustedProxies: [],
      apiAudience: 'urn:memberdoor:api',
      apiHost: null,
      mail: { smtpUrl: null, from: 'memberdoor@localhost' },
      logLevel: 'info',
    });
  });

  it('takes a host in any case', () => {
    expect(configOf({ MEMBERDOOR_HOST: 'LocalHost' }).host).toBe('localhost');
  });

  it('is read with every setting in its place', () => {
    const environment = {
      MEMBERDOOR_ENV: 'production',
      MEMBERDOOR_PORT: '8080',
      MEMBERDOOR_HOST: '0.0.0.0',
      MEMBERDOOR_DATA: '/var/lib/memberdoor',
      MEMBERDOOR_MASTER_KEY: key.toString('base64'),
      MEMBERDOOR_TRUSTED_PROXIES: '192.0.2.1, 10.0.0.0/8,2001:db8::/32',
      MEMBERDOOR_API_AUDIENCE: 'https://api.test',
      MEMBERDOOR_API_ALGORITHM: 'RS256',
      MEMBERDOOR_API_HOST: 'API.test',
      MEMBERDOOR_SMTP_URL: 'smtps://user:p%40ss@mail.test:4465',
      MEMBERDOOR_MAIL_FROM: 'door@example.test',
      MEMBERDOOR_LOG_LEVEL: 'warn',
    };
    expect(configOf(environment)).toMatchObject({
      environment: 'production',
      port: 8_080,
      host: '0.0.0.0',
      dataFolder: '/var/lib/memberdoor',
      masterKey: key,
      trustedProxies: ['192.0.2.1', '10.0.0.0/8', '2001:db8::/32'],
      apiAudience: 'https://api.test',
      apiAlgorithm: 'RS256',
      apiHost: 'api.test',
      mail: { smtpUrl: 'smtps://user:p%40ss@mail.test:4465', from: 'door@example.test' },
      logLevel: 'warn',
    });
  });

  it('listens on the loopback address in production, unless told otherwise', () => {
    expect(configOf({ MEMBERDOOR_ENV: 'production', ...needed }).host).toBe('127.0.0.1');
  });

  it('takes a relative data folder from the project’s', () => {
    expect(configOf({ MEMBERDOOR_DATA: 'elsewhere' }).dataFolder).toBe('/project/elsewhere');
  });

  it('takes an empty variable for none, and leaves those of others alone', () => {
    expect(configOf({ MEMBERDOOR_PORT: '', PORT: 'x', MEMBER_PORT: 'x' }).port).toBe(3_000);
  });

  it('names the first tenant and its administrator, the password as it is', () => {
    const password = '  words and = signs ';
    const settings = {
      MEMBERDOOR_ISSUER: 'https://LOGIN.example.test/',
      MEMBERDOOR_ADMIN_EMAIL: 'olga@example.test',
      MEMBERDOOR_ADMIN_PASSWORD: password,
    };
    expect(configOf(settings)).toMatchObject({
      issuer: 'https://login.example.test',
      firstAdmin: { email: 'olga@example.test', password },
    });
    expect(configOf({ MEMBERDOOR_ISSUER: 'http://localhost:3000' })).toMatchObject({
      issuer: 'http://localhost:3000',
      firstAdmin: null,
    });
    expect(configOf({})).toMatchObject({ issuer: null, firstAdmin: null });
  });

  it('tells its data folder even where something else is wrong', () => {
    const environment = { MEMBERDOOR_DATA: 'elsewhere', MEMBERDOOR_ENV: 'production', MEMBERDOOR_PROT: '1' };
    expect(readDataFolder(environment, '/project')).toBe('/project/elsewhere');
    expect(readDataFolder({}, '/project')).toBe('/project/db/data');
  });

  it('explains each of its settings', () => {
    for (const text of Object.values(settings)) expect(text).not.toBe('');
  });
});

describe('a setting from a file', () => {
  it('is read without the line end', () => {
    const path = fileWith(`${key.toString('base64')}\n`);
    expect(configOf({ MEMBERDOOR_MASTER_KEY_FILE: path }).masterKey).toEqual(key);
  });

  it('that cannot be read is a problem', () => {
    const path = join(temporaryFolder(), 'missing');
    expect(problemsOf({ MEMBERDOOR_HOST_FILE: path })).toEqual([
      'MEMBERDOOR_HOST_FILE names a file that cannot be read: it is not there.',
    ]);
  });

  it('is a problem if it is also given as a value, because only one of them can be meant', () => {
    const twice = { MEMBERDOOR_PORT: '1', MEMBERDOOR_PORT_FILE: fileWith('2') };
    expect(problemsOf(twice)).toEqual(['MEMBERDOOR_PORT is given twice, as a value and as a file.']);
  });
});

describe('a problem of the configuration', () => {
  it.each([
    ['MEMBERDOOR_PROT', 'MEMBERDOOR_PORT'],
    ['MEMBERDOOR_MASTERKEY', 'MEMBERDOOR_MASTER_KEY'],
    ['MEMBERDOOR_MASTERKEY_FILE', 'MEMBERDOOR_MASTER_KEY'],
    ['MEMBERDOOR_TRUSTED_PROXY', 'MEMBERDOOR_TRUSTED_PROXIES'],
  ])('an unknown %s is most likely a misspelt %s', (sent, meant) => {
    expect(problemsOf({ [sent]: 'x' })).toEqual([`${sent} is not a setting. Did you mean ${meant}?`]);
  });

  it.each(['MEMBERDOOR_SOMETHING_ELSE', 'MEMBERDOOR_CONSTRUCTOR', 'MEMBERDOOR_toString'])(
    'an unknown %s is refused without a guess',
    (name) => {
      expect(problemsOf({ [name]: 'x' })).toEqual([`${name} is not a setting.`]);
    },
  );

  it('production needs a master key and a mail server', () => {
    expect(problemsOf({ MEMBERDOOR_ENV: 'production' })).toEqual([
      expect.stringMatching(/^MEMBERDOOR_MASTER_KEY must be given in production\. .*openssl rand -base64 32/),
      'MEMBERDOOR_SMTP_URL must be given in production.',
      'MEMBERDOOR_MAIL_FROM must be given with a mail server.',
    ]);
  });

  it('a mail server in development needs an address that mails come from', () => {
    expect(problemsOf({ MEMBERDOOR_SMTP_URL: 'smtp://localhost:2525' })).toEqual([
      'MEMBERDOOR_MAIL_FROM must be given with a mail server.',
    ]);
  });

  it.each([
    'mail.test',
    'http://user:secret@mail.test',
    'smtp://',
    'smtp://user:secret@mail.test/path',
    'smtp://user:secret@mail.test?tls=no',
    'smtp://user:secret%@mail.test',
  ])('the mail server %s is refused, and its password not repeated', (url) => {
    const problems = problemsOf({ ...needed, MEMBERDOOR_SMTP_URL: url });
    expect(problems).toEqual([
      'MEMBERDOOR_SMTP_URL must be smtp:// or smtps:// with a host, without a path.',
    ]);
  });

  it.each(['door', 'Door <door@example.test>', 'a@b.test, c@d.test', 'door@example.test\r\nBcc: x@y.test'])(
    'mails cannot come from %j',
    (from) => {
      const problems = problemsOf({ ...needed, MEMBERDOOR_MAIL_FROM: from });
      expect(problems).toEqual(['MEMBERDOOR_MAIL_FROM must be one plain address.']);
    },
  );

  it.each([
    ['of 31 bytes', Buffer.alloc(31).toString('base64')],
    ['of 33 bytes', Buffer.alloc(33).toString('base64')],
    ['in hexadecimal', key.toString('hex')],
    ['that is a password', 'correct horse battery staple'],
  ])('a master key %s is refused, and not repeated', (_what, text) => {
    const problems = problemsOf({ MEMBERDOOR_MASTER_KEY: text });
    expect(problems).toEqual(['MEMBERDOOR_MASTER_KEY must be 32 bytes in base64.']);
  });

  it.each([{ ADMIN_EMAIL: 'a@b.test' }, { ADMIN_PASSWORD: 'x', ISSUER: 'https://b.test' }])(
    'the first administrator is not half a person: %j',
    (half) => {
      const given = Object.entries(half).map(([name, value]) => [`MEMBERDOOR_${name}`, value]);
      expect(problemsOf(Object.fromEntries(given))).toEqual([
        'MEMBERDOOR_ADMIN_EMAIL, MEMBERDOOR_ADMIN_PASSWORD, MEMBERDOOR_ISSUER must be given together.',
      ]);
    },
  );

  it.each(['login.example.test', 'http://login.example.test', 'https://a.test/b', 'https://u:p@a.test'])(
    'the public address %s is refused, and not repeated',
    (issuer) => {
      const problems = problemsOf({ MEMBERDOOR_ISSUER: issuer });
      expect(problems).toEqual(['MEMBERDOOR_ISSUER must be https:// with a host, without a path.']);
    },
  );

  it.each(['-1', '65536', '80.5', 'http'])('the port %s is refused', (port) => {
    expect(problemsOf({ MEMBERDOOR_PORT: port })).toEqual([
      'MEMBERDOOR_PORT must be a whole number from 1 to 65535.',
    ]);
  });

  it.each(['0.0.0.0/0', '::/0', '10.0.0.0/33', '::1/129', '10.0.0.0/', '/8', 'proxy.test'])(
    'the proxy %s is refused',
    (proxy) => {
      expect(problemsOf({ MEMBERDOOR_TRUSTED_PROXIES: `127.0.0.1,${proxy}` })).toEqual([
        'MEMBERDOOR_TRUSTED_PROXIES has an entry that is neither an address nor a network.',
      ]);
    },
  );

  it('metrics need a port of their own', () => {
    expect(configOf({}).metricsPort).toBe(null);
    expect(configOf({ MEMBERDOOR_METRICS_PORT: '9464' }).metricsPort).toBe(9_464);
    expect(problemsOf({ MEMBERDOOR_METRICS_PORT: '3000' })).toEqual([
      'MEMBERDOOR_METRICS_PORT must be another than MEMBERDOOR_PORT.',
    ]);
    expect(problemsOf({ MEMBERDOOR_METRICS_PORT: '0' })).toEqual([
      'MEMBERDOOR_METRICS_PORT must be a whole number from 1 to 65535.',
    ]);
  });

  it('the files that settings come from are known by their paths', () => {
    const path = fileWith('8080');
    expect(configOf({ MEMBERDOOR_PORT_FILE: path }).settingFiles).toEqual([path]);
  });

  it('all of them are told at once', () => {
    const problems = problemsOf({
      MEMBERDOOR_ENV: 'stage',
      MEMBERDOOR_PORT: 'http',
      MEMBERDOOR_MASTER_KEY: 'short',
      MEMBERDOOR_TRUSTED_PROXIES: 'proxy.test',
      MEMBERDOOR_LOG_LEVEL: 'loud',
      MEMBERDOOR_PROT: '1',
    });
    expect([...problems].sort()).toEqual([
      'MEMBERDOOR_ENV must be one of development, production.',
      'MEMBERDOOR_LOG_LEVEL must be one of debug, info, warn, error, silent.',
      'MEMBERDOOR_MASTER_KEY must be 32 bytes in base64.',
      'MEMBERDOOR_PORT must be a whole number from 1 to 65535.',
      'MEMBERDOOR_PROT is not a setting. Did you mean MEMBERDOOR_PORT?',
      'MEMBERDOOR_TRUSTED_PROXIES has an entry that is neither an address nor a network.',
    ]);
  });
});
