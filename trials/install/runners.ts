// Test runners of other projects: what a test of each looks like that uses the package, and how it is run.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unpackedChromium } from '../../test/support/browser/chromium.ts';
import { filesOf } from '../../test/support/documents/documents.ts';

/** Runs a program in the folder of the project, and waits for its end. */
type Run = (program: string, words: readonly string[]) => string;

interface Runner {
  readonly packages: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  readonly words: readonly string[];
}

const examples = filesOf('testing.md');

/** An example of the document, as it stands there. */
function example(name: string): Readonly<Record<string, string>> {
  const code = examples.get(name);
  if (code === undefined) throw new Error(`docs/testing.md has no ${name} any more`);
  return { [name]: code };
}

/** A door that is never stopped, which must not keep the runner. */
const unstopped = `
  test('a door is left open', async () => {
    await startMemberdoor();
  });`;
const required = `const { startMemberdoor } = require('memberdoor/testing');${unstopped}`;
const imported = `import { test } from 'vitest';\nimport { startMemberdoor } from 'memberdoor/testing';${unstopped}`;

const chromiumOf = ({ executable, env }: Awaited<ReturnType<typeof unpackedChromium>>) =>
  `export default { timeout: 60_000, use: { launchOptions: {
    executablePath: ${JSON.stringify(executable)}, env: ${JSON.stringify(env)}, args: ['--no-sandbox'] } } };`;

const jest = (version: string): Runner => ({
  packages: [`jest@${version}`],
  files: { ...example('tv.test.cjs'), 'left.test.cjs': required },
  words: ['jest', '--testMatch', '**/*.test.cjs', '--testTimeout', '60000'],
});

async function runners(): Promise<Readonly<Record<string, Runner>>> {
  return {
    vitest: {
      packages: ['vitest@4.1.12'],
      files: {
        ...example('member.test.js'),
        'left.test.js': imported,
        'vitest.config.js': 'export default { test: { hookTimeout: 60_000, testTimeout: 60_000 } };',
      },
      words: ['vitest', 'run'],
    },
    'jest 29': jest('29.7.0'),
    'jest 30': jest('30.5.2'),
    '@playwright/test': {
      packages: ['@playwright/test@1.65.1'],
      files: { ...example('account.spec.ts'), 'playwright.config.js': chromiumOf(await unpackedChromium()) },
      words: ['playwright', 'test'],
    },
  };
}

/**
 * Runs the tests of a project with each runner.
 *
 * @param folder for projects
 * @param install adds our package and others to a project
 * @param runIn runs programs in one
 * @throws Error if a test fails, or a runner does not end
 */
export async function tryRunners(
  folder: string,
  install: (project: string, packages: readonly string[]) => void,
  runIn: (project: string) => Run,
): Promise<void> {
  for (const [name, { packages, files, words }] of Object.entries(await runners())) {
    const project = mkdtempSync(join(folder, 'runner-'));
    writeFileSync(join(project, 'package.json'), '{ "name": "other", "private": true, "type": "module" }');
    for (const [file, text] of Object.entries(files)) writeFileSync(join(project, file), text);
    install(project, packages);
    try {
      runIn(project)('npx', ['--no-install', ...words]);
    } catch (error) {
      throw new Error(`${name} does not run: ${(error as Error).message}`, { cause: error });
    }
    rmSync(project, { recursive: true });
  }
}
