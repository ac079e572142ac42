// What the matrix of clients tries, and what the manual says of it.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { LockFile } from '../../tools/supply-chain.ts';
import { cases } from '../../trials/clients/cases/index.ts';
import { versions } from '../../trials/clients/library.ts';
import { withTable } from '../../trials/clients/table.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const manual = read('docs/known-clients.md');
const lock: LockFile = JSON.parse(read('trials/clients/package-lock.json'));

describe('the matrix of clients', () => {
  it('has a case for each library of its package.json, and none besides', () => {
    expect(cases.map(({ name }) => name).sort()).toEqual(Object.keys(versions).sort());
  });

  it('installs exactly the versions that it names, each with its hash', () => {
    const { '': _matrix, ...packages } = lock.packages;
    for (const [name, version] of Object.entries(versions)) {
      expect(packages[`node_modules/${name}`]?.version).toBe(version);
    }
    const unhashed = Object.entries(packages).filter(
      ([, { integrity = '' }]) => !integrity.startsWith('sha512-'),
    );
    expect(unhashed).toEqual([]);
  });

  it('is told in the manual, with versions and settings', () => {
    expect(manual).toBe(withTable(manual, cases, versions));
  });

  it.each(['neither mark', '<!-- npm run test:clients writes from here -->'])(
    'is written nowhere else: a document with %s is refused',
    (document) => {
      expect(() => withTable(document, cases, versions)).toThrow('lacks its marks');
    },
  );
});
