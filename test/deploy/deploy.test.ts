import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { settings } from '../../src/config.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const deploy = join(project, 'deploy');
const files = readdirSync(deploy);
const read = (name: string) => readFileSync(join(deploy, name), 'utf8');
const guide = readFileSync(join(project, 'docs/operators.md'), 'utf8');
const units = files.filter((name) => /\.(?:service|timer)$/.test(name));

/** The lines of a unit that say something, with what long lines go on to. */
const linesOf = (unit: string) =>
  read(unit)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

describe('deploy/', () => {
  it.each(files.filter((name) => !name.endsWith('.dockerignore')))('%s is explained to operators', (name) => {
    expect(guide).toContain(`deploy/${name}`);
  });

  it.each([...files.map((name) => [name, read(name)] as const), ['docs/operators.md', guide] as const])(
    '%s names no setting that there is not',
    (_name, text) => {
      const named = [...text.matchAll(/\bMEMBERDOOR_([A-Z_]+[A-Z])/g)].map(([, name = '']) =>
        name.replace(/_FILE$/, ''),
      );
      expect(named.filter((name) => !Object.hasOwn(settings, name))).toEqual([]);
    },
  );

  it('every setting is explained to operators', () => {
    for (const name of Object.keys(settings)) expect(guide).toContain(`\`MEMBERDOOR_${name}\``);
  });
});

describe('the units of systemd', () => {
  it.each(units)('%s has sections and settings alone', (unit) => {
    const lines = linesOf(unit);
    expect(lines[0]).toBe('[Unit]');
    for (const line of lines) expect(line).toMatch(/^(?:\[[A-Z][a-z]+\]|[A-Z][A-Za-z]+=.*)$/);
  });

  it('systemd-analyze verify finds nothing wrong with them, where it is there', () => {
    const folder = temporaryFolder();
    for (const unit of units) {
      writeFileSync(join(folder, unit), read(unit));
    }
    const verdict = spawnSync('systemd-analyze', ['verify', ...units.map((unit) => join(folder, unit))], {
      encoding: 'utf8',
    });
    if (verdict.error !== undefined) {
      console.info('systemd-analyze is not there: the units were held to their syntax alone');
      expect(units).toHaveLength(3);
      return;
    }
    expect(verdict.stdout + verdict.stderr).toBe('');
    expect(verdict.status).toBe(0);
  });

  describe('a start is over', () => {
    const waits = /^ExecStartPost=-\/usr\/bin\/timeout 60 \/bin\/sh -c '(.+)'$/m.exec(
      read('memberdoor.service'),
    )?.[1];

    /** Runs the line with a Node that answers only the second question well; says how often it was asked. */
    const questionsOf = (mainPid: number) => {
      const folder = temporaryFolder();
      const programs = join(folder, 'node_modules/node-linux-any/bin');
      mkdirSync(programs, { recursive: true });
      const node = `#!/bin/sh\necho "$@" >> asked; [ "$(wc -l < asked)" = 2 ]\n`;
      writeFileSync(join(programs, 'node'), node, { mode: 0o755 });
      writeFileSync(join(programs, 'sleep'), '#!/bin/sh\n', { mode: 0o755 });
      writeFileSync(join(folder, 'asked'), '');
      const env = { PATH: `${programs}:${process.env.PATH}`, MAINPID: String(mainPid) };
      execFileSync('sh', ['-c', (waits ?? '').replaceAll('$$', '$')], { cwd: folder, env });
      return readFileSync(join(folder, 'asked'), 'utf8');
    };

    it('when the service answers, so that the next command finds it', () => {
      expect(questionsOf(process.pid)).toBe('bin/memberdoor.js healthcheck\n'.repeat(2));
    });

    it('when the service has ended, so that it is started again at once', () => {
      const { pid } = spawnSync('true');
      expect(questionsOf(pid)).toBe('');
    });
  });

  it('the service runs as a user of its own that may do little', () => {
    const lines = linesOf('memberdoor.service');
    for (const line of [
      'User=memberdoor',
      'NoNewPrivileges=true',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'UMask=0077',
      'StateDirectoryMode=0700',
      'CacheDirectoryMode=0700',
      'SystemCallFilter=@system-service',
    ]) {
      expect(lines).toContain(line);
    }
  });
});

describe('the container', () => {
  const lines = read('Dockerfile').split('\n');

  it('is built of what is there', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.length).toBeGreaterThan(5);
    for (const name of copied) expect([name, existsSync(join(project, name))]).toEqual([name, true]);
    const kept = read('Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'));
    expect(new Set(kept)).toEqual(new Set(copied.map((name) => `!${name}`)));
  });

  it('does not run as root, and has a health check', () => {
    expect(lines.findLast((line) => line.startsWith('USER '))).toBe('USER 10001:10001');
    expect(lines.some((line) => line.startsWith('HEALTHCHECK '))).toBe(true);
    expect(read('compose.yaml')).toMatch(
      /read_only: true[\s\S]*cap_drop:\n\s+- ALL[\s\S]*no-new-privileges:true/,
    );
  });
});

describe('the command for /usr/local/bin', () => {
  const script = join(deploy, 'memberdoor.sh');

  it('is a shell script that can be run', () => {
    expect(statSync(script).mode & 0o111).toBe(0o111);
    expect(execFileSync('sh', ['-n', script]).toString()).toBe('');
  });

  it('names the line that installs the packages, where they are missing', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'id'), '#!/bin/sh\necho memberdoor\n', { mode: 0o755 });
    const text = read('memberdoor.sh').replaceAll(
      '/opt/memberdoor/node_modules',
      join(folder, 'node_modules'),
    );
    const env = { PATH: `${folder}:${process.env.PATH}` };
    const { status, stderr } = spawnSync('sh', ['-c', text], { env, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'memberdoor: its packages are missing. Install them: cd /opt/memberdoor && npm ci --omit=dev --ignore-scripts\n',
    });
  });
});
