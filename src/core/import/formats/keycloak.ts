/** Users in the JSON of a realm that Keycloak exported. */

import { type ForeignPassword, fromBase64, isPbkdf2Digest, kept } from '../../hashes/foreign-hash.ts';
import { parseJson } from '../../json.ts';
import { problem } from '../../problem.ts';
import { accountsIn } from '../accounts.ts';
import type { EntryReader, FieldNames } from '../entry.ts';
import { nameOf, partOf, valueReader, withoutBesides } from '../values.ts';

export const namesOfKeycloak: FieldNames = {
  email: ['email', 'username'],
  fullName: ['firstName', 'lastName'],
  phone: ['attributes.phoneNumber'],
  language: ['attributes.locale'],
  externalId: ['id'],
  emailVerified: ['emailVerified'],
  disabled: ['enabled'],
  createdAt: ['createdTimestamp'],
  passwordHash: ['credentials'],
  accounts: ['federatedIdentities'],
};

export const readKeycloak: EntryReader = (record) => {
  const read = valueReader();
  const text = (name: string) => read.text(record[name], [name]);
  const email = text('email') ?? addressIn(text('username'));
  if (email === undefined) read.tell(problem('email', 'missing'));
  const passwords = read
    .list(record.credentials, ['credentials'])
    .filter((one) => partOf(one, 'type') === 'password');
  const password = passwords.length === 0 ? null : credentialOf(passwords[0]);
  if (passwords.length > 0 && password === null) read.tell(problem('credentials', 'hash_unknown'));
  /** An attribute is a list, of which the first holds. */
  const attribute = (name: string) => {
    const found = partOf(record.attributes, name);
    return read.text(Array.isArray(found) ? found[0] : found, ['attributes', name]);
  };
  const member = {
    email: email ?? '',
    fullName: nameOf(text('firstName'), text('lastName')),
    phone: attribute('phoneNumber'),
    language: attribute('locale'),
    externalId: text('id'),
    emailVerified: read.flag(record.emailVerified, ['emailVerified']),
    isDisabled: read.flag(record.enabled, ['enabled']) === false,
    createdAt: read.time(record.createdTimestamp, ['createdTimestamp']),
    password,
    ...withoutBesides,
    accounts: accountsIn(record.federatedIdentities, { provider: 'identityProvider', subject: 'userId' }),
  };
  return read.done(() => member);
};

const addressIn = (username: string | undefined) => (username?.includes('@') ? username : undefined);

/** A credential has its two parts as texts of JSON. */
function credentialOf(credential: unknown): ForeignPassword | null {
  const part = (name: string) => {
    const text = partOf(credential, name);
    return typeof text === 'string' ? parseJson(Buffer.from(text)) : undefined;
  };
  const [secret, how] = [part('secretData'), part('credentialData')];
  const [value, saltText, algorithm] = [
    partOf(secret, 'value'),
    partOf(secret, 'salt'),
    partOf(how, 'algorithm'),
  ];
  if (typeof value !== 'string' || typeof saltText !== 'string' || typeof algorithm !== 'string') return null;
  const [key, salt, iterations] = [fromBase64(value), fromBase64(saltText), partOf(how, 'hashIterations')];
  const more = (name: string, usual: string) => {
    const found = partOf(how, 'additionalParameters', name);
    return String((Array.isArray(found) ? found[0] : found) ?? usual);
  };
  if (algorithm === 'argon2') {
    const [memory, passes, lanes] = [more('memory', '7168'), iterations, more('parallelism', '1')].map(
      Number,
    );
    const variant = `argon2${more('type', 'id')}`;
    if (more('version', '1.3') !== '1.3' || !isArgon2(variant)) return null;
    const costs = { memory: memory ?? 0, passes: passes ?? 0, parallelism: lanes ?? 0 };
    return kept({ kind: 'argon2', variant, ...costs, salt, tag: key, inner: null });
  }
  const digest = algorithm === 'pbkdf2' ? 'sha1' : algorithm.replace(/^pbkdf2-/, '');
  if (!isPbkdf2Digest(digest)) return null;
  return kept({ kind: 'pbkdf2', digest, iterations: Number(iterations), salt, key });
}

const isArgon2 = (variant: string): variant is 'argon2d' | 'argon2i' | 'argon2id' =>
  ['argon2d', 'argon2i', 'argon2id'].includes(variant);
