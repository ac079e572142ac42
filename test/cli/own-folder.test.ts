import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownFolder } from '../../src/cli/own-folder.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';

const user = process.getuid?.();

describe('the service that commands mean in a folder', () => {
  it('is the development service that has its data there', () => {
    const folder = temporaryFolder();
    expect(ownFolder(folder, {}, user)).toBeNull();
    mkdirSync(join(folder, '.memberdoor'));
    expect(ownFolder(folder, {}, user)).toBe(join(folder, '.memberdoor'));
    expect(ownFolder(folder, { MEMBERDOOR_ENV: 'development', MEMBERDOOR_DATA: '' }, user)).not.toBeNull();
  });

  it.each(['MEMBERDOOR_DATA', 'MEMBERDOOR_DATA_FILE', 'MEMBERDOOR_DATABASE_URL', 'MEMBERDOOR_ENV'])(
    'is another where %s says so',
    (setting) => {
      const folder = temporaryFolder();
      mkdirSync(join(folder, '.memberdoor'));
      expect(ownFolder(folder, { [setting]: 'production' }, user)).toBeNull();
    },
  );

  it('is never what another user put there, or what leads elsewhere', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.memberdoor'));
    expect(ownFolder(folder, {}, 4_711)).toBeNull();
    const linked = temporaryFolder();
    symlinkSync(join(folder, '.memberdoor'), join(linked, '.memberdoor'));
    expect(ownFolder(linked, {}, user)).toBeNull();
    const file = temporaryFolder();
    writeFileSync(join(file, '.memberdoor'), '');
    expect(ownFolder(file, {}, user)).toBeNull();
  });
});
