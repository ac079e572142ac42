import { type ChildProcess, execFile, fork, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const command = fileURLToPath(new URL('../../../bin/memberdoor.js', import.meta.url));
const peerServer = fileURLToPath(new URL('../peer/server.ts', import.meta.url));

/** A server under load: a process of its own. */
export interface Server {
  readonly pid: number;
  /** How it ended: the exit code, or null after a signal. */
  readonly ended: Promise<number | null>;
  stop(): Promise<void>;
}

/** Which cores a process may use, as taskset writes them; null is any. */
export type Cores = string | null;

/** How a server is started. */
export interface ServerStart {
  /** Settings of the service, beside what it inherits; the peer takes none. */
  readonly settings: Readonly<Record<string, string>>;
  /** Where its output goes. */
  readonly log: string;
  readonly cores: Cores;
  /** The peer's folder and port, and the database that takes the folder's place; without it the service is started. */
  readonly peer?: { readonly folder: string; readonly port: number; readonly url?: string };
  /** A library to be loaded before all others. */
  readonly preload?: string | null;
}

/** The environment of an operator's machine: nothing of npm, of a test or of another service. */
function environment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(?:MEMBERDOOR_|NODE_|npm_)/.test(name));
  return { ...Object.fromEntries(inherited), NODE_ENV: 'production', ...settings };
}

/** Runs `memberdoor` with these words, to its end. */
export async function runCommand(
  settings: Readonly<Record<string, string>>,
  words: readonly string[],
): Promise<void> {
  await run(process.execPath, [command, ...words], { env: environment(settings) });
}

/** Starts a server and waits until it says that it is ready. */
export async function startServer({
  settings,
  log,
  cores,
  peer,
  preload = null,
}: ServerStart): Promise<Server> {
  const output = openSync(log, 'w');
  const words = peer === undefined ? [command, 'start'] : wordsOfPeer(peer);
  const [program, ...before] = pinned(cores);
  const child = spawn(program, [...before, ...words], {
    env: environment({ ...settings, ...(preload === null ? {} : { LD_PRELOAD: preload }) }),
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const until = performance.now() + 60_000;
  while (!/^ready/m.test(readFileSync(log, 'utf8'))) {
    if (child.exitCode !== null || performance.now() > until) {
      child.kill('SIGKILL');
      throw new Error(`a server did not start: ${readFileSync(log, 'utf8').slice(-2_000)}`);
    }
    await wait(20);
  }
  return {
    pid: child.pid ?? 0,
    ended,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

const wordsOfPeer = ({ folder, port, url }: NonNullable<ServerStart['peer']>) => [
  peerServer,
  folder,
  String(port),
  ...(url === undefined ? [] : [url]),
];

/** Starts a module as a process on its cores, with a channel to here. */
export function startHelper(module: URL, cores: Cores, words: readonly string[]): ChildProcess {
  const [program, ...before] = pinned(cores);
  return fork(fileURLToPath(module), [...words], {
    execPath: program,
    execArgv: before,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
}

function pinned(cores: Cores): [string, ...string[]] {
  return cores === null ? [process.execPath] : ['taskset', '-c', cores, process.execPath];
}

/** The cores of the servers and of the generator; null where they cannot be chosen. */
export interface Placement {
  readonly servers: Cores;
  readonly generator: Cores;
}

export async function placement(twoCores: boolean): Promise<Placement> {
  const count = availableParallelism();
  const canPin = await run('taskset', ['-V']).then(
    () => true,
    () => false,
  );
  if (!canPin || count < 2) return { servers: null, generator: null };
  if (!twoCores) return { servers: '0', generator: '1' };
  return { servers: '0,1', generator: count > 2 ? '2' : '1' };
}

const ticksPerSecond = 100;

/** The processor time that a process and its threads took so far, ms (proc(5), utime and stime). */
export const processorTime = (pid: number): number => timeOf(pid, 11, 12);

/** The processor time of its children that have ended, ms (proc(5), cutime and cstime). */
export const processorTimeOfEnded = (pid: number): number => timeOf(pid, 13, 14);

function timeOf(pid: number, ...of: readonly number[]): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in brackets may have spaces; the fields behind it are numbered from 3.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (of.reduce((sum, field) => sum + Number(fields[field]), 0) * 1_000) / ticksPerSecond;
}

/** The memory of a process that is in use, MB. */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}
