import { describe, expect, it } from 'vitest';
import { looksLike } from '../../../src/core/registration/look-alike.ts';

describe('names that prove nothing', () => {
  it.each([
    ['the same', 'Tenant A'],
    ['the same without case and spaces', 'tenanta'],
    ['a longer one', 'Tenant A – official login'],
    ['one with accents', 'Ténànt Å'],
    ['one of digits', '7enant 4'],
    ['one of fullwidth letters', 'Ｔｅｎａｎｔ Ａ'],
    ['one of mathematical letters', '𝐓𝐞𝐧𝐚𝐧𝐭 𝐀'],
    ['one with a Cyrillic letter', 'Tеnаnt A'],
    ['one with signs between', 'T.e.n.a.n.t-A'],
  ])('UR4: %s is taken for a known name', (_what, name) => {
    expect(looksLike(name, ['Another', 'Tenant A'])).toBe(true);
  });

  it.each(['Example app', 'Ten', 'Claude', 'Лампа', '日本語'])('UR4: %s is not', (name) => {
    expect(looksLike(name, ['Another', 'Tenant A'])).toBe(false);
  });

  it('UR4: whole words of other scripts are read as Latin ones', () => {
    expect(looksLike('раура', ['Paypa'])).toBe(true);
    expect(looksLike('modem', ['modern'])).toBe(true);
  });

  it('UR4: a short name stands in others by chance', () => {
    expect(looksLike('Archive', ['Arc'])).toBe(false);
    expect(looksLike('Arc', ['Arc'])).toBe(true);
  });
});
