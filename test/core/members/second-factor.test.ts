import { expect, it } from 'vitest';
import { recoveryCode } from '../../../src/core/members/limits.ts';
import { readRecoveryCode, recoveryCodeOf } from '../../../src/core/members/second-factor.ts';

const random = Buffer.from('00010203040506070809fafbfcfdfeff', 'hex');

it('SP 800-63B-4 §4.2.1.1: a recovery code has 64 bits or more, in letters that are not taken for each other', () => {
  expect(recoveryCodeOf(random)).toBe('01234-56789-tvwxy');
  // Each letter is one of 32.
  expect(recoveryCode.length * Math.log2(32)).toBeGreaterThanOrEqual(64);
});

it('a recovery code is read as people type it, and one of ten letters too, which earlier versions made', () => {
  for (const typed of ['01234-56789-tvwxy', ' OI234 56789 TVWXY ', 'o l234-56789-tvwxy']) {
    expect(readRecoveryCode(typed)).toBe('01234-56789-tvwxy');
  }
  expect(readRecoveryCode('01234 56789')).toBe('01234-56789');
  for (const typed of ['', '0123456789t', '01234-56789-tvwx', '01234-56789-tvwxu', '01234-56789-tvwxyz']) {
    expect(readRecoveryCode(typed)).toBeNull();
  }
});
