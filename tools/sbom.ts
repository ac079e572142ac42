// Prints a bill of materials of what the service runs, in the form of CycloneDX: npm run --silent sbom > sbom.json.
// It is read from the lock file, because `npm sbom` is younger than the oldest npm that may install the project, and
// leaves out what both the service and a tool of ours use when it is asked to omit development.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import type { LockedPackage, LockFile } from './supply-chain.ts';

const lock: LockFile = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'));
const { '': application, ...packages } = lock.packages;
const run = Object.entries(packages).filter(([, { dev = false }]) => !dev);

const nameOf = (path: string) => path.replace(/^.*node_modules\//, '');
const refOf = (path: string) => `${nameOf(path)}@${packages[path]?.version}`;

/** @param license an SPDX id, or an expression of several */
function licensesOf({ license = '' }: LockedPackage) {
  return license.includes(' ') ? [{ expression: license }] : [{ license: { id: license } }];
}

function component(path: string, locked: LockedPackage) {
  const [, digest = ''] = locked.integrity?.split('sha512-') ?? [];
  return {
    'bom-ref': refOf(path),
    type: 'library',
    name: nameOf(path),
    version: locked.version,
    scope: locked.optional ? 'optional' : 'required',
    purl: `pkg:npm/${refOf(path).replace(/^@/, '%40')}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: licensesOf(locked),
  };
}

/** What a package uses, each from the nearest folder that has it, as Node looks it up. */
function dependsOn(path: string, { dependencies, optionalDependencies }: LockedPackage): readonly string[] {
  const nearest = (name: string, from: string): string | null => {
    const found = posix.join(from, 'node_modules', name);
    if (found in packages) return found;
    return from === '' ? null : nearest(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))));
  };
  const found = Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => nearest(name, path));
  return found.filter((at) => at !== null).map(refOf);
}

const ref = `memberdoor@${application?.version}`;
const bill = {
  $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: `urn:uuid:${randomUUID()}`,
  version: 1,
  metadata: {
    timestamp: new Date().toISOString(),
    lifecycles: [{ phase: 'pre-build' }],
    component: {
      'bom-ref': ref,
      type: 'application',
      name: 'memberdoor',
      version: application?.version,
      purl: `pkg:npm/${ref}`,
      licenses: application === undefined ? [] : licensesOf(application),
    },
  },
  components: run.map(([path, locked]) => component(path, locked)),
  dependencies: [
    { ref, dependsOn: application === undefined ? [] : dependsOn('', application) },
    ...run.map(([path, locked]) => ({ ref: refOf(path), dependsOn: dependsOn(path, locked) })),
  ],
};
console.log(JSON.stringify(bill, null, 2));
