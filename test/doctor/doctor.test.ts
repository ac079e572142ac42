import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { textOf } from '../../src/cli/commands/doctor.ts';
import {
  judgeAccess,
  judgeFreeDisk,
  judgeSchema,
  judgeTime,
  judgeWriteAheadLog,
} from '../../src/doctor/machine.ts';
import { insertProduct, updateProduct } from '../../src/storage/access/package.ts';
import { readDatabase } from '../../src/storage/sqlite/backup.ts';
import { startSmtp } from '../support/mails/smtp.ts';
import { names, type Patient, startPatient, wrongAt } from '../support/operators/doctor.ts';
import { makeAuthority } from '../support/proxy/certificate.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';
import { freePort, startTestService } from '../support/service.ts';
import { serviceForTest, useStarted } from '../support/use-service.ts';

const now = Date.now();

const patient = useStarted(() => startPatient(now));
let service: Patient['service'];
let findings: Patient['findings'];

beforeAll(() => {
  ({ service, findings } = patient);
});

describe('a doctor', () => {
  it('finds nothing wrong behind a proxy that passes everything on', async () => {
    const all = await findings();
    expect(all.filter(({ isWell }) => !isWell)).toEqual([]);
    for (const name of names) {
      expect(all.filter(({ where }) => where === `https://${name}`).map(({ what }) => what)).toEqual([
        'its certificate is good for 60 days',
        `Host arrives as ${name}`,
        'the scheme is https',
        'callers are known by X-Forwarded-For of 127.0.0.1',
        'cookies arrive as they were set',
        'browsers stay on https (HSTS)',
        'the clocks agree',
      ]);
    }
  });

  it('finds nothing wrong with a development start, which has no proxy', async () => {
    const development = await serviceForTest({ data: 'development' });
    development.clock.set(now);
    const all = await findings({}, { of: development, at: { host: '127.0.0.1', port: development.port } });
    expect(all.filter(({ isWell, where }) => !isWell && where.startsWith('http'))).toEqual([]);
    expect(all.filter(({ where }) => where === `http://localhost:${development.port}`)).toHaveLength(5);
  });

  it('leaves nothing behind', async () => {
    await findings();
    expect(readdirSync(service.folder).filter((name) => name.startsWith('doctor'))).toEqual([]);
  });
});

describe('of the machine a doctor finds', () => {
  it('a service that is not running, and asks no proxy', async () => {
    const stopped = await startTestService({ data: 'security', folder: temporaryFolder() });
    await stopped.stop();
    const all = await findings({}, { of: stopped });
    expect(wrongAt(all, 'service')).toEqual(['it is not ready: ECONNREFUSED']);
    expect(all.filter(({ where }) => where.startsWith('http'))).toEqual([]);
  });

  it('a folder without a database', async () => {
    const all = await findings({}, { of: { ...service, folder: temporaryFolder() } });
    expect(all).toHaveLength(1);
    expect(wrongAt(all, 'database')).toEqual([expect.stringMatching(/cannot be read/)]);
  });

  it('F16: products and packages that share a name from before names were unique', async () => {
    const tenantId = String(service.tenants.byHost('a.test')?.id);
    const ids = await service.store.transaction(async (tx) => [
      await insertProduct(tx, tenantId, 'Twice'),
      await insertProduct(tx, tenantId, 'Twice'),
    ]);
    const found = (await findings()).filter(({ where, isWell }) => where === 'names' && !isWell);
    expect(found).toMatchObject([
      {
        what: `2 products of a.test are called "Twice": ${ids.join(', ')}`,
        advice: `give one another name: memberdoor products change --tenant a.test --product-id ${ids[1]} --name NAME`,
      },
    ]);
    await service.store.transaction((tx) => updateProduct(tx, tenantId, { id: ids[1] ?? 0, name: 'Once' }));
    expect(wrongAt(await findings(), 'names')).toEqual([]);
  });

  it('a mail server that takes no mails, and says nothing of its password', async () => {
    const smtp = await startSmtp({ user: 'door', password: 'secret' });
    onTestFinished(() => smtp.stop());
    expect(wrongAt(await findings({}, { smtpUrl: smtp.url }), 'mail')).toEqual([]);
    const wrongUrl = smtp.url.replace('secret', 'not-the-one');
    const all = await findings({}, { smtpUrl: wrongUrl });
    expect(wrongAt(all, 'mail')).toEqual(['127.0.0.1 takes no mails: EAUTH 535']);
    expect(all.map((finding) => textOf(finding, null)).join('')).not.toContain('not-the-one');
    const gone = await findings({}, { smtpUrl: `smtp://127.0.0.1:${await freePort()}` });
    expect(wrongAt(gone, 'mail')).toEqual([
      expect.stringMatching(/^127\.0\.0\.1 takes no mails: .*ECONNREF/),
    ]);
  });

  it('a mail server whose certificate is of an unknown authority, with the setting that makes it known', async () => {
    const unknown = makeAuthority(now, 'Authority of an operator');
    const certificate = unknown.issue(['127.0.0.1'], now - 86_400_000, now + 86_400_000);
    const smtp = await startSmtp(null, 0, certificate);
    const found = (await findings({}, { smtpUrl: smtp.url })).filter(({ where }) => where === 'mail');
    expect(found).toMatchObject([
      {
        what: '127.0.0.1 takes no mails: ESOCKET UNABLE_TO_VERIFY_LEAF_SIGNATURE',
        advice:
          'if its certificate is of an authority of your own, name the file of that authority in NODE_EXTRA_CA_CERTS',
      },
    ]);
  });

  it('a schema that is older or newer, and events of the future', () => {
    const facts = readDatabase(join(service.folder, 'memberdoor.db'));
    expect(judgeSchema(facts).isWell).toBe(true);
    expect(judgeSchema({ ...facts, schema: facts.schema.slice(0, 2) }).what).toMatch(/lacks 0003-members/);
    expect(judgeSchema({ ...facts, schema: [...facts.schema, '9999-later'] }).what).toMatch(/newer.*9999/);
    expect(judgeTime({ ...facts, newestEventAt: now + 60_000 }, now).what).toMatch(/60 s ahead/);
    expect(judgeTime({ ...facts, newestEventAt: null }, now).isWell).toBe(true);
  });

  it('a disk that is nearly full, and a write-ahead log that grows', () => {
    const megabyte = 1_024 * 1_024;
    expect(judgeFreeDisk(300 * megabyte, 10 * megabyte).isWell).toBe(true);
    expect(judgeFreeDisk(200 * megabyte, 10 * megabyte).isWell).toBe(false);
    expect(judgeFreeDisk(900 * megabyte, 1_000 * megabyte).isWell).toBe(false);
    expect(judgeWriteAheadLog(4 * megabyte).isWell).toBe(true);
    expect(judgeWriteAheadLog(65 * megabyte).isWell).toBe(false);
  });

  it('files that others can read', () => {
    const folder = temporaryFolder();
    const secret = join(temporaryFolder(), 'key');
    const look = (settingFiles: readonly string[] = []) => judgeAccess({ dataFolder: folder, settingFiles });
    expect(look([secret]).isWell).toBe(true);
    chmodSync(folder, 0o750);
    expect(look().what).toBe(`others can read ${folder}`);
    expect(look().advice).toBe(`run chmod go= ${folder}`);
    expect(existsSync(secret)).toBe(false);
  });
});
