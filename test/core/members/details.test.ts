import { describe, expect, it } from 'vitest';
import {
  emailProblem,
  fullNameProblem,
  nameProblem,
  shownName,
  textProblem,
} from '../../../src/core/members/details.ts';

/** What could break a header, a log line or a page. */
const controls = [
  '\r\nBcc: x@evil.test',
  '\n',
  '\u0000',
  '\u001b[31m',
  '\u007f',
  '\u0085',
  '\u2028',
  '\u2029',
];
/** What turns the text around it. */
const overrides = ['\u202a', '\u202e', '\u2066', '\u2069'];

describe('full names', () => {
  it.each([
    'Ada',
    'Åse Ødegård-Ní Ríordáin',
    "O'Brien, Jr.",
    '李小龍',
    'محمد',
    'क्\u200dष',
    '🦊',
    '<b>Ada</b>',
  ])('%s is a name: people are not asked to fit a pattern', (name) => {
    expect(fullNameProblem(name)).toBeNull();
  });

  it.each(['', '   ', '\t', '\u00a0', '\u200b', '\u3164', '\u00ad \u2060'])(
    '%j shows nothing, so it is missing',
    (name) => {
      expect(fullNameProblem(name)).toBe('missing');
    },
  );

  it('200 code points are taken, and not one more', () => {
    expect(fullNameProblem('🦊'.repeat(200))).toBeNull();
    expect(fullNameProblem('🦊'.repeat(201))).toBe('long');
  });

  it.each([...controls, ...overrides, '\ud800', '\ue000'])('%j is unfit anywhere in it', (unfit) => {
    for (const name of [`Ada${unfit}Berg`, `${unfit}Ada`]) expect(fullNameProblem(name)).toBe('unfit');
  });
});

describe('names of tenants, clients and tokens', () => {
  it.each([
    ['60 code points are taken', '🦊'.repeat(60), null],
    ['and not one more', '🦊'.repeat(61), 'too_long'],
    ['nothing is no name', ' \u200b', 'missing'],
  ])('%s', (_what, name, problem) => {
    if (problem === null) expect(nameProblem(name)).toBeNull();
    else expect(nameProblem(name)?.code).toBe(problem);
  });

  it.each([...controls, ...overrides])('%j is refused, and a name that has it is shown without', (unfit) => {
    expect(nameProblem(`Bank${unfit}App`)?.code).toBe('unfit_name');
    const shown = shownName(`Bank${unfit}App`);
    expect(shown).toMatch(/^Bank\ufffd.*App$/);
    expect(nameProblem(shown)).toBeNull();
  });

  it.each([
    '\u200b',
    '\u200c',
    '\u200d',
    '\u2060',
    '\ufeff',
    '\u00ad',
    '\u3164',
    '\ufe0f',
    '\u2800',
    '\u{e0001}',
    '\u{e0041}',
  ])(
    'F7: %j cannot be seen: it is refused, and a name that has it shows that there is something',
    (hidden) => {
      expect(nameProblem(`Bank${hidden}App`)?.code).toBe('unfit');
      expect(shownName(`Bank${hidden}App`)).toBe('Bank\ufffdApp');
    },
  );

  it.each(['❤️ Film', '👩🏽‍🚀 Space', '🏳️‍🌈', '👨‍👩‍👧 Family', '1️⃣ First', '🐈‍⬛', 'Øl & Æra', '日本'])(
    'the joiners of an emoji are part of it: %s is a name',
    (name) => {
      expect(nameProblem(name)).toBeNull();
      expect(shownName(name)).toBe(name);
    },
  );

  it('an older name that is too long is shown cut', () => {
    expect(shownName('🦊'.repeat(15_000))).toBe(`${'🦊'.repeat(59)}…`);
    expect(shownName('🦊'.repeat(60))).toBe('🦊'.repeat(60));
  });
});

describe('other texts', () => {
  it('may be empty, are counted in code points, and hold no controls', () => {
    expect(textProblem('', 3)).toBeNull();
    expect(textProblem('🦊🦊🦊', 3)).toBeNull();
    expect(textProblem('abcd', 3)).toBe('long');
    for (const unfit of [...controls, ...overrides]) expect(textProblem(unfit, 50)).toBe('unfit');
  });
});

describe('e-mail addresses', () => {
  it.each([
    'ada@example.test',
    '  ada@example.test ',
    'gro+tv@example.com',
    "o'brien_x.y-z@sub.domain.example.co",
    'åse@blåbær.no',
    '用户@例子.公司',
    `${'l'.repeat(64)}@example.test`,
  ])('%s is one', (email) => {
    expect(emailProblem(email)).toBeNull();
  });

  it.each(['', ' ', '\r\n'])('%j is missing', (email) => {
    expect(emailProblem(email)).toBe('missing');
  });

  it.each([
    'ada',
    '@example.test',
    'ada@',
    'ada@example',
    'ada@example.t',
    'ada@@example.test',
    'ada@example.test,bo@example.test',
    'ada@example.test;bo@example.test',
    'Ada <ada@example.test>',
    '"ada"@example.test',
    'ada berg@example.test',
    'ada@exam\u200bple.test',
    'a\u00adda@example.test',
    `${'l'.repeat(65)}@example.test`,
    ...controls.map((control) => `ada${control}@example.test`),
    ...overrides.map((override) => `ada${override}@example.test`),
  ])('%j is not', (email) => {
    expect(emailProblem(email)).toBe('malformed');
  });

  it('254 bytes are taken, and not one more (RFC 5321 §4.5.3.1)', () => {
    const domain = (length: number) => `ada@${'d'.repeat(length - 'ada@.test'.length)}.test`;
    expect(emailProblem(domain(254))).toBeNull();
    expect(emailProblem(domain(255))).toBe('malformed');
    expect(emailProblem(`ada@${'å'.repeat(123)}.test`)).toBe('malformed');
  });
});
