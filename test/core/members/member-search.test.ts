import { describe, expect, it } from 'vitest';
import { searchWords } from '../../../src/core/members/member.ts';

describe('the words that a member is found by', () => {
  it.each([
    ['Ada Nilsen', ['ada', 'nilsen']],
    ['  ÅSE Müller-Çelik ', ['ase', 'muller', 'celik']],
    ['O’Neil, D. Ada ada', ['o', 'neil', 'd', 'ada']],
    ['هدى منصور', ['هدى', 'منصور']],
    ['김민준', ['김민준'.normalize('NFKD')]],
    ['Ｗｉｄｅ ﬁne', ['wide', 'fine']],
    ['Route 66', ['route', '66']],
    ['🦊 – !', []],
    ['', []],
  ])('of %j are without case, accents and width, each once', (text, words) => {
    expect(searchWords(text)).toEqual(words);
  });
});
