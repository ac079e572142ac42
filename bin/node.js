// Runs a program on Node 24 or newer: on this one, or on the one that the project's optional packages bring.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';

const needed = 24;
/** How often it is looked whether the shell is there (ms). */
const shellCheckInterval = 250;

/** Whether the Node that runs this is new enough. */
export const isNewEnough = () => Number(process.versions.node.split('.')[0]) >= needed;

/** The program of a Node that is new enough: this one, or that of the package; null where there is none. */
export const newerNode = () => (isNewEnough() ? process.execPath : bundledNode());

/**
 * Runs words on the newer Node with this terminal, and ends this process as that one ends.
 *
 * @param {readonly string[]} words options of Node, the file, and its own words
 * @param {Record<string, string | undefined>} env
 */
export function runOnNewerNode(words, env = process.env) {
  const node = newerNode();
  if (node === null) return refuse(missing());
  const child = spawn(node, words, { stdio: 'inherit', env });
  // A program whose loader is missing, as on a Linux without glibc, is an error of its own.
  child.on('error', () => refuse(`the one that npm installs does not run here. Install Node ${needed}`));
  // A signal to this process is meant for the one that does the work.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('close', (code) => process.exit(code ?? 1));
}

/**
 * Ends this process with the shell that a script of npm runs it in: npm passes a signal on to that shell, and some
 * shells end without passing it on.
 */
export function endWithShell() {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, shellCheckInterval);
  watch.unref();
}

/**
 * The Node of the package for this platform. Not every npm links it into `node_modules/.bin`: versions 9 and 10 do
 * not, and neither does pnpm.
 */
function bundledNode() {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const name = process.platform === 'win32' ? 'node.exe' : 'node';
  try {
    return createRequire(import.meta.url).resolve(`node-${platform}-${process.arch}/bin/${name}`);
  } catch {
    return null;
  }
}

function missing() {
  const hasPackage = ['linux-x64', 'linux-arm64', 'win32-x64'].includes(
    `${process.platform}-${process.arch}`,
  );
  return hasPackage
    ? `run "npm ci", which brings one, or install Node ${needed}`
    : `none comes as a package for ${process.platform} on ${process.arch}. Install Node ${needed}`;
}

function refuse(wayOn) {
  console.error(
    `memberdoor: Node ${needed} or newer is needed, and this is ${process.versions.node}: ${wayOn}.`,
  );
  process.exit(1);
}
