import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../src/core/hash.ts';
import { openSocket } from '../../src/http/admin/socket.ts';
import { operations } from '../../src/operations/admin/index.ts';
import { insertProduct } from '../../src/storage/access/package.ts';
import { findClient, updateClient } from '../../src/storage/clients/client.ts';
import { plainLogo, svgLogo } from '../support/members/pages/logos.ts';
import { command, commandHere } from '../support/operators/command.ts';
import { heldToRights } from '../support/process/faults.ts';
import { startProcess } from '../support/process/started.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';
import { copyFixtures, fixtureKey } from '../support/run/fixture-folders.ts';
import { databaseAddress } from '../support/run/test-store.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'security' });
let closeSocket: () => Promise<void>;
/** Where the operator's files are. */
let folder: string;

const secret = 'a-secret-that-is-long-enough-1';

beforeAll(async () => {
  const socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  closeSocket = async () => socket?.close();
  folder = mkdtempSync(join(tmpdir(), 'memberdoor-files-'));
  write('web.secret', `${secret}\n`);
  write('short.secret', 'too-short');
  write('odd.secret', 'with a space in the middle of it');
  write('logo.svg', Buffer.from(plainLogo.split(',')[1] ?? '', 'base64'));
  write('bad.svg', Buffer.from(svgLogo('<script/>').split(',')[1] ?? '', 'base64'));
});
afterAll(async () => {
  await closeSocket();
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a file of the operator's. @returns its path */
function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const apply = (words: readonly string[], environment: Readonly<Record<string, string>> = {}, input = '') =>
  command(service.folder, ['apply', ...words], { environment, input });
const check = (...words: string[]) => commandHere(['config', ...words]);

const tenant = (lines: string) => `tenants:\n  - issuer: https://files.test\n    name: Files\n    ${lines}\n`;
const clients = (fields: string) =>
  tenant(`clients:\n      - { clientId: web, name: Web, type: confidential, ${fields} }`);

describe('memberdoor config check', () => {
  it('says that a file is sound, without secrets, service or data folder', async () => {
    const path = write(
      'sound.yaml',
      clients('secretFile: not-here-yet, secretEnv: NOT_SET_YET, logoFile: logo.svg'),
    );
    expect(await check('check', path)).toEqual({ code: 0, out: `${path} is sound.\n`, err: '' });
  });

  it('tells every problem with file, line and column, and ends with 1', async () => {
    const path = write(
      'unsound.yaml',
      `${clients('logoFile: bad.svg, secretHash: x')}    nam: B\n    logoFile: no.svg\n`,
    );
    expect(await check('check', path)).toEqual({
      code: 1,
      out: '',
      err: [
        `${path}:5:67: the SVG has the element <script>, which a logo may not have`,
        `${path}:5:88: this is no SHA-256 in base64url, of 43 characters`,
        `${path}:6:5: nam is not known. Did you mean name?`,
        `${path}:7:15: the file no.svg cannot be read: it is not there`,
        '',
      ].join('\n'),
    });
  });

  it.each([
    ['nothing', () => join(folder, 'none.yaml'), 'it cannot be read: it is not there'],
    ['a folder', () => folder, 'it cannot be read: it is a folder'],
    [
      'what is not UTF-8',
      () => write('latin1.yaml', Buffer.from('tenants: \xe9', 'latin1')),
      'it is no text in UTF-8',
    ],
    [
      'a megabyte',
      () => write('large.yaml', '#'.repeat(1_024 * 1_024)),
      '1:1: the file is larger than 256 KiB: split it by tenants',
    ],
  ])('refuses %s', async (_what, pathOf, problem) => {
    const path = pathOf();
    const separator = /^\d/.test(problem) ? ':' : ': ';
    expect(await check('check', path)).toEqual({ code: 1, out: '', err: `${path}${separator}${problem}\n` });
  });

  it('opens what lies beside the file although the folders above are closed to this user, and names who may not read', async () => {
    const closed = temporaryFolder();
    const here = join(closed, 'here');
    mkdirSync(here);
    writeFileSync(join(here, 'sound.yaml'), clients('logoFile: logo.svg'));
    writeFileSync(join(here, 'logo.svg'), Buffer.from(plainLogo.split(',')[1] ?? '', 'base64'));
    writeFileSync(join(here, 'closed.yaml'), '', { mode: 0o000 });
    chmodSync(closed, 0o000);
    // The shell goes into the folder before the rights are given up.
    const under = ['sh', '-c', 'cd "$0" && exec "$@"', here, ...heldToRights()];
    const [sound, refused] = ['sound.yaml', 'closed.yaml'].map((file) =>
      startProcess({ words: ['config', 'check', file], under, settings: {} }),
    );
    await Promise.all([sound?.exited, refused?.exited]);
    chmodSync(closed, 0o700);
    expect([sound?.lines(), sound?.errorLines()]).toEqual([['sound.yaml is sound.'], []]);
    expect(refused?.errorLines()).toEqual([
      `closed.yaml: it cannot be read: user ${userInfo().username} may not do that`,
    ]);
  });

  const help = 'memberdoor config check --help says what it takes.';

  it.each([
    [[], 'There is no command "config".\nmemberdoor help lists them.'],
    [['check'], `FILE is missing.\n${help}`],
    [
      ['chek', 'x'],
      'There is no command "config chek". Did you mean "config check"?\nmemberdoor help lists them.',
    ],
    [['check', 'x', 'y'], `"y" belongs to no option.\n${help}`],
  ])('%j is misused', async (words, err) => {
    expect(await check(...words)).toEqual({ code: 2, out: '', err });
  });
});

describe('memberdoor apply', () => {
  it('reads secrets and pictures beside the file, and sends neither', async () => {
    const path = write(
      'full.yaml',
      `${clients('secretFile: web.secret, secretEnv: WEB, logoFile: logo.svg')}    logoFile: logo.svg\n`,
    );
    const environment = { WEB: 'another-secret-of-20-characters' };
    expect(await apply([path, '--yes'], environment)).toMatchObject({ code: 0, err: '' });
    const { tenants, clients: stored } = await service.store.transaction(async (tx) => ({
      tenants: await tx.selectFrom('tenants').select(['logo']).where('host', '=', 'files.test').execute(),
      clients: await tx
        .selectFrom('clients')
        .select(['logo', 'secrets'])
        .where('clientId', '=', 'web')
        .execute(),
    }));
    expect(tenants).toEqual([{ logo: plainLogo }]);
    expect(stored[0]?.logo).toBe(plainLogo);
    const hashes = (JSON.parse(stored[0]?.secrets ?? '[]') as { readonly hash: string }[]).map(
      ({ hash }) => hash,
    );
    expect(hashes).toEqual([sha256(secret), sha256(environment.WEB)]);
    expect(await apply([path, '--yes'], environment)).toEqual({ code: 0, out: 'Nothing to do.\n', err: '' });
    expect(service.logLines.join('')).not.toContain(secret);
  });

  it.each([
    [
      'secretFile: short.secret',
      '5:69: short.secret holds fewer than 20 characters: openssl rand -hex 32 makes a good secret',
    ],
    ['secretFile: odd.secret', '5:69: odd.secret holds something else than letters, digits and signs'],
    ['secretFile: none.secret', '5:69: the file none.secret cannot be read: it is not there'],
    ['secretEnv: NONE', '5:68: the variable NONE is not set'],
    ['secretEnv: constructor', '5:68: the variable constructor is not set'],
  ])('does not open the service where %s', async (fields, problem) => {
    const path = write('wrong.yaml', clients(fields));
    const said = await commandHere(['apply', path, '--yes']);
    expect(said).toEqual({ code: 1, out: '', err: `${path}:${problem}\n` });
  });

  it('takes the file from the standard input, and its references from here', async () => {
    const text = tenant('passwordLength: 20');
    const said = await apply(['-'], {}, text);
    expect(said).toMatchObject({ code: 3, err: '' });
    expect(said.out).toContain('      passwordLength: 12 -> 20\n');
  });

  it('shows no control characters from a name', async () => {
    const files = service.tenants.byHost('files.test');
    await service.store.transaction(async (tx) => {
      await insertProduct(tx, String(files?.id), 'red\u001b[31m');
      // As one that was stored before names were held to a rule.
      const stored = await findClient(tx, String(files?.id), 'web');
      if (stored !== null) await updateClient(tx, { ...stored, name: 'turned\u202e' });
    });
    const client = '{ clientId: web, name: "Web", type: confidential }';
    const said = await apply(['-'], {}, tenant(`products: []\n    clients: [${client}]`));
    expect(said).toMatchObject({ code: 3, err: '' });
    expect(said.out).toContain('  - product red\\u{1b}[31m: only in the database');
    expect(said.out).toContain('      name: "turned\\u{202e}" -> "Web"\n');
  });

  it.each([
    [[], 'FILE is missing.'],
    [['a', 'b'], '"b" belongs to no option.'],
    [['a', '--prun'], 'There is no --prun here. Did you mean "--prune"?'],
    [['a', '-y'], 'There is no -y here.'],
    [['a', '--no-yes'], 'There is no --no-yes here.'],
    [['a', '--yes', '--dry-run'], '--yes and --dry-run do not go together.'],
    [['a', '--prune=x'], '--prune takes no value.'],
  ])('%j is misused', async (words, problem) => {
    const { code, out, err } = await apply(words);
    expect({ code, out, first: err.split('\n')[0] }).toEqual({ code: 2, out: '', first: problem });
  });
});

describe('memberdoor export', () => {
  const exportWith = (...words: string[]) => command(service.folder, ['export', ...words]);

  it('says in one line what it cannot export', async () => {
    expect(await exportWith('--tenant', 'no.test')).toEqual({
      code: 1,
      out: '',
      err: 'memberdoor: there is no such tenant\n',
    });
  });

  it.each([
    [['--format', 'xml'], '--format is one of yaml, json.'],
    [['--membres'], 'There is no --membres here. Did you mean "--members"?'],
    [['a.test'], '"a.test" belongs to no option.'],
    [['--tenant'], '--tenant needs a value.'],
  ])('%j is misused', async (words, problem) => {
    const { code, out, err } = await exportWith(...words);
    expect({ code, out, first: err.split('\n')[0] }).toEqual({ code: 2, out: '', first: problem });
  });
});

describe('the command as a process', () => {
  const run = async (data: string, ...words: string[]) => {
    const settings = { MEMBERDOOR_DATA: data, MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64') };
    const url = await databaseAddress(data);
    const database = url === undefined ? {} : { MEMBERDOOR_DATABASE_URL: url };
    const started = startProcess({ settings: { ...settings, ...database }, words });
    const { code } = await started.exited;
    return { code, out: started.lines(), err: started.errorLines() };
  };

  it.each([
    ['the service that runs', () => service.folder, ['--tenant', 'a.test']],
    [
      'one that is stopped',
      () => {
        const stopped = join(folder, 'stopped');
        copyFixtures('development', stopped);
        return stopped;
      },
      [],
    ],
  ])('applies to %s what it exported from it', async (_what, dataOf, words) => {
    const data = dataOf();
    const exported = await run(data, 'export', '--members', ...words);
    expect({ code: exported.code, err: exported.err }).toEqual({ code: 0, err: [] });
    expect(exported.out).toContain('    members:');
    const path = write('exported.yaml', exported.out.join('\n'));
    expect(await run(data, 'apply', path)).toEqual({ code: 0, out: ['Nothing to do.'], err: [] });
  });
});
