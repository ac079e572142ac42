import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createMetrics } from '../../src/http/upkeep/prometheus.ts';
import { databaseFile } from '../../src/storage/sqlite/open.ts';
import { hosts } from '../support/fixtures.ts';
import { httpClient } from '../support/http.ts';
import type { TestService } from '../support/service.ts';
import { apps, profilePath, refreshAs, revoke, tokensOf } from '../support/tokens.ts';
import { serviceForTest } from '../support/use-service.ts';
import { token, visitor } from '../support/visitor.ts';

/** What operations cost that no machine makes faster or slower: commits, statements, bytes (performance). */

const connections = 16;

interface Counted {
  readonly service: TestService;
  /** How many commits there were so far. */
  commits(): number;
}

/** A service that is asked over 16 connections, and tells how often it commits. */
async function countedService(): Promise<Counted> {
  let commits = 0;
  const metrics = {
    ...createMetrics(),
    commit: () => {
      commits += 1;
    },
  };
  const service = await serviceForTest({ data: 'security', metrics });
  const http = httpClient(service.port, connections);
  onTestFinished(() => http.close());
  return { service: { ...service, http }, commits: () => commits };
}

/** As many sign-ins as connections, of one browser. */
async function refreshTokens(service: TestService): Promise<string[]> {
  const browser = visitor(service, hosts.a);
  const tokens: string[] = [];
  for (let count = 0; count < connections; count += 1) {
    tokens.push(String((await tokensOf(service, hosts.a, apps.pub1, { browser })).refresh_token));
  }
  return tokens;
}

/** Refreshes so often, each connection its own sign-in, the next when the last is answered. */
async function refreshTimes(service: TestService, tokens: string[], times: number): Promise<void> {
  let left = times;
  await Promise.all(
    tokens.map(async (_, index) => {
      while (left > 0) {
        left -= 1;
        const answer = await refreshAs(service, hosts.a, apps.pub1, tokens[index]);
        expect(answer.status, answer.text).toBe(200);
        tokens[index] = answer.json<{ refresh_token: string }>().refresh_token;
      }
    }),
  );
}

it('100 refreshes over 16 connections take fewer than 35 commits', async () => {
  const { service, commits } = await countedService();
  const tokens = await refreshTokens(service);
  await refreshTimes(service, tokens, 100);
  const before = commits();
  await refreshTimes(service, tokens, 100);
  expect(commits() - before).toBeLessThan(35);
});

it('a refresh makes the database grow by its event of the audit, and else by fewer than 16 bytes', async () => {
  const { service } = await countedService();
  const tokens = await refreshTokens(service);
  const outside = new SQLite(join(service.folder, databaseFile), { readonly: true });
  onTestFinished(() => {
    outside.close();
  });
  const inUse = outside.prepare('select sum(pgsize) from dbstat where (name like ?) = ?').pluck();
  const bytes = () => ({
    audit: Number(inUse.get('audit%', 1)),
    others: Number(inUse.get('audit%', 0)),
  });
  const rotations = 512;
  const before = bytes();
  await refreshTimes(service, tokens, rotations);
  const after = bytes();
  expect((after.others - before.others) / rotations).toBeLessThan(16);
  expect((after.audit - before.audit) / rotations).toBeLessThan(300);
});

it('once each operation was done, doing it again prepares no statement', async () => {
  const { service } = await countedService();
  const [revoked, again, ...tokens] = await refreshTokens(service);
  const browser = visitor(service, hosts.a);
  const device = async () => {
    const body = { client_id: 'pub1', scope: 'openid offline_access' };
    const asked = await service.http(hosts.a, '/api/oidc/device/auth', { body });
    const code = asked.json<{ device_code: string }>().device_code;
    const polled = await token(service, hosts.a, {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      client_id: 'pub1',
      device_code: code,
    });
    expect(polled.text).toContain('authorization_pending');
  };
  const everything = async (refreshToken: string | undefined) => {
    const { access_token: bearer } = await tokensOf(service, hosts.a, apps.pub1, { browser });
    const headers = { authorization: `Bearer ${bearer}` };
    expect((await service.http(hosts.a, profilePath, { headers })).status).toBe(200);
    expect((await service.http(hosts.a, '/api/oidc/me', { headers })).status).toBe(200);
    expect((await revoke(service, hosts.a, { client_id: 'pub1', token: String(refreshToken) })).status).toBe(
      200,
    );
    await refreshTimes(service, tokens, tokens.length);
    await device();
  };
  await everything(revoked);
  const prepared = vi.spyOn(SQLite.prototype, 'prepare');
  onTestFinished(() => prepared.mockRestore());
  await everything(again);
  // The connection that only reads prepares what it needs when the disk is slow for the first time.
  const writes = (database: unknown) =>
    (database as SQLite.Database).pragma('query_only', { simple: true }) === 0;
  const texts = prepared.mock.calls.map(([text]) => text);
  expect(texts.filter((_text, index) => writes(prepared.mock.contexts[index]))).toEqual([]);
});
