/** Users of Logto, as its management API lists them, with the hash of the password from its database. */
import { type ForeignPassword, fast, readForeignHash } from '../../hashes/foreign-hash.ts';
import { problem } from '../../problem.ts';
import type { EntryReader, FieldNames, FileRecord } from '../entry.ts';
import { httpsOnly, nameOf, partOf, type ValueReader, valueReader, withoutBesides } from '../values.ts';

export const namesOfLogto: FieldNames = {
  email: ['primaryEmail', 'primary_email'],
  fullName: ['name', 'profile.givenName', 'profile.familyName', 'username'],
  nickName: ['profile.nickname'],
  phone: ['primaryPhone', 'primary_phone'],
  language: ['profile.locale'],
  avatar: ['avatar'],
  externalId: ['id'],
  disabled: ['isSuspended', 'is_suspended'],
  createdAt: ['createdAt', 'created_at'],
  passwordHash: ['passwordEncrypted', 'password_encrypted'],
  passwordKind: ['passwordEncryptionMethod', 'password_encryption_method'],
};

export const readLogto: EntryReader = (record) => {
  const read = valueReader();
  /** The API's name, or the column's. */
  const value = (name: string) => record[name] ?? record[snake(name)];
  const text = (name: string) => read.text(value(name), [name]);
  const email = text('primaryEmail');
  if (email === undefined) read.tell(problem('primaryEmail', 'missing'));
  const profile = (name: string) => read.text(partOf(record.profile, name), ['profile', name]);
  const phone = text('primaryPhone');
  const member = {
    email: email ?? '',
    fullName: text('name') ?? nameOf(profile('givenName'), profile('familyName')) ?? text('username'),
    nickName: profile('nickname'),
    // Logto has numbers without their sign.
    phone: phone === undefined || phone.startsWith('+') ? phone : `+${phone}`,
    language: profile('locale'),
    avatar: httpsOnly(text('avatar')),
    externalId: text('id'),
    // What is primary there was proven by a code.
    emailVerified: true,
    phoneVerified: phone === undefined ? undefined : true,
    isDisabled: read.flag(value('isSuspended'), ['isSuspended']),
    createdAt: read.time(value('createdAt'), ['createdAt']),
    password: passwordOf(text('passwordEncrypted'), text('passwordEncryptionMethod'), read),
    ...withoutBesides,
  };
  return read.done(() => member);
};

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function passwordOf(
  hash: string | undefined,
  method: string | undefined,
  read: ValueReader,
): ForeignPassword | null {
  if (hash === undefined) return null;
  const digest = method?.toLowerCase() ?? '';
  const isFast = ['md5', 'sha1', 'sha256'].includes(digest);
  const password = isFast
    ? fast(digest, Buffer.from(hash, 'hex'), Buffer.alloc(0), 'salt-first')
    : readForeignHash(hash);
  if (password === null) read.tell(problem('passwordEncrypted', 'hash_unknown'));
  return password;
}

/** What tells a line of Logto from others. */
export const isLogto = (record: FileRecord) => 'primaryEmail' in record || 'primary_email' in record;
