// The way of the command to the operations: through the running service, or into the data folder.
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { systemClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { type Position, type Problem, problem } from '../core/problem.ts';
import { localUrl, socketPath, userHeader } from '../local.ts';
import { isFile, type Operation } from '../operations/admin/operation.ts';
import { partsOf, runOperation } from '../operations/admin/run.ts';
import { createMailer } from '../operations/mail/mailer.ts';
import { OperationRefused } from '../operations/refusal.ts';
import { openService } from '../operations/service/open-service.ts';
import { closeClean } from '../operations/upkeep/clean.ts';
import { systemRandom } from '../random.ts';
import { StartupError } from '../startup-error.ts';
import { StorageUnavailable } from '../storage/store.ts';
import { createTenants } from '../tenants.ts';
import { requestOf } from './request.ts';

/** What an operation answered. */
export type OperationAnswer =
  | { readonly ok: true; readonly answer: object }
  /** A file, which may be long: its parts, each read when it is asked for. @throws StartupError if it breaks off */
  | { readonly ok: true; readonly parts: AsyncIterable<string> }
  /** Why nothing was done. */
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** A way to the operations: the running service, or the data folder while none runs. */
export interface Connection {
  call(operation: Operation, input: Readonly<Record<string, unknown>>): Promise<OperationAnswer>;
  /** The hosts of all tenants. */
  hosts(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/**
 * Asks the running service; where none runs, opens the data folder itself.
 *
 * @param configuration is only asked for if no service runs: the socket needs the folder alone
 * @param mayMigrate whether a database of an older version is brought to this one
 * @param user who runs the command, for the audit
 * @throws StartupError
 */
export async function connect(
  dataFolder: string,
  configuration: () => Config,
  mayMigrate: boolean,
  user: string,
): Promise<Connection> {
  const path = socketPath(dataFolder);
  const hosts = await hostsThrough(path);
  if (hosts === null) return openFolder(configuration(), mayMigrate, user);
  return {
    call: async (operation, input) => {
      const { method, path: below, body } = requestOf(operation, input);
      const isUnsaid = 'The running service ended before it had answered; it may or may not have been done.';
      const orEnded = () => {
        throw new StartupError(isUnsaid);
      };
      const answer = await ask(path, method, `/api/v1/admin${below}`, body, user).catch(orEnded);
      if (answer.statusCode === 200 && operation.mediaType !== undefined) {
        return { ok: true, parts: whole(answer.setEncoding('utf8')) };
      }
      return answerOf(answer, await text(answer).catch(orEnded));
    },
    hosts: async () => hosts,
    close: async () => {},
  };
}

function answerOf({ statusCode }: IncomingMessage, body: string): OperationAnswer {
  if (statusCode === 200) return { ok: true, answer: JSON.parse(body) as object };
  const { problems, error_description: description } = JSON.parse(body) as {
    readonly problems?: readonly (Problem & Partial<Position>)[];
    readonly error_description?: string;
  };
  const text = description ?? `the service answered ${statusCode}`;
  return {
    ok: false,
    problems: problems?.map(({ line, column, ...found }) =>
      line === undefined || column === undefined ? found : { ...found, position: { line, column } },
    ) ?? [problem([], 'unexplained', { text })],
  };
}

/** Parts to their end. @throws StartupError where they break off before it */
async function* whole(parts: AsyncIterable<string>): AsyncGenerator<string> {
  try {
    yield* parts;
  } catch {
    throw new StartupError('The service broke off: what was written is not whole.');
  }
}

/** The hosts of the service behind a socket; null if no service listens there. */
async function hostsThrough(path: string): Promise<readonly string[] | null> {
  try {
    const body = await text(await ask(path, 'GET', `${localUrl}/tenants`, null));
    return (JSON.parse(body) as { readonly hosts: readonly string[] }).hosts;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'ENOTDIR') return null;
    if (code === 'EACCES' || code === 'EPERM') {
      throw new StartupError(`${path} may not be used: run this as the user that the service runs as.`);
    }
    throw error;
  }
}

/** Sends a request. @returns the answer, of which nothing is read yet */
function ask(
  socket: string,
  method: string,
  path: string,
  body: string | null,
  user = '',
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      [userHeader]: encodeURIComponent(user),
      ...(body === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    };
    const sent = request({ socketPath: socket, method, path, headers, agent: false }, resolve);
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

/** Opens the data folder as a start would, and closes it when the command is done. */
async function openFolder(config: Config, migrate: boolean, user: string): Promise<Connection> {
  const { store, vault, passwords } = await openService(config, { initialise: false, migrate });
  const tenants = createTenants(vault);
  await store.transaction((tx) => tenants.reload(tx));
  // Mails wait in the database for the next start: the command has no time for a mail server.
  const mails = createMailer({
    store,
    vault,
    clock: systemClock,
    transport: { send: () => Promise.reject(new Error('the command sends no mails')) },
    log: () => ({ info: () => {}, warn: () => {} }),
    schedule: () => () => {},
  });
  const deps = { vault, passwords, random: systemRandom, mails, tenants };
  return {
    call: async (operation, input) => {
      const call = { operation, actor: { kind: 'operator', user }, input, address: null } as const;
      try {
        const callDeps = { ...deps, now: systemClock() };
        const answer = await runOperation(call, store, callDeps);
        if (isFile(operation, answer))
          return { ok: true, parts: whole(partsOf(answer, call, store, callDeps)) };
        return { ok: true, answer };
      } catch (error) {
        if (error instanceof OperationRefused) return { ok: false, problems: error.problems };
        if (error instanceof StorageUnavailable)
          return { ok: false, problems: [problem([], 'unexplained', { text: error.message })] };
        throw error;
      }
    },
    hosts: async () => tenants.all().map(({ host }) => host),
    close: () => closeClean(store, config.dataFolder),
  };
}
