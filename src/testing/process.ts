// Starts `memberdoor dev` in a process of its own, on a Node that is new enough.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { newerNode } from '../../bin/node.js';

const launcher = fileURLToPath(new URL('../../bin/memberdoor.js', import.meta.url));

/** How long a process may take to end by itself (ms). */
const endTime = 10_000;

/** A start leaves more behind than most tests do: it is not collected before it is over (MiB). */
const memory = ['--min-semi-space-size=16'];

/** What the one line of JSON says. */
export interface Ready {
  readonly port: number;
  readonly tenants: readonly { readonly name: string; readonly issuer: string }[];
}

/** Variables that are meant for this process, and would make another of that one. */
const notItsOwn = /^(?:MEMBERDOOR_|NODE_(?!COMPILE_CACHE$|EXTRA_CA_CERTS$)|VITEST|JEST_)/;

/**
 * @param input the tenant file, if it is to be read from the standard input
 * @throws Error with everything that it said
 */
export async function startProcess(words: readonly string[], input: string | null) {
  const node = newerNode();
  if (node === null) {
    throw new Error(
      `memberdoor needs Node 24, and this is ${process.versions.node}: install the optional packages`,
    );
  }
  const inherited = Object.entries(process.env).filter(([name]) => !notItsOwn.test(name));
  const child = spawn(node, [...memory, launcher, 'dev', '--memory', '--port', '0', '--json', ...words], {
    // By this channel it hears of the end of this process, however that comes.
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: { MALLOC_ARENA_MAX: '2', ...Object.fromEntries(inherited) },
  });
  const said = { out: '', err: '' };
  const closed = once(child, 'close');
  const gone = once(child, 'exit');
  // One that ends before it has read it all closes it.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input ?? '');
  child.stderr?.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  const ready = await new Promise<Ready>((resolve, reject) => {
    child.once('error', reject);
    child.stdout?.on('data', (chunk: Buffer) => {
      said.out += chunk.toString();
      if (said.out.includes('\n')) resolve(JSON.parse(said.out) as Ready);
    });
    closed.then(() => reject(new Error(`memberdoor did not start:\n${said.err}${said.out}`)), reject);
  });
  // A test that forgot it ends all the same.
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as unknown as { unref?(): void })?.unref?.();
  let ended: Promise<void> | null = null;
  const end = async () => {
    child.ref();
    if (child.connected) child.disconnect();
    const timer = setTimeout(() => child.kill('SIGKILL'), endTime);
    await gone;
    clearTimeout(timer);
  };
  return {
    ...ready,
    stop: (): Promise<void> => {
      ended ??= end();
      return ended;
    },
  };
}
