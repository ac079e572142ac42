// Reads a tenant file, beside the event loop too, and checks what the file alone shows.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { tenantFile } from '../../core/operators/limits.ts';
import { type Path, type Position, type Problem, problem, within } from '../../core/problem.ts';
import { problemText } from '../problem-text.ts';
import { schemaCheck } from '../schema-problems.ts';
import { atPort } from './check/development.ts';
import { checkTenants } from './check/tenants.ts';
import { type LookUp, type References, withReferences } from './references.ts';
import { type TenantFile, tenantFileSchema } from './tenant-file.ts';
import { keyOf, parseSource, positionIn } from './yaml.ts';

export type ReadTenantFile =
  | {
      readonly ok: true;
      /** Holds what it refers to in its place, and no secret in clear but those that are sealed. */
      readonly file: TenantFile;
      /** Where each of its values begins, by the key of its path. */
      readonly positions: ReadonlyMap<string, Position>;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/**
 * Reads a tenant file in YAML or JSON, and checks everything that the file alone shows.
 *
 * @param development of a service that has development tenants alone, the port at which they live
 * @returns the file, or every problem at once, each with its place
 */
export function readTenantFile(
  text: string,
  lookUp: LookUp,
  development: { readonly port: number } | null = null,
): ReadTenantFile {
  const source = parseSource(text);
  const { positions } = source;
  const value = development === null ? source.value : atPort(source.value, development.port);
  const problems: Problem[] = [...source.problems];
  if (value !== undefined) {
    const misshapen = misshapenIn(value);
    for (const found of misshapen) {
      // Where a name is not known, the name is wrong, and not the value.
      const ofName = found.code === 'unknown_field' ? source.namePositions.get(keyOf(found.path)) : null;
      problems.push({ ...found, position: ofName ?? positionIn(positions, found.path) });
    }
    const broken = new Set(misshapen.flatMap(({ path }) => beginningsOf(path).map(keyOf)));
    let guesses = 0;
    checkTenants({
      file: value,
      tell: (at, ...found) => {
        for (const one of within(at, found)) {
          problems.push({ ...one, position: positionIn(positions, one.path) });
        }
      },
      isBroken: (path) => broken.has(keyOf(path)),
      mayGuess: () => {
        guesses += 1;
        return guesses <= tenantFile.problems;
      },
      lookUp,
      isDevelopment: development !== null,
    });
  }
  if (problems.length > 0) return { ok: false, problems: inOrder(problems) };
  return { ok: true, file: withReferences(value as TenantFile, lookUp), positions };
}

/** Everything in which a value is no tenant file by its shape alone; values are never repeated. */
export const misshapenIn = schemaCheck(tenantFileSchema, false, tenantFile.problems);

const beginningsOf = (path: Path) => path.map((_part, index) => path.slice(0, index + 1));

/** Problems as they stand in the text, each once; beyond so many, how many more there are. */
export function inOrder(problems: readonly Problem[]): readonly Problem[] {
  const start = { line: 1, column: 1 };
  const each = new Map(problems.map((found) => [problemLine(found), found]));
  const sorted = [...each.values()].toSorted(
    ({ position: a = start }, { position: b = start }) => a.line - b.line || a.column - b.column,
  );
  const told = sorted.slice(0, tenantFile.problems);
  const last = told.at(-1);
  const count = sorted.length - told.length;
  if (count === 0 || last?.position === undefined) return told;
  return [...told, { ...problem([], 'more_problems', { count }), position: last.position }];
}

/** A problem in a line: `line:column: text`. */
export const problemLine = (found: Problem) =>
  `${found.position?.line}:${found.position?.column}: ${problemText(found)}`;

/** A tenant file to be read, with what its sender looked up. */
export interface ReadRequest {
  readonly text: string;
  readonly references: References;
}

/** Files are read one after the other: a caller who sends many takes no core from members who sign in. */
let before: Promise<unknown> = Promise.resolve();

/**
 * Reads a tenant file in a thread of its own: the largest takes half a second, in which no other request would
 * be answered.
 */
export function readAside(request: ReadRequest): Promise<ReadTenantFile> {
  const result = before.then(() => readInThread(request));
  before = result.catch(() => {});
  return result;
}

/** Started when the first file comes, since most services see none; the next ones find it ready. */
let thread: Worker | null = null;

/** @throws if it cannot be started */
async function startThread(): Promise<Worker> {
  const worker = new Worker(new URL('./read-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: tenantFile.memoryMb },
  });
  worker.once('exit', () => {
    if (thread === worker) thread = null;
  });
  await once(worker, 'message');
  thread = worker;
  return worker;
}

async function readInThread(request: ReadRequest): Promise<ReadTenantFile> {
  const worker = thread ?? (await startThread());
  // A process ends though the thread waits for another file, and not while it reads one.
  worker.ref();
  worker.postMessage(request);
  const timeIsUp = AbortSignal.timeout(tenantFile.readTime);
  try {
    const [read] = await once(worker, 'message', { signal: timeIsUp });
    return read;
  } catch (error) {
    thread = null;
    if (!timeIsUp.aborted) throw error;
    void worker.terminate();
    const tooSlow = { ...problem([], 'yaml_too_slow'), position: { line: 1, column: 1 } };
    return { ok: false, problems: [tooSlow] };
  } finally {
    worker.unref();
  }
}
