import { describe, expect, it } from 'vitest';
import { type Config, readConfig } from '../src/config.ts';

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

describe('the database', () => {
  const problems = (url: string, more: Record<string, string> = {}) =>
    problemsOf({ MEMBERDOOR_DATABASE_URL: url, ...more });
  const production = { ...needed, MEMBERDOOR_ENV: 'production' };

  it('is in the data folder unless an address is given', () => {
    expect(configOf({}).databaseUrl).toBeNull();
    const url = 'postgres://door:secret@db.test:5432/members?sslmode=verify-full&sslrootcert=/etc/ca.pem';
    expect(configOf({ ...production, MEMBERDOOR_DATABASE_URL: url }).databaseUrl).toBe(url);
  });

  it.each([
    'mysql://door:secret@db.test/members',
    'postgres://door:secret@db.test',
    'postgres://door:secret@db.test/a/b',
    'postgres:///members',
    'postgres://door:1?secret@db.test/members',
    'door:secret',
  ])('has an address of PostgreSQL, and a problem repeats nothing of it: %s', (url) => {
    expect(problems(url)).toEqual([
      'MEMBERDOOR_DATABASE_URL must be postgres://user:password@host:port/name.',
    ]);
  });

  it('has the address that was looked at: the driver reads one that begins with a space otherwise', () => {
    const url = 'postgres://door:secret@127.0.0.1/members';
    const { databaseUrl } = configOf({ ...production, MEMBERDOOR_DATABASE_URL: ` ${url}\n` });
    expect(databaseUrl).toBe(url);
  });

  it('on another machine is reached by TLS that looks who answers, unless the operator says otherwise', () => {
    const far = 'postgres://door:secret@db.test/members';
    expect(problems(far, production)).toEqual([
      'MEMBERDOOR_DATABASE_URL leads to another machine: add "?sslmode=verify-full", or "?sslmode=disable" where no one else can listen.',
    ]);
    expect(problems(`${far}?sslmode=disable`, production)).toEqual([]);
    expect(problems('postgres://door:secret@127.0.0.1/members', production)).toEqual([]);
    expect(problems(`${far}?sslmode=require`)).toEqual([
      'MEMBERDOOR_DATABASE_URL: sslmode must be one of verify-full, disable.',
    ]);
    expect(problems(`${far}?options=-cfsync%3Doff`)).toEqual([
      'MEMBERDOOR_DATABASE_URL takes sslmode and sslrootcert behind the "?", and not "options".',
    ]);
  });
});
