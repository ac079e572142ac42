// What a tenant's pages look like, and the colours that are made from the tenant's own.
import { type Problem, problem } from '../problem.ts';
import type { Tenant } from '../tenant.ts';
import { nameProblem } from './details.ts';
import { logoLength } from './limits.ts';
import { logoProblem } from './logo.ts';

/** What members see of a tenant on every page. */
export type Branding = Pick<Tenant, 'name' | 'brandColor' | 'logo'>;

/** What a page wears where there is no tenant, and a tenant before it chooses. */
export const neutralBranding: Branding = { name: 'Memberdoor', brandColor: '#1f5fbf', logo: null };

/** The colours of one look, light or dark, that are made from the tenant's own. */
export interface Look {
  /** The background of buttons and of the letter mark. */
  readonly brand: string;
  /** The text on it. */
  readonly onBrand: string;
  /** Links, and the line around what has the keyboard. */
  readonly link: string;
}

/**
 * What the style sheet paints behind buttons and links (`--card`, `--quiet`, `--page`). The page around cards is
 * tinted with this much of the brand colour.
 */
export const surfaces = {
  light: { card: '#ffffff', quiet: '#f1f3f6', page: '#f7f8fa', tint: 0.04 },
  dark: { card: '#15181f', quiet: '#20242d', page: '#0d0f14', tint: 0.04 },
} as const;

/** WCAG 2.2: text against its background (1.4.3), and the edge of a button against the page (1.4.11). */
const leastContrast = { text: 4.5, edge: 3 } as const;

const white = '#ffffff';
const black = '#000000';

/**
 * Dark text on a light button. It is this dark because 1.05 / (L + 0.05) of white and of this multiply to
 * more than 4.5²: whatever the button's colour, one of the two reaches 4.5.
 */
const nearBlack = '#050505';

/** Every problem of a tenant's branding. */
export function brandingProblems({ name, brandColor, logo }: Branding): readonly Problem[] {
  return [
    nameProblem(name),
    colorProblem(brandColor),
    logo === null ? null : logoProblem(logo, logoLength.tenant),
  ].filter((found) => found !== null);
}

/** Text fits every colour and the dark look is made to fit; so only a colour too near to white is refused. */
function colorProblem(brandColor: string): Problem | null {
  if (readColor(brandColor) === null) return problem('brandColor', 'not_a_color');
  if (edgeReaches(brandColor, surfaces.light.card)) return null;
  const darker = shift(brandColor, black, (color) => edgeReaches(color, surfaces.light.card));
  const reached = Math.floor(contrast(brandColor, white) * 10) / 10;
  const { edge: least } = leastContrast;
  return problem('brandColor', 'too_pale', { color: brandColor, contrast: reached, least, darker });
}

/** The looks of a brand colour, each of them readable (pages 3, 5). */
export function looksOf(brandColor: string): { readonly light: Look; readonly dark: Look } {
  const { light, dark } = surfaces;
  const bright = shift(brandColor, white, (color) => edgeReaches(color, dark.card));
  return {
    light: {
      brand: brandColor,
      onBrand: textOn(brandColor),
      link: shift(brandColor, black, isLinkOn([light.card, light.quiet, pageOf(light, brandColor)])),
    },
    dark: {
      brand: bright,
      onBrand: textOn(bright),
      // On a dark page a link is pale, to stand off from the buttons: more than half white.
      link: shift(
        mix(brandColor, white, 0.55),
        white,
        isLinkOn([dark.card, dark.quiet, pageOf(dark, bright)]),
      ),
    },
  };
}

/** White or near-black, whichever is easier to read on this colour. */
export function textOn(color: string): string {
  return contrast(color, white) >= contrast(color, nearBlack) ? white : nearBlack;
}

function edgeReaches(color: string, card: string): boolean {
  return contrast(color, card) >= leastContrast.edge;
}

const isLinkOn = (backgrounds: readonly string[]) => (color: string) =>
  backgrounds.every((background) => contrast(color, background) >= leastContrast.text);

/** The page around the card, as the style sheet mixes it. */
function pageOf({ page, tint }: (typeof surfaces)['light' | 'dark'], brand: string): string {
  return mix(brand, page, 1 - tint);
}

/** The colour moved towards another, only as far as it has to. */
function shift(color: string, towards: string, isEnough: (color: string) => boolean): string {
  for (let percent = 0; percent < 100; percent += 1) {
    const candidate = mix(color, towards, percent / 100);
    if (isEnough(candidate)) return candidate;
  }
  return towards;
}

/** Red, green and blue, 0 to 255. */
type Rgb = readonly [number, number, number];

/** A colour written `#rrggbb`, or null. */
export function readColor(text: string): Rgb | null {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  if (digits === null) return null;
  const [, red = '', green = '', blue = ''] = digits;
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

/** Relative luminance: 0 is black, 1 is white (WCAG 2.2, "relative luminance"). */
export function luminance(color: string): number {
  const [red, green, blue] = known(color).map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio, 1 to 21, whichever of the two is the lighter (WCAG 2.2, "contrast ratio"). */
export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** What `color-mix(in srgb, …)` makes of two colours, with this share (0 to 1) of the second. */
export function mix(one: string, other: string, share: number): string {
  const second = known(other);
  const channels = known(one).map((channel, index) =>
    Math.round(channel * (1 - share) + (second[index] ?? 0) * share),
  );
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function known(color: string): Rgb {
  const rgb = readColor(color);
  if (rgb === null) throw new Error(`"${color}" is not a colour`);
  return rgb;
}
