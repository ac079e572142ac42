import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { readAdvisories } from '../../tools/advisories.ts';
import {
  type LockedPackage,
  type LockFile,
  type Manifest,
  oldestVersions,
  supplyChainProblems,
} from '../../tools/supply-chain.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(`${project}/${name}`, 'utf8');
const manifest: Manifest = JSON.parse(read('package.json'));
const lock: LockFile = JSON.parse(read('package-lock.json'));
const npmrc = read('.npmrc');

const withPackage = (path: string, change: LockedPackage): LockFile => ({
  ...lock,
  packages: { ...lock.packages, [path]: { ...lock.packages[path], ...change } },
});
const problemsOf = (change: Partial<{ manifest: Manifest; lock: LockFile; npmrc: string }>) =>
  supplyChainProblems({ manifest, lock, npmrc, ...change });

describe('W14: the packages of the project', () => {
  it('W14: are exact, hashed, from the registry, without scripts, free to use, and not too old', () => {
    expect(problemsOf({})).toEqual([]);
  });

  it.each(Object.keys(oldestVersions))('W14: an old %s is found, wherever it is used', (name) => {
    const path = `node_modules/other/node_modules/${name}`;
    const old = { ...lock.packages[`node_modules/${name}`], version: '0.0.9' };
    expect(problemsOf({ lock: withPackage(path, old) })).toEqual([
      `package-lock.json: ${path} is 0.0.9, older than ${oldestVersions[name]}`,
    ]);
  });

  const { integrity: _none, ...unhashed } = lock.packages['node_modules/jose'] ?? {};
  const jose = 'node_modules/jose';

  it.each<[string, Parameters<typeof problemsOf>[0], string]>([
    [
      'a version that is a range',
      { manifest: { ...manifest, dependencies: { jose: '^6.2.17' } } },
      'package.json: jose is ^6.2.17, which is no exact version',
    ],
    [
      'an alias of a range',
      {
        manifest: { ...manifest, dependencies: { 'jose-6': 'npm:jose@^6.2.17' } },
        lock: withPackage('node_modules/jose-6', { ...lock.packages['node_modules/jose'], name: 'jose' }),
      },
      'package.json: jose-6 is npm:jose@^6.2.17, which is no exact version',
    ],
    [
      'an alias of another package than the lock file has',
      {
        manifest: { ...manifest, dependencies: { 'jose-6': 'npm:jose@6.2.17' } },
        lock: withPackage('node_modules/jose-6', { ...lock.packages['node_modules/jose'], name: 'joze' }),
      },
      'package-lock.json: jose-6 is npm:joze@6.2.17, and npm:jose@6.2.17 in package.json',
    ],
    [
      'a lock file that has another version',
      { manifest: { ...manifest, dependencies: { jose: '6.2.16' } } },
      'package-lock.json: jose is 6.2.17, and 6.2.16 in package.json',
    ],
    [
      'a package that may run scripts',
      { manifest: { ...manifest, allowScripts: { jose: true } } },
      'package.json: jose may run install scripts',
    ],
    ['scripts that are not switched off', { npmrc: 'audit=false\n' }, '.npmrc does not say ignore-scripts'],
    [
      'a package without a hash',
      { lock: { ...lock, packages: { ...lock.packages, [jose]: unhashed } } },
      'node_modules/jose has no integrity',
    ],
    [
      'a weak hash',
      { lock: withPackage(jose, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }) },
      'node_modules/jose has no SHA-512',
    ],
    [
      'a package from elsewhere',
      { lock: withPackage(jose, { resolved: 'git+ssh://git@example.com/jose.git' }) },
      'node_modules/jose comes from git+ssh://git@example.com/jose.git',
    ],
    [
      'a package that runs a script',
      { lock: withPackage(jose, { hasInstallScript: true }) },
      'node_modules/jose wants to run a script',
    ],
    [
      'a package that the service runs and that needs its script, though the script is refused by name',
      {
        lock: withPackage(jose, { hasInstallScript: true }),
        manifest: { ...manifest, allowScripts: { ...manifest.allowScripts, jose: false } },
      },
      'node_modules/jose wants to run a script',
    ],
    [
      'a licence that asks for more than a notice',
      { lock: withPackage(jose, { license: 'AGPL-3.0-only' }) },
      'node_modules/jose has the licence AGPL-3.0-only',
    ],
    [
      'a licence that only tests may have',
      { lock: withPackage(jose, { license: 'MPL-2.0' }) },
      'node_modules/jose has the licence MPL-2.0',
    ],
  ])('W14: %s is found', (_what, change, problem) => {
    expect(problemsOf(change).join('\n')).toContain(problem);
  });
});

describe('W14: what the registry knows', () => {
  const report = (vulnerabilities: object) => JSON.stringify({ auditReportVersion: 2, vulnerabilities });

  it('W14: a high hole is bad, a moderate one is told', () => {
    expect(readAdvisories(report({ a: { severity: 'high' } })).isBad).toBe(true);
    expect(readAdvisories(report({ a: { severity: 'moderate' } }))).toEqual({
      isAnswer: true,
      lines: ['known hole: a, moderate'],
      isBad: false,
    });
  });

  it('W14: no hole is not the same as no answer', () => {
    expect(readAdvisories(report({})).isAnswer).toBe(true);
    expect(readAdvisories('{"message":"405 Method Not Allowed"}').isAnswer).toBe(false);
    expect(readAdvisories('').isAnswer).toBe(false);
  });
});

describe('W14: the bill of materials', () => {
  interface Component {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
    readonly licenses?: readonly unknown[];
  }

  const printed = async (environment: NodeJS.ProcessEnv = process.env) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['tools/sbom.ts'], {
      cwd: project,
      env: environment,
      maxBuffer: 16 * 1_024 ** 2,
    });
    return JSON.parse(stdout);
  };

  it('W14: has every package that the service runs, with version, hash and licence, and no other', async () => {
    const bill = await printed();
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
    expect(bill.metadata.component).toMatchObject({ type: 'application', name: 'memberdoor' });
    const components: readonly Component[] = bill.components;
    for (const { name, version, purl, hashes, licenses } of components) {
      expect(purl).toBe(`pkg:npm/${name.replace('@', '%40')}@${version}`);
      expect(hashes?.[0], name).toEqual({
        alg: 'SHA-512',
        content: expect.stringMatching(/^[0-9a-f]{128}$/),
      });
      expect(licenses, name).toHaveLength(1);
    }
    const run = Object.entries(lock.packages).filter(([path, { dev = false }]) => path !== '' && !dev);
    expect(new Set(components.map(({ name, version }) => `${name}@${version}`))).toEqual(
      new Set(run.map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`)),
    );
  });

  it('W14: is printed where npm cannot print one, and says what uses what', async () => {
    const { dependencies, metadata } = await printed({ PATH: '' });
    const uses = new Map<string, readonly string[]>(
      dependencies.map(({ ref, dependsOn }: { ref: string; dependsOn: readonly string[] }) => [
        ref,
        dependsOn,
      ]),
    );
    const [direct = []] = [uses.get(metadata.component['bom-ref'])];
    expect(direct.map((ref) => ref.replace(/@[^@]+$/, '')).sort()).toEqual(
      Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).sort(),
    );
    for (const ref of [...uses.values()].flat()) expect(uses.has(ref), ref).toBe(true);
    const inner = lock.packages['node_modules/@fastify/view/node_modules/fastify-plugin'];
    const view = lock.packages['node_modules/@fastify/view'];
    expect(uses.get(`@fastify/view@${view?.version}`)).toContain(`fastify-plugin@${inner?.version}`);
  });
});
