import { expect, it } from 'vitest';
import { usesPassword } from '../../../src/core/members/ways-in.ts';

it.each([
  ['off', 'member', true],
  ['beside', 'member', true],
  ['instead', 'member', false],
  ['instead', 'tenant_admin', true],
  ['instead', 'system_admin', true],
] as const)('decision 46: with codes by mail %s a %s has a password: %s', (emailCodes, userType, has) => {
  expect(usesPassword({ emailCodes }, { userType })).toBe(has);
});
