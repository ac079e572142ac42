import { describe, expect, it } from 'vitest';
import { cellsOf } from '../../../src/core/import/csv.ts';
import { type FileHead, readHead, readPiece } from '../../../src/core/import/format.ts';
import { columnProblems } from '../../../src/core/import/formats/table.ts';
import { entryBytes, headBytes } from '../../../src/core/import/limits.ts';
import { type Layout, type Piece, splitter } from '../../../src/core/import/split.ts';
import { csvLine } from '../../../src/text/csv.ts';
import { loopWorkOf } from '../../support/process/work.ts';

const table: Layout = { kind: 'records', delimiter: ','.charCodeAt(0) };
const start = { offset: 0, line: 1 };

/** A file in pieces, as it comes in so many bytes at a time. */
function cut(layout: Layout, text: string | Buffer, bytes = Number.MAX_SAFE_INTEGER, from = start) {
  const all = Buffer.from(text as string);
  const cutter = splitter(layout, from);
  const found: Piece[] = [];
  for (let at = from.offset; at < all.length; at += bytes) {
    found.push(...cutter.push(all.subarray(at, Math.min(all.length, at + bytes))));
  }
  return [...found, ...cutter.end()];
}

const textsOf = (pieces: readonly Piece[]) =>
  pieces.map(({ line, bytes }) => [line, bytes === null ? null : String(bytes).trim()]);

const files: readonly (readonly [string, Layout, string, readonly (readonly [number, string])[]])[] = [
  [
    'JSON lines, with empty ones, and no end at the last',
    { kind: 'lines' },
    '{"a":1}\r\n\n  \n{"a":"é\\n"}\n{"a":3}',
    [
      [1, '{"a":1}'],
      [4, '{"a":"é\\n"}'],
      [5, '{"a":3}'],
    ],
  ],
  [
    'a table with line ends, commas and quotes in its cells',
    table,
    'a,"b\r\nb","c ""q"", c"\r\nd,e"e,"f"\n\n"g"",\nh",i,j',
    [
      [1, 'a,"b\r\nb","c ""q"", c"'],
      [3, 'd,e"e,"f"'],
      [5, '"g"",\nh",i,j'],
    ],
  ],
  [
    'the entries of a list, with brackets and commas in their texts',
    { kind: 'elements' },
    ' {"a":"],}\\"{"},\n\n  {"b":[1,{"c":2}]}\n ,3],"more":{"d":[4]}}',
    [
      [1, '{"a":"],}\\"{"}'],
      [3, '{"b":[1,{"c":2}]}'],
      [4, '3'],
    ],
  ],
];

describe.each(files)('%s', (_what, layout, text, expected) => {
  it('is cut in the same way, however it arrives', () => {
    for (const bytes of [1, 2, 3, 7, 1_000]) {
      expect(textsOf(cut(layout, text, bytes))).toEqual(expected);
    }
  });

  it('is read on from behind any of its pieces', () => {
    const whole = cut(layout, text);
    for (const [index, { end, nextLine }] of whole.entries()) {
      const rest = cut(layout, text, 5, { offset: end, line: nextLine });
      expect(textsOf(rest)).toEqual(expected.slice(index + 1));
    }
  });
});

describe('MI1: a line that is too long', () => {
  const long = 'x'.repeat(entryBytes);

  it.each<[string, Layout, string, string]>([
    ['of JSON', { kind: 'lines' }, `{"a":"${long}"}\n`, '{"b":2}\n'],
    ['of a table', table, `"${long}",b\n`, 'b,c\n'],
    ['of a table, with a quote that is never closed', table, `"${long}\n`, 'b,c\n'],
    ['of a list', { kind: 'elements' }, `{"a":"${long}"},`, '{"b":2},'],
  ])('%s is let go of, and the rest is read', (_what, layout, first, second) => {
    const found = cut(layout, first + second + second, 10_000);
    expect(found.map(({ bytes }) => bytes === null)).toEqual([true, false, false]);
    expect(String(found[2]?.bytes).trim().replace(/,$/, '')).toBe(second.trim().replace(/,$/, ''));
  });

  it('of a gigabyte takes no memory', () => {
    const chunk = Buffer.alloc(1_024 ** 2, 'x');
    const before = process.memoryUsage().arrayBuffers;
    const cutter = splitter({ kind: 'lines' }, start);
    for (let count = 0; count < 1_024; count += 1) expect(cutter.push(chunk)).toEqual([]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1_024 ** 2);
    const [piece] = cutter.push(Buffer.from('\n'));
    expect(piece).toMatchObject({ line: 1, nextLine: 2, bytes: null, end: 1_024 ** 3 + 1 });
  });
});

