import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtService, compileCacheOf } from './built.ts';

/** What the log says of a stop that did not wait until all was done. */
export const cutOff = 'it is cut off';

/** The service as its operator starts it: a process of its own. */
export interface Started {
  readonly pid: number;
  /** Every whole line of the standard output so far. */
  lines(): readonly string[];
  errorLines(): readonly string[];
  /** Resolves when a line `ready ADDRESS` stands alone, to the address, or one of JSON. @throws if the process ends before */
  readonly ready: Promise<string>;
  readonly exited: Promise<{ readonly code: number | null; readonly ms: number }>;
  /** Sends SIGTERM, to this process alone, and waits for its end. */
  stop(): Promise<number | null>;
  /** Ends it and all that it started, at once. */
  kill(): Promise<void>;
}

export interface Start {
  /** The settings, each with its prefix. */
  readonly settings: Readonly<Record<string, string>>;
  /** The words after `memberdoor`. */
  readonly words?: readonly string[];
  /** The standard input; none is empty. */
  readonly input?: string;
  /** Options of Node's own, where Node runs the words. */
  readonly options?: readonly string[];
  /** What runs the words: Node, or npm as the documentation says. */
  readonly by?: 'node' | 'npm' | 'an older node';
  /** Whether what should read its standard output is gone before it begins, as behind `| head -1` after a line. */
  readonly isUnread?: boolean;
  /** The folder of the project that runs: the service as a package holds it unless given. */
  readonly from?: string;
  /** The folder that it is run in; `from` unless given. */
  readonly folder?: string;
  /** A program that runs all this, with its words: one that watches the calls of the system, say. */
  readonly under?: readonly string[];
}

/** Makes Node believe that it is an older one; not inherited by what it starts. */
const older = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.1.0'}})`;

export function startProcess({
  settings,
  words = ['start'],
  options = [],
  by = 'node',
  from = builtService(),
  folder = from,
  under = [],
  input = '',
  isUnread = false,
}: Start): Started {
  const startedAt = performance.now();
  const command = join(from, 'bin/memberdoor.js');
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(?:MEMBERDOOR_|NODE_|npm_|VITEST)/.test(name),
  );
  const cache = compileCacheOf(from);
  const env = {
    ...Object.fromEntries(inherited),
    ...(cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }),
    ...settings,
  };
  const started = {
    npm: ['npm'],
    node: [process.execPath, ...options, command],
    'an older node': [process.execPath, '--import', older, command],
  }[by];
  const [program, ...before] = [...under, ...started] as [string, ...string[]];
  const child = spawn(program, [...before, ...words], { cwd: folder, env, detached: true });
  // Who ends before it has read its input closes it.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  if (isUnread) child.stdout.destroy();
  const output = gathered();
  const errors = gathered();

  const exited = new Promise<{ code: number | null; ms: number }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ms: performance.now() - startedAt }));
  });
  const ready = new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      const line = output.take(more).find((text) => /^(?:ready |\{"ready":true)/.test(text));
      if (line !== undefined) resolve(line.replace('ready ', ''));
    });
    child.stderr.setEncoding('utf8').on('data', errors.take);
    exited.then(() => reject(new Error(`it ended: ${errors.text()}${output.text()}`)), reject);
  });
  // Some tests wait for the end alone.
  ready.catch(() => {});
  return {
    pid: child.pid ?? 0,
    lines: output.lines,
    errorLines: errors.lines,
    ready,
    exited,
    stop: async () => {
      child.kill('SIGTERM');
      return (await exited).code;
    },
    kill: async () => {
      try {
        process.kill(-(child.pid ?? 0), 'SIGKILL');
      } catch {
        // The whole group is gone already.
      }
      await exited;
    },
  };
}

/** What a process writes, line by line as it comes: an export is long, and no part of it is looked at twice. */
function gathered() {
  const whole: string[] = [];
  let rest = '';
  return {
    /** @returns the lines that are whole with it */
    take(more: string): readonly string[] {
      const [first = '', ...others] = more.split('\n');
      rest += first;
      const last = others.pop();
      if (last === undefined) return [];
      const found = [rest, ...others];
      for (const line of found) whole.push(line);
      rest = last;
      return found;
    },
    lines: (): readonly string[] => [...whole],
    text: (): string => [...whole, rest].join('\n'),
  };
}

/** The memory of a process that is in use, in MB. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Math.round(Number(kilobytes) / 1_024);
}

/** How long a process has worked so far, in ms, however busy the machine is; Linux counts in hundredths. */
export function workedMilliseconds(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13).map(Number);
  return ((user ?? 0) + (system ?? 0)) * 10;
}
