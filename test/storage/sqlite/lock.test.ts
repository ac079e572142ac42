import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import SQLite from 'better-sqlite3';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openStore } from '../../../src/storage/sqlite/open.ts';
import { StartupError } from '../../../src/system/startup-error.ts';
import { insertRecords, newStore } from '../../support/records/store.ts';
import { temporaryFolder } from '../../support/records/temporary-folder.ts';

const store = new URL('../../../src/storage/sqlite/open.ts', import.meta.url).href;

/** Opens the folder in a process of its own, says how that went in one line, and lives on. */
const program = `
  import { openStore } from ${JSON.stringify(store)};
  const line = await openStore(process.argv[1], true).then(() => 'open', (error) => error.name + ': ' + error.message);
  console.log(line);
  process.stdin.resume();
`;

async function openElsewhere(folder: string): Promise<{ process: ChildProcess; line: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { process: child, line };
}

describe('Z11: a data folder is served by one process', () => {
  it('a second opening in the same process is refused, and the first goes on', async () => {
    const folder = temporaryFolder();
    const first = await newStore(folder);
    const second = openStore(folder, true);
    await expect(second).rejects.toThrow(StartupError);
    await expect(second).rejects.toThrow('another memberdoor is using it');
    expect(await first.transaction(async () => 'works')).toBe('works');
  });

  it('a second process is refused', async () => {
    const folder = temporaryFolder();
    await newStore(folder);
    const { line } = await openElsewhere(folder);
    expect(line).toMatch(/^StartupError: .*another memberdoor is using it\.$/);
  });

  it('a folder that was closed is free', async () => {
    const folder = temporaryFolder();
    const first = await openStore(folder, true);
    await first.close();
    const second = await newStore(folder);
    expect(await second.transaction(async () => 'works')).toBe('works');
  });

  it('a process that is killed leaves no lock behind', async () => {
    const folder = temporaryFolder();
    const { process: child, line } = await openElsewhere(folder);
    expect(line).toBe('open');
    await expect(openStore(folder, true)).rejects.toThrow('another memberdoor is using it');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await newStore(folder);
    expect(await store.transaction(async () => 'works')).toBe('works');
  });
});

describe('F12: a lock file that was deleted under a running process', () => {
  it('lets no second process in, however often it tries, and the first goes on', async () => {
    const folder = temporaryFolder();
    const first = await newStore(folder);
    for (const turn of ['at once', 'after a refusal']) {
      rmSync(join(folder, 'memberdoor.lock'));
      const { line } = await openElsewhere(folder);
      expect(line, turn).toMatch(/^StartupError: .*another program has it open.* lock file was deleted/);
    }
    await first.transaction(insertRecords);
  });

  it('lets the next process in once the first has ended', async () => {
    const folder = temporaryFolder();
    const first = await openStore(folder, true);
    rmSync(join(folder, 'memberdoor.lock'));
    await first.close();
    const second = await newStore(folder);
    expect(await second.transaction(async () => 'works')).toBe('works');
  });

  it('lets the next process in after a kill', async () => {
    const folder = temporaryFolder();
    const { process: child } = await openElsewhere(folder);
    rmSync(join(folder, 'memberdoor.lock'));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const store = await newStore(folder);
    expect(await store.transaction(async () => 'works')).toBe('works');
  });

  it('a reader such as a backup keeps no start out while the lock file is the one that was used', async () => {
    const folder = temporaryFolder();
    await (await openStore(folder, true)).close();
    const reader = new SQLite(join(folder, 'memberdoor.db'), { readonly: true });
    onTestFinished(() => {
      reader.close();
    });
    reader.exec('begin');
    reader.prepare('select 1 from sqlite_schema').get();
    const store = await newStore(folder);
    expect(await store.transaction(async () => 'works')).toBe('works');
  });
});
