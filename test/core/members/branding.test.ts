import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Branding,
  brandingProblems,
  looksOf,
  neutralBranding,
  scrimOf,
  supportLink,
  surfaces,
} from '../../../src/core/members/branding.ts';
import { contrast, luminance, mix, readColor, textOn } from '../../../src/core/members/color.ts';
import { templateFolder } from '../../../src/text/templates.ts';
import { told } from '../../support/expected/told.ts';
import { largestLogo, plainLogo } from '../../support/members/pages/logos.ts';

const branding: Branding = { ...neutralBranding, name: 'Acme' };
const problemsOf = (changes: Partial<Branding>, development = false) =>
  told(brandingProblems({ ...branding, ...changes }, development));

const hex = (value: number) => `#${value.toString(16).padStart(6, '0')}`;
const anyColor = fc.integer({ min: 0, max: 0xffffff }).map(hex);
const grays = Array.from({ length: 256 }, (_, level) => hex(level * 0x010101));

describe('contrast', () => {
  it.each([
    ['#ffffff', '#000000', 21],
    ['#ffffff', '#ffffff', 1],
    ['#767676', '#ffffff', 4.54],
    ['#777777', '#ffffff', 4.48],
    ['#949494', '#ffffff', 3.03],
    ['#959595', '#ffffff', 2.995],
    ['#ff0000', '#ffffff', 4],
    ['#0000ff', '#ffffff', 8.59],
    ['#00ff00', '#ffffff', 1.37],
    ['#ffff00', '#0000ff', 8],
  ])('of %s and %s is %d, in either order (WCAG 2.2)', (one, other, expected) => {
    expect(contrast(one, other)).toBeCloseTo(expected, 2);
    expect(contrast(other, one)).toBe(contrast(one, other));
  });

  it('rests on the luminance of each colour', () => {
    expect([luminance('#000000'), luminance('#ffffff')]).toEqual([0, 1]);
    expect(luminance('#808080')).toBeCloseTo(0.2159, 4);
    expect(luminance('#FF0000')).toBeCloseTo(0.2126, 4);
  });

  it('mixes colours as color-mix in srgb does', () => {
    expect(mix('#1f5fbf', '#ffffff', 0.55)).toBe('#9ab7e2');
    expect([mix('#1f5fbf', '#ffffff', 0), mix('#1f5fbf', '#ffffff', 1)]).toEqual(['#1f5fbf', '#ffffff']);
  });

  it('of what is no colour is a bug', () => {
    expect(readColor('red')).toBeNull();
    expect(() => luminance('red')).toThrow('is not a colour');
  });
});

