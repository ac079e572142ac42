import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/http/upkeep/prometheus.ts';
import { codesFor, phoneOf, poll, usedCodes } from '../../support/device.ts';
import { allRows } from '../../support/records/rows.ts';
import { type Room, roomOf } from '../../support/rehearsal/rehearsal.ts';
import { itOfSqlite } from '../../support/run/it-of-sqlite.ts';
import type { TestService } from '../../support/service.ts';
import { serviceForTest } from '../../support/use-service.ts';
import { refresh } from '../../support/visitor.ts';

const tv = { clientId: 'tv' };

async function start(): Promise<{ service: TestService; acme: string; room: Room }> {
  const service = await serviceForTest({ data: 'development' });
  const acme = `localhost:${service.port}`;
  return { service, acme, room: roomOf(service, acme) };
}

const rowsOf = (service: TestService) => allRows(service, []);

const mailsOf = ({ folder }: TestService) => {
  const outbox = join(folder, 'outbox');
  return existsSync(outbox) ? readdirSync(outbox) : [];
};

describe('a reset', () => {
  itOfSqlite(
    'puts back what there was after the start: rows, mails, clock, faults, phone and wire',
    async () => {
      const { service, acme, room } = await start();
      const before = await rowsOf(service);
      await usedCodes(service, await phoneOf(service, acme, 'ada@example.com'), tv);
      await room.ask('clock', { advance: '15m', freeze: true });
      await room.ask('faults', { kind: '500', times: 'always' });
      await room.ask('phone', { answer: 'reject' });
      await service.delivered();
      expect(await rowsOf(service)).not.toEqual(before);
      expect(mailsOf(service)).not.toEqual([]);
      expect((await room.ask('reset')).json()).toEqual({ took: expect.any(Number) });
      expect(await rowsOf(service)).toEqual(before);
      expect(mailsOf(service)).toEqual([]);
      expect(await room.wire()).toEqual([]);
      expect((await service.http(acme, '/rehearsal/clock')).json()).toMatchObject({
        frozen: false,
        ahead: 0,
      });
      expect((await service.http(acme, '/rehearsal/faults')).json()).toEqual({ faults: [] });
      const { device_code: code } = await codesFor(service, acme, tv);
      expect((await poll(service, acme, code, tv)).json().error).toBe('authorization_pending');
    },
  );

  itOfSqlite('forgets what was remembered: a token that was verified, and what a limit counted', async () => {
    const { service, acme, room } = await start();
    const { tokens } = await usedCodes(service, await phoneOf(service, acme, 'ada@example.com'), tv);
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    expect((await service.http(acme, '/api/oidc/me', { headers })).status).toBe(200);
    const limiter = service.deps.rateLimiter;
    await limiter.take('a limit', 1, 60_000);
    await room.ask('reset');
    expect(await limiter.look('a limit', 1, 60_000)).toBeNull();
    expect(service.deps.verifiedTokens.find(tokens.access_token, () => null, 0)).toBeNull();
    expect((await refresh(service, acme, tokens.refresh_token, { client_id: 'tv' })).status).toBe(400);
  });

  itOfSqlite('gives the same ids and codes from a seed each time', async () => {
    const { service, acme, room } = await start();
    await room.ask('seed', { seed: 7 });
    const drawn = async () => (await codesFor(service, acme, tv)).device_code;
    const first = await drawn();
    await room.ask('reset');
    expect(await drawn()).toBe(first);
  });

  itOfSqlite('takes as few commits however much was done', async () => {
    let commits = 0;
    const metrics = {
      ...createMetrics(),
      commit: () => {
        commits += 1;
      },
    };
    const service = await serviceForTest({ data: 'development', metrics });
    const acme = `localhost:${service.port}`;
    const phone = await phoneOf(service, acme, 'ada@example.com');
    for (let round = 0; round < 10; round += 1) await usedCodes(service, phone, tv);
    await service.delivered();
    commits = 0;
    expect((await roomOf(service, acme).ask('reset')).status).toBe(200);
    // That which puts all back, and those in which deliveries look whether anything waits.
    expect(commits).toBeLessThanOrEqual(5);
  });
});

