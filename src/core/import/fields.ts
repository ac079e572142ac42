/** What the values of a line are called in its file, and which names of the file mean nothing here. */
import { noAddress } from '../members/member.ts';
import type { Path, Problem } from '../problem.ts';
import type { FieldNames, FileRecord, ReadingOptions } from './entry.ts';
import { type FileHead, type ImportFormat, namesOf } from './format.ts';
import { columnOf, isEmpty, ownNameOf } from './formats/table.ts';
import { namesNotTaken } from './limits.ts';
import { partOf } from './values.ts';

type Said = ReadingOptions['columns'];

/** A line of a file, and how its names are read. */
export interface NamedRecord {
  readonly record: FileRecord;
  readonly format: ImportFormat;
  readonly columns: Said;
}

/** Problems of a line, told by the names that its file has; their paths stay ours. */
export const asCalled = (problems: readonly Problem[], line: NamedRecord): readonly Problem[] =>
  problems.map((one) => {
    const called = calledIn(line, one.path);
    return called === null ? one : { ...one, called };
  });

/** @returns null where the file has no name for it */
function calledIn({ record, format, columns }: NamedRecord, path: Path): string | null {
  const [first, ...rest] = path;
  if (first === undefined) return null;
  const names = format === 'own' ? undefined : namesOf[format][first];
  if (names !== undefined) return withParts(theirs(record, names), rest);
  if (format !== 'own' && format !== 'ghost') return withParts(theirs(record, [String(first)]), rest);
  return ours(record, columns, path);
}

/** The first of several names that says something, or else that is there. */
function theirs(record: FileRecord, names: readonly string[]): string | null {
  const said = (name: string) => record[name] ?? partOf(record, ...name.split('.'));
  return names.find((name) => !isEmpty(said(name))) ?? names.find((name) => said(name) !== undefined) ?? null;
}

/** What the parts of a subscription are in a table, which has one a line. */
const ofSubscription: Readonly<Record<string, string>> = {
  package: 'package',
  activatedAt: 'subscriptionStart',
  expiresAt: 'subscriptionEnd',
};

function ours(record: FileRecord, said: Said, [first = '', ...rest]: Path): string | null {
  const all = Object.keys(record);
  const named = (column: string): string | null => {
    const alike = all.filter((name) => ownNameOf(name, record[name], said) === column);
    return alike.find((name) => !isEmpty(record[name])) ?? alike[0] ?? null;
  };
  const [second, third, last] = rest;
  const isOfColumns = first === 'subscriptions' && named('package') !== null;
  // Behind the one of the columns stand those of a cell.
  if (isOfColumns && Number(second) > 0)
    return withParts(named(first), [Number(second) - 1, ...rest.slice(1)]);
  if (isOfColumns) {
    const column = third === 'properties' ? `property:${last}` : ofSubscription[third ?? 'package'];
    return withParts(named(column ?? ''), []);
  }
  if (first === 'consents') {
    const answers = all.filter(
      (name) => columnOf(name, said)?.startsWith('consent:') && !isEmpty(record[name]),
    );
    const column = answers[Number(second)];
    if (column !== undefined) return withParts(column, []);
  }
  if (first === 'address') {
    const column = named(`address.${second}`);
    if (column !== null) return withParts(column, []);
  }
  const parts = first === 'fullName' ? ['fullName', 'firstName', 'lastName'] : [String(first)];
  const found = parts.map(named).filter((name) => name !== null);
  return withParts(found.find((name) => !isEmpty(record[name])) ?? found[0] ?? null, rest);
}

/** `activatedAt in entry 1 of subscriptions`: people count from 1. */
function withParts(name: string | null, [at, ...rest]: Path): string | null {
  if (name === null) return null;
  const called = quoted(name);
  if (at === undefined) return called;
  if (typeof at === 'string') return `${called}.${[at, ...rest].join('.')}`;
  const entry = `entry ${at + 1} of ${called}`;
  return rest.length === 0 ? entry : `${rest.join('.')} in ${entry}`;
}

/** A name of several words would not be told from the sentence around it. */
const quoted = (name: string): string => {
  const text = name.slice(0, namesNotTaken.length);
  return /^[\w.:-]+$/.test(text) ? text : `"${text}"`;
};

/** What stands in the values of our own lines, where those are objects or lists of them. */
const within: Readonly<Record<string, readonly string[]>> = {
  address: Object.keys(noAddress),
  subscriptions: ['package', 'createdAt', 'activatedAt', 'expiresAt', 'cancelledAt', 'endedAt', 'properties'],
  consents: ['id', 'status', 'changedAt'],
  accounts: ['provider', 'issuer', 'subject'],
};

/** The columns of a table that mean nothing here, or such names in lines of JSON; none that the operator left out. */
export const namesNotTakenIn = (
  lines: readonly (NamedRecord | undefined)[],
  head: Pick<FileHead, 'layout' | 'columns' | 'format'>,
  said: Said,
): readonly string[] =>
  head.layout === 'records'
    ? columnsNotTaken(head, said)
    : lines.flatMap((line) => (line === undefined ? [] : namesNotTakenOf(line)));

function columnsNotTaken(
  { columns, format }: Pick<FileHead, 'columns' | 'format'>,
  said: Said,
): readonly string[] {
  const unknown = new Set(unknownOf(columns, format, said));
  return columns.flatMap((name, index) =>
    unknown.has(name) ? [name === '' ? `column ${index + 1}` : name] : [],
  );
}

function namesNotTakenOf({ record, format, columns: said }: NamedRecord): readonly string[] {
  const isOwn = format === 'own';
  const known = isOwn
    ? Object.keys(record).filter((name) => name === ownNameOf(name, record[name], said))
    : [];
  const unknown = unknownOf(Object.keys(record), format, said).filter((name) => !known.includes(name));
  return [...unknown, ...known.flatMap((name) => partsNotTaken(name, record[name]))];
}

function partsNotTaken(name: string, value: unknown): readonly string[] {
  const parts = within[name];
  if (parts === undefined) return [];
  const entries = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'object' && one);
  const found = new Set(entries.flatMap((one) => Object.keys(one)));
  return [...found].filter((part) => !parts.includes(part)).map((part) => `${name}.${part}`);
}

function unknownOf(names: readonly string[], format: ImportFormat, said: Said): readonly string[] {
  const theirNames = format === 'own' ? {} : namesOf[format];
  const known = new Set(topOf(theirNames));
  const isByColumns = format === 'own' || format === 'ghost';
  // Without the package there is no subscription that it could be of.
  const isPackage = (name: string) => columnOf(name, said) === 'package';
  const needsPackage = /^(?:subscriptionStart$|subscriptionEnd$|property:)/;
  const hasPackage = names.some(isPackage);
  return names.filter((name) => {
    if (known.has(name) || said[name] === '') return false;
    const column =
      isByColumns && (format === 'own' || Object.hasOwn(said, name)) ? columnOf(name, said) : null;
    return column === null || (!hasPackage && needsPackage.test(column));
  });
}

/** The names that stand in an object of a system itself, of which others have their way. */
export const topOf = (names: FieldNames): readonly string[] =>
  Object.values(names).flatMap((all) => all.map((name) => name.split('.')[0] ?? ''));

/** Names that were told of before, and others: so many of a file are told. */
export const toldTogether = (before: readonly string[], more: readonly string[]): readonly string[] =>
  [...new Set([...before, ...more.map((name) => name.slice(0, namesNotTaken.length))])].slice(
    0,
    namesNotTaken.most,
  );
