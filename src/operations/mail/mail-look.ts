// What mails look like: a tenant's brand, and the colours of the pages written out, as mail programs know no variables.
import { readFileSync } from 'node:fs';
import { cornerRadii, fontFamilies, type Look, looksOf } from '../../core/members/branding.ts';
import { readPicture } from '../../core/members/picture.ts';
import type { Tenant } from '../../core/tenant.ts';
import { templateFolder } from '../../text/templates.ts';

type Colors = Readonly<Record<string, string>>;

const [inLight = '', inDark = ''] = readFileSync(new URL('assets/palette.css', templateFolder), 'utf8').split(
  '@media (prefers-color-scheme: dark)',
);

/** The colours of the palette, by their names. */
const colorsOf = (sheet: string): Colors =>
  Object.fromEntries(
    [...sheet.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, color]) => [name, color]),
  );

const light = colorsOf(inLight);
const dark = { ...light, ...colorsOf(inDark) };

const worn = (palette: Colors, { brand, onBrand, link }: Look): Colors => ({
  ...palette,
  brand,
  onBrand,
  link,
});

/** A picture that travels with a mail. */
export interface MailPicture {
  /** What the mail calls it (RFC 2392). */
  readonly id: string;
  readonly type: string;
  readonly base64: string;
}

/** What a mail of a tenant looks like. */
export function mailLook({ host, brandColor, corners, font, logo }: Tenant) {
  const looks = looksOf(brandColor);
  return {
    light: worn(light, looks.light),
    dark: worn(dark, looks.dark),
    radius: Math.round(cornerRadii[corners].field),
    round: Math.round(cornerRadii[corners].card),
    font: fontFamilies[font].replaceAll('"', "'"),
    logo: logo === null ? null : pictureOf(logo, `logo@${host.replace(/:\d+$/, '')}`),
  };
}

/**
 * The logo, if mail programs show it: of what a tenant may have, all of them show PNG and hardly one SVG or WebP. It
 * travels with the mail. From an address it would tell us who reads, and many programs ask before they load one.
 */
function pictureOf(logo: string, id: string): MailPicture | null {
  const { type, bytes } = readPicture(logo);
  return type === 'image/png' ? { id, type, base64: bytes.toString('base64') } : null;
}
