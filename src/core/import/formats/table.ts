/** A line of a table as an object with our names: columns are told by what they are called, or by what the operator says. */
import { isPropertyKey } from '../../access/custom-property.ts';
import { type Problem, problem } from '../../problem.ts';
import type { FileRecord } from '../entry.ts';

/** What a column can be, beside `consent:ID` and `property:KEY`. */
const plain = [
  'email',
  'fullName',
  'firstName',
  'lastName',
  'nickName',
  'phone',
  'language',
  'avatar',
  'externalId',
  'memberNumber',
  'emailVerified',
  'phoneVerified',
  'disabled',
  'status',
  'userType',
  'createdAt',
  'passwordHash',
  'passwordSalt',
  'passwordSaltPlace',
  'package',
  'subscriptionStart',
  'subscriptionEnd',
  'subscriptions',
  'consents',
  'accounts',
] as const;
const ofAddress = ['line1', 'city', 'postCode', 'postOffice', 'country', 'name', 'email'].map(
  (line) => `address.${line}`,
);
const columnNames: readonly string[] = [...plain, ...ofAddress];

/** What columns are called elsewhere, without spaces and signs. */
const otherNames: Readonly<Record<string, string>> = {
  mail: 'email',
  emailaddress: 'email',
  epost: 'email',
  name: 'fullName',
  displayname: 'fullName',
  navn: 'fullName',
  givenname: 'firstName',
  fornavn: 'firstName',
  familyname: 'lastName',
  surname: 'lastName',
  etternavn: 'lastName',
  nickname: 'nickName',
  phonenumber: 'phone',
  mobile: 'phone',
  telefon: 'phone',
  locale: 'language',
  customerid: 'externalId',
  userid: 'externalId',
  password: 'passwordHash',
  passwd: 'passwordHash',
  salt: 'passwordSalt',
  created: 'createdAt',
  registered: 'createdAt',
  street: 'address.line1',
  zip: 'address.postCode',
  postalcode: 'address.postCode',
  country: 'address.country',
  city: 'address.city',
};

const bare = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}.:]/gu, '');
const known = new Map([
  ...Object.entries(otherNames),
  ...columnNames.map((name) => [name.toLowerCase(), name] as const),
]);

/** What a column of this name is here; null for one that means nothing to us. */
export function columnOf(name: string, said: Readonly<Record<string, string>>): string | null {
  if (Object.hasOwn(said, name)) return said[name] || null;
  if (/^(?:consent|property):./.test(name)) return name;
  return known.get(bare(name)) ?? null;
}

/** What a value of this name is here: an address has its lines in it, where it is no text. */
export const ownNameOf = (
  name: string,
  value: unknown,
  said: Readonly<Record<string, string>>,
): string | null =>
  columnOf(name, said) ?? (name === 'address' && isObject(value) && !Object.hasOwn(said, name) ? name : null);

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Such a cell says nothing. */
export const isEmpty = (value: unknown): boolean => value === '' || value === null || value === undefined;

/** What is wrong with what the operator says of columns. */
export function columnProblems(said: Readonly<Record<string, string>>): readonly Problem[] {
  return Object.entries(said).flatMap(([name, column]) => {
    const [kind = '', key = ''] = column.split(/:(.*)/s);
    const isFit =
      column === '' ||
      columnNames.includes(column) ||
      (kind === 'consent' && key !== '') ||
      (kind === 'property' && isPropertyKey(key));
    return isFit ? [] : [problem(['columns', name], 'not_a_column', { known: columnNames })];
  });
}

/**
 * A record with our names. Where two columns are the same, the first that says something holds. What is said of a subscription
 * needs its package, where the record has a place for one.
 *
 * @param record by the names that the file has
 */
export function withOwnNames(record: FileRecord, said: Readonly<Record<string, string>>): FileRecord {
  const own: Record<string, unknown> = Object.create(null);
  const address: Record<string, unknown> = {};
  const consents: object[] = [];
  const properties: Record<string, unknown> = Object.create(null);
  let hasPackage = false;
  for (const [name, value] of Object.entries(record)) {
    const column = ownNameOf(name, value, said);
    hasPackage ||= column === 'package';
    if (column === null || isEmpty(value)) continue;
    const [kind = '', key = ''] = column.split(/[.:](.*)/s);
    if (kind === 'address' && key !== '') address[key] ??= value;
    else if (kind === 'consent') consents.push({ id: key, status: statusOf(value) });
    else if (kind === 'property') properties[key] ??= value;
    else own[column] ??= value;
  }
  const { package: name, subscriptionStart, subscriptionEnd, subscriptions, ...rest } = own;
  const one = { package: name, activatedAt: subscriptionStart, expiresAt: subscriptionEnd, properties };
  const times = [name, subscriptionStart, subscriptionEnd];
  const isOne = hasPackage && (times.some((value) => !isEmpty(value)) || Object.keys(properties).length > 0);
  return {
    ...rest,
    ...(Object.keys(address).length === 0 ? {} : { address: { ...asObject(own.address), ...address } }),
    subscriptions: isOne ? withOthers(one, fromCell(subscriptions)) : fromCell(subscriptions),
    consents: consents.length === 0 ? fromCell(own.consents) : consents,
    accounts: fromCell(own.accounts),
  };
}

/** One of the columns, and those that stand in a cell of their own; what is no list there is told of as that. */
const withOthers = (one: object, others: unknown): unknown =>
  isEmpty(others) ? [one] : Array.isArray(others) ? [one, ...others] : others;

const asObject = (value: unknown) => (typeof value === 'object' && value !== null ? value : {});

/** A list that stands in one cell, as our own tables have it. */
function fromCell(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

/** What a cell says of a consent: a word for yes or no, or the status itself. */
function statusOf(value: unknown): unknown {
  const word = String(value).trim().toLowerCase();
  if (['true', '1', 'yes', 'y', 'ja', 'accepted', 'subscribed'].includes(word)) return 'accepted';
  if (['false', '0', 'no', 'n', 'nei', 'withdrawn', 'unsubscribed'].includes(word)) return 'withdrawn';
  return value;
}
