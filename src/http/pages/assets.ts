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
import { partsOf, rulesMet } from './rules-met.ts';

const read = (file: string) => readFileSync(new URL(`assets/${file}`, templateFolder), 'utf8');
const sha256 = (text: string) => createHash('sha256').update(text);

/** Scripts of `templates/assets/`, by their names without the ending, as one: its address, and what serves it there. */
export const scriptAsset = (...names: readonly [string, ...string[]]) => scriptAssetBelow('', ...names);

/** The same at an address that begins otherwise: that of a part of the service. */
export function scriptAssetBelow(beginning: string, ...names: readonly [string, ...string[]]) {
  // Without the comments and the white space that only people need: it travels with every page.
  const script = names.map((name) => read(`${name}.js`).replaceAll(/^\s*(?:\/\/.*\n)?/gm, '')).join('');
  const url = `${beginning}/assets/${names.at(-1)?.replace('/', '-')}-${sha256(script).digest('base64url').slice(0, 12)}.js`;
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
  return { url, text: script, serve };
}

/** The style element of a page. */
export interface Style {
  readonly text: string;
  /** `sha256-…` of it, for the security policy. */
  readonly hash: string;
}

/** The style of pages of operators: they wear the tenant's colours, and corners and font that are ours. */
export const styleSheet = (...files: readonly string[]) =>
  styleOf(sharedWith(files), { hasCover: false, shape: () => shapeOf(neutralBranding) });

/** What all pages share, then these sheets. */
const sharedWith = (files: readonly string[]) => sheetText('palette.css', 'base.css', ...files);

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

/** What a sheet wears beside colours. */
interface Dress<Worn> {
  /** Whether there is a cover, which has colours of its own. */
  readonly hasCover: boolean;
  /** Corners and font. */
  shape(branding: Worn): string;
}

/** A sheet in a tenant's colours, corners and font. */
function styleOf<Worn extends Pick<Branding, 'brandColor'>>(sheet: string, { hasCover, shape }: Dress<Worn>) {
  const ofLook = (look: Look) => `:root{${colorsOf(look)}${hasCover ? coverOf(look) : ''}}`;
  // What is the same for every tenant is kept once.
  const styles = new WeakMap<Worn, { readonly look: string; readonly hash: string }>();
  return (branding: Worn): Style => {
    const known = styles.get(branding);
    if (known !== undefined) return { text: known.look + sheet, hash: known.hash };
    const { light, dark } = looksOf(branding.brandColor);
    const colors = `${ofLook(light)}@media (prefers-color-scheme:dark){${ofLook(dark)}}`;
    const look = `${colors}:root{${shape(branding)}}`;
    const text = look + sheet;
    const hash = `sha256-${sha256(text).digest('base64')}`;
    styles.set(branding, { look, hash });
    return { text, hash };
  };
}

/** Lengths grow with the letters that a reader chooses. */
const inRem = (pixels: number) => `${pixels / 16}rem`.replace(/^0/, '');

function shapeOf(branding: Branding): string {
  const { corners, font } = branding;
  const { field, card } = cornerRadii[corners];
  return `--radius:${inRem(field)};--round:${inRem(card)};--font:${fontFamilies[font]}`;
}

/** The picture on the cover, below what makes its text readable; both are as they are in either look. */
function artOf(branding: Branding): string {
  const { coverPicture } = brandOf(branding);
  if (coverPicture === null) return '';
  const { color, density } = scrimOf(branding.brandColor);
  const scrim = `color-mix(in srgb,${color} ${density}%,transparent)`;
  const art = `linear-gradient(${scrim},${scrim}),url(${coverPicture}) center/cover`;
  return `;--cover:${color};--on-cover:#fff;--art:${art}`;
}

const colorsOf = ({ brand, onBrand, link }: Look): string =>
  `--brand:${brand};--on-brand:${onBrand};--link:${link}`;

const coverOf = ({ cover: { base, glow, shade, text } }: Look): string =>
  `;--cover:${base};--glow:${glow};--shade:${shade};--on-cover:${text}`;

