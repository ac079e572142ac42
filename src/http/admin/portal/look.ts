// What the pages of the portal wear: their style sheets, and their one script.

import { readdirSync } from 'node:fs';
import { templateFolder } from '../../../text/templates.ts';
import { scriptAsset, styleSheet } from '../../pages/assets.ts';

/** The one script of the portal: pages work without it. */
export const portalScript = scriptAsset('portal');

/** What every page of the portal wears. */
const shared = ['shell', 'rail', 'cards', 'lists', 'forms'];

const sheetOf = (...parts: readonly string[]) =>
  styleSheet(...[...shared, ...parts].map((part) => `portal/${part}.css`));

const plain = sheetOf();

/** The sheets beside those: each is for the template of its name, or those in the folder of its name. */
const own: ReadonlyMap<string, typeof plain> = new Map(
  readdirSync(new URL('assets/portal/', templateFolder))
    .map((file) => file.replace('.css', ''))
    .filter((part) => !shared.includes(part))
    .map((part) => [part, sheetOf(part)]),
);

/** The style of a page by its template, such as `list` or `client/new`. */
export const portalStyle = (template: string) => own.get(template.split('/')[0] ?? '') ?? plain;
