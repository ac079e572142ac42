// The licences of the packages whose code stands in ours.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the package that a file is of; null for a file of ours. */
function packageOf(file: string): string | null {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? null;
}

/** @param files that stand in the package @throws Error if one of the packages says nothing of its licence */
export function noticesOf(files: readonly string[]): string {
  const folders = [...new Set(files.flatMap((file) => packageOf(file) ?? []))].sort();
  const notices = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly name: string;
      readonly version: string;
      readonly license?: string;
    };
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one) && existsSync(join(folder, one)));
    if (file === undefined && license === undefined) throw new Error(`${name} says nothing of its licence`);
    const text = file === undefined ? `Licence: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
    return `${name} ${version}\n\n${text}\n`;
  });
  return `Parts of this package are the work of others:\n\n${notices.join(`\n${'-'.repeat(72)}\n\n`)}`;
}
