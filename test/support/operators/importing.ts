import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { openSocket } from '../../../src/http/admin/socket.ts';
import { operationsOfCommand } from '../../../src/operations/admin/index.ts';
import { tenantOf } from '../device.ts';
import { hosts } from '../fixtures.ts';
import type { TestService } from '../service.ts';
import { command } from './command.ts';

/** `memberdoor import` into tenant A of a running service, with files of the test's own. */
export function importsOf(service: TestService) {
  let closeSocket: () => Promise<void>;
  let folder: string;

  beforeAll(async () => {
    const socket = await openSocket(service.folder, operationsOfCommand, service.deps, service.app.log);
    closeSocket = async () => socket?.close();
    folder = mkdtempSync(join(tmpdir(), 'memberdoor-import-'));
  });
  afterAll(async () => {
    await closeSocket();
    rmSync(folder, { recursive: true, force: true });
  });
  const pathOf = (name: string) => join(folder, name);
  return {
    /** The path of a file, whether it is there or not. */
    pathOf,
    /** @returns the path of the file */
    write(name: string, content: string | Buffer): string {
      const path = pathOf(name);
      writeFileSync(path, content);
      return path;
    },
    run: (path: string, ...words: string[]) =>
      command(service.folder, ['import', path, '--tenant', hosts.a, ...words]),
    memberOf: (email: string) =>
      service.store.transaction((tx) =>
        tx
          .selectFrom('members')
          .selectAll()
          .where('normalisedEmail', '=', email)
          .where('tenantId', '=', tenantOf(service, hosts.a).id)
          .executeTakeFirst(),
      ),
  };
}

/** Lines of JSON. */
export const lines = (...values: readonly object[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');
