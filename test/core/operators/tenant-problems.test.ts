import { describe, expect, it } from 'vitest';
import { tenantProblems } from '../../../src/core/operators/tenant-problems.ts';
import type { Tenant } from '../../../src/core/tenant.ts';
import type { TenantLimits } from '../../../src/core/tenant-limits.ts';
import { told } from '../../support/expected/told.ts';
import { tenantRecord } from '../../support/records/records.ts';

const languages = ['en', 'nb'];
const problemsOf = (changes: Partial<Tenant>) => told(tenantProblems(tenantRecord('a', changes), languages));
const limited = (limits: Partial<TenantLimits>): Partial<Tenant> => ({
  limits: { ...tenantRecord('a').limits, ...limits },
});

describe('what a tenant sets for itself', () => {
  it.each<[string, Partial<Tenant>]>([
    ['as it is', {}],
    ['the shortest password', { passwordLength: 8 }],
    ['the longest password', { passwordLength: 64 }],
    ['all languages', { languages: [] }],
    ['no limit', limited({ signUpsPerAddressAndDay: null })],
    ['no time to think a deletion over', limited({ deletionCoolingOff: 0 })],
  ])('%s may stand', (_what, changes) => {
    expect(problemsOf(changes)).toEqual([]);
  });

  it.each<[string, Partial<Tenant>, RegExp]>([
    ['a password of 7 characters', { passwordLength: 7 }, /^passwordLength must/],
    ['a password of 65 characters', { passwordLength: 65 }, /^passwordLength must/],
    ['half a character', { passwordLength: 12.5 }, /^passwordLength must/],
    ['a language that is not ours', { languages: ['en', 'tlh'] }, /^languages\.1 must/],
    ['a name of nothing', { name: '' }, /name/],
    ['a return origin with a path', { returnOrigins: ['https://x.test/'] }, /https:\/\/x\.test\//],
    ['a limit of 0', limited({ signUpsPerAddressAndDay: 0 }), /signUpsPerAddressAndDay/],
    ['no pending code', limited({ pendingDeviceCodes: 0 }), /pendingDeviceCodes/],
    ['more pending codes than may be', limited({ pendingDeviceCodes: 100_001 }), /pendingDeviceCodes/],
    ['a time below 0', limited({ deletionCoolingOff: -1 }), /^deletionCoolingOffSeconds must/],
  ])('%s may not', (_what, changes, problem) => {
    const problems = problemsOf(changes);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });

  it('is told every problem at once', () => {
    expect(
      problemsOf({ name: '', brandColor: 'red', languages: ['x', 'y'], passwordLength: 1 }),
    ).toHaveLength(5);
  });
});
