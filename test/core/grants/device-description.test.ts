import { describe, expect, it } from 'vitest';
import { readDeviceDescription } from '../../../src/core/grants/device-code.ts';

/** Every code point from the first to the last. */
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const named = (codePoints: readonly number[]) =>
  codePoints.map(
    (point) =>
      [`U+${point.toString(16).toUpperCase().padStart(4, '0')}`, String.fromCodePoint(point)] as const,
  );

/** Where a character can stand in a name. */
const places = (character: string) => [
  `${character}Living room`,
  `Living${character}room`,
  `Living room${character}`,
  character,
];

describe('device_name and device_model', () => {
  it.each([
    ['plain letters', 'Living room'],
    ['letters of other scripts', 'Stua på Ås, 客厅, غرفة'],
    ['a letter with a combining mark', 'Sto\u0302l'],
    ['punctuation and symbols', '"TV" <b>&amp; {{7*7}} <%= 1 %> \u2122'],
    ['an emoji', 'Den \u{1f4fa}'],
    ['spaces around it', '  Living room '],
  ])('is read with %s, exactly as sent', (_what, sent) => {
    expect(readDeviceDescription(sent)).toBe(sent);
  });

  it.each([
    ['absent', undefined],
    ['empty', ''],
    ['only spaces', '   '],
    ['only no-break spaces', '\u00a0\u3000'],
  ])('D15: none is given where it is %s', (_what, sent) => {
    expect(readDeviceDescription(sent)).toBeNull();
  });

  it('D8: 64 characters are read, 65 are refused', () => {
    expect(readDeviceDescription('x'.repeat(64))).toBe('x'.repeat(64));
    expect(readDeviceDescription('x'.repeat(65))).toBeUndefined();
    expect(readDeviceDescription(' '.repeat(65))).toBeUndefined();
  });

  it('decision 33: characters are code points, not UTF-16 units and not what the eye counts', () => {
    expect(readDeviceDescription('\u{1f4fa}'.repeat(64))).toBe('\u{1f4fa}'.repeat(64));
    expect(readDeviceDescription('\u{1f4fa}'.repeat(65))).toBeUndefined();
    expect(readDeviceDescription('o\u0302'.repeat(32))).toBe('o\u0302'.repeat(32));
    expect(readDeviceDescription(`${'o\u0302'.repeat(32)}o`)).toBeUndefined();
  });

  it.each(named([0x00, 0x07, 0x09, 0x0a, 0x0d, 0x1b, 0x7f, 0x85]))(
    'D11: %s is refused',
    (_name, character) => {
      for (const sent of places(character)) expect(readDeviceDescription(sent)).toBeUndefined();
    },
  );

  it.each(
    named([
      0x200b,
      0x200d,
      0x200e,
      0x200f,
      ...range(0x202a, 0x202e),
      0x2060,
      ...range(0x2066, 0x2069),
      0xfeff,
      0x00ad,
      0x061c,
      0x180e,
      0x3164,
      0x115f,
      0xfe0f,
      0xe0001,
      0x2800,
    ]),
  )('D12: %s is refused', (_name, character) => {
    for (const sent of places(character)) expect(readDeviceDescription(sent)).toBeUndefined();
  });

  it('D11, D12: every control character and every tag character is refused', () => {
    const all = [...range(0x00, 0x1f), ...range(0x7f, 0x9f), ...range(0xe0020, 0xe007f)];
    for (const point of all) {
      expect([point, readDeviceDescription(`TV${String.fromCodePoint(point)}`)]).toEqual([point, undefined]);
    }
  });

  it.each([
    ['Cc', 0x0001],
    ['Cf', 0x2061],
    ['Cs', 0xd800],
    ['Co', 0xe000],
    ['Cn', 0x0378],
    ['Cn, a noncharacter', 0xffff],
    ['Zl', 0x2028],
    ['Zp', 0x2029],
    ['default-ignorable, and a letter to Unicode', 0x1160],
    ['default-ignorable, and a mark to Unicode', 0x034f],
  ])('decision 33: a character of the category %s is refused', (_category, point) => {
    expect(readDeviceDescription(`TV${String.fromCharCode(point)}`)).toBeUndefined();
  });
});
