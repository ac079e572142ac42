// npm run package: writes the package of this version to output/, or to the folder that is named.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { project } from './build.ts';
import { stage } from './stage.ts';

const [target = join(project, 'output')] = process.argv.slice(2);
const staged = mkdtempSync(join(tmpdir(), 'memberdoor-package-'));

mkdirSync(target, { recursive: true });
try {
  await stage(staged);
  const words = ['pack', '--pack-destination', resolve(target)];
  const { status } = spawnSync('npm', words, { cwd: staged, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(staged, { recursive: true, force: true });
}
