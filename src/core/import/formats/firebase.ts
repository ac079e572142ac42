/** Users in the JSON that `firebase auth:export` writes, and the parameters of their hashes. */
import { sha256OfBytes } from '../../hash.ts';
import { type ForeignPassword, fromBase64, kept } from '../../hashes/foreign-hash.ts';
import { problem } from '../../problem.ts';
import { accountsIn } from '../accounts.ts';
import type { EntryReader, FieldNames, FileRecord, FirebaseParameters } from '../entry.ts';
import { httpsOnly, type ValueReader, valueReader, withoutBesides } from '../values.ts';

export const namesOfFirebase: FieldNames = {
  email: ['email'],
  fullName: ['displayName'],
  phone: ['phoneNumber'],
  avatar: ['photoUrl'],
  externalId: ['localId'],
  emailVerified: ['emailVerified'],
  disabled: ['disabled'],
  createdAt: ['createdAt'],
  passwordHash: ['passwordHash'],
  passwordSalt: ['salt'],
  accounts: ['providerUserInfo'],
};

export const readFirebase: EntryReader = (record, { firebase }) => {
  const read = valueReader();
  const text = (name: string) => read.text(record[name], [name]);
  const email = text('email');
  if (email === undefined) read.tell(problem('email', 'missing'));
  const phone = text('phoneNumber');
  const member = {
    email: email ?? '',
    fullName: text('displayName'),
    phone,
    avatar: httpsOnly(text('photoUrl')),
    externalId: text('localId'),
    emailVerified: read.flag(record.emailVerified, ['emailVerified']),
    // Firebase keeps a number only after a code that was sent there was typed in, so it is verified.
    phoneVerified: phone === undefined ? undefined : true,
    isDisabled: read.flag(record.disabled, ['disabled']),
    createdAt: read.time(record.createdAt, ['createdAt']),
    password: passwordOf(record, firebase, read),
    ...withoutBesides,
    accounts: accountsIn(record.providerUserInfo, { provider: 'providerId', subject: 'rawId' }),
  };
  return read.done(() => member);
};

function passwordOf(
  record: FileRecord,
  firebase: FirebaseParameters | null,
  read: ValueReader,
): ForeignPassword | null {
  const hash = read.text(record.passwordHash, ['passwordHash']);
  if (hash === undefined) return null;
  if (firebase === null) {
    read.tell(problem('passwordHash', 'firebase_parameters_needed'));
    return null;
  }
  const salt = fromBase64(urlSafe(read.text(record.salt, ['salt']) ?? ''));
  const { signerHash, saltSeparator, rounds, memoryCost } = firebase;
  return kept({
    kind: 'firebase',
    cost: 2 ** memoryCost,
    blockSize: rounds,
    parallelization: 1,
    salt: Buffer.concat([salt, fromBase64(saltSeparator)]),
    sealed: fromBase64(urlSafe(hash)),
    signer: fromBase64(signerHash),
  });
}

/** The admin API writes `-` and `_`. */
const urlSafe = (text: string) => text.replaceAll('-', '+').replaceAll('_', '/');

/**
 * Reads the parameters as the console of Firebase shows them: `hash_config { … base64_signer_key: …, }`. Of the key no
 * more is kept than its SHA-256.
 *
 * @returns null where they are not all there
 */
export function firebaseParameters(text: string): FirebaseParameters | null {
  const value = (name: string) => new RegExp(`\\b${name}"?\\s*[:=]\\s*"?([\\w+/=-]+)`).exec(text)?.[1];
  const [key, saltSeparator = ''] = [value('base64_signer_key'), value('base64_salt_separator')];
  const [rounds, memoryCost] = [Number(value('rounds')), Number(value('mem_cost'))];
  const isWhole = /^[\w+/]{1,64}=*$/.test(saltSeparator) && isFrom1(rounds, 64) && isFrom1(memoryCost, 20);
  if (key === undefined || !isWhole) return null;
  const signerHash = sha256OfBytes(fromBase64(urlSafe(key)));
  return { signerHash, saltSeparator, rounds, memoryCost };
}

const isFrom1 = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most;
