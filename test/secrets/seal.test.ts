import { describe, expect, it } from 'vitest';
import { seal, unseal } from '../../src/secrets/seal.ts';

const key = Buffer.alloc(32, 7);
const value = { clientId: 'client-1', state: 'é & ü', at: 1 };
const sealed = seal(key, 'flow', 'browser-1', value);

/** The sealed text with one of its parts changed. */
function withPart(index: number, change: (part: string) => string): string {
  return sealed
    .split('.')
    .map((part, at) => (at === index ? change(part) : part))
    .join('.');
}

const flipFirst = (part: string) => `${part.startsWith('A') ? 'B' : 'A'}${part.slice(1)}`;

describe('sealed text', () => {
  it('opens in the browser it was sealed for', () => {
    expect(unseal(key, 'flow', 'browser-1', sealed)).toEqual({ kind: 'opened', value });
  });

  it.each([
    ['another browser', 'browser-2'],
    ['a browser without its cookie', ''],
  ])('A11: in %s is foreign: readable, not usable', (_what, browser) => {
    expect(unseal(key, 'flow', browser, sealed)).toEqual({ kind: 'foreign', value });
  });

  it('sealed for no browser opens in none', () => {
    expect(unseal(key, 'flow', '', seal(key, 'flow', '', value))).toEqual({ kind: 'foreign', value });
  });

  it.each([
    ['of another tenant', unseal(Buffer.alloc(32, 8), 'flow', 'browser-1', sealed)],
    ['of another purpose', unseal(key, 'form', 'browser-1', sealed)],
    ['with another value', unseal(key, 'flow', 'browser-1', withPart(0, flipFirst))],
    ['with another mac', unseal(key, 'flow', 'browser-1', withPart(2, flipFirst))],
    ['cut by a letter', unseal(key, 'flow', 'browser-1', sealed.slice(0, -1))],
    ['with a fourth part', unseal(key, 'flow', 'browser-1', `${sealed}.`)],
    ['with two parts', unseal(key, 'flow', 'browser-1', 'a.b')],
    ['of nothing', unseal(key, 'flow', 'browser-1', '')],
  ])('%s is broken', (_what, opened) => {
    expect(opened).toEqual({ kind: 'broken' });
  });

  it('bound to another browser by hand is foreign, since it cannot be bound without the key', () => {
    expect(unseal(key, 'flow', 'browser-1', withPart(1, flipFirst)).kind).toBe('foreign');
    const parts = sealed.split('.');
    const plainTwice = [parts[0], parts[2], parts[2]].join('.');
    expect(unseal(key, 'flow', 'browser-1', plainTwice).kind).toBe('foreign');
  });
});
