/** Our own lines: JSON with the names that the admin API has, and tables whose columns are called like them. */
import type { CustomPropertyValues } from '../../access/custom-property.ts';
import { type BesideHash, readForeignHash } from '../../hashes/foreign-hash.ts';
import { noAddress } from '../../members/member.ts';
import { type Path, problem } from '../../problem.ts';
import type {
  FileRecord,
  ImportedAccount,
  ImportedConsent,
  ImportedMember,
  ImportedSubscription,
  ReadEntry,
} from '../entry.ts';
import { besidesMost } from '../limits.ts';
import { nameOf, partOf, type ValueReader, valueReader } from '../values.ts';

/** Reads a line whose fields have our own names. */
export function readOwn(record: FileRecord): ReadEntry {
  const read = valueReader();
  const text = (name: string) => read.text(record[name], [name]);
  const flag = (name: string) => read.flag(record[name], [name]);
  const email = text('email');
  if (email === undefined) read.tell(problem('email', 'missing'));
  const status = text('status');
  const userType = text('userType');
  // Who administers is decided here, and not by a file.
  if (userType !== undefined && userType !== 'member') read.tell(problem('userType', 'import_of_admin'));
  const member: ImportedMember = {
    email: email ?? '',
    fullName: text('fullName') ?? nameOf(text('firstName'), text('lastName')),
    nickName: text('nickName'),
    phone: text('phone'),
    language: text('language'),
    avatar: text('avatar'),
    address: addressOf(record.address, read),
    externalId: text('externalId'),
    memberNumber: read.number(record.memberNumber, ['memberNumber']),
    emailVerified: flag('emailVerified'),
    phoneVerified: flag('phoneVerified'),
    isDisabled: flag('disabled') ?? (status === undefined ? undefined : status === 'disabled'),
    createdAt: read.time(record.createdAt, ['createdAt']),
    password: passwordOf(record, read),
    subscriptions: read
      .list(bounded(record.subscriptions, ['subscriptions'], read), ['subscriptions'])
      .map((one, index) => subscriptionOf(one, ['subscriptions', index], read)),
    consents: read
      .list(bounded(record.consents, ['consents'], read), ['consents'])
      .map((one, index) => consentOf(one, ['consents', index], read)),
    accounts: read
      .list(bounded(record.accounts, ['accounts'], read), ['accounts'])
      .map((one, index) => accountIn(one, ['accounts', index], read)),
  };
  return read.done(() => member);
}

function bounded(value: unknown, path: Path, read: ValueReader): unknown {
  if (!Array.isArray(value) || value.length <= besidesMost) return value;
  read.tell(problem(path, 'too_many', { most: besidesMost }));
  return [];
}

function addressOf(value: unknown, read: ValueReader): ImportedMember['address'] {
  if (value === undefined || value === null) return undefined;
  const names = Object.keys(noAddress) as (keyof typeof noAddress)[];
  const lines = names.map((name) => [name, read.text(partOf(value, name), ['address', name])] as const);
  const said = lines.filter(([, line]) => line !== undefined);
  return said.length === 0 ? undefined : Object.fromEntries(said);
}

/** A hash with its salt beside it, where it does not have that in itself. */
function passwordOf(record: FileRecord, read: ValueReader): ImportedMember['password'] {
  const hash = read.text(record.passwordHash, ['passwordHash']);
  if (hash === undefined) return null;
  const salt = read.text(record.passwordSalt, ['passwordSalt']);
  const place = read.text(record.passwordSaltPlace, ['passwordSaltPlace']);
  if (place !== undefined && place !== 'first' && place !== 'last') {
    read.tell(problem('passwordSaltPlace', 'not_one_of', { allowed: ['first', 'last'] }));
  }
  const order: BesideHash['order'] = place === 'last' ? 'salt-last' : 'salt-first';
  const password = readForeignHash(hash, { salt, order });
  if (password === null) read.tell(problem('passwordHash', 'hash_unknown'));
  return password;
}

function subscriptionOf(value: unknown, path: Path, read: ValueReader): ImportedSubscription {
  const name = read.text(partOf(value, 'package'), [...path, 'package']);
  if (name === undefined) read.tell(problem([...path, 'package'], 'missing'));
  const time = (field: string) => read.time(partOf(value, field), [...path, field]);
  return {
    package: name ?? '',
    createdAt: time('createdAt'),
    activatedAt: time('activatedAt'),
    expiresAt: time('expiresAt'),
    cancelledAt: time('cancelledAt'),
    endedAt: time('endedAt'),
    properties: propertiesOf(partOf(value, 'properties'), [...path, 'properties'], read),
  };
}

function propertiesOf(value: unknown, path: Path, read: ValueReader): CustomPropertyValues {
  if (value === undefined || value === null) return {};
  const entries = typeof value === 'object' ? Object.entries(value) : [];
  const isFit = (one: unknown) => typeof one === 'string' || typeof one === 'number';
  if (Array.isArray(value) || typeof value !== 'object' || !entries.every(([, one]) => isFit(one))) {
    read.tell(problem(path, 'wrong_type', { types: 'object' }));
    return {};
  }
  return Object.fromEntries(entries);
}

function accountIn(value: unknown, path: Path, read: ValueReader): ImportedAccount {
  const text = (name: string, isNeeded: boolean) => {
    const found = read.text(partOf(value, name), [...path, name]);
    if (found === undefined && isNeeded) read.tell(problem([...path, name], 'missing'));
    return found;
  };
  const [provider = '', subject = ''] = [text('provider', true), text('subject', true)];
  return { provider, issuer: text('issuer', false), subject };
}

const statuses = ['accepted', 'withdrawn'] as const;

function consentOf(value: unknown, path: Path, read: ValueReader): ImportedConsent {
  const id = read.text(partOf(value, 'id'), [...path, 'id']);
  if (id === undefined) read.tell(problem([...path, 'id'], 'missing'));
  const said = read.text(partOf(value, 'status'), [...path, 'status']);
  const status = statuses.find((one) => one === said);
  if (status === undefined) read.tell(problem([...path, 'status'], 'not_one_of', { allowed: statuses }));
  const changedAt = read.time(partOf(value, 'changedAt'), [...path, 'changedAt']);
  return { id: id ?? '', status: status ?? 'withdrawn', changedAt };
}
