import fc from 'fast-check';

/** A mark that a page must never show as HTML: one element of ours, in whatever was sent. */
export const htmlMark = '<fuzz-mark x="1">';

/** Texts that parsers have stumbled over before. */
const known: readonly string[] = [
  '',
  ' ',
  '\0',
  '\r\nSet-Cookie: fuzz=1',
  '%0d%0aSet-Cookie:%20fuzz=1',
  '%',
  '%zz',
  '%c0%af',
  '%ed%a0%80',
  '\ufeff',
  '\ufffd',
  '\u2028',
  '\u202e',
  'ﬀ',
  '１２３ ４５６',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  '-1',
  '1e309',
  '9007199254740993',
  "' or 1=1 --",
  '"><script>alert(1)</script>',
  htmlMark,
  '{{7*7}}',
  '<%= 1 %>',
  '#{7*7}',
  '../../../etc/passwd',
  '//evil.test/',
  '/\\evil.test',
  'https://evil.test/',
  'javascript:alert(1)',
  '[]',
  '{}',
  '😀',
  'e\u0301'.repeat(40),
];

/** Any text that can be in UTF-8, most of them short. */
export const text = (maxLength = 40): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength }).map((made) => made.toWellFormed()) },
    { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength }) },
    { weight: 3, arbitrary: fc.constantFrom(...known) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...known), fc.constantFrom(...known)).map((two) => two.join('')),
    },
  );

/** Now and then a text too long for anything. */
export const anyLength: fc.Arbitrary<string> = fc.oneof(
  { weight: 9, arbitrary: text() },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom('a', '0', ' ', '%41', 'é', '😀', '"', '\\', '.', '/'),
        fc.constantFrom(65, 255, 2_049, 4_097, 9_000),
      )
      .map(([unit, length]) => unit.repeat(Math.ceil(length / unit.length))),
  },
);

/** Changes a text a little: a piece left out, doubled, put in, or in other letters. */
export const nearly = (values: readonly string[], pieces: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...values),
      fc.nat(200),
      fc.nat(4),
      fc.oneof(fc.constantFrom(...pieces), text(3)),
      fc.constantFrom('put in', 'replace', 'leave out', 'append', 'prepend', 'upper', 'nothing'),
    )
    .map(([value, place, length, piece, how]) => {
      const at = place % (value.length + 1);
      switch (how) {
        case 'put in':
          return value.slice(0, at) + piece + value.slice(at);
        case 'replace':
          return value.slice(0, at) + piece + value.slice(at + length);
        case 'leave out':
          return value.slice(0, at) + value.slice(at + length);
        case 'append':
          return value + piece;
        case 'prepend':
          return piece + value;
        case 'upper':
          return value.slice(0, at) + value.slice(at).toUpperCase();
        default:
          return value;
      }
    });

/** Bytes that are often, but not always, UTF-8. */
export const bytes = (maxLength = 60): fc.Arbitrary<Buffer> =>
  fc.oneof(
    fc.uint8Array({ maxLength }).map((made) => Buffer.from(made)),
    text(maxLength).map((made) => Buffer.from(made)),
    fc.tuple(text(maxLength), fc.nat(255), fc.nat(maxLength)).map(([made, byte, at]) => {
      const buffer = Buffer.from(made);
      const place = at % (buffer.length + 1);
      return Buffer.concat([buffer.subarray(0, place), Buffer.from([byte]), buffer.subarray(place)]);
    }),
  );
