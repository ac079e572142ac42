// The way of the command to the operations: through the running service, or into the data folder.
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Config } from '../config.ts';
import type { Position, Problem } from '../core/problem.ts';
import { isFile, type Operation } from '../operations/admin/operation.ts';
import { partsOf, runOperation } from '../operations/admin/run.ts';
import { createMailer } from '../operations/mail/mailer.ts';
import { conflict, OperationRefused } from '../operations/refusal.ts';
import { localUrl, socketPath, userHeader } from '../operations/service/command-socket.ts';
import { closeClean, openService } from '../operations/service/service.ts';
import { noPlaces } from '../operations/session/geolocation.ts';
import { createTenants } from '../operations/tenant/open-tenants.ts';
import { backupTime } from '../operations/upkeep/backup.ts';
import { StorageUnavailable } from '../storage/store.ts';
import { systemClock } from '../system/clock.ts';
import { ownUser } from '../system/files.ts';
import { request } from '../system/http.ts';
import { systemRandom } from '../system/random.ts';
import { StartupError } from '../system/startup-error.ts';

/** What an operation answered: of a file, which may be long, its parts, each read when it is asked for. */
export type OperationAnswer =
  | { readonly answer: object }
  /** @throws StartupError if it breaks off */
  | { readonly parts: AsyncIterable<string> };

/** A way to the operations: the running service, or the data folder while none runs. */
export interface Connection {
  /** @throws OperationRefused */
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
        return { parts: whole(answer.setEncoding('utf8')) };
      }
      return answerOf(answer, await text(answer).catch(orEnded));
    },
    hosts: async () => hosts,
    close: async () => {},
  };
}

/** @throws OperationRefused */
function answerOf({ statusCode }: IncomingMessage, body: string): OperationAnswer {
  if (statusCode === 200) return { answer: JSON.parse(body) as object };
  const { problems, error_description: description } = JSON.parse(body) as {
    readonly problems?: readonly (Problem & Partial<Position>)[];
    readonly error_description?: string;
  };
  if (problems === undefined) throw unexplained(description ?? `the service answered ${statusCode}`);
  throw new OperationRefused(
    'conflict',
    problems.map(({ line, column, ...found }) =>
      line === undefined || column === undefined ? found : { ...found, position: { line, column } },
    ),
  );
}

const unexplained = (text: string) => conflict([], 'unexplained', { text });

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

/** Sends a request. @returns the answer, before anything of it is read */
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
  await store.transaction((tx) => tenants.follow(tx));
  // Mails wait in the database for the next start: the command has no time for a mail server.
  const mails = createMailer({
    store,
    vault,
    clock: systemClock,
    transport: { send: () => Promise.reject(new Error('the command sends no mails')) },
    log: () => ({ info: () => {}, warn: () => {} }),
    schedule: () => () => {},
  });
  const backedUpAt = backupTime(config, store);
  // Nothing happens meanwhile that could be waited for.
  const events = { waitFor: async () => {} };
  const deps = {
    vault,
    passwords,
    random: systemRandom,
    mails,
    tenants,
    events,
    backedUpAt,
    placeOf: noPlaces,
  };
  return {
    call: async (operation, input) => {
      const call = { operation, actor: { kind: 'operator', user }, input, address: null } as const;
      try {
        const callDeps = { ...deps, now: systemClock() };
        const answer = await runOperation(call, store, callDeps);
        return isFile(operation, answer)
          ? { parts: whole(partsOf(answer, call, store, callDeps)) }
          : { answer };
      } catch (error) {
        throw error instanceof StorageUnavailable ? unexplained(error.message) : error;
      }
    },
    hosts: async () => tenants.all().map(({ host }) => host),
    close: () => closeClean(store, config.dataFolder),
  };
}

/**
 * An operation as a request of the admin API: its input spread over path, query and body as the API documents it.
 *
 * @returns the path, with its query, below the address of the admin API, and the body as JSON, or null for none
 */
export function requestOf(operation: Operation, input: Readonly<Record<string, unknown>>) {
  const { method } = operation;
  const inPath = new Set<string>();
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_place, name: string) => {
    inPath.add(name);
    return encodeURIComponent(String(input[name]));
  });
  const rest = Object.entries(input).filter(([name]) => !inPath.has(name));
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path, body: JSON.stringify(Object.fromEntries(rest)) };
  }
  const query = new URLSearchParams(
    rest.flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, String(one)])),
  );
  return { method, path: query.size === 0 ? path : `${path}?${query}`, body: null };
}

/**
 * The name of the user who ran sudo, or logged in, or of the process's own user. A user who may run the command
 * may do everything, so the name is told and not proven.
 */
export function systemUser({ SUDO_USER, LOGNAME }: NodeJS.ProcessEnv): string {
  return [SUDO_USER, LOGNAME].find((name) => name !== undefined && name !== '') ?? ownUser();
}
