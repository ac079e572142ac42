import { describe, expect, it } from 'vitest';
import { readForeignHash } from '../../../src/core/hashes/foreign-hash.ts';
import { workOf } from '../../../src/core/hashes/hash-work.ts';
import { readStoredHash } from '../../../src/core/hashes/stored-hash.ts';
import { phpass } from '../../../src/secrets/hashes/phpass.ts';
import { shaCrypt } from '../../../src/secrets/hashes/sha-crypt.ts';
import { createPasswords } from '../../../src/secrets/password.ts';
import { countingWork } from '../../support/members/work.ts';

const spent = countingWork();
const quick = { memory: 64, passes: 1, parallelism: 1 };
const passwords = createPasswords(undefined, undefined, quick, spent.hashing);

/** What is kept of a hash as another system writes it. */
async function keptOf(text: string, beside: Parameters<typeof readForeignHash>[1] = {}): Promise<string> {
  const foreign = readForeignHash(text, beside);
  if (foreign === null) throw new Error(`this is no hash that is known: ${text}`);
  return passwords.keep(foreign);
}

const own = 'Correct Horse åé';

/** Published vectors, and hashes that other programs made: Python's hashlib, and the crypt of glibc and OpenSSL. */
const hashes: readonly (readonly [what: string, password: string, text: string])[] = [
  ['bcrypt of jBCrypt', 'abc', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  ['bcrypt of crypt_blowfish', 'U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['bcrypt of PHP', 'abc', '$2y$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  ['bcrypt of Spring', 'abc', '{bcrypt}$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
  ['WordPress 6.8', own, '$wp$2y$05$abcdefghijklmnopqrstuuyi6lkelvqblkMA.mhtZAqzeEB9QA/Kq'],
  ['Django, bcrypt', own, 'bcrypt_sha256$$2b$05$abcdefghijklmnopqrstuuDFSz9Apo2p7OwmcoRkJyzb3HE7y1jyG'],
  ['phpass', 'test12345', '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  ['phpass of phpBB', 'test12345', '$H$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0'],
  [
    'argon2i of the reference',
    'password',
    '$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
  ],
  [
    'argon2id of the reference, in Django',
    'password',
    'argon2$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc',
  ],
  // RFC 6070, and RFC 7914 §12.
  ['PBKDF2', 'password', '$pbkdf2-sha1$i=4096$c2FsdA$SwB5AbdlSJq+rUnZJvch0GWkKcE'],
  [
    'scrypt',
    'pleaseletmein',
    '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw',
  ],
  ['PBKDF2 of Django', own, 'pbkdf2_sha256$1000$saltsalt$966IbGqoJJ/QwLTVpEN1YWLNra3MWhRFffPqC2VehHE='],
  [
    'scrypt of Django',
    own,
    'scrypt$1024$saltsalt$8$1$AwWeTXqHEQ1izzL+7Vp9SeJ8AmpDRssQRKI/erCZi+NFLSu1LV0b/KfmtQHgPWscBabgtACe6Kf93USKrQBcjg==',
  ],
  [
    'ASP.NET Core Identity, version 3',
    own,
    'AQAAAAIAAAPoAAAAEAABAgMEBQYHCAkKCwwNDg/FdzYI3KpwB5izncwaGPvKkM6Sa9kSvCjZqxtDg9V3SA==',
  ],
  [
    'ASP.NET Identity, version 2',
    own,
    'AAABAgMEBQYHCAkKCwwNDg/ySGkfP6LdyWz06Qba3CPUajKkqzAoYdZYFi8ktPH5EA==',
  ],
  [
    'PBKDF2 of passlib',
    own,
    '$pbkdf2-sha512$1000$AAECAwQFBgcICQoLDA0ODw$xXc2CNyqcAeYs53MGhj7ypDOkmvZErwo2asbQ4PVd0guBLU2rRnCJfAEo.Q8YTG3Kik0w.YsThFWhfiGh54kDA',
  ],
  [
    'PBKDF2 of Werkzeug',
    own,
    'pbkdf2:sha256:1000$saltsalt$f7ae886c6aa8249fd0c0b4d5a443756162cdadadcc5a14457df3ea0b655e8471',
  ],
  [
    'better-auth',
    own,
    '000102030405060708090a0b0c0d0e0f:4d2ea97af5d89cc1898c25288fb8b4f46b845a4b731595070d5622af3032eb2ea60e357ba7e23d95a2dc0908594677dac642b6c5c6637c3d8db3c9c3a1b2001c',
  ],
  ['SHA-256-crypt', 'Hello world!', '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5'],
  [
    'SHA-512-crypt of LDAP',
    'x',
    '{CRYPT}$6$rounds=1000$abcdefgh$4TrI6cXa4n9N0SC1fS0MHCSOjLGo8LvKKddTcWCgNfCi7WcWMCAoAaYAPNlItHgu68UaJgvsZH7rlRtu1l5rW/',
  ],
  ['salted SHA-1 of LDAP', own, '{SSHA}T6hBgzqz++Z2oqDK2XYWhphhjk4AAQIDBAUGBwgJCgsMDQ4P'],
  ['salted MD5 of Django', own, 'md5$abc$1079f6427a9f59f6c01e53af9176e7fe'],
];

describe('a password whose hash another system made', () => {
  it.each(hashes)('%s: is known, and no other is', async (_what, password, text) => {
    const kept = await keptOf(text);
    expect(await passwords.verify(password, kept)).toBe(true);
    for (const wrong of [`${password}x`, password.slice(1)]) {
      expect(await passwords.verify(wrong, kept)).toBe(false);
    }
    if (/^\$(?:wp|P)/.test(text)) expect(await passwords.verify(`  ${password}\n`, kept)).toBe(true);
    // What is kept is read as it is.
    if (!text.startsWith('argon2$')) expect(passwords.isWeak(kept)).toBe(true);
    expect(readForeignHash(kept)).toEqual({ kind: 'hash', text: kept });
  });

  it('of Firebase is known by its project’s key; only a digest of that is kept', async () => {
    // The sample of github.com/firebase/scrypt.
    const signer = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
    const sealed = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ';
    const { createHash } = await import('node:crypto');
    const digest = createHash('sha256').update(Buffer.from(signer, 'base64')).digest('base64');
    const kept = `$firebase$ln=14,r=8,p=1$42xEC+ixf3L2lwc$${sealed}$${digest.replace('=', '')}`;
    expect(await passwords.verify('user1password', kept)).toBe(true);
    expect(await passwords.verify('user2password', kept)).toBe(false);
    expect(kept).not.toContain(signer.slice(0, 20));
  });

  it('that was a fast digest is kept under argon2id alone, with its salt on the side where it was', async () => {
    const first = await keptOf('1079f6427a9f59f6c01e53af9176e7fe', { salt: 'abc' });
    expect(first).toMatch(/^\$over\$md5,salt-first\$YWJj\$argon2id\$v=19\$m=64,t=1,p=1\$/);
    expect(first).not.toContain('1079f6427a9f59f6');
    expect(await passwords.verify(own, first)).toBe(true);
    const last = await keptOf('1079f6427a9f59f6c01e53af9176e7fe', { salt: 'abc', order: 'salt-last' });
    expect(await passwords.verify(own, last)).toBe(false);
    expect(await passwords.verify('abc', await keptOf('a9993e364706816aba3e25717850c26c9cd0d89d'))).toBe(
      true,
    );
  });

  it.each([
    ['nothing', ''],
    ['a word', 'secret'],
    ['a password in clear', 'correct horse battery staple'],
    ['an unknown kind', '$7$DU..../....'],
    ['bcrypt with a known fault', '$2x$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i'],
    ['bcrypt that was cut', '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0'],
    ['scrypt with an odd N', 'scrypt:1000:8:1$salt$00112233445566778899aabbccddeeff'],
    [
      'argon2 of version 16',
      '$argon2i$v=16$m=64,t=2,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
    ],
  ])('%s is no hash', (_what, text) => {
    expect(readForeignHash(text)).toBeNull();
  });
});

describe('the two functions that are our own', () => {
  // glibc, which OpenSSL agrees with; of 32 and 64 bytes the digest is added whole (steps 10 and 16).
  it.each([
    ['sha256', 'Hello world!', 'saltstringsaltst', 10_000, '3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA'],
    ['sha256', 'x'.repeat(32), 'abcdefgh', 5_000, '8Svw0BF9VcQgVy23EwGqhKG05VJnsT.WBieWTwF5l74'],
    [
      'sha512',
      'x'.repeat(64),
      'abcdefgh',
      5_000,
      'J74PEApZRYnxFxfV7YR9J1SNDZA/y9/0zjoD/.pAGZufEnXskYcAOuzejxsvcHUUKaiVU43hXJUUM0/I8NBis1',
    ],
  ] as const)('SHA-crypt: %s of %s', (digest, password, salt, rounds, hash) => {
    expect(shaCrypt(digest, password, salt, rounds)).toBe(hash);
  });

  it('phpass: the vector of its own test', () => {
    expect(phpass('test12345', 'IQRaTwmf', 2_048)).toBe('eRo7ud9Fh4E2PdI0S3r.L0');
  });

  it('MI7: take no more of a password than 256 bytes, so that a long one costs no more than a short one', async () => {
    const kept = await keptOf('$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0');
    expect(await passwords.verify('t'.repeat(1_000), kept)).toBe(false);
  });
});

describe('A1: the work of a check', () => {
  it('A1: is that of the slowest of each kind, whatever kind a member’s hash is of, and so it is without a member', async () => {
    const texts = [
      '$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i',
      '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW',
      '$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0',
      'pbkdf2_sha256$1000$saltsalt$966IbGqoJJ/QwLTVpEN1YWLNra3MWhRFffPqC2VehHE=',
      'pbkdf2:sha256:1700$saltsalt$f7ae886c6aa8249fd0c0b4d5a443756162cdadadcc5a14457df3ea0b655e8471',
      'scrypt$1024$saltsalt$8$1$AwWeTXqHEQ1izzL+7Vp9SeJ8AmpDRssQRKI/erCZi+NFLSu1LV0b/KfmtQHgPWscBabgtACe6Kf93USKrQBcjg==',
      '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
      '$5$rounds=1300$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
      '$argon2i$v=19$m=64,t=3,p=1$c29tZXNhbHQ$wWKIMhR9lyDFvRz9YTZweHKfbftvj+qf+YFY4NeBbtA',
      'md5$abc$1079f6427a9f59f6c01e53af9176e7fe',
      await passwords.hash(own),
    ];
    const kept = await Promise.all(texts.map((text) => keptOf(text)));
    const work: Record<string, number> = {};
    for (const text of kept) {
      const hash = readStoredHash(text);
      if (hash === null) throw new Error('it is not read back');
      const { unit, amount } = workOf(hash);
      work[unit] = Math.max(work[unit] ?? 0, amount);
    }
    for (const text of [null, ...kept]) {
      spent.units();
      await passwords.verify('a wrong one', text, undefined, { work });
      expect(spent.units(), String(text)).toEqual(work);
    }
    expect(Object.keys(work)).toHaveLength(7);
  });
});
