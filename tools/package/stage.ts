// The package before it is packed: what stands in the sources too, the code in dist/, and what npm is to install beside it.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LockFile } from '../supply-chain.ts';
import { apart, build, project } from './build.ts';

/** npm leaves a lock file of the other name out of a package. */
const lock = 'npm-shrinkwrap.json';

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly [key: string]: unknown;
}

const readJson = <Value>(name: string): Value => JSON.parse(readFileSync(join(project, name), 'utf8'));

/** The manifest without what the package has inside, and without what is for those who work on the sources. */
function manifestOf({
  devDependencies: _,
  scripts: __,
  overrides: ___,
  allowScripts: ____,
  ...manifest
}: Manifest): Manifest {
  const beside = Object.entries(manifest.dependencies).filter(([name]) => apart.includes(name));
  return { ...manifest, files: [...manifest.files, lock], dependencies: Object.fromEntries(beside) };
}

/** What `npm ci` installs beside the unpacked package, with the digests that our own lock file holds it to. */
function lockOf(manifest: Manifest, { packages, ...others }: LockFile): LockFile {
  const { name, version, dependencies, optionalDependencies } = manifest;
  const folders = new Set(
    Object.keys({ ...dependencies, ...optionalDependencies }).map((one) => `node_modules/${one}`),
  );
  for (const folder of folders)
    for (const one of Object.keys(packages[folder]?.dependencies ?? {})) folders.add(`node_modules/${one}`);
  const beside = Object.entries(packages).filter(([folder]) => folders.has(folder));
  const root = { name, version, dependencies, optionalDependencies };
  return { ...others, packages: { '': root, ...Object.fromEntries(beside) } };
}

/** Writes the package as `npm pack` takes it. */
export async function stage(folder: string): Promise<void> {
  const manifest = manifestOf(readJson<Manifest>('package.json'));
  for (const name of [...manifest.files, 'LICENSE', 'README.md']) {
    if (name === 'dist' || name === lock) continue;
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    cpSync(join(project, name), join(folder, name), { recursive: true });
  }
  const writeJson = (name: string, value: object) =>
    writeFileSync(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  writeJson('package.json', manifest);
  writeJson(lock, lockOf(manifest, readJson<LockFile>('package-lock.json')));
  await build(join(folder, 'dist'));
}
