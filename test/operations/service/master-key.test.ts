import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { findMasterKey, openVault } from '../../../src/secrets/vault.ts';
import { insertMail } from '../../../src/storage/members/mail.ts';
import { readDatabase } from '../../../src/storage/sqlite/backup.ts';
import type { openStore } from '../../../src/storage/sqlite/open.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { hosts } from '../../support/fixtures.ts';
import { commandHere } from '../../support/operators/command.ts';
import { startProcess } from '../../support/process/started.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { copyFixtures, fixtureKey } from '../../support/run/fixture-folders.ts';
import { freePort, startTestService } from '../../support/service.ts';
import { apps, expectBadToken, expectError, profile, refreshAs, tokensOf } from '../../support/tokens.ts';
import { visitor } from '../../support/visitor.ts';

const wayOn = /"memberdoor new-keys --lost-master-key"/;
const agreed = 'yes\nnew keys\n';

/** What a development folder holds beside its master key, which the fixtures give in the settings. */
function developmentFolder(): { readonly folder: string; readonly keyFile: string } {
  const folder = temporaryFolder();
  copyFixtures('development', folder);
  const keyFile = join(folder, 'master.key');
  writeFileSync(keyFile, fixtureKey.toString('base64'), { mode: 0o600 });
  return { folder, keyFile };
}

/** Starts the service as its operator does; one that answers is stopped. */
async function start(folder: string) {
  const settings = { MEMBERDOOR_DATA: folder, MEMBERDOOR_PORT: String(await freePort()) };
  const started = startProcess({ settings });
  await started.ready.then(() => started.stop()).catch(() => {});
  return { code: (await started.exited).code, err: started.errorLines() };
}

/** Runs another command on a folder, with a terminal that holds this input. */
async function run(folder: string, words: readonly string[], input = '', more: Record<string, string> = {}) {
  const configuration = () => {
    const result = readConfig({ MEMBERDOOR_DATA: folder, ...more }, folder);
    if (!result.ok) throw new StartupError(result.problems.join(' '));
    return result.config;
  };
  try {
    return await commandHere(words, { configuration, input });
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return { code: 1, out: '', err: error.message };
  }
}

const lostKey = ['new-keys', '--lost-master-key'];

