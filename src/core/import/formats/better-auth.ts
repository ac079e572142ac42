/** Users of better-auth: its table `user`, with the password of its table `account` beside it or in it. */
import { readForeignHash } from '../../hashes/foreign-hash.ts';
import { problem } from '../../problem.ts';
import { accountsIn } from '../accounts.ts';
import type { EntryReader, FieldNames } from '../entry.ts';
import { httpsOnly, partOf, valueReader, withoutBesides } from '../values.ts';

export const namesOfBetterAuth: FieldNames = {
  email: ['email'],
  fullName: ['name'],
  phone: ['phoneNumber'],
  avatar: ['image'],
  externalId: ['id'],
  emailVerified: ['emailVerified'],
  phoneVerified: ['phoneNumberVerified'],
  disabled: ['banned'],
  createdAt: ['createdAt'],
  passwordHash: ['password', 'accounts'],
  accounts: ['accounts'],
};

export const readBetterAuth: EntryReader = (record) => {
  const read = valueReader();
  const text = (name: string) => read.text(record[name], [name]);
  const email = text('email');
  if (email === undefined) read.tell(problem('email', 'missing'));
  const accounts = read.list(record.accounts, ['accounts']);
  const own = accounts.find((one) => partOf(one, 'providerId') === 'credential');
  const hash = text('password') ?? read.text(partOf(own, 'password'), ['accounts', 'password']);
  const password = hash === undefined ? null : readForeignHash(hash);
  if (hash !== undefined && password === null) read.tell(problem('password', 'hash_unknown'));
  const member = {
    email: email ?? '',
    fullName: text('name'),
    phone: text('phoneNumber'),
    avatar: httpsOnly(text('image')),
    externalId: text('id'),
    emailVerified: read.flag(record.emailVerified, ['emailVerified']),
    phoneVerified: read.flag(record.phoneNumberVerified, ['phoneNumberVerified']),
    isDisabled: read.flag(record.banned, ['banned']),
    createdAt: read.time(record.createdAt, ['createdAt']),
    password,
    ...withoutBesides,
    accounts: accountsIn(accounts, { provider: 'providerId', subject: 'accountId' }),
  };
  return read.done(() => member);
};
