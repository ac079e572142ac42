// Makes dist/: the service as a package runs it, in JavaScript and in few files.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputChunk, type Plugin, type RolldownBuild, rolldown } from 'rolldown';
import { noticesOf } from './notices.ts';

export const project = fileURLToPath(new URL('../..', import.meta.url));

/** Where a process or a thread of the service begins. */
const entries = {
  cli: 'src/cli.ts',
  'checkpoint-thread': 'src/storage/sqlite/checkpoint-thread.ts',
  'read-thread': 'src/operations/tenant-file/read-thread.ts',
} as const;

/** What npm installs beside the package: it is native. (`pg` would use `pg-native` if that were installed.) */
export const apart: readonly string[] = ['better-sqlite3'];
const external = [...apart, 'pg-native'];

/**
 * Lets files find what lies beside the sources, such as templates, as if they still stood where they stand there; and
 * threads begin in the file that their entry became.
 */
const places: Plugin = {
  name: 'places',
  transform(code, id) {
    if (!id.startsWith(`${project}src/`) || !code.includes('import.meta.url')) return null;
    const there = `new URL(${JSON.stringify(`../${id.slice(project.length)}`)}, import.meta.url).href`;
    return (
      code
        // What is loaded late is loaded late from the file that holds it too.
        .replaceAll(/createRequire\(import\.meta\.url\)\('(?!node:)/g, "require('")
        .replaceAll(/new URL\('\.\/([\w-]+-thread)\.ts', import\.meta\.url\)/g, "new URL('./$1.js', HERE)")
        .replaceAll('import.meta.url', there)
        .replaceAll('HERE', 'import.meta.url')
    );
  },
};

type Output = Awaited<ReturnType<RolldownBuild['generate']>>['output'];

const chunksOf = (output: Output): readonly OutputChunk[] => output.filter((file) => file.type === 'chunk');

/**
 * What each command loads, and what a start loads besides, as one file each: to find a file takes longer than to read it.
 *
 * @param chunks as they are cut by what loads what
 */
function groupsOf(chunks: readonly OutputChunk[]) {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const loadedWith = (...names: readonly string[]): ReadonlySet<string> => {
    const files = new Set(chunks.flatMap(({ name, fileName }) => (names.includes(name) ? [fileName] : [])));
    for (const file of files) for (const next of byFile.get(file)?.imports ?? []) files.add(next);
    return new Set([...files].flatMap((file) => byFile.get(file)?.moduleIds ?? []));
  };
  const command = loadedWith('cli');
  const service = loadedWith('cli', 'main');
  const room = loadedWith('cli', 'main', 'rehearsal');
  return [
    { name: 'command', test: (id: string) => command.has(id), priority: 3 },
    { name: 'service', test: (id: string) => service.has(id), priority: 2 },
    { name: 'room', test: (id: string) => room.has(id), priority: 1 },
  ];
}

/**
 * Writes everything that a package has and the sources have not.
 *
 * @param folder is emptied first
 */
export async function build(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const common = { cwd: project, platform: 'node' as const, logLevel: 'silent' as const, plugins: [places] };
  const service = await rolldown({ ...common, input: entries, external });
  const output = {
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    charset: 'ascii',
    comments: false,
  } as const;
  const { output: scattered } = await service.generate(output);
  const written = await service.write({
    ...output,
    codeSplitting: { groups: groupsOf(chunksOf(scattered)) },
  });
  const chunks = chunksOf(written.output);
  // Jest, for one, loads no module that is written as one.
  for (const [format, ending] of [
    ['esm', 'js'],
    ['cjs', 'cjs'],
  ] as const) {
    const testing = await rolldown({ ...common, input: { testing: 'src/testing/testing.ts' } });
    await testing.write({ dir: folder, format, entryFileNames: `[name].${ending}`, codeSplitting: false });
    // Nothing but types: what is written for people is what the compiler reads.
    const types = readFileSync(join(project, 'src/testing/door.ts'), 'utf8');
    const disposable = '/// <reference lib="esnext.disposable" />';
    const declared = `${disposable}\n${types}\nexport declare const startMemberdoor: StartMemberdoor;\n`;
    writeFileSync(join(folder, ending === 'js' ? 'testing.d.ts' : 'testing.d.cts'), declared);
  }
  writeFileSync(join(folder, 'THIRD-PARTY.txt'), noticesOf(chunks.flatMap(({ moduleIds }) => moduleIds)));
}
