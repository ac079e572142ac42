import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { logWaitingBytes } from '../../src/core/operators/limits.ts';
import { logStream } from '../../src/log/stream.ts';
import { builtService, compileCacheOf } from '../support/process/built.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';
import { copyFixtures, fixtureKey } from '../support/run/fixture-folders.ts';
import { freePort } from '../support/service.ts';

/** A pipe of the system, as a shell makes one; its reader never waits. */
function pipe(writerFlags = 0) {
  const path = join(temporaryFolder(), 'log');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY | writerFlags) };
}

describe('F15: the service goes on without its log', () => {
  let child: ChildProcess | undefined;
  afterEach(() => child?.kill('SIGKILL'));

  /** Starts the service with its log into this, and waits until it answers. */
  async function startInto(stdout: number): Promise<string> {
    const port = String(await freePort());
    const folder = temporaryFolder();
    copyFixtures('development', folder);
    const from = builtService();
    child = spawn(process.execPath, [join(from, 'bin/memberdoor.js'), 'start'], {
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: compileCacheOf(from),
        MEMBERDOOR_PORT: port,
        MEMBERDOOR_DATA: folder,
        MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64'),
      },
      stdio: ['ignore', stdout, 'inherit'],
    });
    closeSync(stdout);
    const origin = `http://localhost:${port}`;
    const answers = () =>
      fetch(`${origin}/livez`).then(
        ({ ok }) => ok,
        () => false,
      );
    await expect.poll(async () => child?.exitCode !== null || (await answers())).toBe(true);
    expect(child.exitCode).toBeNull();
    return origin;
  }

  /** Asks for pages, which log a line each, and then stops the service. */
  async function useAndStop(origin: string): Promise<void> {
    // More than twice the lines that a pipe holds.
    for (let round = 0; round < 8; round += 1) {
      const asked = Array.from({ length: 50 }, () => fetch(`${origin}/account`, { redirect: 'manual' }));
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(50).fill(303));
    }
    expect((await fetch(`${origin}/readyz`)).status).toBe(200);
    const gone = once(child as ChildProcess, 'exit');
    child?.kill('SIGTERM');
    expect(await gone).toEqual([0, null]);
  }

  it('F15: where its disk is full', async () => {
    await useAndStop(await startInto(openSync('/dev/full', 'w')));
  });

  it('F15: where its pipe was closed', async () => {
    const { reader, writer } = pipe();
    const origin = await startInto(writer);
    closeSync(reader);
    await useAndStop(origin);
  });

  it('F15: where its reader stands still', async () => {
    await useAndStop(await startInto(pipe().writer));
  });
});

describe('what the log cannot write', () => {
  /** A target, and all that it holds now. */
  function logPipe() {
    const { reader, writer } = pipe(constants.O_NONBLOCK);
    const read = (): string => {
      const chunk = Buffer.alloc(65_536);
      try {
        const length = readSync(reader, chunk);
        return chunk.toString('latin1', 0, length) + read();
      } catch {
        return '';
      }
    };
    return { target: { fd: writer, isTerminal: false, isJournal: false }, read };
  }
  const line = (n: number) => `${JSON.stringify({ level: 'info', n, text: 'x'.repeat(980) })}\n`;

  it('F15: waits in memory up to a bound, is counted beyond it, and told in the first line that is written again', () => {
    const { target, read } = logPipe();
    const stream = logStream(target, () => Date.parse('2026-11-22T10:00:00Z'));
    const sent = 2_000;
    for (let n = 0; n < sent; n += 1) stream.write(line(n));
    const lost = stream.lost();
    expect(lost).toBeGreaterThan(0);
    expect((sent - lost) * line(0).length).toBeLessThan(logWaitingBytes + 2 * 65_536);

    let seen = '';
    for (let piece = read(); piece !== ''; piece = read()) {
      seen += piece;
      stream.flush();
    }
    stream.write(line(sent));
    stream.flush();
    seen += read();
    const lines = seen
      .trimEnd()
      .split('\n')
      .map((text) => JSON.parse(text));
    const kept = Array.from({ length: sent - lost }, (_, n) => expect.objectContaining({ n }));
    expect(lines).toEqual([
      ...kept,
      { level: 'warn', time: '2026-11-22T10:00:00.000Z', lost, msg: 'lines of the log were lost' },
      expect.objectContaining({ n: sent }),
    ]);
  });

  it('F15: is not copied each time that the log is tried', () => {
    const stream = logStream(logPipe().target, () => 0);
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let n = 0; stream.lost() < 100; n += 1) {
      stream.write(line(n));
      stream.flush();
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
    expect(most - before).toBeLessThan(2 * logWaitingBytes);
  });

  it('logs: journald gets the priority of each level', () => {
    const { target, read } = logPipe();
    const stream = logStream({ ...target, isJournal: true }, () => 0);
    for (const level of ['debug', 'info', 'warn', 'error', 'fatal']) stream.write(`{"level":"${level}"}\n`);
    stream.flush();
    expect(read()).toBe(
      '<7>{"level":"debug"}\n<6>{"level":"info"}\n<4>{"level":"warn"}\n<3>{"level":"error"}\n<2>{"level":"fatal"}\n',
    );
  });
});
