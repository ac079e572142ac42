// Reads the style sheets of the pages.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Branding, type Look, looksOf } from '../../core/members/branding.ts';
import { templateFolder } from '../../templates.ts';

/** The style element of a page. */
export interface Style {
  readonly text: string;
  /** `sha256-…` of it, for the security policy. */
  readonly hash: string;
}

/**
 * Reads style sheets of `templates/assets/`.
 *
 * @returns the style of a tenant's pages: its colours, the palette that all pages share, then the sheets
 */
export function styleSheet(...files: readonly string[]): (branding: Branding) => Style {
  // Without the white space that only people need: it travels with every page.
  const sheet = ['palette.css', ...files]
    .map((file) => readFileSync(new URL(`assets/${file}`, templateFolder), 'utf8'))
    .join('')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([{};,]) ?/g, '$1')
    .replaceAll(': ', ':')
    .replaceAll(';}', '}');
  const styles = new WeakMap<Branding, Style>();
  return (branding) => {
    const known = styles.get(branding);
    if (known !== undefined) return known;
    const { light, dark } = looksOf(branding.brandColor);
    const text = `:root{${colorsOf(light)}}@media (prefers-color-scheme:dark){:root{${colorsOf(dark)}}}${sheet}`;
    const style = { text, hash: `sha256-${createHash('sha256').update(text).digest('base64')}` };
    styles.set(branding, style);
    return style;
  };
}

function colorsOf({ brand, onBrand, link }: Look): string {
  return `--brand:${brand};--on-brand:${onBrand};--link:${link}`;
}