it.each<[string, Layout, string, string]>([
  ['of a table', table, '\n\n"', '"\n'],
  ['of a list', { kind: 'elements' }, '\n\n{"a":"', '"},'],
])(
  'MI19: a member %s with a million line ends in a cell takes no more memory than its bytes',
  (_what, layout, begins, ends) => {
    const cutter = splitter(layout, start);
    const rest = Buffer.alloc(entryBytes - 100, '\n');
    const before = process.memoryUsage().heapUsed;
    expect(cutter.push(Buffer.from(begins))).toEqual([]);
    expect(cutter.push(rest)).toEqual([]);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(16 * 1_024 ** 2);
    const [piece] = cutter.push(Buffer.from(ends));
    expect(piece).toMatchObject({ line: 3, bytes: expect.any(Buffer) });
    expect(piece?.bytes?.length).toBeGreaterThan(rest.length);
    expect(piece?.nextLine).toBe(3 + rest.length + Number(ends.endsWith('\n')));
  },
);

describe('the cells of a table', () => {
  it.each<[string, readonly string[]]>([
    ['a,,b', ['a', '', 'b']],
    ['', ['']],
    ['a,', ['a', '']],
    ['"a ""b""",c\r\n', ['a "b"', 'c']],
    ['"a', ['a']],
    ['"a"b,c', ['ab', 'c']],
  ])('%j', (record, cells) => {
    expect(cellsOf(record, ',')).toEqual(cells);
  });

  it('MI3: are what our own tables were made of: what kept a spreadsheet from calculating is taken away again', () => {
    const cells = ['=1+1', '+4791234567', '-1', '@SUM(A1)', "O'Neil", 'a;=b', '\t=1', 'plain', "'"];
    expect(cellsOf(csvLine(cells), ',')).toEqual(cells);
  });
});

const headOf = (text: string | Buffer, said: FileHead['format'] | null = null, columns = {}) =>
  readHead(Buffer.from(text as string), said, { columns });

describe('the beginning of a file', () => {
  it.each([
    ['nothing', ' \n', 'file_empty'],
    ['another text', 'hello\nworld\n', 'format_unknown'],
    ['a list of numbers', '[1,2]', 'format_unknown'],
    ['an object that is something else', '{"groups":[]}', 'format_unknown'],
    ['a table without addresses', 'fullName,phone\n', 'no_email_column'],
    ['a table with one column twice', 'email,name,name\n', 'columns_alike'],
    [
      'a table with very many columns',
      `email,${Array.from({ length: 300 }, (_, at) => `c${at}`)}\n`,
      'too_many_columns',
    ],
    ['a spreadsheet in UTF-16', Buffer.from('\ufeffemail,name\n', 'utf16le'), 'not_utf8'],
    ['letters of Windows', Buffer.from('email,n\xe5me\n', 'latin1'), 'not_utf8'],
    ['MI8: a packed file', Buffer.from('504b0304140000000800', 'hex'), 'format_unknown'],
    ['MI8: a gzipped file', Buffer.from('1f8b0800', 'hex'), 'not_utf8'],
  ])('%s is refused', (_what, text, code) => {
    expect(headOf(text)).toMatchObject({ ok: false, problem: { code } });
  });

  it.each([
    ['a mark before it', '\ufeffemail;name\r\nada@example.com;Ada\r\n', { delimiter: ';', format: 'own' }],
    ['a column of its own name', 'Post,Navn\nada@example.com,Ada\n', { format: 'own' }],
    ['tabs', 'E-mail\tFull name\n', { delimiter: '\t', columns: ['E-mail', 'Full name'] }],
    ['a member named users', '{"email":"ada@example.com","fullName":"users"}\n', { layout: 'lines' }],
    [
      'a list named users in another',
      '{"a":{"users":[]},"users": [{"localId":"x"}]}',
      { format: 'firebase' },
    ],
  ])('with %s is taken', (_what, text, head) => {
    expect(headOf(text, null, { Post: 'email' })).toMatchObject({ ok: true, head });
  });

  it('says where the first member is', () => {
    const text = '\ufeff{"realm":"x","note":"é",\n"users" : [{"email":"ada@example.com"}]}';
    const found = headOf(text);
    if (!found.ok) throw new Error('it is refused');
    const { begins, format } = found.head;
    expect(format).toBe('keycloak');
    expect(textsOf(cut({ kind: 'elements' }, text, 4, begins))).toEqual([[2, '{"email":"ada@example.com"}']]);
  });

  it('MI18: a beginning of quotes in a text without an end is read as fast as any', async () => {
    const beginning = (rest: string) => `{"note":"${rest.repeat(headBytes)}`.slice(0, headBytes);
    const refused = (text: string) => expect(headOf(text)).toMatchObject({ ok: false });
    // Reading that began anew at each quote worked three seconds.
    expect(await loopWorkOf(() => refused(beginning('\\"')))).toBeLessThan(300);
    refused(beginning('\\\n"'));
  });
});

