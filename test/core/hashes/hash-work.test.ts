import { describe, expect, it } from 'vitest';
import { costOf, type HashWork, keptWork, takeHash } from '../../../src/core/hashes/hash-work.ts';
import { oldHash } from '../../../src/core/hashes/limits.ts';
import { readStoredHash, type StoredHash } from '../../../src/core/hashes/stored-hash.ts';

const read = (text: string): StoredHash => {
  const hash = readStoredHash(text);
  if (hash === null) throw new Error(`no hash: ${text}`);
  return hash;
};

const bcrypt = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'a'.repeat(53)}`;
const pbkdf2 = (iterations: number) => `$pbkdf2-sha256$i=${iterations}$c2FsdHNhbHQ$${'a'.repeat(43)}`;
const argon2 = (variant: string, m: number, t: number, p = 1) =>
  `$${variant}$v=19$m=${m},t=${t},p=${p}$c29tZXNhbHQ$${'a'.repeat(43)}`;
const scrypt = (ln: number, r: number, p: number) =>
  `$scrypt$ln=${ln},r=${r},p=${p}$c2FsdA$${'a'.repeat(43)}`;
const firebase = (sealed: number) => `$firebase$ln=14,r=8,p=1$c2FsdA$${'a'.repeat(sealed)}$${'a'.repeat(43)}`;
const taken = (text: string, work: HashWork = {}, isSlow = false) => takeHash(work, read(text), isSlow);

describe('MI7: a hash that another system made', () => {
  it.each([
    ['bcrypt as Laravel and PHP make it', bcrypt(12), false],
    ['PBKDF2 as Django makes it', pbkdf2(1_000_000), false],
    ['argon2id as Keycloak makes it', argon2('argon2id', 7_168, 5), false],
    ['scrypt as better-auth makes it', scrypt(14, 16, 1), false],
    ['argon2i as Logto makes it', argon2('argon2i', 4_096, 256), true],
    ['scrypt as Firebase makes it', firebase(86), false],
    ['bcrypt at 13', bcrypt(13), true],
  ])('%s is taken, a slow one only where the operator says so', (_what, text, isSlow) => {
    if (isSlow) expect(taken(text)).toBe('cost');
    expect(taken(text, {}, isSlow)).toEqual(expect.any(Object));
  });

  it.each([
    ['bcrypt that takes hours', bcrypt(31), 'cost'],
    ['PBKDF2 that takes minutes', pbkdf2(999_999_999), 'cost'],
    ['argon2 that takes minutes', argon2('argon2i', 65_536, 999_999), 'cost'],
    ['argon2 that takes a gigabyte', argon2('argon2id', 1_048_576, 1), 'bounds'],
    ['argon2 with many lanes', argon2('argon2id', 65_536, 1, 200), 'bounds'],
    ['argon2 without passes', argon2('argon2id', 64, 0), 'bounds'],
    ['scrypt that takes a gigabyte', scrypt(20, 8, 1), 'bounds'],
    ['scrypt in a thousand lanes', scrypt(14, 8, 1_000), 'bounds'],
    ['scrypt of N = 1', scrypt(0, 8, 1), 'bounds'],
    ['SHA-crypt of too few rounds', `$5$rounds=0999$salt$${'a'.repeat(43)}`, 'bounds'],
    ['SHA-crypt of a wrong length', `$6$salt$${'a'.repeat(43)}`, 'bounds'],
    ['phpass that takes an hour', `$P$S${'a'.repeat(30)}`, 'cost'],
    ['a hash of Firebase of a megabyte', firebase(1_000_000), 'bounds'],
    ['a key that any password may have', '$pbkdf2-sha256$i=1000$c2FsdA$YWFh', 'bounds'],
  ])('%s is refused', (_what, text, why) => {
    expect(taken(text, {}, true)).toBe(why);
  });

  it('is refused where all kinds of a tenant together would cost too much, though it costs little itself', () => {
    const first = taken(bcrypt(12)) as HashWork;
    expect(taken(pbkdf2(600_000), first)).toBe('cost');
    expect(taken(pbkdf2(600_000), first, true)).toEqual({ ...first, 'pbkdf2 sha256': 600_000 });
    // One that costs no more than those that are there changes nothing.
    expect(taken(bcrypt(10), first)).toBe(first);
    const slow = taken(bcrypt(13), {}, true) as HashWork;
    expect(taken(bcrypt(12), slow)).toBe(slow);
    expect(taken(pbkdf2(1_000), slow)).toBe('cost');
  });

  it('is refused where a tenant has too many kinds, since each is computed at each sign-in', () => {
    let work: HashWork = {};
    for (let memory = 8; Object.keys(work).length < oldHash.units; memory += 1) {
      work = taken(argon2('argon2i', memory, 1), work) as HashWork;
    }
    expect(taken(argon2('argon2i', 7, 1), work)).toBe('bounds');
    expect(taken(argon2('argon2i', 999, 1), work)).toBe('kinds');
  });
});

describe('the work of a hash', () => {
  it('is kept in our own unit where it is argon2id, over a fast digest too, and in its own otherwise', () => {
    const none = { oldHashUnit: null, oldHashWork: null };
    expect(keptWork(argon2('argon2id', 64, 3))).toEqual({ passwordWork: 192, ...none });
    expect(keptWork(`$over$md5,salt-first$YWJj${argon2('argon2id', 64, 3)}`).passwordWork).toBe(192);
    expect(keptWork('')).toEqual({ passwordWork: 0, ...none });
    expect(keptWork(bcrypt(10))).toEqual({ passwordWork: 0, oldHashUnit: 'bcrypt', oldHashWork: 1_024 });
    // A key that is longer than a digest takes each block anew.
    expect(keptWork(`$pbkdf2-sha256$i=1000$c2FsdA$${'a'.repeat(86)}`).oldHashWork).toBe(2_000);
  });

  it('of all kinds costs a number of our own', () => {
    expect(costOf({ argon2id: 38_912 })).toBe(1);
    expect(costOf({ argon2id: 38_912, bcrypt: 728, 'scrypt 16384 8': 1 })).toBeCloseTo(4.64, 1);
    expect(() => costOf({ rot13: 1 })).toThrow('unknown unit');
  });
});