const plainScript = scriptAsset('memberdoor');
const newPassword = scriptAsset('memberdoor', 'new-password');
const sendAgain = scriptAsset('memberdoor', 'send-again');
const passkey = scriptAsset('memberdoor', 'passkeys/use');
/** Of pages without a password. */
const passkeyAlone = scriptAsset('passkeys/use');

/** The scripts of the pages to which one adds something, by their templates. */
const scripts: Readonly<Record<string, ReturnType<typeof scriptAsset>>> = {
  'members/account/confirm.eta': passkey,
  'members/account/data.eta': passkey,
  'members/account/delete.eta': passkey,
  'members/account/email.eta': passkey,
  'members/account/overview.eta': scriptAsset('passkeys/with-passkeys'),
  'members/account/passkeys/new.eta': scriptAsset('passkeys/new'),
  'members/account/passkeys/remove.eta': passkey,
  'members/account/password.eta': newPassword,
  'members/account/passkeys/first-password.eta': scriptAsset('memberdoor', 'passkeys/use', 'new-password'),
  'members/account/passkeys/password.eta': passkey,
  'members/account/passkeys/two-step.eta': passkeyAlone,
  'members/account/two-step/on.eta': plainScript,
  'members/account/two-step/proof.eta': passkey,
  'members/device/entry.eta': scriptAsset('memberdoor', 'device/slots'),
  'members/recover/reset.eta': newPassword,
  'members/recover/sent.eta': sendAgain,
  'members/sign-in-code.eta': sendAgain,
  'members/second-factor/ask.eta': passkeyAlone,
  'members/second-factor/passkey.eta': passkeyAlone,
  'members/second-factor/set-up.eta': passkeyAlone,
  'members/second-factor/codes.eta': scriptAsset('print', 'copy'),
  'members/sign-in-page.eta': passkey,
  'members/sign-up/confirm.eta': plainScript,
  'members/sign-up/form.eta': newPassword,
  'members/sign-up/verify.eta': sendAgain,
  'oidc/form-post.eta': plainScript,
  'rehearsal/outbox-mail.eta': scriptAsset('memberdoor', 'copy'),
  'setup/form.eta': newPassword,
};

export const pageScripts = [...new Set(Object.values(scripts))];

/** The address of a page's script, by its template; null where a script would add nothing. */
export const pageScript = (template: string): string | null => scripts[template]?.url ?? null;

/** What parts of pages need, beside what all do; where two say something of one part, the later holds. */
const partSheets = [
  'parts/beside.css',
  'parts/ways.css',
  'parts/problem.css',
  'parts/why.css',
  'parts/icon.css',
  'parts/facts.css',
  'parts/cards.css',
  'parts/account.css',
  'parts/select.css',
  'device/slots.css',
  'device/device.css',
  'device/decided.css',
  'checkout/bill.css',
  'checkout/checkout.css',
  'checkout/offers.css',
  'checkout/invoice.css',
  'parts/find.css',
  'parts/outbox.css',
  'parts/chosen.css',
  'parts/second-factor.css',
];

const pageStyles = new Map<string, (branding: Branding) => Style>();

/** The style of a page in a tenant's colours, by its template. */
export function pageStyle(template: string, branding: Branding): Style {
  const style = pageStyles.get(template) ?? makePageStyle(template);
  pageStyles.set(template, style);
  return style(branding);
}

/** The rules of all sheets that the page can meet; each shell, the door and the site, has its own sheet (pages 2). */
function makePageStyle(template: string): (branding: Branding) => Style {
  const parts = partsOf(template, scripts[template]?.text ?? '');
  const hasCover = parts.classes.has('door');
  const shell = hasCover ? 'door.css' : 'site.css';
  const sheet = rulesMet(
    sharedWith(['memberdoor.css', 'forms.css', 'foot.css', shell, ...partSheets]),
    parts,
  );
  const shape = (branding: Branding) => shapeOf(branding) + (hasCover ? artOf(branding) : '');
  return styleOf(sheet, { hasCover, shape });
}
