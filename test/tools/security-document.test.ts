import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { tenantLimits } from '../../src/core/tenant-limits.ts';
import { securityCaseIds } from '../../tools/security-cases.ts';

const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
const named = new Set([...text.matchAll(/`(\w+)`/g)].map(([, name]) => name));

describe('docs/security.md', () => {
  it('names each limit that a tenant sets', () => {
    // How long a deleted account can be kept is no limit, and is set in seconds.
    const limits = Object.keys(tenantLimits).map((name) =>
      name === 'deletionCoolingOff' ? 'deletionCoolingOffSeconds' : name,
    );
    expect(limits.filter((name) => !named.has(name))).toEqual([]);
  });

  it('names settings that there are', () => {
    const operators = readFileSync(new URL('../../docs/operators.md', import.meta.url), 'utf8');
    const settings = [...text.matchAll(/`(MEMBERDOOR_\w+)`/g)].map(([, name]) => String(name));
    expect(settings.length).toBeGreaterThan(0);
    expect(settings.filter((name) => !operators.includes(`\`${name}\``))).toEqual([]);
  });

  it('has cases for each promise, and all of them are known', () => {
    const promises = [...text.matchAll(/^\| (?:<a id="promise-\d"><\/a>)?\d \| .* \| ([^|]+) \|$/gm)].map(
      ([, cases]) => String(cases).split(', '),
    );
    expect(promises).toHaveLength(7);
    const known = new Set(securityCaseIds);
    expect(promises.flat().filter((id) => !known.has(id))).toEqual([]);
  });
});
