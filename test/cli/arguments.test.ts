import { describe, expect, it } from 'vitest';
import { type Arguments, readArguments } from '../../src/cli/arguments.ts';
import { operationHelp } from '../../src/cli/help.ts';
import { WrongUsage } from '../../src/cli/terminal.ts';
import { defineOperation } from '../../src/operations/admin/operation.ts';

/** An operation with a field of every kind. */
const operation = defineOperation({
  name: 'things.makeNew',
  summary: 'Make a thing',
  permission: 'tenants:write',
  reach: 'tenant',
  method: 'POST',
  path: '/tenants/{tenant}/things',
  input: {
    type: 'object',
    properties: {
      isOpen: { type: 'boolean', description: 'Whether it is open' },
      logo: { type: ['string', 'null'], description: 'A picture' },
      redirectUris: { type: 'array', items: { type: 'string' }, description: 'Addresses' },
      rows: { type: 'array', items: { type: 'object' }, description: 'Rows' },
      price: { type: 'object', description: 'A price' },
      seats: { type: 'integer', description: 'Seats' },
      kind: { enum: ['big', 'small', null], type: ['string', 'null'], description: 'Its kind' },
      password: { type: 'string', secret: true, description: 'A password' },
      apiKey: { type: 'string', secret: true, description: 'A key' },
      tenant: { type: 'string', description: 'The tenant' },
      fullName: { type: 'string', description: 'Its name' },
    },
    required: ['tenant', 'fullName'],
    additionalProperties: false,
  },
  output: {},
  acts: true,
  run: async () => ({}),
});

const secrets: Readonly<Record<string, string>> = { '-': 'from the input', 'a file': 'from a file' };

const readAll = (...words: string[]): Promise<Arguments> =>
  readArguments(operation, words, async (path) => {
    const secret = secrets[path];
    if (secret === undefined) throw new WrongUsage([`The file ${path} cannot be read.`]);
    return secret;
  });

const inputOf = async (...words: string[]) => (await readAll('--full-name', 'Ada', ...words)).input;

const problemsOf = (...words: string[]): Promise<readonly string[]> =>
  readAll(...words).then(
    () => [],
    (error: unknown) => (error instanceof WrongUsage ? error.problems : Promise.reject(error)),
  );

describe('the options of an operation', () => {
  it('are its fields, with hyphens; numbers stay texts, as in a query', async () => {
    expect(await inputOf('--seats', '5', '--kind=big', '--tenant', 'a.test')).toEqual({
      fullName: 'Ada',
      seats: '5',
      kind: 'big',
      tenant: 'a.test',
    });
  });

  it('say yes and no, and none', async () => {
    expect(await inputOf('--is-open')).toMatchObject({ isOpen: true });
    expect(await inputOf('--no-is-open')).toMatchObject({ isOpen: false });
    expect(await inputOf('--no-logo', '--no-kind')).toMatchObject({ logo: null, kind: null });
    expect(await inputOf('--no-redirect-uris')).toMatchObject({ redirectUris: [] });
  });

  it('are repeated for a list, and JSON for an object', async () => {
    const list = ['--redirect-uris', 'https://a.test', '--redirect-uris=https://b.test'];
    expect(
      await inputOf(...list, '--rows', '{"a":1}', '--rows', '{"a":2}', '--price', '{"amount":5}'),
    ).toEqual({
      fullName: 'Ada',
      redirectUris: ['https://a.test', 'https://b.test'],
      rows: [{ a: 1 }, { a: 2 }],
      price: { amount: 5 },
    });
  });

  it('may begin with hyphens where that is said, and be a negative number', async () => {
    expect(await inputOf('--logo=--x', '--seats', '-5')).toMatchObject({ logo: '--x', seats: '-5' });
  });

  it('take a secret from a file or from the standard input', async () => {
    expect(await inputOf('--password-file', 'a file', '--api-key-file', '-')).toMatchObject({
      password: 'from a file',
      apiKey: 'from the input',
    });
  });

  it('never take a secret itself, and do not repeat one', async () => {
    const problems = await problemsOf('--full-name', 'Ada', '--password', 'open sesame', '--api-key=k3y');
    expect(problems.join('\n')).toContain('give it with --password-file');
    expect(problems.join('\n')).toContain('give it with --api-key-file');
    expect(problems).toHaveLength(2);
    expect(problems.join('\n')).not.toMatch(/k3y|sesame/);
  });

  it('ask for JSON or not', async () => {
    expect((await readAll('--full-name', 'Ada')).json).toBe(false);
    expect((await readAll('--full-name', 'Ada', '--json')).json).toBe(true);
    expect((await readAll('--full-name', 'Ada', '--json=false')).json).toBe(false);
  });
});

describe('options that are wrong', () => {
  it.each([
    [['--ful-name', 'x'], 'There is no --ful-name here. Did you mean "--full-name"?'],
    [['--fullName', 'x'], 'There is no --fullName here. Did you mean "--full-name"?'],
    [['--jsno'], 'There is no --jsno here. Did you mean "--json"?'],
    [['--something-else'], 'There is no --something-else here.'],
    [['--no-seats'], 'There is no --no-seats here. Did you mean "--seats"?'],
    [['--__proto__', 'x'], 'There is no --__proto__ here.'],
    [['--logo'], '--logo needs a value.'],
    [['--logo', '--is-open'], '--logo needs a value; one that begins with -- is written --logo=--…'],
    [['--is-open=yes'], '--is-open takes no value.'],
    [['--no-logo=x'], '--no-logo takes no value.'],
    [['--seats', '1', '--seats', '2'], '--seats is given twice.'],
    [['--price', 'five'], '--price must be JSON.'],
    [['stray'], '"stray" belongs to no option.'],
    [['--password-file', 'missing'], 'The file missing cannot be read.'],
  ])('%j: %s', async (words, problem) => {
    expect((await problemsOf('--full-name', 'Ada', ...words))[0]).toBe(problem);
  });

  it('are all told at once, with what is missing; the tenant may be', async () => {
    expect(await problemsOf('--seats', '1', '--seats', '2', '--price', '{')).toEqual([
      '--seats is given twice.',
      '--price must be JSON.',
      '--full-name TEXT is missing.',
    ]);
  });
});

it('--help lists the fields with what the schema says of them, those that must be given first', () => {
  expect(operationHelp(operation, null)).toBe(`memberdoor things make-new: Make a thing

  --tenant TEXT         The tenant (may be left out where there is one tenant)
  --full-name TEXT      Its name (must be given)
  --[no-]is-open        Whether it is open
  --logo TEXT           A picture (--no-logo for none)
  --redirect-uris TEXT  Addresses (may be repeated; --no-redirect-uris for none)
  --rows JSON           Rows (may be repeated; --no-rows for none)
  --price JSON          A price
  --seats NUMBER        Seats
  --kind big|small      Its kind (--no-kind for none)
  --password-file FILE  A password (the file holds it; - is the standard input)
  --api-key-file FILE   A key (the file holds it; - is the standard input)
  --json                prints the answer as JSON
  --migrate             brings the database of a stopped older version to this one; it is copied first
`);
});
