/** Users of Auth0: its export of users, its file of password hashes, and the lines of its own import. */
import { type ForeignPassword, fast, isPower, kept, readForeignHash } from '../../hashes/foreign-hash.ts';
import { problem } from '../../problem.ts';
import { accountOf, accountsIn } from '../accounts.ts';
import type { EntryReader, FieldNames, FileRecord } from '../entry.ts';
import { httpsOnly, nameOf, partOf, type ValueReader, valueReader, withoutBesides } from '../values.ts';

export const namesOfAuth0: FieldNames = {
  email: ['email', 'Email'],
  fullName: ['given_name', 'family_name', 'name', 'Name'],
  nickName: ['nickname', 'Nickname'],
  phone: ['phone_number'],
  avatar: ['picture'],
  externalId: ['user_id', 'Id', '_id'],
  emailVerified: ['email_verified', 'Email Verified'],
  phoneVerified: ['phone_verified'],
  disabled: ['blocked'],
  createdAt: ['created_at', 'Created At'],
  passwordHash: ['custom_password_hash', 'passwordHash', 'password_hash'],
  accounts: ['identities'],
};

export const readAuth0: EntryReader = (record) => {
  const read = valueReader();
  const text = (...names: readonly string[]) => {
    const found = names.find((name) => read.text(record[name], [name]) !== undefined);
    return found === undefined ? undefined : read.text(record[found], [found]);
  };
  const email = text('email', 'Email');
  if (email === undefined) read.tell(problem('email', 'missing'));
  const id = read.text(partOf(record._id, '$oid') ?? record.user_id ?? record.Id, ['user_id']);
  const member = {
    email: email ?? '',
    // For users without a name Auth0 writes the address as the name.
    fullName: nameOf(text('given_name'), text('family_name')) ?? ownName(text('name', 'Name'), email),
    nickName: text('nickname', 'Nickname'),
    phone: text('phone_number'),
    avatar: httpsOnly(text('picture')),
    externalId: id === undefined || id.includes('|') ? id : `auth0|${id}`,
    emailVerified: read.flag(record.email_verified ?? record['Email Verified'], ['email_verified']),
    phoneVerified: read.flag(record.phone_verified, ['phone_verified']),
    isDisabled: read.flag(record.blocked, ['blocked']),
    createdAt: read.time(record.created_at ?? record['Created At'], ['created_at']),
    password: passwordOf(record, read),
    ...withoutBesides,
    accounts: accountsOf(record),
  };
  return read.done(() => member);
};

/** Those that it lists; a user's own id names the first of them too. */
function accountsOf({ identities, user_id: id }: FileRecord) {
  if (Array.isArray(identities)) return accountsIn(identities, { provider: 'provider', subject: 'user_id' });
  const [provider, subject] = typeof id === 'string' ? id.split(/\|(.*)/s) : [];
  return accountOf(provider, subject);
}

const ownName = (name: string | undefined, email: string | undefined) => (name === email ? undefined : name);

function passwordOf(record: FileRecord, read: ValueReader): ForeignPassword | null {
  const name = ['passwordHash', 'password_hash'].find((one) => record[one] !== undefined);
  const custom = record.custom_password_hash;
  if (custom !== undefined && custom !== null) {
    const password = customHash(custom);
    if (password === null) read.tell(problem('custom_password_hash', 'hash_unknown'));
    return password;
  }
  const hash = name === undefined ? undefined : read.text(record[name], [name]);
  if (name === undefined || hash === undefined) return null;
  const password = readForeignHash(hash);
  if (password === null) read.tell(problem(name, 'hash_unknown'));
  return password;
}

/** `custom_password_hash`, as Auth0's import of users describes it. */
function customHash(custom: unknown): ForeignPassword | null {
  const text = (...names: readonly string[]) => {
    const found = partOf(custom, ...names);
    return typeof found === 'string' ? found : '';
  };
  const [algorithm, value] = [text('algorithm'), text('hash', 'value')];
  const salt = bytesOf(text('salt', 'value'), text('salt', 'encoding') || 'utf8');
  // No password that is typed here matches the hash of another encoding than UTF-8.
  if (salt === null || !['', 'utf8'].includes(text('password', 'encoding'))) return null;
  switch (algorithm) {
    case 'argon2':
    case 'bcrypt':
    case 'ldap':
    case 'pbkdf2':
      return readForeignHash(value);
    case 'md5':
    case 'sha1':
    case 'sha256':
    case 'sha512': {
      const digest = bytesOf(value, text('hash', 'encoding') || 'hex');
      const order = text('salt', 'position') === 'suffix' ? 'salt-last' : 'salt-first';
      return digest === null ? null : fast(algorithm, digest, salt, order);
    }
    case 'scrypt': {
      const key = bytesOf(value, text('hash', 'encoding') || 'hex');
      const [cost, blockSize, parallelization] = ['cost', 'blockSize', 'parallelization'].map((name) =>
        Number(partOf(custom, name) ?? { cost: 16_384, blockSize: 8, parallelization: 1 }[name]),
      ) as [number, number, number];
      if (key === null || !isPower(cost)) return null;
      return kept({ kind: 'scrypt', cost, blockSize, parallelization, salt, key, isFolded: false });
    }
    default:
      return null;
  }
}

/** A text in one of the encodings that Auth0 has; null for another one. */
function bytesOf(text: string, encoding: string): Buffer | null {
  return encoding === 'base64' || encoding === 'hex' || encoding === 'utf8'
    ? Buffer.from(text, encoding)
    : null;
}
