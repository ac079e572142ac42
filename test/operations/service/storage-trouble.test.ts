import { randomBytes } from 'node:crypto';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openVault } from '../../../src/secrets/vault.ts';
import { insertMail } from '../../../src/storage/members/mail.ts';
import { readDatabase } from '../../../src/storage/sqlite/backup.ts';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { heldToRights, smallFiles } from '../../support/process/faults.ts';
import { startProcess } from '../../support/process/started.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';
import { copyFixtures, fixtureKey } from '../../support/run/fixture-folders.ts';
import { freePort } from '../../support/service.ts';

const production = {
  MEMBERDOOR_ENV: 'production',
  MEMBERDOOR_SMTP_URL: 'smtp://127.0.0.1:2525',
  MEMBERDOOR_MAIL_FROM: 'door@example.com',
  MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64'),
};

interface Ended {
  readonly code: number | null;
  readonly out: readonly string[];
  readonly err: readonly string[];
}

/** Runs a command to its end. A start that succeeds is stopped once it is ready. */
async function run(
  folder: string,
  words: readonly string[],
  { under = [], settings = {} }: { under?: readonly string[]; settings?: Record<string, string> } = {},
): Promise<Ended> {
  const port = String(await freePort());
  const all = { MEMBERDOOR_DATA: folder, MEMBERDOOR_PORT: port, ...settings };
  const started = startProcess({ settings: all, words, under });
  if (words[0] === 'start') await started.ready.then(() => started.stop()).catch(() => {});
  const { code } = await started.exited;
  return { code, out: started.lines(), err: started.errorLines() };
}

/** One sentence for the operator and no stack, and nothing that would make it worse. */
function expectOneSentence({ code, err }: Ended, what: string): void {
  expect(err, what).toHaveLength(1);
  expect(err[0], what).toMatch(/^memberdoor: /);
  expect(err[0], what).not.toMatch(/Restore a backup|cannot rollback/);
  expect(code, what).toBe(1);
}

/** A production folder with its three tenants, and the size of its database. */
function productionFolder(): { readonly folder: string; readonly size: number } {
  const folder = temporaryFolder();
  copyFixtures('security', folder);
  return { folder, size: statSync(join(folder, 'memberdoor.db')).size };
}

/** Enough that is encrypted for a commit which is larger than the index of the log. */
async function queueMails(folder: string): Promise<void> {
  const store = await openStore(folder, false);
  const vault = openVault(fixtureKey);
  await store.transaction(async (tx) => {
    const { id: tenantId } = await tx.selectFrom('tenants').select('id').limit(1).executeTakeFirstOrThrow();
    const message = vault.encrypt(Buffer.alloc(1_000), tenantId);
    for (let count = 0; count < 50; count += 1)
      await insertMail(tx, { tenantId, name: 'notice', recipientHash: null, message }, 0);
  });
  await store.close();
}

describe('a full disk', () => {
  it.each([0, 60_000, 440_000])(
    'F18: at the first start, after %i bytes, is told in one sentence, and the next start is a first one',
    async (bytes) => {
      const folder = temporaryFolder();
      expectOneSentence(await run(folder, ['start'], { under: smallFiles(bytes) }), `after ${bytes}`);
      const key = join(folder, 'master.key');
      expect(existsSync(key) && readFileSync(key, 'utf8') === '').toBe(false);
      if (bytes > 60_000) expect(await run(folder, ['start'])).toMatchObject({ code: 0, err: [] });
    },
  );

  it('F18: at a restore is told in one sentence that says that nothing was changed, and so it is', async () => {
    const { folder, size } = productionFolder();
    const file = join(temporaryFolder(), 'backup.db');
    expect((await run(folder, ['backup', file], { settings: production })).code).toBe(0);
    const before = readdirSync(folder).sort();
    for (const bytes of [0, size >> 1, size - 4_096]) {
      const ended = await run(folder, ['restore', file], {
        settings: production,
        under: smallFiles(bytes),
      });
      expectOneSentence(ended, `after ${bytes}`);
      expect(ended.err[0]).toContain('was not restored, and nothing was changed');
      expect(readdirSync(folder).sort()).toEqual(before);
    }
  });
});

describe('reencrypt', () => {
  it('F18: on a disk that fails, at the commit or after it, says which key works now, and that one does', async () => {
    const newKey = randomBytes(32);
    const keyFile = join(temporaryFolder(), 'new.key');
    writeFileSync(keyFile, newKey.toString('base64'));
    const told: string[] = [];
    const { folder: original, size } = productionFolder();
    await queueMails(original);
    // The log of the commit is smaller than the file that it goes into when the command is done.
    for (const bytes of [32_768, size - 40_960]) {
      const folder = temporaryFolder();
      cpSync(original, folder, { recursive: true });
      const under = smallFiles(bytes);
      const ended = await run(folder, ['reencrypt', keyFile], { settings: production, under });
      expectOneSentence(ended, `after ${bytes}`);
      const { keyCheck } = readDatabase(join(folder, 'memberdoor.db'));
      const works = keyCheck === openVault(newKey).keyCheck ? 'new' : 'old';
      expect(ended.err[0]).toContain(`the ${works} master key is the one that works`);
      told.push(works);
    }
    expect(told).toEqual(['old', 'new']);
  });
});

describe('a file that this user may not use', () => {
  it.each([
    ['the database', 'memberdoor.db', 0o000],
    ['the database, which can only be read,', 'memberdoor.db', 0o400],
    ['the lock', 'memberdoor.lock', 0o000],
    ['the folder', '', 0o000],
    ['the folder, which can only be read,', '', 0o500],
    ['the write-ahead log', 'memberdoor.db-wal', 0o000],
  ])('F18: %s is named with its owner and the user, and no restore is advised', async (_what, name, mode) => {
    const { folder } = productionFolder();
    const path = join(folder, name);
    if (!existsSync(path)) writeFileSync(path, name.endsWith('-wal') ? randomBytes(64) : '');
    if (mode === 0o500) writeFileSync(join(folder, 'memberdoor.lock'), '');
    chmodSync(path, mode);
    const ended = await run(folder, ['start'], { settings: production, under: heldToRights() });
    chmodSync(path, 0o700);
    expectOneSentence(ended, name);
    expect(ended.err[0]).toContain(`may not read and write ${join(path)}`);
    expect(ended.err[0]).toMatch(/belongs to user \d+ \(mode \d+\)/);
  });

  it('F18: a key file is named in the same way, and one in a setting by the setting alone', async () => {
    const folder = temporaryFolder();
    copyFixtures('development', folder);
    const path = join(folder, 'master.key');
    writeFileSync(path, fixtureKey.toString('base64'), { mode: 0o600 });
    chmodSync(path, 0o000);
    const under = heldToRights();
    const own = await run(folder, ['start'], { under });
    const settings = { ...production, MEMBERDOOR_MASTER_KEY: '', MEMBERDOOR_MASTER_KEY_FILE: path };
    const named = await run(folder, ['start'], { settings, under });
    chmodSync(path, 0o600);
    expectOneSentence(own, 'master.key');
    expect(own.err[0]).toContain(`may not read and write ${path}`);
    expect(named.err[0]).toBe(
      `memberdoor: MEMBERDOOR_MASTER_KEY_FILE names a file that cannot be read: user ${userInfo().username} may not do that.`,
    );
  });
});
