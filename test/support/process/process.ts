import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { httpClient } from '../http.ts';
import { copyFixtures, fixtureKey } from '../run/fixture-folders.ts';
import { databaseAddress } from '../run/test-store.ts';
import type { TestService } from '../service.ts';
import { builtService, compileCacheOf } from './built.ts';

/** The development start as an operator's machine runs it: a process of its own, to be killed. */
export interface RunningProcess {
  /** To be handed to `visitor`, `token` and the like, which only speak HTTP to a service. */
  readonly service: TestService;
  /** Ends the process, and waits until it is gone. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/** Starts `memberdoor start` on a data folder and waits until it says that it is ready. */
export async function startProcess(folder: string, port: number): Promise<RunningProcess> {
  copyFixtures('development', folder);
  const database = await databaseAddress(folder);
  const from = builtService();
  const child = spawn(process.execPath, [join(from, 'bin/memberdoor.js'), 'start'], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: compileCacheOf(from),
      MEMBERDOOR_PORT: String(port),
      MEMBERDOOR_DATA: folder,
      MEMBERDOOR_MASTER_KEY: fixtureKey.toString('base64'),
      MEMBERDOOR_LOG_LEVEL: 'silent',
      ...(database === undefined ? {} : { MEMBERDOOR_DATABASE_URL: database }),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'exit');
  await ready(child);
  const http = httpClient(port);
  return {
    service: { http } as TestService,
    kill: async (signal) => {
      http.close();
      child.kill(signal);
      await gone;
    },
  };
}

async function ready(child: ChildProcess): Promise<void> {
  if (child.stdout === null) throw new Error('the process has no output');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    if (line.startsWith('ready ')) return;
  }
  throw new Error('the process ended before it was ready');
}
