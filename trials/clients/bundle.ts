// Puts a file of `apps` and the libraries that it imports together, as a bundler of an app does.
import { fileURLToPath } from 'node:url';
import { library } from './library.ts';

interface Esbuild {
  build(options: object): Promise<{ readonly outputFiles: readonly { readonly text: string }[] }>;
}

/** The text of a module for a page, or of one with `require` for Node. */
export async function bundled(file: string, platform: 'browser' | 'node'): Promise<string> {
  const { build } = await library<Esbuild>('esbuild');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`apps/${file}`, import.meta.url))],
    bundle: true,
    write: false,
    format: platform === 'node' ? 'cjs' : 'esm',
    platform,
    absWorkingDir: fileURLToPath(new URL('.', import.meta.url)),
    alias: { opener: './apps/opener.js' },
    define: { 'process.env.NODE_ENV': '"development"' },
    logLevel: 'error',
  });
  return outputFiles[0]?.text ?? '';
}
