import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { startProcess } from '../../support/process/started.ts';
import { freePort } from '../../support/service.ts';

const ours = '--max-semi-space-size=8';
const theirs = '--max-semi-space-size=16';

/** A file of the system that says of a process what it was started with. */
const toldOf = (pid: number, file: 'cmdline' | 'environ') =>
  readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');

// Linux says what a process runs with; the settings are those of its C library.
it.runIf(process.platform === 'linux').each([
  ['with our own measure, given by hand', [ours], {}, ours],
  ['with another measure and other options of Node', [theirs, '--stack-trace-limit=20'], {}, theirs],
  ['with another measure for the C library', [], { MALLOC_ARENA_MAX: '4' }, ours],
] as const)(
  'a start by hand %s has every setting of the memory, and keeps what was given',
  async (_how, options, given, measure) => {
    const folder = mkdtempSync(join(tmpdir(), 'memberdoor-memory-'));
    const settings = { MEMBERDOOR_DATA: folder, MEMBERDOOR_PORT: String(await freePort()), ...given };
    const started = startProcess({ settings, options });
    onTestFinished(async () => {
      await started.kill();
      rmSync(folder, { recursive: true, force: true });
    });
    await started.ready;
    const words = toldOf(started.pid, 'cmdline');
    expect(words.filter((word) => word.includes('semi-space'))).toEqual([measure]);
    for (const option of options) expect(words).toContain(option);
    const environment = toldOf(started.pid, 'environ');
    const { MALLOC_ARENA_MAX = '2' } = given as { readonly MALLOC_ARENA_MAX?: string };
    expect(environment).toContain(`MALLOC_ARENA_MAX=${MALLOC_ARENA_MAX}`);
  },
);

it('what a request makes is never made among the old objects, whatever V8 learns from a start', async () => {
  const watching = fileURLToPath(new URL('../../support/process/old-objects.ts', import.meta.url));
  const words = ['--version'];
  const started = startProcess({ settings: {}, words, options: [ours, '--import', watching] });
  expect(await started.exited).toMatchObject({ code: 0 });
  expect(started.lines()).toContain('0 bytes of each are old');
});
