// Loads each file of tests under its own address, unless it is watched: Vitest gives it a new one in each run, under
// which Node would keep what it compiles once more.
import { pathToFileURL } from 'node:url';
import { TestRunner } from 'vitest';

export default class extends TestRunner {
  override importFile(path: string, source: 'collect' | 'setup'): unknown {
    if (source === 'setup' || this.config.watch) return super.importFile(path, source);
    return import(pathToFileURL(path).href);
  }
}