describe('a snapshot', () => {
  itOfSqlite('is put back as often as it is asked for, with what the room was like then', async () => {
    const { service, acme, room } = await start();
    await room.ask('clock', { to: '2031-01-01T00:00:00.000Z', freeze: true });
    const { device_code: code } = await codesFor(service, acme, tv);
    expect((await room.ask('snapshots', { name: 'waiting' })).json()).toEqual({
      name: 'waiting',
      at: '2031-01-01T00:00:00.000Z',
    });
    for (let round = 0; round < 2; round += 1) {
      await room.ask('clock', { advance: '20m' });
      expect((await poll(service, acme, code, tv)).json().error).toBe('expired_token');
      expect((await room.ask('snapshots/waiting/restore')).status).toBe(200);
      expect((await poll(service, acme, code, tv)).json().error).toBe('authorization_pending');
    }
    expect((await service.http(acme, '/rehearsal/clock')).json()).toMatchObject({ frozen: true });
  });

  itOfSqlite('is listed, replaced and deleted', async () => {
    const { service, acme, room } = await start();
    await room.ask('snapshots', { name: 'one' });
    await codesFor(service, acme, tv);
    const later = await rowsOf(service);
    await room.ask('snapshots', { name: 'one' });
    await room.ask('reset');
    await room.ask('snapshots/one/restore');
    expect(await rowsOf(service)).toEqual(later);
    const list = async () => (await service.http(acme, '/rehearsal/snapshots')).json().snapshots;
    expect(await list()).toMatchObject([{ name: 'one' }]);
    expect((await room.delete('snapshots/one')).status).toBe(200);
    expect(await list()).toEqual([]);
    expect((await room.ask('snapshots/one/restore')).status).toBe(404);
    expect((await room.delete('snapshots/one')).status).toBe(404);
    await room.ask('snapshots', { name: 'two' });
    expect((await room.ask('snapshots/two/delete')).status).toBe(200);
    expect(await list()).toEqual([]);
  });

  itOfSqlite('puts settings back too, which are in memory', async () => {
    const { service, acme, room } = await start();
    await room.ask('snapshots', { name: 'named' });
    const { id, name } = service.tenants.byHost(acme) ?? { id: '', name: '' };
    await service.deps.store.transaction(async (tx) => {
      await tx.updateTable('tenants').set({ name: 'Renamed' }).where('id', '=', id).execute();
      await service.tenants.reload(tx);
    });
    expect(service.tenants.byHost(acme)?.name).toBe('Renamed');
    await room.ask('snapshots/named/restore');
    expect(service.tenants.byHost(acme)?.name).toBe(name);
  });

  itOfSqlite('RR4: is one of ten, however many are asked for at once', async () => {
    const { service, acme, room } = await start();
    const asked = await Promise.all(
      Array.from({ length: 200 }, (_, index) => room.ask('snapshots', { name: `name-${index % 20}` })),
    );
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(asked.some(({ text }) => text.includes('too many ask for it at once'))).toBe(true);
    const { snapshots } = (await service.http(acme, '/rehearsal/snapshots')).json<{
      snapshots: { name: string }[];
    }>();
    expect(snapshots.length).toBeLessThanOrEqual(10);
    const path = `snapshots/${snapshots[0]?.name}/restore`;
    const restored = await Promise.all(Array.from({ length: 50 }, () => room.ask(path)));
    expect(restored.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    expect((await room.ask(path)).status).toBe(200);
  });

  it.each(['', '../x', 'a b', 'x'.repeat(41), '"; drop table members; --'])(
    'is not called %j',
    async (name) => {
      const { room } = await start();
      expect((await room.ask('snapshots', { name })).status).toBe(400);
    },
  );

  it.skipIf(process.env.TEST_ENGINE !== 'postgres')('needs SQLite, and says so on the page too', async () => {
    const { room, service, acme } = await start();
    const { text } = await service.http(acme, '/rehearsal');
    expect(text).toContain('Snapshots and the reset need SQLite');
    expect(text).not.toMatch(/action="\/rehearsal\/(?:snapshots|reset)"/);
    const answers = [await room.ask('snapshots', { name: 'one' }), await room.ask('reset')];
    for (const answer of answers) {
      expect(answer.status).toBe(409);
      expect(answer.json().error_description).toContain('SQLite');
    }
  });
});
