import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** A document of `docs`, whole. */
export const documentText = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

/** The blocks of code in a document that are in this language, in their order. */
export function codeOf(name: string, language: string): readonly string[] {
  const fence = '```';
  const blocks = documentText(name).matchAll(
    new RegExp(`${fence}${language}\\n([\\s\\S]*?)\\n *${fence}`, 'g'),
  );
  return [...blocks].map(([, code = '']) => code);
}

/** The files of a document, each below a line that names it. */
export function filesOf(name: string): ReadonlyMap<string, string> {
  const files = documentText(name).matchAll(/^`([\w.-]+)`:\n\n```[jt]s\n([\s\S]*?)^```$/gm);
  return new Map([...files].map(([, file = '', code = '']) => [file, code]));
}

/** The rows of a document's tables: what stands in each cell, without the heads. */
export function tableRows(name: string): readonly (readonly string[])[] {
  return documentText(name)
    .split('\n')
    .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
}

/** A program of a document that runs beside the test. */
export interface RunningProgram {
  /** The first line that it prints, from now on, in which this is found. */
  says(pattern: RegExp): Promise<RegExpExecArray>;
  /** Ends a pause that waits for its standard input. */
  wake(): void;
  stop(): Promise<void>;
}

// Below the project, so that what runs there finds the libraries.
const folder = fileURLToPath(new URL('../../output/documents/', import.meta.url));

/**
 * Runs a program as a document has it, but for what `places` put in the place of its addresses.
 *
 * @param at the folder where it runs, with a slash at the end: below a project that has its libraries
 */
export function runProgram(
  code: string,
  places: Readonly<Record<string, string>>,
  at: string = folder,
): RunningProgram {
  mkdirSync(at, { recursive: true });
  const file = `${at}${Math.random().toString(36).slice(2)}.mjs`;
  writeFileSync(file, placed(code, places));
  const child = spawn(process.execPath, [file], { cwd: at, stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const lines = linesOf(child);
  return {
    async says(pattern) {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`the program ended and never said ${pattern}`);
        const found = pattern.exec(value);
        if (found !== null) return found;
      }
    },
    wake: () => child.stdin?.write('.'),
    async stop() {
      child.kill();
      await gone;
      rmSync(file);
    },
  };
}

function linesOf(child: ChildProcess): AsyncIterator<string> {
  if (child.stdout === null) throw new Error('the program has no output');
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}

/** The programs of a document, each under the name that its first line has, in a folder of their own. */
export interface Folder {
  /** Where it is, with a slash at the end. */
  readonly path: string;
  /** Runs one. @param words its name, and what follows. @returns what it printed */
  run(words: readonly string[]): Promise<string>;
  /** A file that one of them wrote. */
  read(name: string): string;
  write(name: string, text: string): void;
  remove(): void;
}

/** Puts programs into a folder, but for what `places` put in the place of their addresses. */
export function programFolder(programs: readonly string[], places: Readonly<Record<string, string>>): Folder {
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(folder);
  for (const program of programs) {
    const [, name] = /^\/\/ ([\w-]+\.mjs)\n/.exec(program) ?? [];
    if (name === undefined) continue;
    const text = Object.entries(places).reduce(
      (whole, [told, real]) => whole.replaceAll(told, real),
      program,
    );
    writeFileSync(join(own, name), text);
  }
  return {
    path: `${own}/`,
    run: async (words) =>
      (await promisify(execFile)(process.execPath, [...words], { cwd: own })).stdout.trim(),
    read: (name) => readFileSync(join(own, name), 'utf8'),
    write: (name, text) => writeFileSync(join(own, name), text),
    remove: () => rmSync(own, { recursive: true, force: true }),
  };
}

/** A text with what stands in it put in the place of what the document says; each must be there. */
export function placed(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((whole, [told, real]) => {
    if (!whole.includes(told)) throw new Error(`the document does not say ${told}`);
    return whole.replaceAll(told, real);
  }, text);
}
