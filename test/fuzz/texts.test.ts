import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDeviceDescription } from '../../src/core/grants/device-code.ts';
import { readUserCode, showUserCode } from '../../src/core/grants/user-code.ts';
import { stateAsksForSignUp } from '../../src/core/oidc/request/authorization-request.ts';
import { isCodeChallenge, verifierMatches } from '../../src/core/oidc/request/pkce.ts';
import { knownScopes, readScope, scopeCovers, scopeIncludes } from '../../src/core/oidc/scope.ts';
import { chooseLanguage, languages } from '../../src/text/language.ts';
import { anyLength, nearly, text } from '../support/fuzz/hostile.ts';
import { writtenJson } from '../support/fuzz/json.ts';
import { holds } from '../support/fuzz/runs.ts';

describe('scope', () => {
  const asked = fc.oneof(
    fc
      .array(fc.oneof(fc.constantFrom(...knownScopes), text(4)), { maxLength: 8 })
      .map((all) => all.join(' ')),
    anyLength,
  );

  it('decision 10: is the known values, each once and in one order, and reading it again changes nothing', () =>
    holds(
      fc.property(asked, (sent) => {
        const scope = readScope(sent);
        const wanted = knownScopes.filter((known) => ` ${sent} `.includes(` ${known} `));
        expect(scope).toBe(wanted.join(' '));
        expect(readScope(scope)).toBe(scope);
        for (const known of knownScopes) expect(scopeIncludes(scope, known)).toBe(wanted.includes(known));
      }),
    ));

  it('decision 25: is covered by another exactly if each of its values is in that one', () =>
    holds(
      fc.property(asked, asked, (wider, narrower) => {
        const granted = readScope(wider);
        const missing = narrower.split(' ').filter((one) => one !== '' && !granted.split(' ').includes(one));
        expect(scopeCovers(granted, narrower)).toBe(missing.length === 0);
        expect(scopeCovers(granted, granted)).toBe(true);
      }),
    ));
});

describe('state', () => {
  const state = fc.oneof(
    writtenJson(
      fc.record({ action: fc.constantFrom('signup', 'Signup', 'signin', null, 1) }, { requiredKeys: [] }),
    ),
    writtenJson(fc.jsonValue({ maxDepth: 3 })),
    nearly(['{"action":"signup","csrf":"x"}'], ['"', '{', '}', ',', '\\', '\0', '\ufeff', '__proto__']),
    fc.nat(4_096).map((length) => JSON.stringify({ action: 'signup', pad: 'x'.repeat(length) })),
    anyLength,
  );

  it('decision 12: asks for registration exactly if it is JSON of up to 2 KB whose own action is "signup"', () =>
    holds(
      fc.property(state, (sent) => {
        let value: unknown;
        try {
          value = JSON.parse(sent);
        } catch {
          value = null;
        }
        const own = new Map(Object.entries(typeof value === 'object' && value !== null ? value : {}));
        expect(stateAsksForSignUp(sent)).toBe(sent.length <= 2_048 && own.get('action') === 'signup');
      }),
      400,
    ));
});

describe('a user code', () => {
  const digits = fc.stringMatching(/^\d{6}$/);
  /** Zeros of scripts whose ten digits stand in a row. */
  const zeros = ['0', '٠', '۰', '０', '𝟎', '𝟘', '𝟬'];
  const between = fc.array(
    fc.constantFrom(' ', '-', '\u00a0', '\u2011', '\u2013', '\u2212', '\t', '\u3000'),
    {
      maxLength: 2,
    },
  );

  it('U5: is read as its six digits however they are spaced, hyphenated and written', () =>
    holds(
      fc.property(
        digits,
        fc.constantFrom(...zeros),
        fc.array(between, { minLength: 7, maxLength: 7 }),
        (code, zero, gaps) => {
          const typed = [...code].map((digit, index) => {
            const written = String.fromCodePoint((zero.codePointAt(0) ?? 0) + Number(digit));
            return `${gaps[index]?.join('')}${written}`;
          });
          expect(readUserCode(typed.join('') + gaps[6]?.join(''))).toBe(code);
          expect(readUserCode(showUserCode(code))).toBe(code);
        },
      ),
      200,
    ));

  it('decision 29: that is read holds six digits and nothing else that can be seen', () =>
    holds(
      fc.property(
        fc.oneof(nearly(['123 456', '123-456'], [' ', '-', '⑥', '²', '½', '㊿', '٣']), anyLength),
        (typed) => {
          const code = readUserCode(typed);
          if (code === null) return;
          expect(code).toMatch(/^[0-9]{6}$/);
          expect(readUserCode(code)).toBe(code);
          expect(typed.replace(/[\p{N}\p{Pd}\p{Z}\s\u2212]/gu, '')).toBe('');
        },
      ),
      400,
    ));
});

