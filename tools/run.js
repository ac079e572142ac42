// Runs a file of the project, or a program of its development packages, on Node 24 or newer:
// node tools/run.js vitest run, node tools/run.js tools/sbom.ts. Every script of package.json goes through it, as the
// Node that starts them may be an older one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runOnNewerNode } from '../bin/node.js';

const project = fileURLToPath(new URL('..', import.meta.url));
/** The packages whose programs have another name. */
const packages = { biome: '@biomejs/biome', tsc: 'typescript' };

const [program = '', ...words] = process.argv.slice(2);
runOnNewerNode([/\.[jt]s$/.test(program) ? program : fileOf(program), ...words]);

/** The file of a package's program: what lies in `node_modules/.bin` is a script of the shell where pnpm installs. */
function fileOf(name) {
  const folder = join(project, 'node_modules', packages[name] ?? name);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[name]);
}
