// Takes pictures of every page, in the states that the tests walk through: npm run pictures -- [options].
//
//   --only NAME   pages whose part and name hold NAME, such as account, account/devices or "error"; may come again
//   --size WIDTH  390, 820, 1280 or 1920; all of them unless given; may come again
//   --lang TAG    en, ar, de, fi unless given; may come again
//   --look LOOK   light or dark; both unless given
//   --list        names the pages and takes no picture
//   --docs        refreshes docs/images instead, as far as --only chooses
//
// Each part runs on a development service of its own, with a fresh data folder and the clock of the tests. The pictures
// lie in output/pictures, by part, page, width, look and language. It needs no network and no service that runs.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { View } from '../test/support/browser/browser.ts';
import { documentPictures, documents } from './pictures/documents.ts';
import { type Part, parts } from './pictures/parts.ts';

const project = fileURLToPath(new URL('..', import.meta.url));
const heights: Readonly<Record<string, number>> = { 390: 844, 820: 1_180, 1280: 800, 1920: 1_080 };

const { values: chosen } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [''] },
    size: { type: 'string', multiple: true, default: Object.keys(heights) },
    lang: { type: 'string', multiple: true, default: ['en', 'ar', 'de', 'fi'] },
    look: { type: 'string', multiple: true, default: ['light', 'dark'] },
    list: { type: 'boolean', default: false },
    docs: { type: 'boolean', default: false },
  },
});

const slug = (name: string) => name.toLowerCase().replaceAll(/\W+/g, '-');
const isChosen = (name: string) =>
  chosen.only.some((part) => name.includes(part) || slug(name).includes(slug(part)));
const pagesOf = ({ name, pages }: Part) => pages.filter((page) => isChosen(`${name}/${page}`));

let taken = 0;
let failed = 0;

/** Pictures of one page in each size and look. */
async function takePage({ page }: View, part: string, name: string, language: string): Promise<void> {
  const folder = join(project, 'output/pictures', part);
  mkdirSync(folder, { recursive: true });
  for (const width of chosen.size) {
    await page.setViewportSize({ width: Number(width), height: heights[width] ?? 800 });
    for (const look of chosen.look) {
      await page.emulateMedia({ colorScheme: look === 'dark' ? 'dark' : 'light' });
      const path = join(folder, `${slug(name)}-${width}-${look}-${language}.png`);
      await page.screenshot({ path, fullPage: true, animations: 'disabled' });
      taken += 1;
    }
    const over = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    if (over > 0) console.warn(`${part}/${name} scrolls sideways by ${over} px at ${width} px, ${language}`);
  }
}

async function takePart(part: Part, language: string): Promise<void> {
  const pages = pagesOf(part).filter((page) => language === 'en' || !page.includes('Arabic'));
  if (pages.length === 0 || (part.isEnglish && language !== 'en')) return;
  console.log(`${part.name}, ${language}: ${pages.length} pages`);
  const gallery = await part.start(language === 'en' ? null : language);
  try {
    const view = await gallery.browser.open({ size: 'desk', language });
    for (const page of pages) {
      try {
        await view.renew();
        await gallery.show(view, page);
        await takePage(view, part.name, page, language);
      } catch (error) {
        failed += 1;
        console.error(`${part.name}/${page}, ${language}: ${error}`);
      }
    }
  } finally {
    await gallery.stop();
  }
}

async function takeDocuments(): Promise<void> {
  const wanted = documentPictures.filter(({ file }) => isChosen(file));
  const gallery = await documents.start(null);
  try {
    for (const { file, page, size, dark = false } of wanted) {
      const view = await gallery.browser.open({ size, dark });
      await gallery.show(view, page);
      const path = join(project, `docs/images/${file}.png`);
      await view.page.screenshot({ path, animations: 'disabled' });
      await view.close();
      taken += 1;
    }
  } finally {
    await gallery.stop();
  }
}

if (chosen.list) {
  for (const part of parts) for (const page of pagesOf(part)) console.log(`${part.name}/${page}`);
} else if (chosen.docs) {
  await takeDocuments();
  console.log(`${taken} pictures in docs/images.`);
} else {
  for (const language of chosen.lang) for (const part of parts) await takePart(part, language);
  console.log(`${taken} pictures in output/pictures${failed > 0 ? `, ${failed} pages failed` : ''}.`);
}
process.exitCode = failed > 0 ? 1 : 0;
