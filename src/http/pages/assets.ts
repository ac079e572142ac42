// The style sheets and scripts of pages: read once, and named by what is in them.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { type Branding, type Look, looksOf } from '../../core/members/branding.ts';
import { templateFolder } from '../../text/templates.ts';

const read = (file: string) => readFileSync(new URL(`assets/${file}`, templateFolder), 'utf8');
const sha256 = (text: string) => createHash('sha256').update(text);

/** Scripts of `templates/assets/`, by their names without the ending, as one: its address, and what serves it there. */
export function scriptAsset(...names: readonly [string, ...string[]]) {
  // Without the comments and the white space that only people need: it travels with every page.
  const script = names.map((name) => read(`${name}.js`).replaceAll(/^\s*(?:\/\/.*\n)?/gm, '')).join('');
  const url = `/assets/${names.at(-1)}-${sha256(script).digest('base64url').slice(0, 12)}.js`;
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
 * @returns the style of a tenant's pages: its colours, what all pages share, then the sheets
 */
export function styleSheet(...files: readonly string[]): (branding: Branding) => Style {
  // Without comments and white space, as the scripts.
  const sheet = ['palette.css', 'base.css', ...files]
    .map(read)
    .join('')
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,>]) ?/g, '$1')
    .replaceAll(/\b0\.(?=\d)/g, '.')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}');
  const styles = new WeakMap<Branding, Style>();
  return (branding) => {
    const known = styles.get(branding);
    if (known !== undefined) return known;
    const { light, dark } = looksOf(branding.brandColor);
    const text = `:root{${colorsOf(light)};${corners}}@media (prefers-color-scheme:dark){:root{${colorsOf(dark)}}}${sheet}`;
    const style = { text, hash: `sha256-${sha256(text).digest('base64')}` };
    styles.set(branding, style);
    return style;
  };
}

/** How round the corners of fields and buttons are, and those of cards. */
const corners = '--radius:.8rem;--round:1.1rem';

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
  ['members/account/notice', styleSheet(...door, 'facts.css')],
  ['members/account/', styleSheet(...site, 'facts.css', 'cards.css')],
  ['members/checkout/', styleSheet(...site, 'facts.css', 'cards.css', 'checkout.css')],
  ['members/device/', styleSheet(...door, 'facts.css', 'device.css')],
  ['members/scope-consent', styleSheet(...door, 'facts.css')],
  ['rehearsal/', styleSheet(...site)],
] as const;
const plain = styleSheet(...door);

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
  'setup/form.eta': newPassword,
};

export const pageScripts = [...new Set([plainScript, ...Object.values(scripts)])];

/** The address of a page's script, by its template. */
export function pageScript(template: string): string {
  return (scripts[template] ?? plainScript).url;
}
