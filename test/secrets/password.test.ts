import { describe, expect, it } from 'vitest';
import { createPasswords, isHashable, PasswordsBusy } from '../../src/secrets/password.ts';
import { countingWork } from '../support/members/work.ts';

const passwords = createPasswords();

const statusesOf = async (work: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map(({ status }) => status);

describe('password hash', () => {
  it('is a PHC string of argon2id, with 19,456 KiB, two passes, one lane, 16 bytes of salt and 32 of tag', async () => {
    const phc = await passwords.hash('a password');
    expect(phc).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  });

  it('knows its password, and no other', async () => {
    const phc = await passwords.hash('a password');
    expect(await passwords.verify('a password', phc)).toBe(true);
    for (const wrong of ['A password', 'a password ', 'a passwor', '']) {
      expect(await passwords.verify(wrong, phc)).toBe(false);
    }
  });

  it('is another each time, since each has a salt of its own', async () => {
    expect(await passwords.hash('a password')).not.toBe(await passwords.hash('a password'));
  });

  it('takes two ways to write one letter for the same', async () => {
    const phc = await passwords.hash('bj\u00f6rn');
    expect(await passwords.verify('bjo\u0308rn', phc)).toBe(true);
  });

  it('A3: takes a long password whole: its last letter counts', async () => {
    const long = 'p'.repeat(1_024);
    const phc = await passwords.hash(long);
    expect(await passwords.verify(long, phc)).toBe(true);
    expect(await passwords.verify(`${long.slice(0, -1)}q`, phc)).toBe(false);
  });

  it('A1: of no member never matches', async () => {
    expect(await passwords.verify('a password', null)).toBe(false);
  });

  it('made with other parameters is verified by those, so that they can be raised', async () => {
    // The test vector of the reference implementation: password "password", salt "somesalt".
    const phc = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
    expect(await passwords.verify('password', phc)).toBe(true);
    expect(await passwords.verify('Password', phc)).toBe(false);
  });

  it('A1: a check takes the work that is asked for, whatever the hash itself takes, and so it does without a member', async () => {
    const spent = countingWork();
    const quick = { memory: 256, passes: 2, parallelism: 1 };
    const own = createPasswords(undefined, undefined, quick, spent.hashing);
    const made = (m: number, t: number) =>
      `$argon2id$v=19$m=${m},t=${t},p=1$c29tZXNhbHQ$c29tZXNhbHRzb21lc2FsdA`;
    const work = 1_024 * 3;
    for (const phc of [null, made(8, 1), made(64, 3), made(256, 2), made(1_024, 2), made(1_024, 3)]) {
      await own.verify('a password', phc, undefined, { work: { argon2id: work } });
      expect(Math.abs(spent.work() / work - 1), String(phc)).toBeLessThan(0.01);
    }
    // Never in a block that is larger than it must be.
    await own.verify('a password', null, undefined, { work: { argon2id: work } });
    expect(spent.largest()).toBe(256);
    // Less than a hash takes is not asked for: it takes what it takes.
    await own.verify('a password', made(256, 2), undefined, { work: { argon2id: 1 } });
    expect(spent.work()).toBe(own.work);
  });

  it.each(['', 'a password', '$2b$12$abcdefghijklmnopqrstuv', '$argon2x$v=19$m=1,t=1,p=1$YWJj$YWJj'])(
    'that reads "%s" is a bug, and throws',
    async (phc) => {
      await expect(passwords.verify('a password', phc)).rejects.toThrow('of no kind that is known');
    },
  );

  it('is weak if it took less memory or fewer passes than today’s', () => {
    const made = (m: number, t: number) => `$argon2id$v=19$m=${m},t=${t},p=1$c29tZXNhbHQ$c29tZXNhbHQ`;
    expect(
      [made(19_455, 2), made(19_456, 1), made(19_456, 2), made(65_536, 3)].map(passwords.isWeak),
    ).toEqual([true, true, false, false]);
  });
});

describe('what can be a password at all (A3)', () => {
  it.each([
    ['nothing', '', false],
    ['one letter', 'x', true],
    ['1,024 bytes', 'x'.repeat(1_024), true],
    ['1,025 bytes', 'x'.repeat(1_025), false],
    ['1,024 bytes of 512 letters', 'é'.repeat(512), true],
    ['1,026 bytes of 513 letters', 'é'.repeat(513), false],
  ])('%s: %s', (_what, password, hashable) => {
    expect(isHashable(password)).toBe(hashable);
  });
});

describe('the queue of passwords (A12)', () => {
  it('has one at work and two waiting, where it may; the fourth is refused', async () => {
    const few = createPasswords(1, 2);
    const work = [1, 2, 3, 4].map((number) => few.hash(`password ${number}`));
    expect(await statusesOf(work)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected']);
    await expect(work[3]).rejects.toThrow(PasswordsBusy);
  });

  it('counts hashing and checking together', async () => {
    const few = createPasswords(1, 1);
    const work = [few.hash('a password'), few.verify('a password', null), few.verify('a password', null)];
    expect(await statusesOf(work)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  });

  it('has room again once it was empty, also after a refusal', async () => {
    const few = createPasswords(1, 0);
    expect(await statusesOf([few.hash('a'), few.hash('b')])).toEqual(['fulfilled', 'rejected']);
    expect(await statusesOf([few.hash('c'), few.hash('d')])).toEqual(['fulfilled', 'rejected']);
  });

  it('gives the place of one that fails to the next', async () => {
    const few = createPasswords(1, 1);
    const tooFewBytes = '$argon2id$v=19$m=8,t=1,p=1$YQ$YWFhYWFhYWE';
    const work = [few.verify('a password', tooFewBytes), few.verify('a password', null)];
    expect(await statusesOf(work)).toEqual(['rejected', 'fulfilled']);
    expect(await few.verify('a password', null)).toBe(false);
  });
});