describe('a development master key', () => {
  it.each<[string, (keyFile: string) => void, string]>([
    ['is missing', (keyFile) => rmSync(keyFile), 'is missing'],
    ['is empty', (keyFile) => writeFileSync(keyFile, '', { mode: 0o600 }), 'is empty'],
    ['is damaged', (keyFile) => writeFileSync(keyFile, 'x', { mode: 0o600 }), 'does not hold 32 bytes'],
    [
      'is of another database',
      (keyFile) => writeFileSync(keyFile, randomBytes(32).toString('base64')),
      'is not the one this database was made with',
    ],
  ])(
    'F18: that %s stops the start in one sentence with a way on, and is not made anew',
    async (_what, lose, said) => {
      const { folder, keyFile } = developmentFolder();
      lose(keyFile);
      const before = existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : null;
      const { code, err } = await start(folder);
      expect({ code, lines: err.length }).toEqual({ code: 1, lines: 1 });
      expect(err[0]).toContain(said);
      expect(err[0]).toMatch(wayOn);
      expect(existsSync(keyFile) ? readFileSync(keyFile, 'utf8') : null).toBe(before);
    },
  );

  it('F18: that a kill left empty at the first start is made anew, since nothing was encrypted under it', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'master.key'), '', { mode: 0o600 });
    writeFileSync(join(folder, 'master.key.new'), 'half of a k', { mode: 0o600 });
    expect(await start(folder)).toEqual({ code: 0, err: [] });
    expect(findMasterKey(folder)).toHaveLength(32);
    expect(readdirSync(folder)).not.toContain('master.key.new');
  });

  it('F18: has its name only when it is whole and on the disk', async () => {
    const folder = temporaryFolder();
    const trace = join(temporaryFolder(), 'calls');
    const program = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const calls = [];
      for (const name of ['writeSync', 'fsyncSync', 'renameSync']) {
        const before = fs[name];
        fs[name] = (...words) => { calls.push(name); return before(...words); };
      }
      syncBuiltinESMExports();
      const { makeMasterKey } = await import(${JSON.stringify(new URL('../../../src/secrets/vault.ts', import.meta.url).href)});
      makeMasterKey(${JSON.stringify(folder)});
      fs.writeFileSync(${JSON.stringify(trace)}, calls.join(' '));
    `;
    execFileSync(process.execPath, ['--input-type=module', '--eval', program]);
    expect(readFileSync(trace, 'utf8')).toBe('writeSync fsyncSync renameSync fsyncSync');
    expect(statSync(join(folder, 'master.key')).mode & 0o777).toBe(0o600);
  });
});

describe('F18: new-keys --lost-master-key', () => {
  it('asks twice, and does nothing unless both are answered', async () => {
    const { folder, keyFile } = developmentFolder();
    rmSync(keyFile);
    const before = readDatabase(join(folder, 'memberdoor.db'));
    for (const input of ['', 'no\n', 'y\nnew keys\n', 'yes\n', 'yes\nyes\n']) {
      const { code, out, err } = await run(folder, lostKey, input);
      expect({ input, code, out }).toEqual({ input, code: 1, out: '' });
      expect(err).toContain('Is it lost for good?');
      expect(err).toMatch(/Nothing was done\.\n$/);
    }
    expect(readDatabase(join(folder, 'memberdoor.db'))).toEqual(before);
    expect(existsSync(keyFile)).toBe(false);
  });

  it('is refused where the master key is the right one, and without the option', async () => {
    const { folder } = developmentFolder();
    const right = await run(folder, lostKey, agreed);
    expect(right).toMatchObject({ code: 1, out: '' });
    expect(right.err).toMatch(/nothing is lost/);
    expect(await run(folder, ['new-keys'], agreed)).toMatchObject({ code: 2, out: '' });
  });

  it('makes a key file where it is missing or damaged, and the service starts again', async () => {
    for (const left of [null, 'damaged']) {
      const { folder, keyFile } = developmentFolder();
      if (left === null) rmSync(keyFile);
      else writeFileSync(keyFile, left);
      expect(await run(folder, lostKey, agreed)).toMatchObject({ code: 0 });
      expect(await start(folder)).toEqual({ code: 0, err: [] });
      expect(existsSync(`${keyFile}.damaged`)).toBe(left !== null);
    }
  });

  it('keeps members and clients, signs everyone out, and drops and lists the mails that cannot be decrypted', async () => {
    const folder = temporaryFolder();
    const lost = await startTestService({ data: 'security', folder });
    const browser = visitor(lost, hosts.a);
    const tokens = await tokensOf(lost, hosts.a, apps.conf1, { browser });
    const jwks = (await lost.http(hosts.a, '/api/oidc/jwks')).text;
    const members = await membersOf(lost.store);
    await lost.store.transaction(async (tx) => {
      const { id: tenantId } = await tx.selectFrom('tenants').select('id').limit(1).executeTakeFirstOrThrow();
      await tx.deleteFrom('mails').execute();
      await insertMail(
        tx,
        { tenantId, name: 'password_reset', recipientHash: null, message: Buffer.from('sealed') },
        7,
      );
    });
    await lost.stop();

    const masterKey = randomBytes(32);
    const settings = {
      MEMBERDOOR_ENV: 'production',
      MEMBERDOOR_SMTP_URL: 'smtp://127.0.0.1:2525',
      MEMBERDOOR_MAIL_FROM: 'door@example.com',
      MEMBERDOOR_MASTER_KEY: masterKey.toString('base64'),
    };
    const { code, err } = await run(folder, lostKey, agreed, settings);
    expect(code).toBe(0);
    expect(err).toMatch(/password_reset, of 1970-01-01T00:00:00\.007Z/);

    const saved = await startTestService({ data: 'security', folder, masterKey });
    try {
      expect(await membersOf(saved.store)).toEqual(members);
      expect((await saved.http(hosts.a, '/api/oidc/jwks')).text).not.toBe(jwks);
      saved.clock.set(lost.clock.now() + 5_000);
      expectBadToken(await profile(saved, hosts.a, tokens.access_token));
      expectError(await refreshAs(saved, hosts.a, apps.conf1, tokens.refresh_token), 400, 'invalid_grant');
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      expect((await saved.http(hosts.a, '/account', { headers: { cookie } })).status).toBe(303);
      // The same password and the same client secret.
      const fresh = await tokensOf(saved, hosts.a, apps.conf1);
      expect((await profile(saved, hosts.a, fresh.access_token)).status).toBe(200);
      const rows = await saved.store.transaction(async (tx) => ({
        mails: await tx.selectFrom('mails').select(['state', 'message']).where('createdAt', '=', 7).execute(),
        lost: await tx.selectFrom('auditEvents').selectAll().where('event', '=', 'master_key_lost').execute(),
      }));
      expect(rows.mails).toEqual([{ state: 'failed', message: null }]);
      expect(rows.lost).toEqual([expect.objectContaining({ actorKind: 'operator', tenantId: null })]);
    } finally {
      await saved.stop();
    }
  });

  it('saves a backup whose master key is lost, on another machine', async () => {
    const { folder } = developmentFolder();
    const file = join(temporaryFolder(), 'backup.db');
    expect((await run(folder, ['backup', file])).code).toBe(0);
    const other = temporaryFolder();
    const refused = await run(other, ['restore', file]);
    expect(refused.err).toMatch(/master\.key is missing/);
    expect((await run(other, ['restore', '--lost-master-key', file])).code).toBe(0);
    expect((await run(other, lostKey, agreed)).code).toBe(0);
    expect(await start(other)).toEqual({ code: 0, err: [] });
  });

  it('leaves nothing that the lost key encrypted, so that a later reencrypt can read all of it', async () => {
    const { folder, keyFile } = developmentFolder();
    const sealedBefore = sealedIn(folder);
    rmSync(keyFile);
    expect((await run(folder, lostKey, agreed)).code).toBe(0);
    const vault = openVault(findMasterKey(folder) ?? Buffer.alloc(32));
    const sealed = sealedIn(folder);
    expect(sealed).toHaveLength(sealedBefore.length);
    for (const { bytes, owner } of sealed) expect(vault.decrypt(bytes, owner).length).toBeGreaterThan(0);
  });
});

function sealedIn(folder: string): { readonly bytes: Buffer; readonly owner: string }[] {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  const sqlite = new SQLite(join(copy, 'memberdoor.db'));
  const rows = sqlite
    .prepare(
      'select tokenKey as bytes, id as owner from tenants union all select privateKey, tenantId from signingKeys',
    )
    .all();
  sqlite.close();
  return rows as { bytes: Buffer; owner: string }[];
}

async function membersOf(store: Awaited<ReturnType<typeof openStore>>): Promise<object[]> {
  return store.transaction((tx) =>
    tx.selectFrom('members').select(['id', 'email', 'passwordHash']).orderBy('id').execute(),
  );
}
