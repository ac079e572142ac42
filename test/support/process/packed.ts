import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apart, project } from '../../../tools/package/build.ts';
import { stage } from '../../../tools/package/stage.ts';

const modules = join(project, 'node_modules');

/** What stands beside the package: what npm would install with it, and what its guide drives a browser by. */
const beside = [...apart, `node-${process.platform}-${process.arch}`, 'playwright-core'];

/** A project of others that has installed the package, and nothing of what it has inside. @returns its folder */
export async function projectWithPackage(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'memberdoor-project-'));
  const installed = join(folder, 'node_modules/memberdoor');
  await mkdir(installed, { recursive: true });
  await stage(installed);
  for (const name of beside) symlinkSync(join(modules, name), join(folder, 'node_modules', name));
  writeFileSync(join(folder, 'package.json'), '{ "name": "of-others", "private": true, "type": "module" }\n');
  return folder;
}
