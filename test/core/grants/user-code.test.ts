import { describe, expect, it } from 'vitest';
import { hashUserCode, readUserCode, showUserCode } from '../../../src/core/grants/user-code.ts';

describe('user code', () => {
  it('contract: is shown as 3 digits, a space, 3 digits; leading zeros stay', () => {
    expect([showUserCode('123456'), showUserCode('000007')]).toEqual(['123 456', '000 007']);
  });

  it.each([
    ['the digits alone', '123456'],
    ['as the TV shows it', '123 456'],
    ['with a hyphen', '123-456'],
    ['with spaces around it', ' 123 456 '],
    ['with a no-break space', '123\u00a0456'],
    ['with a narrow no-break space', '123\u202f456'],
    ['with a non-breaking hyphen', '123\u2011456'],
    ['with an en dash between spaces', '123 \u2013 456'],
    ['with a minus sign', '123\u2212456'],
    ['with a space after each digit', '1 2 3 4 5 6 '],
    ['pasted with a line break', '123 456\r\n'],
    ['in Arabic-Indic digits', '\u0661\u0662\u0663\u0664\u0665\u0666'],
    ['in full-width digits', '\uff11\uff12\uff13\u3000\uff14\uff15\uff16'],
  ])('U5: is read %s', (_how, typed) => {
    expect(readUserCode(typed)).toBe('123456');
  });

  it.each([
    ['nothing', ''],
    ['spaces alone', '   '],
    ['five digits', '12345'],
    ['seven digits', '1234567'],
    ['two codes', '123 456 123 456'],
    ['a letter for a zero', '12345O'],
    ['a sign', '+123456'],
    ['a fraction', '123.456'],
    ['an exponent', '1e5000'],
    ['digits with something invisible between', '123\u200b456'],
    ['markup', '<b>123456</b>'],
  ])('decision 29: is not read from %s', (_what, typed) => {
    expect(readUserCode(typed)).toBeNull();
  });

  it('decision 31: is stored under a key, so that two tenants store the same digits differently', () => {
    const [a, b] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const hash = hashUserCode(a, '123456');
    expect(hash).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(hashUserCode(a, '123456')).toBe(hash);
    expect(new Set([hash, hashUserCode(b, '123456'), hashUserCode(a, '123457')]).size).toBe(3);
  });
});
