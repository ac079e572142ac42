import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackedChromium } from '../../support/browser/chromium.ts';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));

/** Makes Node believe that it is another one, on another system; not inherited by what it starts. */
const pretend = (version: string, platform: string = process.platform) =>
  `data:text/javascript,${encodeURIComponent(
    `Object.defineProperty(process,'versions',{value:{...process.versions,node:'${version}'}});` +
      `Object.defineProperty(process,'platform',{value:'${platform}'})`,
  )}`;

describe('the launchers, where npm installed the packages and linked nothing', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'memberdoor-launcher-'));
    for (const part of ['bin', 'tools/run.js', 'package.json'])
      cpSync(join(project, part), join(folder, part), { recursive: true });
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** A package with a Node, which here is a script of this text. */
  function installNode(script: string): void {
    const node = join(folder, `node_modules/node-${process.platform}-${process.arch}/bin/node`);
    mkdirSync(join(node, '..'), { recursive: true });
    writeFileSync(node, script);
    chmodSync(node, 0o755);
  }

  const launch = (file: string, words: readonly string[], as: string) => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--import', as, join(folder, file), ...words],
      { encoding: 'utf8', cwd: folder },
    );
    return { lines: `${stdout}${stderr}`.trim().split('\n'), status };
  };

  it('under an older Node the command finds the one of the package', () => {
    installNode('#!/bin/sh\necho "$@"\nexit 3\n');
    const { lines, status } = launch('bin/memberdoor.js', ['start'], pretend('20.20.2'));
    expect(lines.join()).toMatch(/bin\/memberdoor\.js start$/);
    expect(status).toBe(3);
  });

  it('under an older Node the scripts of npm find it too, and the programs of packages', () => {
    installNode('#!/bin/sh\necho "$@"\n');
    const vitest = join(folder, 'node_modules/vitest');
    mkdirSync(vitest, { recursive: true });
    writeFileSync(join(vitest, 'package.json'), '{"bin":{"vitest":"./vitest.mjs"}}');
    expect(launch('tools/run.js', ['vitest', 'run'], pretend('20.20.2')).lines).toEqual([
      `${join(vitest, 'vitest.mjs')} run`,
    ]);
    expect(launch('tools/run.js', ['tools/audit.ts'], pretend('20.20.2')).lines).toEqual(['tools/audit.ts']);
  });

  it.each<[string, string, string, string | null]>([
    ['its packages are not installed', process.platform, 'run "npm ci", which brings one', null],
    [
      'macOS has none',
      'darwin',
      `none comes as a package for darwin on ${process.arch}. Install Node 24`,
      null,
    ],
    [
      'it needs a loader that is not there',
      process.platform,
      'does not run here. Install Node 24',
      '#!/no/loader\n',
    ],
  ])('one sentence says what to install where %s', (_why, platform, sentence, script) => {
    if (script !== null) installNode(script);
    const { lines, status } = launch('bin/memberdoor.js', ['start'], pretend('20.20.2', platform));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('memberdoor: Node 24 or newer is needed, and this is 20.20.2: ');
    expect(lines[0]).toContain(sentence);
    expect(status).toBe(1);
  });

  it('every script of npm goes through a launcher', () => {
    const commands = Object.values<string>(manifest.scripts).flatMap((script) => script.split(' && '));
    for (const command of commands) {
      expect(command).toMatch(/^(?:npm run check$|node (?:bin\/memberdoor|tools\/run)\.js )/);
    }
  });
});

describe('the browser of the tests', () => {
  it('it needs no library of the system but those of glibc', async () => {
    const { executable, env } = await unpackedChromium();
    const loaded = execFileSync(executable, {
      env: { ...env, LD_TRACE_LOADED_OBJECTS: '1' },
      encoding: 'utf8',
    });
    const foreign = loaded
      .trim()
      .split('\n')
      .filter((line) => !line.includes(join(executable, '..')))
      .map((line) => line.trim().split(/[ .]/)[0]);
    const glibc = [
      'linux-vdso',
      'libdl',
      'libpthread',
      'librt',
      'libm',
      'libc',
      'libgcc_s',
      '/lib64/ld-linux-x86-64',
    ];
    expect(foreign.filter((name) => !glibc.includes(name ?? ''))).toEqual([]);
  });
});
