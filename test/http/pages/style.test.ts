import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path/posix';
import { describe, expect, it } from 'vitest';
import { neutralBranding } from '../../../src/core/members/branding.ts';
import { pageScript, pageStyle } from '../../../src/http/pages/assets.ts';
import { templateFolder } from '../../../src/text/templates.ts';

const read = (name: string) => readFileSync(new URL(name, templateFolder), 'utf8');

/** The pages: what stands in one of the two shells of the members' pages, or in the one of the account area. */
const pages = readdirSync(templateFolder, { recursive: true, encoding: 'utf8' })
  .filter(
    (name) => name.endsWith('.eta') && /layout\('(?:\/layout|\/site|\.{1,2}\/parts\/area)'/.test(read(name)),
  )
  .filter((name) => !name.includes('/parts/'))
  .toSorted();

/** A template with everything that it includes, and its layout. */
function wholeOf(name: string): string {
  const text = read(name);
  const included = [...text.matchAll(/(?:include|layout)\('([^']+)'/g)].map(([, path]) => String(path));
  const folder = name.replace(/[^/]+$/, '');
  const at = (path: string) => (path.startsWith('/') ? path.slice(1) : join(folder, path));
  return [text, ...included.map((path) => wholeOf(`${at(path)}.eta`))].join('\n');
}

/** The selectors of a sheet. */
const selectorsOf = (sheet: string) =>
  [...sheet.matchAll(/([^{};]+)\{/g)]
    .flatMap(([, list]) => String(list).split(','))
    .map((selector) => selector.trim().replaceAll(/\s+/g, ' ').replaceAll(' > ', '>'))
    .filter((selector) => !selector.startsWith('@') && !selector.startsWith(':'));

const sheets = readdirSync(new URL('assets/', templateFolder), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.css'),
);
const everySheet = sheets
  .filter((name) => !/^(?:portal|rehearsal)\//.test(name))
  .map((name) => read(`assets/${name}`))
  .join('');
const everySelector = selectorsOf(everySheet);

/** What of a sheet holds for some sizes, colours or directions alone. */
const ofLooks = /@media(?! print)[^{]*\{(?:[^{}]*\{[^{}]*\})*|\[dir[^{}]*\{[^{}]*\}/g;

/** The elements and classes of a page. */
function partsOf(page: string): ReadonlySet<string> {
  const elements = [...page.matchAll(/<([a-z]\w*)/g)].map(([, name]) => String(name));
  const classes = [...page.matchAll(/class="([^"]*(?:<%[^>]*%>[^"]*)*)"|extra: '([^']*)'/g)].flatMap(
    ([, given, extra]) => (given ?? extra ?? '').match(/[a-z][\w-]*/g) ?? [],
  );
  return new Set([...elements, ...classes.map((name) => `.${name}`)]);
}

/** Whether everything that a selector names is on a page. */
const isMet = (selector: string, parts: ReadonlySet<string>) =>
  (selector.replaceAll(/::?[\w-]+|\[[^\]]*\]/g, '').match(/\.?[a-z][\w-]*/g) ?? []).every((part) =>
    parts.has(part),
  );

describe('pages 2: each page brings the style that it needs', () => {
  it.each(pages)('%s', (name) => {
    const own = new Set(selectorsOf(pageStyle(name, neutralBranding).text));
    const parts = partsOf(wholeOf(name));
    const shell = parts.has('.site') ? '.site' : '.door';
    expect(parts).toContain(shell);
    expect(own).toContain(shell);
    const needed = everySelector.filter((selector) => isMet(selector, parts));
    expect(needed.filter((selector) => !own.has(selector))).toEqual([]);
  });
});

describe('pages 1: a page has a script where one adds something to it, and none where it would add nothing', () => {
  // A password that can be shown, a form that sends itself, slots, buttons that copy, a mail that can be sent again, passkeys.
  const added =
    /type: 'password'|data-submit-at-once|wrap: 'slots'|data-copy|data-wait|data-passkey|data-with-passkeys/;

  it.each(pages)('%s', (name) => {
    expect(pageScript(name) !== null).toBe(added.test(wholeOf(name)));
  });
});

it('pages 5: colours have their names in the palette, which the pages of members and the portal share', () => {
  const named = sheets.filter((name) => /--(?!page)[\w-]+: /.test(read(`assets/${name}`)));
  expect(named).toEqual(['palette.css']);
});

it('pages 3: no size, colour scheme or direction shows or hides anything but lines of the cover and the menu of the account, so that axe need not look at all of it again', () => {
  // The cover's box is there at every size; what is written on it alone is plain text, which axe meets on a desk.
  // The menu is looked at as it is on a phone, closed and open (`browser/account.test.ts`).
  const ofCover = /\.poster \{[^}]*\}|\.says,\s*\.host \{[^}]*\}|\.(?:opens|entries)[^{]*\{[^}]*\}/g;
  const rules = (everySheet.match(ofLooks) ?? []).map((rule) => rule.replaceAll(ofCover, ''));
  expect(rules.length).toBeGreaterThan(5);
  for (const rule of rules) expect(rule).not.toMatch(/\b(?:display|visibility|clip(?:-path)?|opacity)\s*:/);
});

it('pages 3: a colour scheme changes colours alone, in the room for rehearsals and the portal too', () => {
  const ofScheme = /@media[^{]*prefers-color-scheme[^{]*\{((?:[^{}]*\{[^{}]*\})*)/g;
  const rules = sheets.flatMap((name) =>
    [...read(`assets/${name}`).matchAll(ofScheme)].map(([, rule]) => rule),
  );
  expect(rules.length).toBeGreaterThan(0);
  for (const rule of rules) {
    const changed = [...String(rule).matchAll(/([\w-]+)\s*:[^;{}]*[;}]/g)].map(([, name]) => name);
    expect(changed.length).toBeGreaterThan(5);
    expect(changed.filter((name) => !String(name).startsWith('--'))).toEqual([]);
  }
});

it('no line of a template or its assets is longer than 160 characters', () => {
  const names = readdirSync(templateFolder, { recursive: true, encoding: 'utf8' });
  const long = names
    .filter((name) => /\.(?:eta|css|js)$/.test(name))
    .flatMap((name) =>
      read(name)
        .split('\n')
        .flatMap((line, index) => (line.length > 160 ? [`${name}:${index + 1}`] : [])),
    );
  expect(long).toEqual([]);
});
