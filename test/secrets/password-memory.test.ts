import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { httpClient } from '../support/http.ts';
import { startProcess } from '../support/process/started.ts';
import { temporaryFolder } from '../support/records/temporary-folder.ts';
import { freePort, type TestService } from '../support/service.ts';
import { apps } from '../support/tokens.ts';
import { authorizationParameters, pkce, visitor } from '../support/visitor.ts';

const hugePages = '/sys/kernel/mm/transparent_hugepage/enabled';
const given = existsSync(hugePages) && !readFileSync(hugePages, 'utf8').includes('[never]');

/** MB of the process that are no file's. */
const anonymousMegabytes = (pid: number) =>
  Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

it('the 19 MiB that a password takes while it is hashed go back to the system, however many are hashed at once', async () => {
  const port = await freePort();
  const running = startProcess({
    settings: {
      MEMBERDOOR_DATA: temporaryFolder(),
      MEMBERDOOR_PORT: String(port),
      MEMBERDOOR_LOG_LEVEL: 'silent',
    },
  });
  await running.ready;
  const http = httpClient(port, 30);
  const stranger = visitor({ http } as TestService, `localhost:${port}`);
  const page = await stranger.authorize(
    authorizationParameters(apps.spa.clientId, apps.spa.redirectUri, pkce()),
  );
  const guess = (index: number) =>
    stranger.signIn(page, `nobody${index}@example.com`, 'a password to be hashed');
  await guess(0);
  const before = anonymousMegabytes(running.pid);
  await Promise.all(Array.from({ length: 8 }, (_, index) => guess(index + 1)));
  const kept = anonymousMegabytes(running.pid) - before;
  http.close();
  await running.stop();
  // Where the system has no huge pages, the heaps keep one block for each hash at a time.
  expect(kept).toBeLessThan(given ? 15 : 60);
});
