import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { project } from '../../tools/package/build.ts';
import type { LockFile } from '../../tools/supply-chain.ts';
import { unpackedChromium } from '../support/browser/chromium.ts';
import { filesOf } from '../support/documents/documents.ts';
import { projectWithPackage } from '../support/process/packed.ts';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await projectWithPackage();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The examples for Node's own runner, by their names; those for others are run by `npm run test:runners`. */
const examples = [...filesOf('testing.md')].filter(([, code]) => code.includes("from 'node:test'"));

/** A variable of the runner of these tests would make one of Node’s tell its parent instead of us. */
const environment = () => {
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...rest } = process.env;
  return rest;
};

describe('the package', () => {
  it('is smaller than 3 MB, has JavaScript alone to run, and names whose work is in it', () => {
    const installed = join(folder, 'node_modules/memberdoor');
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(installed, name)).isFile(),
    );
    const packed = files.map((name) => gzipSync(readFileSync(join(installed, name))).length);
    expect(packed.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(3 * 1_024 ** 2);
    expect(files.filter((name) => /(?<!\.d)\.ts$/.test(name) && !name.startsWith('templates/'))).toEqual([]);
    const notices = readFileSync(join(installed, 'dist/THIRD-PARTY.txt'), 'utf8');
    for (const name of ['fastify', 'kysely', 'xstate', 'jose']) expect(notices).toContain(`\n${name} `);
    expect(files).not.toContain('dist/resolve.js');
  });

  it('performance 12: what an operator installs is smaller than 40 MB beside Node, and held to the digests of our lock', () => {
    const installed = join(folder, 'node_modules/memberdoor');
    const { packages }: LockFile = JSON.parse(readFileSync(join(installed, 'npm-shrinkwrap.json'), 'utf8'));
    const ours: LockFile = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
    const { '': _, ...others } = packages;
    for (const [name, locked] of Object.entries(others)) expect(locked).toEqual(ours.packages[name]);
    const beside = Object.keys(others).filter((name) => others[name]?.optional !== true);
    expect(beside).toEqual(['node_modules/better-sqlite3', 'node_modules/node-addon-api']);
    const sizes = [installed, ...beside.map((name) => join(project, name))].flatMap((place) =>
      readdirSync(place, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map((file) => statSync(join(file.parentPath, file.name)).size),
    );
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40_000_000);
  });

  it.each(['typescript', 'typescript-5'])(
    'has types that %s reads, by import and by require',
    async (compiler) => {
      const use = (how: string) => `${how}
      const door: Door = await startMemberdoor({ tenants: [{ name: 'Shop', clients: [{ clientId: 'app' }] }], clock: 'frozen' });
      const token: string = (await door.signIn('ada@example.com', { client: 'app' })).accessToken;
      const cookie: string | undefined = (await door.signIn('ada@example.com')).cookies[0]?.name;
      console.log(token, cookie);`;
      const types = join(folder, `types-${compiler}`);
      mkdirSync(types);
      writeFileSync(
        join(types, 'import.mts'),
        use(`import { type Door, startMemberdoor } from 'memberdoor/testing';`),
      );
      const required = use(
        `import { type Door, startMemberdoor } from 'memberdoor/testing';\nvoid (async () => {`,
      );
      writeFileSync(join(types, 'require.cts'), `${required}\n})();`);
      const compilerOptions = {
        module: 'nodenext',
        target: 'es2022',
        strict: true,
        noEmit: true,
        // Those of the compiler itself are not ours to check.
        skipDefaultLibCheck: true,
        types: [],
        lib: ['es2022', 'dom'],
      };
      writeFileSync(join(types, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
      const { stdout } = await run(process.execPath, [
        join(project, 'node_modules', compiler, 'bin/tsc'),
        '-p',
        types,
      ]).catch((error: { readonly stdout: string }) => error);
      expect(stdout).toBe('');
    },
  );

  it('performance 10: a start reads its code from few files', () => {
    const dist = join(folder, 'node_modules/memberdoor/dist');
    const names = readdirSync(dist);
    const read = new Set(['cli.js', ...names.filter((name) => /^(?:service|room)-/.test(name))]);
    for (const name of read) {
      const code = readFileSync(join(dist, name), 'utf8');
      for (const [, next = ''] of code.matchAll(/^(?:import|export)\b.*?"\.\/([\w-]+\.js)";/gm))
        read.add(next);
    }
    const kinds = [...read].map((name) => name.replace(/-[\w-]{8}(?=\.js$)/, '')).sort();
    expect(kinds).toEqual(['cli.js', 'command.js', 'rolldown-runtime.js', 'room.js', 'service.js']);
  });

  it('is loaded by require too', async () => {
    const program =
      "const { startMemberdoor } = require('memberdoor/testing'); console.log(typeof startMemberdoor);";
    const { stdout } = await run(process.execPath, ['--input-type=commonjs', '-e', program], { cwd: folder });
    expect(stdout).toBe('function\n');
  });
});

describe('docs/testing.md', () => {
  it('has an example of a single-page app, an API and a TV', () => {
    expect(examples.map(([name]) => name)).toEqual(['spa.test.js', 'api.test.js', 'tv.test.js']);
  });

  it.each(examples)('%s works as it stands', async (name, code) => {
    writeFileSync(join(folder, name), code);
    const { executable, env } = await unpackedChromium();
    // The browser that is there stands for the one that Playwright would bring.
    const playwright = join(folder, 'node_modules/playwright');
    mkdirSync(playwright, { recursive: true });
    writeFileSync(
      join(playwright, 'package.json'),
      '{ "name": "playwright", "type": "module", "exports": "./index.js" }',
    );
    const options = JSON.stringify({
      executablePath: executable,
      env,
      args: ['--no-sandbox', '--disable-gpu', '--single-process', '--no-zygote'],
    });
    writeFileSync(
      join(playwright, 'index.js'),
      `import playwright from 'playwright-core';\nexport const chromium = { launch: () => playwright.chromium.launch(${options}) };\n`,
    );
    const told = await run(process.execPath, ['--test', name], { cwd: folder, env: environment() }).catch(
      (error: { readonly stdout: string; readonly stderr: string }) => ({ ...error, failed: true }),
    );
    expect('failed' in told ? `${told.stdout}${told.stderr}` : '').toBe('');
    expect(told.stdout).toMatch(/^ℹ pass [1-9]/m);
  });
});
