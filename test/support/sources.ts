/** Reads the files of src as text: which imports they have, and what they say without their comments. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../../src', import.meta.url));

export interface SourceFile {
  /** Below src, with slashes. */
  readonly name: string;
  readonly code: string;
  /** What it imports of ours, types too, below src; `../db/…` is beside it. */
  readonly imports: readonly string[];
}

/** Every file of src. */
export const sources: readonly SourceFile[] = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((file) => {
    const name = slashes(file);
    const code = withoutComments(readFileSync(join(src, file), 'utf8'));
    const ours = importsOf(code).filter(({ from }) => from.startsWith('.'));
    const imports = ours.map(({ from }) => slashes(relative(src, resolve(src, dirname(file), from))));
    return { name, code, imports };
  });

function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}

export function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}

/** The names that a file imports, by where they come from. */
export function importsOf(code: string): readonly { from: string; names: readonly string[] }[] {
  const statements = /^(?:import|export)\b([^;'"]*?)\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm;
  const dynamic = /\bimport\(\s*['"]([^'"]+)['"]/g;
  return [
    ...[...code.matchAll(statements)].map(([, names = '', from, bare]) => ({
      from: from ?? bare ?? '',
      names: names.match(/[\w*]+/g)?.filter((name) => name !== 'type') ?? [],
    })),
    ...[...code.matchAll(dynamic)].map(([, from = '']) => ({ from, names: ['*'] })),
  ];
}

/** The circles in a graph: nodes that reach one another, each list in alphabetical order. */
export function circlesOf(arrows: ReadonlyMap<string, ReadonlySet<string>>): readonly (readonly string[])[] {
  const reached = new Map<string, ReadonlySet<string>>();
  for (const from of arrows.keys()) {
    const seen = new Set<string>();
    const waiting = [...(arrows.get(from) ?? [])];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      waiting.push(...(arrows.get(node) ?? []));
    }
    reached.set(from, seen);
  }
  const circles = [...reached].flatMap(([node, seen]) =>
    seen.has(node) ? [[...seen].filter((other) => reached.get(other)?.has(node)).sort()] : [],
  );
  return [...new Map(circles.map((circle) => [circle.join(' '), circle])).values()];
}

/** The imports of a file that are there when it runs: neither those of types alone, nor those that are loaded late. */
function earlyImportsOf(code: string): readonly string[] {
  const statements =
    /^(?:import|export)\b(?! type\b)([^;'"]*?)\bfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]/gm;
  return [...code.matchAll(statements)].flatMap(([, names = '', from, bare]) => {
    const named = /^\s*\{(.*)\}\s*$/s
      .exec(names)?.[1]
      ?.split(',')
      .map((name) => name.trim()) ?? ['*'];
    const isOfTypes = named.every((name) => name === '' || name.startsWith('type '));
    return isOfTypes ? [] : [from ?? bare ?? ''];
  });
}

/** Everything that is loaded with some files of src: files of ours, and packages by their names. */
export function loadedWith(...names: readonly string[]) {
  const byName = new Map(sources.map((file) => [file.name, file]));
  const files = new Set<string>();
  const packages = new Set<string>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const file = byName.get(name);
    if (file === undefined || files.has(name)) continue;
    files.add(name);
    for (const from of earlyImportsOf(file.code)) {
      if (from.startsWith('.')) waiting.push(slashes(relative(src, resolve(src, dirname(name), from))));
      else packages.add(from.startsWith('node:') ? from : (/^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from));
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort() };
}