describe('pages 5: the branding of a tenant', () => {
  it.each(['#1f5fbf', '#0B7A4B', '#8a3ffc', '#000000', '#949494', '#e6007e', '#d93025'])(
    'may have the colour %s',
    (brandColor) => {
      expect(problemsOf({ brandColor })).toEqual([]);
    },
  );

  it.each(['', 'red', '#fff', '#12345', '#1234567', '#12345g', ' #123456', '#123456;', '#123456\n'])(
    'may not have the colour "%s"',
    (brandColor) => {
      expect(problemsOf({ brandColor })).toEqual([
        'brandColor must be written as # and six hexadecimal digits',
      ]);
    },
  );

  it('may not have a colour that cannot be told from a white page, and is told the nearest that can', () => {
    const [problem = ''] = problemsOf({ brandColor: '#ffcc00' });
    expect(problem).toBe(
      'brandColor #ffcc00 cannot be told from a white page: its contrast is 1.5, and buttons need 3; ' +
        '#b38f00 would do',
    );
    fc.assert(
      fc.property(anyColor, (brandColor) => {
        const [said] = problemsOf({ brandColor });
        expect(said !== undefined).toBe(contrast(brandColor, '#ffffff') < 3);
        const offered = /(#\w+) would do/.exec(said ?? '')?.[1];
        if (said !== undefined) expect(problemsOf({ brandColor: offered ?? '' })).toEqual([]);
      }),
    );
  });

  it.each([
    ['', 'name is missing'],
    [' \u200b\u3000', 'name is missing'],
    ['x'.repeat(61), 'name has more than 60 characters'],
    ['Ac\u0000me', 'name has a control character, or one that turns the text around it'],
    ['Ac\nme', 'name has a control character, or one that turns the text around it'],
    ['Ac\u202eme', 'name has a control character, or one that turns the text around it'],
  ])('may not have the name %j', (name, problem) => {
    expect(problemsOf({ name })).toEqual([problem]);
  });

  it.each(['x', '🦊'.repeat(60), 'Ådnes & Sønn <b>"AS"</b>', 'شركة النور'])(
    'may have the name %s',
    (name) => {
      expect(problemsOf({ name })).toEqual([]);
    },
  );

  it('may have a logo of 8,000 characters, and no more', () => {
    const logo = largestLogo('tenant');
    expect(logo).toHaveLength(8_000);
    expect(problemsOf({ logo })).toEqual([]);
    expect(problemsOf({ logo: logo.replace('x', 'xx') })).toEqual(['logo has more than 8000 characters']);
    expect(problemsOf({ logo: plainLogo })).toEqual([]);
  });

  it('may have a sentence of 120 characters on its cover, which is one line', () => {
    expect(problemsOf({ coverText: '🦊'.repeat(120) })).toEqual([]);
    expect(problemsOf({ coverText: 'x'.repeat(121) })).toEqual(['coverText has more than 120 characters']);
    expect(problemsOf({ coverText: 'one\ntwo' })).toHaveLength(1);
    expect(problemsOf({ coverText: ' ' })).toEqual(['coverText is missing']);
  });

  it.each(['help@example.com', 'https://example.com/help?from=door#phone'])(
    'pages 23: may be asked for help at %s',
    (supportAddress) => {
      expect(problemsOf({ supportAddress })).toEqual([]);
    },
  );

  it.each([
    'none',
    'http://example.com',
    'javascript:alert(1)',
    ' help@example.com',
    'mailto:help@example.com',
  ])('pages 23: may not be asked for help at "%s"', (supportAddress) => {
    expect(problemsOf({ supportAddress })).toEqual([
      'supportAddress must be an email address or an https address',
    ]);
  });

  it('pages 23: is written to at an address that cannot carry a subject', () => {
    expect(supportLink({ supportAddress: 'help?subject=x&cc=y@example.com' })).toBe(
      'mailto:help%3Fsubject%3Dx%26cc%3Dy@example.com',
    );
    expect(supportLink({ supportAddress: 'https://example.com/help' })).toBe('https://example.com/help');
    expect(supportLink({ supportAddress: null })).toBeNull();
  });

  it.each([
    'http://example.com/terms',
    'https://user:secret@example.com/',
    'https://a;b/',
    'https://example.com/ x',
    '/terms',
  ])('pages 23: may not have its terms at "%s"', (termsUrl) => {
    expect(problemsOf({ termsUrl })).toHaveLength(1);
    expect(problemsOf({ privacyUrl: termsUrl }, true)).toHaveLength(1);
  });

  it.each([
    'https:other.example',
    'https:/other.example',
    'https:///other.example',
    'https:\\\\other.example',
    'https://example.com\\terms',
  ])('PP3: may not have its terms at "%s", which is not one address to all', (termsUrl) => {
    expect(problemsOf({ termsUrl })).toHaveLength(1);
    expect(problemsOf({ supportAddress: termsUrl })).toHaveLength(1);
  });

  it('pages 23: may have pages on its developer’s own machine only while it is a development tenant', () => {
    const local = { termsUrl: 'http://localhost:4000/terms', supportAddress: 'http://127.0.0.1:4000/help' };
    expect(problemsOf(local, true)).toEqual([]);
    expect(problemsOf(local)).toHaveLength(2);
  });

  it('is told every problem at once', () => {
    const pictures = { logo: 'https://evil.example/', favicon: 'x', coverPicture: largestLogo('tenant') };
    expect(problemsOf({ name: '', brandColor: 'red', ...pictures })).toHaveLength(5);
  });
});

describe('pages 3: what pages make of a colour', () => {
  const mixtures = (['base', 'glow', 'shade'] as const).flatMap((one) =>
    (['glow', 'shade'] as const).flatMap((other) =>
      [0, 0.3, 0.7].map((share) => [one, other, share] as const),
    ),
  );

  /** Everything that a page shows in it, held to WCAG 2.2, 1.4.3 and 1.4.11. */
  function check(brandColor: string): void {
    const looks = looksOf(brandColor);
    for (const mode of ['light', 'dark'] as const) {
      const { brand, onBrand, link, cover } = looks[mode];
      const { card, quiet, page, tint } = surfaces[mode];
      const what = `${brandColor} in the ${mode} look: ${JSON.stringify(looks[mode])}`;
      expect(contrast(onBrand, brand), what).toBeGreaterThanOrEqual(4.5);
      expect(contrast(brand, card), what).toBeGreaterThanOrEqual(3);
      expect(contrast(link, card), what).toBeGreaterThanOrEqual(4.5);
      expect(contrast(link, quiet), what).toBeGreaterThanOrEqual(4.5);
      expect(contrast(link, mix(brand, page, 1 - tint)), what).toBeGreaterThanOrEqual(4.5);
      // Every point of the cover is mixed of these three.
      for (const [one, other, share] of mixtures)
        expect(contrast(cover.text, mix(cover[one], cover[other], share)), what).toBeGreaterThanOrEqual(4.5);
    }
  }

  it('can be read on its buttons, told from the page, and read as links, light and dark', () => {
    for (const gray of grays) if (problemsOf({ brandColor: gray }).length === 0) check(gray);
    fc.assert(
      fc.property(anyColor, (brandColor) => {
        fc.pre(problemsOf({ brandColor }).length === 0);
        check(brandColor);
      }),
      { numRuns: 2_000 },
    );
  });

  it('has readable text on every colour there is, so none is refused for its text', () => {
    for (const gray of grays) expect(contrast(textOn(gray), gray), gray).toBeGreaterThanOrEqual(4.5);
    fc.assert(
      fc.property(anyColor, (color) => {
        expect(contrast(textOn(color), color)).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 2_000 },
    );
  });

  it('lies over the picture of a cover so that white text can be read on it, whatever the picture has there', () => {
    fc.assert(
      fc.property(anyColor, anyColor, (brandColor, pixel) => {
        const { color, density } = scrimOf(brandColor);
        for (const below of [pixel, '#ffffff'])
          expect(contrast('#ffffff', mix(below, color, density / 100)), below).toBeGreaterThanOrEqual(4.5);
      }),
    );
  });

  it('leaves a colour as it is wherever it can', () => {
    expect(looksOf('#0b7a4b')).toMatchObject({
      light: { brand: '#0b7a4b', onBrand: '#ffffff', link: '#0b7a4b', cover: { base: '#0b7a4b' } },
      dark: { brand: '#0b7a4b', onBrand: '#ffffff', link: '#91c3ae' },
    });
  });

  it('knows what the style sheet paints behind it', () => {
    const css = ['palette.css', 'site.css']
      .map((file) => readFileSync(new URL(`assets/${file}`, templateFolder), 'utf8'))
      .join('');
    const { light, dark } = surfaces;
    for (const { card, quiet, page, tint } of [light, dark]) {
      expect(css).toContain(`--card: ${card};`);
      expect(css).toContain(`--quiet: ${quiet};`);
      expect(css).toContain(`--ground: ${page};`);
      expect(css).toContain(`--tint: ${tint * 100}%;`);
    }
    expect(css).toContain('--page: color-mix(in srgb, var(--brand) var(--tint), var(--ground));');
    expect([...css.matchAll(/--(?:card|quiet): (#\w+)/g)].map(([, color]) => color).sort()).toEqual(
      [light.card, light.quiet, dark.card, dark.quiet].sort(),
    );
  });
});
