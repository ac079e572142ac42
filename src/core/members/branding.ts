// What a tenant's pages look like, and the colours that are made from the tenant's own.
import { isLoopbackHttp } from '../oidc/client/outbound-url.ts';
import { isHostName } from '../oidc/client/redirect-uri.ts';
import { type Problem, problem } from '../problem.ts';
import type { Tenant } from '../tenant.ts';
import { black, contrast, mix, readColor, shift, textOn, white } from './color.ts';
import { emailProblem, lineProblem, nameProblem } from './details.ts';
import { coverTextLength, linkLength } from './limits.ts';
import { pictureProblem, tenantPictures } from './picture.ts';

/** What members see of a tenant on every page, and in every mail. */
export type Branding = Pick<
  Tenant,
  | 'name'
  | 'brandColor'
  | (typeof tenantPictures)[number]
  | 'coverText'
  | 'corners'
  | 'font'
  | 'supportAddress'
  | 'termsUrl'
  | 'privacyUrl'
>;

/** What a page wears where there is no tenant, and a tenant before it chooses. */
export const neutralBranding: Branding = {
  name: 'Memberdoor',
  brandColor: '#1f5fbf',
  logo: null,
  favicon: null,
  coverText: null,
  coverPicture: null,
  corners: 'soft',
  font: 'system',
  supportAddress: null,
  termsUrl: null,
  privacyUrl: null,
};

/** How round the corners of fields and buttons are, and those of cards, in pixels. */
export const cornerRadii: Readonly<
  Record<Tenant['corners'], { readonly field: number; readonly card: number }>
> = {
  sharp: { field: 2.4, card: 3.2 },
  soft: { field: 12.8, card: 17.6 },
  round: { field: 25.6, card: 25.6 },
};

/** Fonts that systems have, by their kind: none is loaded (pages 2). */
export const fontFamilies: Readonly<Record<Tenant['font'], string>> = {
  system: 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif',
  humanist: 'Seravek,"Gill Sans Nova",Ubuntu,Calibri,"DejaVu Sans",source-sans-pro,sans-serif',
  rounded:
    'ui-rounded,"SF Pro Rounded","Hiragino Maru Gothic ProN",Nunito,Quicksand,Manjari,"Segoe UI",sans-serif',
  serif: '"Iowan Old Style",Charter,"Palatino Linotype","URW Palladio L",P052,"Noto Serif",serif',
};

/** The colours of one look, light or dark, that are made from the tenant's own. */
export interface Look {
  /** The background of buttons and of the letter mark. */
  readonly brand: string;
  /** The text on it. */
  readonly onBrand: string;
  /** Links, and the line around what has the keyboard. */
  readonly link: string;
  readonly cover: Cover;
}

/** The cover beside a page on a wide screen: a surface that is lit in one corner and shaded in the other. */
export interface Cover {
  readonly base: string;
  readonly glow: string;
  readonly shade: string;
  /** The text on it, which can be read wherever it stands. */
  readonly text: string;
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

/** Every problem of a tenant's branding. @param development whether its own links may lead to a developer's machine */
export function brandingProblems(branding: Branding, development: boolean): readonly Problem[] {
  const { name, brandColor, coverText, supportAddress } = branding;
  return [
    nameProblem(name),
    colorProblem(brandColor),
    ...tenantPictures.map((kind) => {
      const picture = branding[kind];
      return picture === null ? null : pictureProblem(kind, picture, kind);
    }),
    coverText === null ? null : lineProblem('coverText', coverText, coverTextLength),
    supportAddress === null || isSupportAddress(supportAddress, development)
      ? null
      : problem('supportAddress', 'not_a_support_address'),
    ...(['termsUrl', 'privacyUrl'] as const).map((field) => {
      const link = branding[field];
      return link === null || isLink(link, development) ? null : problem(field, 'not_a_link');
    }),
  ].filter((found) => found !== null);
}

const isSupportAddress = (text: string, development: boolean): boolean =>
  (emailProblem(text) === null && text === text.trim()) || isLink(text, development);

/**
 * A page that ours may link to: https, and http on a developer's own machine. Without its slashes `https:other.example` is
 * a page of our own to a browser that is here, and another host to a mail program.
 */
function isLink(text: string, development: boolean): boolean {
  if (text.length > linkLength || !/^https?:\/\/(?!\/)[!-[\]-~]+$/i.test(text) || !URL.canParse(text))
    return false;
  const url = new URL(text);
  const isSafe = url.protocol === 'https:' || (development && isLoopbackHttp(url));
  return isSafe && url.username === '' && url.password === '' && isHostName(url.hostname);
}

/** Where "Help" leads. */
export const supportLink = ({ supportAddress }: Pick<Branding, 'supportAddress'>): string | null =>
  supportAddress === null || /^https?:/i.test(supportAddress)
    ? supportAddress
    : `mailto:${supportAddress.split('@').map(encodeURIComponent).join('@')}`;

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
      cover: coverOf(brandColor, textOn(brandColor), 0.3),
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
      cover: coverOf(night(brandColor), white, 0.18),
    },
  };
}

/**
 * The cover of a colour. Whatever its gradients mix, none of its points is brighter than the glow or darker than the
 * shade: where the text can be read on these two, it can be read everywhere.
 *
 * @param light how much of it is lit, where the text allows
 */
function coverOf(base: string, text: string, light: number): Cover {
  const reads = (color: string) => contrast(text, color) >= leastContrast.text;
  return {
    base,
    glow: shift(mix(base, white, light), base, reads),
    shade: shift(mix(base, black, 0.45), base, reads),
    text,
  };
}

/** The cover at night dazzles less: the brand's colour, dark enough for white text and a little light on it. */
function night(brandColor: string): string {
  return shift(mix(brandColor, black, 0.3), black, (color) => contrast(color, white) >= 6);
}

/**
 * What lies over the picture of a cover: the brand's colour by night, so dense that white text can be read on it whatever
 * the picture has below.
 */
export function scrimOf(brandColor: string): { readonly color: string; readonly density: number } {
  const color = night(brandColor);
  const isEnough = (percent: number) =>
    contrast(white, mix(white, color, percent / 100)) >= leastContrast.text;
  let percent = 0;
  while (percent < 100 && !isEnough(percent)) percent += 1;
  return { color, density: percent };
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
