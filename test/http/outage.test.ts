import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { wrongSecretsPerMinute } from '../../src/core/limits.ts';
import { logOptions } from '../../src/log/log.ts';
import { insertSignIn } from '../../src/storage/grants/sign-in.ts';
import { StorageUnavailable } from '../../src/storage/store.ts';
import { askForCode, codesFor, poll } from '../support/device.ts';
import { hosts } from '../support/fixtures.ts';
import type { Answer } from '../support/http.ts';
import { signInRecord } from '../support/records/records.ts';
import { apps, expectError, profile, refreshAs, revoke, tokensOf } from '../support/tokens.ts';
import { useFreshService } from '../support/use-service.ts';
import { type Tokens, token } from '../support/visitor.ts';

const service = useFreshService({ data: 'security' });
let tokens: Tokens;
let more: Tokens;

beforeEach(async () => {
  tokens = await tokensOf(service, hosts.a, apps.pub1);
  more = await tokensOf(service, hosts.a, apps.pub1);
});

/** Sets or reads something of SQLite's own, on the connection of the service. */
const pragma = async (text: string): Promise<unknown> => {
  const { rows } = await service.store.transaction((tx) => sql`pragma ${sql.raw(text)}`.execute(tx));
  return Object.values((rows[0] ?? {}) as object)[0];
};

const refresh = (text: string | undefined) => refreshAs(service, hosts.a, apps.pub1, text);
const current = async (answer: Answer) => answer.json<Tokens & Record<string, unknown>>().refresh_token;

const expectOutage = (answer: Answer) => {
  expectError(answer, 503, 'server_error');
  expect(answer.headers['retry-after']).toBe('5');
};

const expectReading = async () => {
  const paths = ['/.well-known/openid-configuration', '/api/oidc/jwks', '/livez'];
  const statuses = await Promise.all(paths.map(async (path) => (await service.http(hosts.a, path)).status));
  expect(statuses).toEqual([200, 200, 200]);
  expect((await profile(service, hosts.a, tokens.access_token)).status).toBe(200);
};

const outageLines = () =>
  service.logLines
    .map((line) => JSON.parse(line) as { level: string; msg: string })
    .filter(({ level }) => level === 'error');

describe.each([
  ['Z7: a disk that is full', 'max_page_count = 1', 'max_page_count = 1000000'],
  ['Z9: a file that can only be read', 'query_only = on', 'query_only = off'],
])('%s', (_title, begin, end) => {
  /** Begins the outage. What still fits into pages that are there is written. @returns the current token */
  const beginOutage = async (): Promise<string | undefined> => {
    await pragma(begin);
    let token = more.refresh_token;
    for (;;) {
      const answer = await refresh(token);
      if (answer.status !== 200) return token;
      token = await current(answer);
    }
  };

  it('writes are answered by 503 and Retry-After, a revocation too, and reading goes on', async () => {
    await beginOutage();
    for (let tries = 0; tries < 3; tries += 1) {
      expectOutage(await refresh(tokens.refresh_token));
      expectOutage(await revoke(service, hosts.a, { client_id: 'pub1', token: `${tokens.refresh_token}` }));
      expectOutage(await askForCode(service, hosts.a));
      await expectReading();
    }
  });

  it('once it is over all goes on without a restart, and no token was spent meanwhile', async () => {
    const token = await beginOutage();
    expectOutage(await refresh(token));
    expectOutage(await revoke(service, hosts.a, { client_id: 'pub1', token: `${tokens.refresh_token}` }));
    await pragma(end);
    expect((await refresh(token)).status).toBe(200);
    expect((await refresh(tokens.refresh_token)).status).toBe(200);
    expectError(await refresh(tokens.refresh_token), 400, 'invalid_grant');
  });

  it('the log has one line of it a minute, not one a request', async () => {
    await beginOutage();
    for (let tries = 0; tries < 20; tries += 1) expectOutage(await refresh(tokens.refresh_token));
    expect(outageLines().map(({ msg }) => msg)).toEqual(['storage unavailable']);
  });
});

describe('beside commits that fail', () => {
  /** A piece whose commit cannot be: what shares it runs again. */
  const breakCommit = () =>
    service.store
      .transaction(async (tx) => {
        await sql`pragma defer_foreign_keys = on`.execute(tx);
        await insertSignIn(tx, signInRecord({ id: randomUUID(), tenantId: 'nowhere', memberId: 'nobody' }));
      })
      .catch((error: unknown) => expect(error).toBeInstanceOf(StorageUnavailable));

  /** Works while each commit fails. */
  const whileFailing = async <T>(work: () => Promise<T>): Promise<T> => {
    let isOver = false;
    const failing = (async () => {
      while (!isOver) await breakCommit();
    })();
    try {
      return await work();
    } finally {
      isOver = true;
      await failing;
    }
  };

  it('promise 5: the first poll of a code is pending, and not its own second one', async () => {
    const codes: string[] = [];
    while (codes.length < 10) codes.push((await codesFor(service, hosts.a)).device_code);
    const first = await whileFailing(() => Promise.all(codes.map((code) => poll(service, hosts.a, code))));
    for (const answer of first) expectError(answer, 400, 'authorization_pending');
    for (const code of codes) expectError(await poll(service, hosts.a, code), 400, 'slow_down');
  });

  it('Defaults: a failed client authentication counts once', async () => {
    const wrong = {
      grant_type: 'refresh_token',
      refresh_token: 'x',
      client_id: 'conf1',
      client_secret: 'bad',
    };
    const statuses: number[] = [];
    await whileFailing(async () => {
      while (statuses.length < 11) statuses.push((await token(service, hosts.a, wrong)).status);
    });
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
  });

  it('Defaults: a wrong token of the admin API counts once, the last that is allowed too', async () => {
    const headers = { authorization: 'Bearer mda_wrong' };
    const statuses: number[] = [];
    await whileFailing(async () => {
      while (statuses.length <= wrongSecretsPerMinute) {
        statuses.push((await service.http(hosts.a, '/api/v1/admin/tenants', { headers })).status);
      }
    });
    expect(statuses).toEqual([...Array(wrongSecretsPerMinute).fill(401), 429]);
  });
});

it('Z7: a minute later one more line says how many there would have been', () => {
  const lines: unknown[] = [];
  let time = 0;
  const { hooks } = logOptions('error', () => time);
  const log = (text: string, error: Error) =>
    hooks?.logMethod?.call(
      undefined as never,
      [{ err: error }, text] as never,
      ((...line: unknown[]) => lines.push(line)) as never,
      50,
    );
  const full = new StorageUnavailable('full');
  for (const seconds of [0, 1, 30, 59.999, 60, 61]) {
    time = seconds * 1_000;
    log('storage unavailable', full);
  }
  const bug = new Error('a bug');
  log('unexpected error', bug);
  log('unexpected error', bug);
  expect(lines).toEqual([
    [{ err: full }, 'storage unavailable'],
    [{ err: full, unwritten: 3 }, 'storage unavailable'],
    [{ err: bug }, 'unexpected error'],
    [{ err: bug }, 'unexpected error'],
  ]);
});
