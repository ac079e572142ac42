import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type HttpClient, httpClient } from '../../support/http.ts';
import { loopbackAddresses, rawSocket } from '../../support/process/raw-socket.ts';
import { cutOff, type Started, startProcess } from '../../support/process/started.ts';
import { freePort, startTestService, type TestService } from '../../support/service.ts';
import { apps, refreshAs } from '../../support/tokens.ts';
import {
  authorizationParameters,
  codeFor,
  pkce,
  type Tokens,
  token,
  visitor,
} from '../../support/visitor.ts';

const email = 'ada@example.com';
const families = 100;

/** An answer that came whole, or the code of the error that came instead. */
type Outcome = Answer | string;
const outcomeOf = (answer: Promise<Answer>): Promise<Outcome> =>
  answer.catch((error: Error & { code?: string }) => error.code ?? error.message);

describe('Z15: SIGTERM while 200 requests are in flight', () => {
  let folder: string;
  let port: number;
  let host: string;
  let running: Started;
  let tokens: string[];
  let refreshes: readonly Outcome[];
  let hashed: readonly Outcome[];
  let read: readonly Outcome[];
  let exitCode: number | null;

  const start = async (): Promise<HttpClient> => {
    running = startProcess({
      settings: {
        MEMBERDOOR_DATA: folder,
        MEMBERDOOR_PORT: String(port),
        MEMBERDOOR_LOG_LEVEL: 'warn',
      },
    });
    await running.ready;
    return httpClient(port, 300);
  };
  const over = (http: HttpClient) => ({ http }) as TestService;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'memberdoor-drain-'));
    port = await freePort();
    host = `localhost:${port}`;
    const http = await start();
    const service = over(http);
    const browser = visitor(service, host);
    const { clientId, redirectUri } = apps.spa;
    const newFamily = async () => {
      const { code, verifier } = await codeFor(browser, clientId, redirectUri, {}, email);
      const grant = { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier };
      return String((await token(service, host, grant)).json<Tokens>().refresh_token);
    };
    tokens = [await newFamily()];
    tokens.push(...(await Promise.all(Array.from({ length: families - 1 }, newFamily))));
    const stranger = visitor(service, host);
    const page = await stranger.authorize(authorizationParameters(clientId, redirectUri, pkce()));

    // Of each kind one is answered: the others are on their way.
    const hashing = Array.from({ length: 50 }, (_, index) =>
      outcomeOf(stranger.signIn(page, `nobody${index}@example.com`, 'a password to be hashed')),
    );
    await Promise.race(hashing);
    const inFlight = tokens.map((text) => outcomeOf(refreshAs(service, host, apps.spa, text)));
    const reading = Array.from({ length: 50 }, () =>
      outcomeOf(http(host, '/.well-known/openid-configuration')),
    );
    await Promise.race(inFlight);
    exitCode = await running.stop();
    refreshes = await Promise.all(inFlight);
    hashed = await Promise.all(hashing);
    read = await Promise.all(reading);
    http.close();
  });
  afterAll(async () => {
    await running.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends with 0, and cuts nothing off because its time is over', () => {
    expect(exitCode).toBe(0);
    expect(running.lines().filter((line) => line.includes(cutOff))).toEqual([]);
    expect(running.errorLines()).toEqual([]);
  });

  it('leaves nothing in the write-ahead log', () => {
    const log = join(folder, 'memberdoor.db-wal');
    expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
  });

  it('answers each request wholly, or takes no notice of it', () => {
    const all = [...refreshes, ...hashed, ...read].map(resultOf);
    // 422 is the answer to a wrong password; 503 says to come back; the rest never reached a handler.
    for (const result of all)
      expect([200, 422, 503, 'ECONNREFUSED', 'ECONNRESET', 'EPIPE']).toContain(result);
    // Passwords take their time: all of these were under way when the signal came.
    expect(countOf(hashed.map(resultOf))).toEqual({ 422: 50 });
    console.info(`drained: ${JSON.stringify(countOf(all))}`);
  });

  it('has done what it answered, and nothing that it did not', async () => {
    const http = await start();
    const service = over(http);
    const results = await Promise.all(
      refreshes.map(async (outcome, index) => {
        const isDone = typeof outcome !== 'string' && outcome.status === 200;
        const current = isDone ? outcome.json<Tokens>().refresh_token : tokens[index];
        return (await refreshAs(service, host, apps.spa, current)).status;
      }),
    );
    expect(countOf(results)).toEqual({ 200: families });
    http.close();
  });
});

it('Z15: what is under way on each address of localhost is waited for', async () => {
  const service = await startTestService({ data: 'security' });
  const body = 'grant_type=password';
  const head = [
    'POST /api/oidc/token HTTP/1.1',
    'Host: a.test',
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
  ].join('\r\n');
  const sockets = await Promise.all(
    loopbackAddresses.map(async (address) => {
      const socket = await rawSocket(service.port, address);
      socket.write(`GET /livez HTTP/1.1\r\nHost: a.test\r\n\r\n${head}\r\n\r\n${body.slice(0, 5)}`);
      await socket.until(/live\n$/);
      return socket;
    }),
  );
  let isStopped = false;
  const stopped = service.stop().then(() => {
    isStopped = true;
  });
  while (service.app.server.listening) await new Promise(setImmediate);
  for (const [index, socket] of sockets.entries()) {
    await new Promise(setImmediate);
    expect([index, isStopped]).toEqual([index, false]);
    socket.write(body.slice(5));
    expect(await socket.closed).toMatch(/HTTP\/1\.1 400 [\s\S]*unsupported_grant_type/);
  }
  await stopped;
});

it('Z15: a connection over which nothing came does not hold the stop', async () => {
  const service = await startTestService({ data: 'security' });
  const silent = await Promise.all(loopbackAddresses.map((address) => rawSocket(service.port, address)));
  await Promise.all([service.stop(), ...silent.map(({ closed }) => closed)]);
});

const resultOf = (outcome: Outcome) => (typeof outcome === 'string' ? outcome : outcome.status);

function countOf(results: readonly (string | number)[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}