describe('a line that cannot be read is refused with its reason', () => {
  const options = { columns: { salary: 'property:salary' }, firebase: null };
  const own: FileHead = { format: 'own', layout: 'lines', delimiter: '', columns: [], begins: start };
  const problemsOf = (bytes: Buffer | null, head = own) => {
    const entry = readPiece({ bytes }, head, options);
    return entry.ok ? [] : entry.problems.map(({ path, code }) => [path.join('.'), code]);
  };
  const ofJson = (value: unknown, format: FileHead['format'] = 'own') =>
    problemsOf(Buffer.from(JSON.stringify(value)), { ...own, format });

  it.each<[string, Buffer | null, string]>([
    ['MI1: too long', null, 'line_too_long'],
    ['MI2: half written', Buffer.from('{"email":"ada@exam'), 'not_json_object'],
    ['a name twice', Buffer.from('{"email":"a@b.cc","email":"c@d.ee"}'), 'not_json_object'],
    ['nested too deeply', Buffer.from(`${'['.repeat(99)}${']'.repeat(99)}`), 'not_json_object'],
    ['no UTF-8', Buffer.from('7b22653a22c3282227d', 'hex'), 'not_utf8'],
    ['a number', Buffer.from('17'), 'not_json_object'],
  ])('%s', (_what, bytes, code) => {
    expect(problemsOf(bytes)).toEqual([['', code]]);
  });

  it('every value of it that is wrong is told', () => {
    expect(
      ofJson({
        fullName: ['Ada'],
        emailVerified: 'perhaps',
        createdAt: '2026-02-31',
        memberNumber: 'seven',
        userType: 'tenant_admin',
        passwordHash: 'hunter2',
        subscriptions: [{ expiresAt: 'soon' }],
        consents: [{ id: 'news', status: 'maybe' }],
      }),
    ).toEqual([
      ['email', 'missing'],
      ['userType', 'import_of_admin'],
      ['fullName', 'wrong_type'],
      ['memberNumber', 'wrong_type'],
      ['emailVerified', 'not_yes_or_no'],
      ['createdAt', 'not_a_date'],
      ['passwordHash', 'hash_unknown'],
      ['subscriptions.0.package', 'missing'],
      ['subscriptions.0.expiresAt', 'not_a_date'],
      ['consents.0.status', 'not_one_of'],
    ]);
  });

  it.each<[FileHead['format'], object, [string, string][]]>([
    [
      'auth0',
      { email: 'a@b.cc', custom_password_hash: { algorithm: 'md4' } },
      [['custom_password_hash', 'hash_unknown']],
    ],
    ['firebase', { email: 'a@b.cc', passwordHash: 'YQ==' }, [['passwordHash', 'firebase_parameters_needed']]],
    ['keycloak', { username: 'ada' }, [['email', 'missing']]],
    ['wordpress', { user_email: 'a@b.cc', roles: 'editor,administrator' }, [['roles', 'import_of_admin']]],
    ['logto', { primaryEmail: 'a@b.cc', passwordEncrypted: 'x' }, [['passwordEncrypted', 'hash_unknown']]],
    ['better-auth', { email: 'a@b.cc', password: 'x' }, [['password', 'hash_unknown']]],
  ])('of %s', (format, value, problems) => {
    expect(ofJson(value, format)).toEqual(problems);
  });

  it.each<[string, object, readonly string[]]>([
    ['its start', { subscriptionStart: '2026-01-01' }, ['subscriptions.0.package missing']],
    ['its end', { subscriptionEnd: '2026-12-31' }, ['subscriptions.0.package missing']],
    ['a property of it', { 'property:seats': '3' }, ['subscriptions.0.package missing']],
    ['nothing', { subscriptionStart: '', 'property:seats': '' }, []],
    [
      'one, and another one that is none',
      { package: 'Digital', subscriptions: '[{"package":7},{}]' },
      ['subscriptions.2.package missing'],
    ],
    [
      'one, and a cell that is no list',
      { package: 'Digital', subscriptions: 'Gold' },
      ['subscriptions wrong_type'],
    ],
  ])('a subscription is told by its package, and not only by %s', (_what, said, problems) => {
    const record = { email: 'ada@example.com', package: '', ...said };
    const entry = readPiece({ bytes: Buffer.from(JSON.stringify(record)) }, own, options);
    expect(entry.ok ? [] : entry.problems.map(({ path, code }) => `${path.join('.')} ${code}`)).toEqual(
      problems,
    );
  });

  it('a table’s line needs as many cells as its first line has', () => {
    const head: FileHead = { ...own, layout: 'records', delimiter: ',', columns: ['email', 'salary'] };
    expect(problemsOf(Buffer.from('a@b.cc\n'), head)).toEqual([['', 'cells']]);
    expect(problemsOf(Buffer.from('a@b.cc,1,2\n'), head)).toEqual([['', 'cells']]);
    expect(problemsOf(Buffer.from('a@b.cc,1\n'), head)).toEqual([]);
  });

  it('what the operator says of columns must be something here', () => {
    const said = { a: 'email', b: '', c: 'consent:news', d: 'property:seats' };
    expect(columnProblems(said)).toEqual([]);
    const wrong = { a: 'e-mail', b: 'property:__proto__', c: 'consent:' };
    expect(columnProblems(wrong).map(({ path }) => path[1])).toEqual(['a', 'b', 'c']);
  });
});
