import { describe, expect, it } from 'vitest';
import { columns, fold } from '../../src/cli/terminal.ts';
import { wordsOf } from '../../src/cli/words.ts';
import { operations } from '../../src/operations/admin/index.ts';
import { commandHere } from '../support/operators/command.ts';

describe('a line that is wider than the terminal', () => {
  it('is folded between words, and what follows is indented', () => {
    expect(fold('one two three four five six', 20, '  ')).toBe('one two three four\n  five six');
    expect(fold('    one two three four five', 20, '    ')).toBe('    one two three\n    four five');
  });

  it('keeps a word whole that is longer, since an address is there to be copied', () => {
    expect(fold(`at https://login.example.com/setup/abc now`, 20, '  ')).toBe(
      'at\n  https://login.example.com/setup/abc\n  now',
    );
  });

  it('stays as it is where there is no terminal, or room', () => {
    expect(fold('one two three four five six', null, '  ')).toBe('one two three four five six');
    expect(fold('one two', 20, '  ')).toBe('one two');
  });
});

describe('two columns', () => {
  const rows = [
    ['--a', 'what it does, in more than a few words of explanation'],
    ['--longer', 'short'],
  ] as const;

  it('fold the second below itself', () => {
    expect(columns(rows, '  ', 45)).toBe(
      '  --a       what it does, in more than a few\n            words of explanation\n  --longer  short\n',
    );
  });

  it('stand one below the other where there is no room for two', () => {
    expect(columns(rows, '  ', 30)).toBe(
      '  --a\n      what it does, in more\n      than a few words of\n      explanation\n  --longer\n      short\n',
    );
  });
});

describe('lines fold at the terminal’s width', () => {
  const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

  it.each([40, 80, 132])('in every help text, at %i', async (width) => {
    const asked = [['help'], ['backup', '-h'], ['members', 'help'], ['config', 'help']];
    for (const words of [...asked, ...operations.map((operation) => [...wordsOf(operation), '-h'])]) {
      const { out } = await commandHere(words, { width });
      expect({ words, widest: widest(out) }).toEqual({ words, widest: expect.toSatisfy((n) => n <= width) });
    }
  });

  it('in what the command says of an error', async () => {
    const { err } = await commandHere(['config', 'check', 'no/such/file.yaml'], { width: 40 });
    expect(err).toBe('no/such/file.yaml: it cannot be read: it\n  is not there\n');
  });
});
