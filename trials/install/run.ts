// Installs and starts a fresh clone with each npm that a Node brings, and with pnpm, on each Node that a machine may
// have: npm run test:install -- [--npm 9.2.0,10.8.2] [--node 20.20.2]. It takes the packages from the registry, and
// half a minute for each pair; --test runs the tests too. The package is installed into an empty project as well, and
// used there; --package does this alone. --runners runs tests of such a project instead, with vitest, Jest and Playwright.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { freePort } from '../../test/support/service.ts';
import { tryRunners } from './runners.ts';

const { values } = parseArgs({
  options: {
    npm: { type: 'string', default: '9.2.0,10.8.2,11.19.1,12.2.0,pnpm@10.34.8' },
    node: { type: 'string', default: '20.20.2,22.23.3,24.21.0' },
    package: { type: 'boolean', default: false },
    runners: { type: 'boolean', default: false },
    test: { type: 'boolean', default: false },
  },
});

const project = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'memberdoor-install-'));
const ownNpm = execFileSync('which', ['npm'], { encoding: 'utf8' }).trim();

/** How this machine reaches the registry: its npm may have a file of settings that another one does not read. */
const registry = Object.fromEntries(
  ['registry', 'cafile', 'https-proxy'].flatMap((name) => {
    const value = execFileSync(ownNpm, ['config', 'get', name], { encoding: 'utf8' }).trim();
    return value === 'null' ? [] : [[`npm_config_${name.replace('-', '_')}`, value]];
  }),
);

/** What a machine with one Node and one npm finds on its PATH, beside the system's own programs. */
interface Machine {
  readonly name: string;
  readonly installer: 'npm' | 'pnpm';
  readonly env: NodeJS.ProcessEnv;
}

/** A package of the registry, in a folder of its own. */
function fetchPackage(spec: string): string {
  const place = join(folder, 'packages', spec);
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{}');
  execFileSync(ownNpm, ['install', '--silent', '--ignore-scripts', spec], { cwd: place, stdio: 'inherit' });
  return join(place, 'node_modules');
}

/** Links a program under a name. */
function link(programs: string, name: string, file: string): void {
  symlinkSync(file, join(programs, name));
}

function machineOf(nodeFolder: string, version: string, manager: string, managerFolder: string): Machine {
  const installer = manager.startsWith('pnpm@') ? 'pnpm' : 'npm';
  const programs = mkdtempSync(join(folder, 'programs-'));
  link(programs, 'node', nodeFolder);
  for (const name of readdirSync(join(managerFolder, '.bin'))) {
    if (name !== 'node') link(programs, name, join(managerFolder, '.bin', name));
  }
  if (installer === 'pnpm') link(programs, 'npm', ownNpm);
  return {
    name: `${manager.includes('@') ? manager : `npm@${manager}`} on Node ${version}`,
    installer,
    env: {
      ...registry,
      PATH: `${programs}:/usr/bin:/bin`,
      HOME: folder,
      npm_config_cache: join(folder, 'cache'),
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS ?? registry.npm_config_cafile,
    },
  };
}

/** Waits for the ready line, asks for discovery, and ends it. */
async function startAndStop({ installer, env }: Machine, clone: string): Promise<void> {
  const settings = {
    MEMBERDOOR_PORT: String(await freePort()),
    MEMBERDOOR_DATA: mkdtempSync(join(folder, 'data-')),
  };
  const child = spawn(installer, ['start'], { cwd: clone, env: { ...env, ...settings }, detached: true });
  try {
    const address = await readyLine(child);
    const answer = await fetch(`${address}/.well-known/openid-configuration`);
    if (((await answer.json()) as { issuer: string }).issuer !== address) throw new Error('another issuer');
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  }
}

async function readyLine(child: ChildProcess): Promise<string> {
  const said: string[] = [];
  child.stderr?.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  if (child.stdout === null) throw new Error('the process has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('ready ')) return line.slice('ready '.length);
    said.push(`${line}\n`);
  }
  throw new Error(`it did not start: ${said.join('')}`);
}

const runnerIn =
  // A registry that does not answer is asked again for hours.
    (cwd: string, env: NodeJS.ProcessEnv, timeout = 30 * 60_000) =>
    (program: string, words: readonly string[]): string =>
      execFileSync(program, words, {
        cwd,
        env,
        encoding: 'utf8',
        stdio: 'pipe',
        maxBuffer: 1_024 ** 3,
        timeout,
      });

/** What a test of another project does. */
const use = `import { startMemberdoor } from 'memberdoor/testing';
  const door = await startMemberdoor();
  const { accessToken } = await door.signIn('ada@example.com', { client: 'spa' });
  await door.stop();
  console.log(accessToken.split('.').length);`;

/** Installs the package into an empty project, and uses it there. */
function tryPackage({ installer, env }: Machine): void {
  const other = mkdtempSync(join(folder, 'other-'));
  writeFileSync(join(other, 'package.json'), '{ "name": "other", "private": true, "type": "module" }');
  const run = runnerIn(other, env);
  run(installer, [installer === 'npm' ? 'install' : 'add', packed]);
  writeFileSync(join(other, 'use.js'), use);
  if (run('node', ['use.js']).trim() !== '3') throw new Error('the package does not work');
  rmSync(other, { recursive: true });
}

const tryRunnersOn = ({ installer, env }: Machine) =>
  tryRunners(
    folder,
    (other, packages) =>
      // What a browser is downloaded by is none of the registry's.
      runnerIn(other, { ...env, npm_config_ignore_scripts: 'true' })(installer, [
        installer === 'npm' ? 'install' : 'add',
        packed,
        ...packages,
      ]),
    // A runner that does not end is one that a door holds.
    (other) => runnerIn(other, { ...env, CI: 'true' }, 2 * 60_000),
  );

async function tryOn(machine: Machine): Promise<void> {
  if (values.runners) return tryRunnersOn(machine);
  tryPackage(machine);
  if (values.package) return;
  const { installer, env } = machine;
  const clone = mkdtempSync(join(folder, 'clone-'));
  const run = runnerIn(clone, env);
  run('git', ['clone', '--quiet', project, clone]);
  run(installer, installer === 'npm' ? ['ci'] : ['install', '--no-lockfile']);
  await startAndStop(machine, clone);
  run(installer, values.test ? ['test'] : ['run', 'check']);
  rmSync(clone, { recursive: true });
}

execFileSync(process.execPath, [join(project, 'tools/package/run.ts'), folder], { stdio: 'inherit' });
const packed = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '');

const counts = { passed: 0, failed: 0 };
try {
  const managers = values.npm.split(',').map((manager) => {
    const spec = manager.includes('@') ? manager : `npm@${manager}`;
    return { manager, folder: fetchPackage(spec) };
  });
  for (const version of values.node.split(',')) {
    const name = `node-${process.platform}-${process.arch}`;
    const node = join(fetchPackage(`${name}@${version}`), name, 'bin/node');
    for (const { manager, folder: managerFolder } of managers) {
      const machine = machineOf(node, version, manager, managerFolder);
      try {
        await tryOn(machine);
        counts.passed += 1;
        console.log(`ok      ${machine.name}`);
      } catch (error) {
        counts.failed += 1;
        const { message, stdout = '' } = error as Error & { stdout?: string };
        console.log(`FAILED  ${machine.name}\n${message}\n${stdout.slice(-2_000)}`);
      }
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;
