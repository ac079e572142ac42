// Prints a bill of materials of what the service runs, in the form of CycloneDX: npm run --silent sbom > sbom.json.
// npm writes it. Asked to omit development itself, it leaves out what the service and a tool of ours both use, so
// it is shown a project that has no such tools.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LockFile } from './supply-chain.ts';

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));

const { devDependencies: _ofManifest, ...manifest } = read('package.json');
const lock: LockFile = read('package-lock.json');
const { devDependencies: _ofLock, ...root } = lock.packages[''] as Record<string, unknown>;

const parent = mkdtempSync(join(tmpdir(), 'memberdoor-sbom-'));
// The bill has the name of the folder.
const folder = join(parent, manifest.name);
mkdirSync(folder);
writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
writeFileSync(
  join(folder, 'package-lock.json'),
  JSON.stringify({ ...lock, packages: { ...lock.packages, '': root } }),
);
const command = 'npm sbom --sbom-format cyclonedx --sbom-type application --package-lock-only';
const { status } = spawnSync(command, { cwd: folder, stdio: 'inherit', shell: true });
rmSync(parent, { recursive: true });
process.exitCode = status ?? 1;
