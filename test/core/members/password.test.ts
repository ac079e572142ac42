import { describe, expect, it } from 'vitest';
import { passwordProblem } from '../../../src/core/members/password.ts';
import { commonPasswords } from '../../../src/operations/member/member.ts';
import { workOf } from '../../support/process/work.ts';

const isCommon = await commonPasswords();

const problemOf = (password: string, { least = 12, email = 'ada.berg@example.test' } = {}) =>
  passwordProblem(password, { least, email, isCommon });

describe('new passwords (security, Defaults; NIST SP 800-63B §3.1.1.2)', () => {
  it('twelve code points are enough, and eleven are not', () => {
    expect(problemOf('kvist og eld')).toBeNull();
    expect(problemOf('kvist og el')).toBe('short');
  });

  it('the tenant sets the least, but never under eight', () => {
    expect(problemOf('kvist og eld', { least: 13 })).toBe('short');
    expect(problemOf('kvistogg', { least: 1 })).toBeNull();
    expect(problemOf('kvistog', { least: 1 })).toBe('short');
  });

  it('an emoji counts as one', () => {
    const eleven = '🦊🐺🐻🐼🐨🐯🦁🐮🐷🐸🐵';
    expect(problemOf(eleven)).toBe('short');
    expect(problemOf(`${eleven}🐔`)).toBeNull();
  });

  it('it is counted in NFC, the form that is hashed: an accent beside its letter is no character more', () => {
    expect(problemOf('e\u0301'.repeat(6))).toBe('short');
    expect(problemOf('blåbær i skog'.normalize('NFD'))).toBeNull();
    expect(problemOf('blåbæriskog'.normalize('NFD'))).toBe('short');
  });

  it('1,024 bytes are taken, and not one more', () => {
    const long = 'kvist og eld '.repeat(79).slice(0, 1_022);
    expect(problemOf(`${long}xy`)).toBeNull();
    expect(problemOf(`${long}xyz`)).toBe('long');
    expect(problemOf(`${long}ø`)).toBeNull();
    expect(problemOf(`${long}øx`)).toBe('long');
    expect(problemOf('x'.repeat(1_000_000))).toBe('long');
  });

  it('no rule of composition holds: any characters will do, spaces too', () => {
    for (const password of ['onlylowercaseletters', '83625019472850', '            x', 'пароль для чайки']) {
      expect(problemOf(password)).toBeNull();
    }
  });

  it.each(['password1234', 'PASSWORD1234', 'qwertyuiop123', '123456789012'])(
    '%s is on the list of common ones, in whichever case',
    (password) => {
      expect(problemOf(password)).toBe('common');
    },
  );

  it.each(['abcabcabcabc', 'passwordpassword', 'aaaaaaaaaaaa', '🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊', '            '])(
    '%s is something common, repeated',
    (password) => {
      expect(problemOf(password)).toBe('common');
    },
  );

  it.each(['ada.berg@example.test', 'Ada.Berg@Example.Test'])(
    '%s is the address of the account',
    (password) => {
      expect(problemOf(password)).toBe('address');
    },
  );

  it('the part before the @ is the address too, and an address inside a longer text is not', () => {
    expect(problemOf('Ada.Berg.Long', { email: ' ada.berg.long@example.test ' })).toBe('address');
    expect(problemOf('ada.berg@example.test and more')).toBeNull();
  });

  it('nothing at all is missing, not short', () => {
    expect(problemOf('')).toBe('missing');
  });

  it('the longest text of one character is decided at once', async () => {
    const worked = await workOf(() => expect(problemOf(`${'a'.repeat(1_023)}b`)).toBeNull());
    expect(worked).toBeLessThan(100);
  });
});
