/** Users of WordPress: the columns of `wp_users`, as a table or as JSON. */
import { readForeignHash } from '../../hashes/foreign-hash.ts';
import { problem } from '../../problem.ts';
import type { EntryReader, FieldNames } from '../entry.ts';
import { nameOf, valueReader, withoutBesides } from '../values.ts';

export const namesOfWordPress: FieldNames = {
  email: ['user_email'],
  fullName: ['first_name', 'last_name', 'display_name', 'user_login'],
  nickName: ['nickname'],
  externalId: ['ID', 'id'],
  userType: ['roles'],
  createdAt: ['user_registered'],
  passwordHash: ['user_pass'],
};

export const readWordPress: EntryReader = (record) => {
  const read = valueReader();
  const text = (name: string) => read.text(record[name], [name]);
  const email = text('user_email');
  if (email === undefined) read.tell(problem('user_email', 'missing'));
  const roles = text('roles');
  // Who administers is decided here, and not by a file.
  if (roles?.split(',').includes('administrator')) read.tell(problem('roles', 'import_of_admin'));
  const hash = text('user_pass');
  const password = hash === undefined ? null : readForeignHash(hash);
  if (hash !== undefined && password === null) read.tell(problem('user_pass', 'hash_unknown'));
  const member = {
    email: email ?? '',
    fullName: nameOf(text('first_name'), text('last_name')) ?? text('display_name') ?? text('user_login'),
    nickName: text('nickname'),
    externalId: text('ID') ?? text('id'),
    createdAt: sinceOf(text('user_registered'), read),
    password,
    ...withoutBesides,
  };
  return read.done(() => member);
};

/** WordPress has zeros for a time that it does not know. */
const sinceOf = (registered: string | undefined, { time }: ReturnType<typeof valueReader>) =>
  registered?.startsWith('0000') ? undefined : time(registered, ['user_registered']);
