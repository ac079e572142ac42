// What the pages of the portal wear: their style sheets, and the one script of each.

import { readdirSync } from 'node:fs';
import { templateFolder } from '../../../text/templates.ts';
import { scriptAssetBelow, styleSheet } from '../../pages/assets.ts';
import { portalUrl } from './addresses.ts';

/** What every page of the portal wears. */
const shared = ['shell', 'rail', 'cards', 'lists', 'forms'];

/** What else a page wears beside its own sheet, by its part. */
const besides: Readonly<Record<string, readonly string[]>> = {
  overview: ['portal/overview/plot.css', 'portal/overview/numbers.css'],
  // Members' pages wear it too.
  'sign-in-page': ['parts/beside.css'],
};

const sheetOf = (...parts: readonly string[]) =>
  styleSheet(
    ...shared.map((part) => `portal/shared/${part}.css`),
    ...parts.flatMap((part) => [...(besides[part] ?? []), `portal/${part}.css`]),
  );

const plain = sheetOf();

/** What is beside those: each is for the template of its name, or those in the folder of its name. */
const partsOf = (ending: string) =>
  readdirSync(new URL('assets/portal/', templateFolder))
    .filter((file) => file.endsWith(ending))
    .map((file) => file.slice(0, -ending.length));

const sheets: ReadonlyMap<string, typeof plain> = new Map(
  partsOf('.css').map((part) => [part, sheetOf(part)]),
);

const scriptAsset = (...names: readonly [string, ...string[]]) => scriptAssetBelow(portalUrl, ...names);

/** The script of every page, and of those that have more: pages work without it. */
const plainScript = scriptAsset('portal');
const scripts: ReadonlyMap<string, typeof plainScript> = new Map([
  ...partsOf('.js').map((part) => [part, scriptAsset('portal', `portal/${part}`)] as const),
  // A form may set a password: the page says how good it is, as it does to members.
  ['form', scriptAsset('portal', 'new-password')],
  ['sign-in-page', scriptAsset('portal', 'passkeys/use')],
]);

export const portalScripts = [plainScript, ...scripts.values()];

const partOf = (template: string) => template.split('/')[0] ?? '';

/** The address of the script of a page, by its template. */
export const portalScript = (template: string) => (scripts.get(partOf(template)) ?? plainScript).url;

/** The style of a page by its template, such as `list` or `client/new`. */
export const portalStyle = (template: string) => sheets.get(partOf(template)) ?? plain;
