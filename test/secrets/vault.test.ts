import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { developmentMasterKey, openVault, parseMasterKey } from '../../src/secrets/vault.ts';
import { StartupError } from '../../src/system/startup-error.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';

const masterKey = randomBytes(32);
const vault = openVault(masterKey);
const plain = Buffer.from('a private key');

describe('vault', () => {
  it('gives back what it encrypted, also under a vault opened anew', () => {
    const sealed = vault.encrypt(plain, 'tenant-a');
    expect(vault.decrypt(sealed, 'tenant-a')).toEqual(plain);
    expect(openVault(masterKey).decrypt(sealed, 'tenant-a')).toEqual(plain);
  });

  it('encrypts nothing, too', () => {
    expect(vault.decrypt(vault.encrypt(Buffer.alloc(0), 'tenant-a'), 'tenant-a')).toHaveLength(0);
  });

  it('hides it, each time in another way', () => {
    const sealed = vault.encrypt(plain, 'tenant-a');
    expect(sealed.includes(plain)).toBe(false);
    expect(vault.encrypt(plain, 'tenant-a').equals(sealed)).toBe(false);
  });

  it('does not open another owner’s', () => {
    const sealed = vault.encrypt(plain, 'tenant-a');
    for (const owner of ['tenant-b', '', 'tenant-a ']) expect(() => vault.decrypt(sealed, owner)).toThrow();
  });

  it('does not open under another master key', () => {
    const sealed = vault.encrypt(plain, 'tenant-a');
    expect(() => openVault(randomBytes(32)).decrypt(sealed, 'tenant-a')).toThrow();
  });

  it('does not open what was changed by a bit, anywhere', () => {
    const sealed = vault.encrypt(plain, 'tenant-a');
    for (const at of sealed.keys()) {
      const changed = Buffer.from(sealed);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      expect(() => vault.decrypt(changed, 'tenant-a')).toThrow();
    }
  });

  it('does not open what was cut short, at any length', () => {
    const sealed = vault.encrypt(plain, 'tenant-a');
    for (const length of sealed.keys()) {
      expect(() => vault.decrypt(sealed.subarray(0, length), 'tenant-a')).toThrow();
    }
  });

  it('is recognised by its key check, which does not tell the key', () => {
    expect(openVault(masterKey).keyCheck).toBe(vault.keyCheck);
    expect(openVault(randomBytes(32)).keyCheck).not.toBe(vault.keyCheck);
    expect(Buffer.from(vault.keyCheck, 'base64url').equals(masterKey)).toBe(false);
  });
});

describe('master key as given', () => {
  it('is 32 bytes in base64 or base64url, with white space around it or not', () => {
    const written = [masterKey.toString('base64'), masterKey.toString('base64url')];
    for (const text of [...written, ` ${written[0]}\n`]) expect(parseMasterKey(text)).toEqual(masterKey);
  });

  it.each([
    ['nothing', ''],
    ['31 bytes', randomBytes(31).toString('base64')],
    ['33 bytes', randomBytes(33).toString('base64')],
    ['hexadecimal', masterKey.toString('hex')],
    ['something behind it', `${masterKey.toString('base64')}A`],
    ['a space within', masterKey.toString('base64').replace(/^(.{20})./, '$1 ')],
  ])('is not %s', (_what, text) => {
    expect(parseMasterKey(text)).toBeNull();
  });
});

describe('master key of a development start', () => {
  it('is made once, in a file that its owner alone may read', () => {
    const folder = temporaryFolder();
    const key = developmentMasterKey(folder, true);
    expect(key).toHaveLength(32);
    expect(developmentMasterKey(folder, true)).toEqual(key);
    const path = join(folder, 'master.key');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(parseMasterKey(readFileSync(path, 'utf8'))).toEqual(key);
  });

  it('is refused where others may read it, or where the file is damaged', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'master.key');
    developmentMasterKey(folder, true);
    chmodSync(path, 0o644);
    expect(() => developmentMasterKey(folder, true)).toThrow(StartupError);
    expect(() => developmentMasterKey(folder, true)).toThrow('chmod 600');
    chmodSync(path, 0o600);
    writeFileSync(path, 'damaged');
    expect(() => developmentMasterKey(folder, true)).toThrow(StartupError);
  });
});
