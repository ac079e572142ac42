import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commands } from '../../src/cli/commands/index.ts';
import { wordsOf } from '../../src/cli/words.ts';
import { operations } from '../../src/operations/admin/index.ts';
import { commandHere } from '../support/operators/command.ts';
import { startProcess } from '../support/process/started.ts';
import { fixtureKey } from '../support/run/fixture-folders.ts';

const pairs = operations.map((operation) => wordsOf(operation).join(' '));

/** All that can be called, each as one text. */
const callable = [...commands.map(({ name }) => name), ...pairs];

const said = (text: string, ...more: string[]) => commandHere([...text.split(' '), ...more]);

describe('F20: help never acts', () => {
  it('neither by --help nor by -h, wherever they stand, on any command and operation', async () => {
    for (const name of callable) {
      const asked = await said(name, '--help');
      expect({ name, code: asked.code, err: asked.err }).toEqual({ name, code: 0, err: '' });
      expect(asked.out).toMatch(new RegExp(`^memberdoor ${name}\\b`));
      for (const words of [['-h'], ['a-file', '--help'], ['--no-such-option', '-h', '--yes']]) {
        expect({ name, words, ...(await said(name, ...words)) }).toEqual({ name, words, ...asked });
      }
      expect(await commandHere(['help', ...name.split(' ')])).toEqual(asked);
    }
  });

  it('nor by `help` behind a command, and -- makes a file of what looks like an option', async () => {
    expect(await said('backup help')).toEqual(await said('backup --help'));
    const configuration = () => {
      throw new Error('asked for');
    };
    await expect(commandHere(['backup', '--', '--help'], { configuration })).rejects.toThrow('asked for');
  });

  it('nor for nouns, for words that begin several commands, and for all of it', async () => {
    for (const words of [[], ['help'], ['-h'], ['--help'], ['help', 'help'], ['help', '--help']]) {
      const { code, out } = await commandHere(words);
      expect({ words, code, out }).toMatchObject({ words, code: 0 });
      expect(out).toContain('  memberdoor members ');
    }
    for (const words of [['members'], ['members', 'help'], ['members', '-h'], ['help', 'members']]) {
      expect((await commandHere(words)).out).toContain('  memberdoor members sign-out-everywhere ');
    }
    for (const words of [
      ['config', 'help'],
      ['config', '--help'],
      ['help', 'config'],
    ]) {
      expect((await commandHere(words)).out).toMatch(/^ {2}memberdoor config check FILE /);
    }
  });

  it('nor does --version, which says which one this is', async () => {
    for (const name of ['', ...callable]) {
      const words = [...name.split(' ').filter(Boolean), '--version'];
      const { code, out } = await commandHere(words);
      expect({ words, code, out }).toEqual({ words, code: 0, out: 'memberdoor 0.1.0\n' });
    }
  });

  it('and of what there is not it ends with 2', async () => {
    for (const words of [
      ['help', 'bakup'],
      ['bakup', '--help'],
      ['help', 'tenants', 'lst'],
      ['tenants', 'lst', '-h'],
    ]) {
      const { code, out, err } = await commandHere(words);
      expect({ words, code, out }).toEqual({ words, code: 2, out: '' });
      expect(err).toContain('Did you mean');
    }
  });
});

describe('F20: an unknown option', () => {
  it.each(['--no-such-option', '--no-such-option=x', '-x', '--prot'])(
    '%s does nothing and ends with 2, on any command and operation',
    async (option) => {
      for (const name of [...callable, ...new Set(pairs.map((pair) => pair.split(' ')[0] ?? ''))]) {
        const { code, out, err } = await said(name, option);
        expect({ name, code, out }).toEqual({ name, code: 2, out: '' });
        expect(err).toContain(option.split('=')[0]);
        expect(err).not.toContain('=x');
      }
    },
  );

  it('of one hyphen is told by its first letter alone: the others may be a secret', async () => {
    const { err } = await commandHere(['backup', '-psecret']);
    expect(err.split('\n')).toEqual([
      'There is no -p here.',
      'FILE is missing.',
      'memberdoor backup --help says what it takes.',
    ]);
  });
});

describe('the command as a process', () => {
  const settings = () => {
    const folder = mkdtempSync(join(tmpdir(), 'memberdoor-output-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return { MEMBERDOOR_DATA: folder, MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64') };
  };

  it('does what it was asked where its output is read no more, says nothing of it, and ends with 141', async () => {
    const here = settings();
    const initialised = startProcess({ settings: here, words: ['init'], isUnread: true });
    expect((await initialised.exited).code).toBe(141);
    expect(initialised.errorLines()).toEqual([]);
    const listed = startProcess({ settings: here, words: ['tenants', 'list', '--json'] });
    expect((await listed.exited).code).toBe(0);
    expect(JSON.parse(listed.lines().join(''))).toMatchObject({ tenants: expect.any(Array) });
  });

  it('exits with the code of what failed, even if the reader is gone', async () => {
    const listed = startProcess({ settings: settings(), words: ['tenants', 'list'], isUnread: true });
    expect((await listed.exited).code).toBe(1);
    expect(listed.errorLines()).toHaveLength(1);
  });

  it('says in one line that the disk of its output is full, and ends with 1', async () => {
    const full = ['sh', '-c', 'exec "$@" > /dev/full', 'sh'];
    const asked = startProcess({ settings: settings(), words: ['help'], under: full });
    expect((await asked.exited).code).toBe(1);
    expect(asked.errorLines()).toEqual([
      expect.stringMatching(/^memberdoor: The output cannot be written: .*ENOSPC/),
    ]);
  });

  it('F20: leaves the data folder alone when help is asked of what would change it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'memberdoor-help-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(join(folder, 'a-backup'), 'not looked at');
    const settings = {
      MEMBERDOOR_DATA: join(folder, 'data'),
      MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64'),
    };
    const asked = [
      ['init', '--help'],
      ['start', '-h'],
      ['restore', join(folder, 'a-backup'), '--help'],
      ['reencrypt', '--help'],
    ];
    await Promise.all(
      asked.map(async (words) => {
        const started = startProcess({ settings, words });
        const { code } = await started.exited;
        expect({ words, code, err: started.errorLines() }).toEqual({ words, code: 0, err: [] });
        expect(started.lines()[0]).toContain(`memberdoor ${words[0]}`);
      }),
    );
    expect(readdirSync(folder)).toEqual(['a-backup']);
  });
});
