import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { passwordProblem } from '../../../src/core/members/password.ts';
import { passwordEstimate } from '../../../src/operations/member/password-strength.ts';

const guessesTo = await passwordEstimate();

const account = { email: 'ada.berg@example.test', names: ['Ada Berg', 'Acme Media'] };

const problemOf = (password: string, { least = 12, ...of }: { least?: number; email?: string } = {}) =>
  passwordProblem(password, { least, ...account, ...of, guessesTo });

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
});

describe('ASVS 6.1.2, 6.2.4, 6.2.11: a password that is guessed soon is refused', () => {
  it.each<[kind: string, ...passwords: string[]]>([
    ['a common one, in whichever case', 'password1234', 'PASSWORD1234', 'letmeinplease', 'trustno1trustno1'],
    ['a common one and digits', 'password12345', 'iloveyou2024', 'superman12345', 'football2024!'],
    ['a common one with signs for letters', 'P@ssw0rd2024', 'p4ssw0rd!!!!', 'passw0rd1234'],
    ['one that is common elsewhere', 'passord12345', 'salasana1234', 'motdepasse123'],
    ['a walk over the keys', 'qwertyuiop12', '1qaz2wsx3edc', 'zaq12wsxcde3', 'qwertyuiop[]', '!@#$%^&*()_+'],
    ['a row', '123456789012', 'abcdefghijkl', 'abcdefg12345', '987654321098', '112233445566'],
    [
      'something repeated',
      'abcabcabcabc',
      'passwordpassword',
      'aaaaaaaaaaaa',
      '            ',
      '🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊🦊',
    ],
    ['one character more than a repeated one', '            x', `${'a'.repeat(1_023)}b`],
    ['the tenant’s name and digits', 'acmemedia2025', 'Acme Media 2025', 'acme20252026', 'AcmeMedia!2026'],
    ['the own name and digits', 'adaberg123456', 'Ada Berg 1984', 'bergada12345', 'adaberg1984!!'],
    ['the own address and digits', 'ada.berg2024', 'ada.berg@example.test1', 'adaberg+12345'],
    ['a season, a month or years', 'Summer2024!!', 'January2026!', 'december2025', '19840312 1984'],
    ['two common ones', 'password password', 'qwerty qwerty', 'iloveyoubaby'],
  ])('%s', (_kind, ...passwords) => {
    expect(passwords.map((password) => [password, problemOf(password)])).toEqual(
      passwords.map((password) => [password, 'common']),
    );
  });

  it.each<[kind: string, ...passwords: string[]]>([
    ['three or four words by chance', 'maple cloud seven', 'maplecloudseven', 'correct horse battery staple'],
    ['four words of a small language', 'hund katt fisk fugl', 'kvist og eld i skogen', 'blåbærsyltetøy'],
    ['what a manager makes', 'x7Kq9mTzPw2v', 'jX9$kLq2!mWz', 'tujvec-kotwux-7Bedfo', '8e1c09bfa7d3425c'],
    ['letters alone, digits alone, spaces', 'onlylowercaseletters', '83625019472850', 'to be or not to be'],
    ['other scripts', 'пароль для чайки', 'مفتاح البيت القديم', '春はあけぼのやうやう白く'],
    ['the name of the tenant among others', 'acme river lantern', 'my media is a lantern'],
    ['names that objects of the language have', '__proto__ and lantern', 'hasOwnProperty is long'],
  ])('and taken is %s', (_kind, ...passwords) => {
    expect(passwords.map((password) => [password, problemOf(password)])).toEqual(
      passwords.map((password) => [password, null]),
    );
  });

  it('eight characters by chance are taken where the tenant takes eight', () => {
    const chance = ['x7Kq9mTz', 'p4Vw!zLd', 'hq8Rt2Yb', 'mzkvqhtw'];
    expect(chance.map((password) => problemOf(password, { least: 8 }))).toEqual(chance.map(() => null));
    expect(problemOf('acme2025', { least: 8 })).toBe('common');
  });

  it.each([
    ['one character', 'a'.repeat(1_024)],
    ['signs that stand for letters', '4@8({[<369!|1$5+70%2'.repeat(51)],
    ['digits that could be dates', '12.03.1984/'.repeat(93)],
    ['common ones in a row', 's3cr3t!p@55w0rd_4dm1n'.repeat(48)],
  ])('A3: of 1,024 bytes, %s are judged in few steps', async (_what, password) => {
    const [ordinary, long] = await stepsOf('maple cloud seven', password);
    expect(ordinary).toBeGreaterThan(1_000);
    // Up to 14 times as many; were the whole of it judged, 25 to 660 times.
    expect(long).toBeLessThan(20 * ordinary);
  });
});

/** In how many steps each is judged. */
async function stepsOf<Passwords extends readonly string[]>(...passwords: Passwords) {
  const thread = new URL('../../support/process/password-thread.ts', import.meta.url);
  const worker = new Worker(thread, { workerData: { passwords, rules: { least: 12, ...account } } });
  const [steps] = await once(worker, 'message');
  await worker.terminate();
  return steps as { readonly [Index in keyof Passwords]: number };
}
