import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { asCalled, namesNotTakenIn, toldTogether, topOf } from '../../../src/core/import/fields.ts';
import {
  type FileHead,
  importFormats,
  namesOf,
  readHead,
  readRecord,
} from '../../../src/core/import/format.ts';
import { namesNotTaken } from '../../../src/core/import/limits.ts';
import { type Path, problem } from '../../../src/core/problem.ts';
import { problemText } from '../../../src/operations/problem-text.ts';

const own = { format: 'own', columns: {} } as const;
const head = (format: FileHead['format']): FileHead => ({
  format,
  layout: 'lines',
  delimiter: '',
  columns: [],
  begins: { offset: 0, line: 1 },
});

describe('what is wrong with a line is told by the names that its file has', () => {
  const called = (record: object, path: Path, more: object = {}) => {
    const [told] = asCalled([problem(path, 'malformed')], { ...own, record: record as never, ...more });
    expect(told?.path).toEqual(path);
    return told === undefined ? '' : problemText(told).replace(' is malformed', '');
  };
  const table = {
    'E-post': 'a@b.cc',
    Navn: '',
    'first name': 'A',
    package: 'Digital',
    subscriptions: '[]',
    'subscription start': 'x',
    'consent:a': '',
    Brev: 'perhaps',
    Rabatt: 'x',
    By: 'Oslo',
  };
  const said = { columns: { Brev: 'consent:news', Rabatt: 'property:discount', By: 'address.city' } };

  it.each<[Path, string]>([
    [['email'], 'E-post'],
    [['fullName'], '"first name"'],
    [['subscriptions', 0, 'activatedAt'], '"subscription start"'],
    [['subscriptions', 0, 'package'], 'package'],
    [['subscriptions', 0, 'properties', 'discount'], 'Rabatt'],
    [['subscriptions', 2, 'expiresAt'], 'expiresAt in entry 2 of subscriptions'],
    [['consents', 0, 'status'], 'Brev'],
    [['address', 'city'], 'By'],
    [['memberNumber'], 'memberNumber'],
    [[], 'the input'],
  ])('a table: %j is %s', (path, name) => {
    expect(called(table, path, said)).toBe(name);
  });

  it.each<[FileHead['format'], object, Path, string]>([
    [
      'own',
      { subscriptions: [{}] },
      ['subscriptions', 0, 'activatedAt'],
      'activatedAt in entry 1 of subscriptions',
    ],
    ['own', { accounts: [{}, {}] }, ['accounts', 1], 'entry 2 of accounts'],
    ['own', { address: { city: 1 } }, ['address', 'city'], 'address.city'],
    ['wordpress', { user_email: 'x', ID: '7' }, ['externalId'], 'ID'],
    ['keycloak', { username: 'x@y', attributes: { phoneNumber: ['1'] } }, ['email'], 'username'],
    ['keycloak', { attributes: { phoneNumber: ['1'] } }, ['phone'], 'attributes.phoneNumber'],
    ['firebase', { localId: 'x' }, ['externalId'], 'localId'],
    ['auth0', { custom_password_hash: {} }, ['passwordHash'], 'custom_password_hash'],
    ['ghost', { tiers: 'Gold' }, ['subscriptions', 0, 'package'], 'tiers'],
  ])('%s: %j', (format, record, path, name) => {
    const columns = format === 'ghost' ? { tiers: 'package' } : {};
    expect(called(record, path, { format, columns })).toBe(name);
  });
});

describe('a name of a file that means nothing here', () => {
  const inTable = (columns: string[], said = {}, format: FileHead['format'] = 'own') =>
    namesNotTakenIn([], { ...head(format), layout: 'records', columns }, said);
  const inLine = (record: object, format: FileHead['format'] = 'own', columns = {}) =>
    namesNotTakenIn([{ record: record as never, format, columns }], head(format), columns);

  it('is told of a table, but where the operator left the column out', () => {
    const columns = ['e-mail', 'salary', '', 'notes', 'consent:news'];
    expect(inTable(columns)).toEqual(['salary', 'column 3', 'notes']);
    expect(inTable(columns, { salary: '', notes: 'externalId' })).toEqual(['column 3']);
    expect(inTable(['user_email', 'user_url'], {}, 'wordpress')).toEqual(['user_url']);
  });

  it('is that of a subscription where no column names its package', () => {
    expect(inTable(['email', 'subscription start', 'property:seats'])).toEqual([
      'subscription start',
      'property:seats',
    ]);
    expect(inTable(['email', 'plan', 'subscription start'], { plan: 'package' })).toEqual([]);
  });

  it('is told of lines of JSON, and of what stands in their values', () => {
    const record = {
      email: 'a@b.cc',
      salary: 7,
      address: { city: 'Oslo', floor: 3 },
      subscriptions: [{ package: 'x' }, { package: 'y', seats: 4 }],
    };
    expect(inLine(record)).toEqual(['salary', 'address.floor', 'subscriptions.seats']);
    expect(inLine({ email: 'a', user_metadata: {} }, 'auth0')).toEqual(['user_metadata']);
    expect(inLine({ email: 'a', tiers: 'x', labels: '' }, 'ghost', { tiers: 'package' })).toEqual(['labels']);
  });

  it.each(['your-own.csv', 'wordpress.csv'])('stands in no table of the guide: %s', (name) => {
    const bytes = readFileSync(new URL(`../../../docs/moving-in/${name}`, import.meta.url));
    const columns = { customer: 'externalId', proven: 'emailVerified' };
    const found = readHead(bytes, null, { columns });
    if (!found.ok) throw new Error(found.problem.code);
    expect(namesNotTakenIn([], found.head, columns)).toEqual([]);
  });

  it('is told once, and no more than fifty are', () => {
    const many = Array.from({ length: 90 }, (_, at) => `${'n'.repeat(200)}${at}`);
    expect(toldTogether(['a', 'b'], ['b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(toldTogether([], many)).toEqual(['n'.repeat(namesNotTaken.length)]);
    expect(
      toldTogether(
        [],
        many.map((_, at) => `c${at}`),
      ),
    ).toHaveLength(namesNotTaken.most);
  });
});

it.each(importFormats.filter((format) => format !== 'own'))(
  'the names of %s are those that its reader looks for',
  (format) => {
    const asked = new Set<string>();
    const record = new Proxy(
      {},
      {
        get: (_, name) => void asked.add(String(name)),
        getOwnPropertyDescriptor: () => undefined,
        has: (_, name) => {
          asked.add(String(name));
          return false;
        },
      },
    );
    readRecord(record, head(format), { columns: {}, firebase: null });
    // What stands beside a hash, or within a value, is asked for where there is one.
    const beside = ['salt', 'accounts'];
    const names = new Set(topOf(namesOf[format]));
    expect([...asked].filter((name) => !names.has(name))).toEqual([]);
    expect([...names].filter((name) => !asked.has(name) && !beside.includes(name))).toEqual([]);
  },
);

it('an address of a line of JSON is taken in, as its own object says it', () => {
  const line = { email: 'a@b.cc', address: { city: 'Oslo', line1: 'Storgata 1' } };
  const read = readRecord(line, head('own'), { columns: {}, firebase: null });
  expect(read).toMatchObject({ ok: true, member: { address: line.address } });
});