describe('what a device says of itself', () => {
  /** A good name, and what must not stand in one (D11, D12). */
  const named = nearly(
    ['Living room', 'Stue \u00e9'],
    [
      '\u2800',
      '\u0085',
      '\u00ad',
      '\u200d',
      '\u202e',
      '\u2028',
      '\u3164',
      '\ufe0f',
      '\u{e0001}',
      '\ue000',
      '\u0378',
    ],
  );
  const unfit = [/\p{C}/u, /\p{Zl}|\p{Zp}/u, /\p{Default_Ignorable_Code_Point}/u, /\u2800/];

  it('decision 33: is refused for one unfit code point anywhere, or for more than 64 code points', () =>
    holds(
      fc.property(
        fc.oneof(anyLength, fc.string({ unit: 'binary', maxLength: 70 }), text(70), named),
        (sent) => {
          const points = Array.from(sent);
          const isFit =
            points.length <= 64 && points.every((point) => unfit.every((one) => !one.test(point)));
          const read = readDeviceDescription(sent);
          if (!isFit) {
            expect(read).toBeUndefined();
            return;
          }
          expect(read).toBe(/^\p{Z}*$/u.test(sent) ? null : sent);
        },
      ),
      1_000,
    ));
});

describe('PKCE', () => {
  it('decision 19: a challenge is 43 base64url characters, and a verifier fits it by its SHA-256 alone', () =>
    holds(
      fc.property(
        fc.oneof(fc.stringMatching(/^[A-Za-z0-9_-]{42,44}$/), anyLength),
        fc.oneof(fc.stringMatching(/^[A-Za-z0-9._~+/=-]{42,129}$/), anyLength),
        (challenge, verifier) => {
          const is43 = challenge.length === 43 && Buffer.from(challenge, 'base64url').length === 32;
          const letters = [...challenge].every((one) => /[\w-]/.test(one) && one.charCodeAt(0) < 128);
          expect(isCodeChallenge(challenge)).toBe(is43 && letters);
          expect(verifierMatches(verifier, challenge)).toBe(false);
        },
      ),
      200,
    ));
});

describe('the language of a page', () => {
  const tag = fc.oneof(
    fc.constantFrom(...languages, 'no', 'nn', 'nb-NO', 'EN-us', 'xx', '*', 'zh-Hant-TW'),
    text(5).map((made) => made.replace(/[,;\s]/g, '') || 'x'),
  );
  const offered = fc.subarray([...languages], { minLength: 1 });
  const ourTag = (sent: string) => {
    const [primary = ''] = sent.toLowerCase().split('-');
    return ['no', 'nn'].includes(primary) ? 'nb' : primary;
  };

  it('is one of the offered ones, whatever a browser sends', () =>
    holds(
      fc.property(
        fc.array(anyLength, { maxLength: 3 }),
        fc.option(anyLength),
        offered,
        (asked, header, named) => {
          const language = chooseLanguage(asked, header ?? undefined, named);
          expect(named).toContain(language.tag);
        },
      ),
      200,
    ));

  it('is the first of Accept-Language, by weight and then by place, that is offered', () =>
    holds(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...languages, 'no', 'nn', 'xx', 'EN-us'), fc.nat(1_000)), {
          maxLength: 6,
        }),
        offered,
        (entries, named) => {
          const header = entries.map(([one, weight]) => `${one};q=${(weight / 1_000).toFixed(3)}`).join(', ');
          const best = entries
            .filter(([, weight]) => weight > 0)
            .toSorted((a, b) => b[1] - a[1])
            .map(([one]) => ourTag(one))
            .find((one) => named.includes(one));
          const expected = best ?? (named.includes('en') ? 'en' : named[0]);
          expect(chooseLanguage([], header, named).tag).toBe(expected);
        },
      ),
      200,
    ));

  it('ui_locales: is the first that is offered, before anything a browser says', () =>
    holds(
      fc.property(fc.array(tag, { maxLength: 5 }), offered, (tags, named) => {
        const first = tags.map(ourTag).find((one) => named.includes(one));
        const language = chooseLanguage([tags.join(' ')], 'en', named);
        if (first !== undefined && tags.every((one) => !one.includes(' '))) expect(language.tag).toBe(first);
      }),
      200,
    ));
});
