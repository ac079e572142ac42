// The style sheets and scripts of pages: read once, and named by what is in them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import {
  type Branding,
  cornerRadii,
  fontFamilies,
  type Look,
  looksOf,
  neutralBranding,
  scrimOf,
} from '../../core/members/branding.ts';
import { templateFolder } from '../../text/templates.ts';
import { brandOf } from './brand.ts';

const read = (file: string) => readFileSync(new URL(`assets/${file}`, templateFolder), 'utf8');
const sha256 = (text: string) => createHash('sha256').update(text);

/** Scripts of `templates/assets/`, by their names without the ending, as one: its address, and what serves it there. */
export function scriptAsset(...names: readonly [string, ...string[]]) {
  // Without the comments and the white space that only people need: it travels with every page.
  const script = names.map((name) => read(`${name}.js`).replaceAll(/^\s*(?:\/\/.*\n)?/gm, '')).join('');
  const url = `/assets/${names.at(-1)?.replace('/', '-')}-${sha256(script).digest('base64url').slice(0, 12)}.js`;
  const serve = (app: FastifyInstance, config: { readonly setup?: boolean } = {}) =>
    app.route({
      method: ['GET', 'HEAD'],
      url,
      config,
      handler: async (_request, reply) =>
        reply
          .header('cache-control', 'public, max-age=31536000, immutable')
          .type('text/javascript; charset=utf-8')
          .send(script),
    });
  return { url, serve };
}

/** The style element of a page. */
export interface Style {
  readonly text: string;
  /** `sha256-…` of it, for the security policy. */
  readonly hash: string;
}

/**
 * Reads style sheets of `templates/assets/`.
 *
 * @returns the style of a tenant's pages: its colours, corners and font, what all pages share, then the sheets
 */
const memberSheet = (...files: readonly string[]) => sheetsOf(files, shapeOf);

/** The same for pages of operators: they wear the tenant's colours, and corners and font that are ours. */
export const styleSheet = (...files: readonly string[]) => sheetsOf(files, () => shapeOf(neutralBranding));

/** Style sheets of `templates/assets/` as one, without the comments and the white space that only people need. */
export function sheetText(...files: readonly string[]): string {
  return files
    .map(read)
    .join('')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?/g, '$1')
    .replaceAll(/\b0\.(?=\d)/g, '.')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}');
}

function sheetsOf<Worn extends Pick<Branding, 'brandColor'>>(
  files: readonly string[],
  shape: (branding: Worn) => string,
) {
  const sheet = sheetText('palette.css', 'base.css', ...files);
  const styles = new WeakMap<Worn, Style>();
  return (branding: Worn): Style => {
    const known = styles.get(branding);
    if (known !== undefined) return known;
    const { light, dark } = looksOf(branding.brandColor);
    const colors = `:root{${colorsOf(light)}}@media (prefers-color-scheme:dark){:root{${colorsOf(dark)}}}`;
    const text = `${colors}:root{${shape(branding)}}${sheet}`;
    const style = { text, hash: `sha256-${sha256(text).digest('base64')}` };
    styles.set(branding, style);
    return style;
  };
}

/** Lengths grow with the letters that a reader chooses. */
const inRem = (pixels: number) => `${pixels / 16}rem`.replace(/^0/, '');

function shapeOf(branding: Branding): string {
  const { corners, font } = branding;
  const { field, card } = cornerRadii[corners];
  return `--radius:${inRem(field)};--round:${inRem(card)};--font:${fontFamilies[font]}${pictureOf(branding)}`;
}

/** The picture on the cover, below what makes its text readable; both are as they are in either look. */
function pictureOf(branding: Branding): string {
  const { coverPicture } = brandOf(branding);
  if (coverPicture === null) return '';
  const { color, density } = scrimOf(branding.brandColor);
  const scrim = `color-mix(in srgb,${color} ${density}%,transparent)`;
  const art = `linear-gradient(${scrim},${scrim}),url(${coverPicture}) center/cover`;
  return `;--cover:${color};--on-cover:#fff;--art:${art}`;
}

function colorsOf({ brand, onBrand, link, cover }: Look): string {
  const ofCover = `--cover:${cover.base};--glow:${cover.glow};--shade:${cover.shade};--on-cover:${cover.text}`;
  return `--brand:${brand};--on-brand:${onBrand};--link:${link};${ofCover}`;
}

const door = ['memberdoor.css', 'door.css'];
const site = ['memberdoor.css', 'site.css'];

/**
 * The sheets of pages: of their shell, `layout.eta` or `site.eta`, and what the pages of a folder below `templates/` need
 * beside. A sheet travels with each page that has it (pages 2).
 */
const styles = [
  ['members/account/notice', memberSheet(...door, 'facts.css')],
  ['members/account/details', memberSheet(...site, 'icon.css', 'account.css', 'select.css')],
  ['members/account/', memberSheet(...site, 'icon.css', 'account.css')],
  ['members/checkout/', memberSheet(...site, 'facts.css', 'cards.css', 'checkout.css')],
  ['members/device/entry', memberSheet(...door, 'slots.css')],
  ['members/device/approve', memberSheet(...door, 'facts.css', 'device.css')],
  ['members/device/', memberSheet(...door, 'facts.css', 'icon.css', 'decided.css')],
  ['members/scope-consent', memberSheet(...door, 'facts.css')],
  ['rehearsal/', memberSheet(...site, 'outbox.css')],
] as const;
const plain = memberSheet(...door);

/** The style of a page in a tenant's colours, by its template. */
export function pageStyle(template: string, branding: Branding): Style {
  const [, style] = styles.find(([folder]) => template.startsWith(folder)) ?? ['', plain];
  return style(branding);
}

const plainScript = scriptAsset('memberdoor');
const newPassword = scriptAsset('memberdoor', 'new-password');

/** The scripts of pages that have more than the others, by their templates. */
const scripts: Readonly<Record<string, ReturnType<typeof scriptAsset>>> = {
  'members/account/password.eta': newPassword,
  'members/device/entry.eta': scriptAsset('memberdoor', 'slots'),
  'members/recover/reset.eta': newPassword,
  'members/sign-up/form.eta': newPassword,
  'rehearsal/outbox-mail.eta': scriptAsset('memberdoor', 'copy'),
  'setup/form.eta': newPassword,
};

export const pageScripts = [...new Set([plainScript, ...Object.values(scripts)])];

/** The address of a page's script, by its template. */
export function pageScript(template: string): string {
  return (scripts[template] ?? plainScript).url;
}
