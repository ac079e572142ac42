import { statSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { sha256 } from '../../../../src/core/hash.ts';
import { findDeviceCode } from '../../../../src/storage/grants/device-code.ts';
import {
  approvedCodes,
  codesFor,
  expectEndedSignIn,
  type Phone,
  phoneOf,
  poll,
  pollTokens,
  startUnlimited,
  tenantOf,
  usedCodes,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { itOfSqlite } from '../../../support/run/it-of-sqlite.ts';
import { apps, refreshAs } from '../../../support/tokens.ts';
import { useStarted } from '../../../support/use-service.ts';
import type { Tokens } from '../../../support/visitor.ts';

const service = useStarted(startUnlimited);
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, hosts.a);
});

const codes = () => codesFor(service, hosts.a);

/** The stored row of a device code. */
const stored = async (deviceCode: string) => {
  const { id } = tenantOf(service, hosts.a);
  const row = await service.store.transaction((tx) => findDeviceCode(tx, id, sha256(deviceCode)));
  if (row === null) throw new Error('no such device code');
  return row;
};

/** Polls at exactly this time. */
const pollAt = (deviceCode: string, ms: number) => {
  service.clock.set(ms);
  return poll(service, hosts.a, deviceCode);
};

const expectPending = async (deviceCode: string, ms: number) =>
  expectJsonError(await pollAt(deviceCode, ms), 400, 'authorization_pending');
const expectSlowDown = async (deviceCode: string, ms: number) =>
  expectJsonError(await pollAt(deviceCode, ms), 400, 'slow_down');

describe('pace', () => {
  it('decision 20: the first poll is never too early', async () => {
    const { device_code: deviceCode } = await codes();
    await expectPending(deviceCode, (await stored(deviceCode)).createdAt);
  });

  it('decision 20: a poll 4,000 ms after the last is in time, one after 3,999 ms is slow_down', async () => {
    const start = service.clock.now();
    const { device_code: deviceCode } = await codes();
    await expectPending(deviceCode, start + 10_000);
    await expectPending(deviceCode, start + 14_000);
    await expectSlowDown(deviceCode, start + 17_999);
  });

  it('contract, polling concurrency: of ten polls at once nine are slow_down, however they are looked up', async () => {
    const { device_code: deviceCode } = await codes();
    const answers = await Promise.all(Array.from({ length: 10 }, () => poll(service, hosts.a, deviceCode)));
    const errors = answers.map((answer) => answer.json<{ error: string }>().error).sort();
    expect(errors).toEqual(['authorization_pending', ...Array(9).fill('slow_down')]);
  });

  it('decision 20: a slow_down poll counts as the last poll', async () => {
    const start = service.clock.now();
    const { device_code: deviceCode } = await codes();
    await expectPending(deviceCode, start);
    await expectSlowDown(deviceCode, start + 3_000);
    // 10 s by now, 1 s of tolerance: counted from the slow_down, not from the poll before it.
    await expectSlowDown(deviceCode, start + 3_000 + 8_999);
    await expectPending(deviceCode, start + 3_000 + 8_999 + 14_000);
  });

  it('contract, slow_down: each one adds 5 s, for this and all later polls', async () => {
    const start = service.clock.now();
    const { device_code: deviceCode } = await codes();
    let now = start;
    await expectPending(deviceCode, now);
    for (const interval of [10_000, 15_000, 20_000]) {
      now += interval - 6_001;
      await expectSlowDown(deviceCode, now);
      expect((await stored(deviceCode)).interval).toBe(interval);
    }
    for (const _ of [1, 2, 3]) {
      now += 19_000;
      await expectPending(deviceCode, now);
    }
    now += 18_999;
    await expectSlowDown(deviceCode, now);
  });

  it('decision 20: a client that keeps the interval for 15 minutes is never told to slow down', async () => {
    const { device_code: deviceCode } = await codes();
    const { createdAt, expiresAt } = await stored(deviceCode);
    for (let at = createdAt + 5_000; at < expiresAt; at += 5_000) await expectPending(deviceCode, at);
  });

  it("decision 20: one TV's polls do not count as another's", async () => {
    const start = service.clock.now();
    const [first, second] = [await codes(), await codes()];
    await expectPending(first.device_code, start + 5_000);
    await expectPending(second.device_code, start + 5_001);
  });

  it('decision 20: a clock that is set back does not turn the next poll into many slow_downs', async () => {
    const start = service.clock.now();
    const { device_code: deviceCode } = await codes();
    await expectPending(deviceCode, start + 600_000);
    expect((await pollAt(deviceCode, start)).status).toBe(400);
    await expectPending(deviceCode, start + 9_000);
  });

  // On PostgreSQL the times of polls are written beside them (test/storage/shared/poll-pace.test.ts).
  itOfSqlite('performance: 100 pending polls change nothing on the disk', async () => {
    const { device_code: deviceCode } = await codes();
    const disk = async () => {
      const changes = await service.store.transaction(async (tx) => {
        const { rows } = await sql<{ total: number }>`select total_changes() as total`.execute(tx);
        return rows[0]?.total;
      });
      const files = ['memberdoor.db', 'memberdoor.db-wal'].map((name) => {
        const { size, mtimeMs } = statSync(join(service.folder, name));
        return { name, size, mtimeMs };
      });
      return { changes, files };
    };
    const before = await disk();
    for (let count = 0; count < 100; count += 1) {
      service.clock.advance(5_000);
      expectJsonError(await poll(service, hosts.a, deviceCode), 400, 'authorization_pending');
    }
    expect(await disk()).toEqual(before);
  });
});

describe('early polls of a code that is decided', () => {
  it('decision 21: an approved one gets its tokens', async () => {
    const start = service.clock.now();
    const { device_code: deviceCode, user_code: userCode } = await codes();
    await expectPending(deviceCode, start);
    await phone.approve(userCode);
    expect((await pollAt(deviceCode, start + 100)).status).toBe(200);
    expectJsonError(await pollAt(deviceCode, start + 200), 400, 'invalid_grant');
  });

  it('decision 21: a denied one is access_denied', async () => {
    const start = service.clock.now();
    const { device_code: deviceCode, user_code: userCode } = await codes();
    await expectPending(deviceCode, start);
    await phone.reject(userCode);
    expectJsonError(await pollAt(deviceCode, start + 100), 400, 'access_denied');
    expectJsonError(await pollAt(deviceCode, start + 200), 400, 'access_denied');
  });

  it('decision 21: an expired one is expired_token', async () => {
    const { device_code: deviceCode } = await codes();
    const { expiresAt } = await stored(deviceCode);
    await expectPending(deviceCode, expiresAt - 1);
    expectJsonError(await pollAt(deviceCode, expiresAt), 400, 'expired_token');
    expectJsonError(await pollAt(deviceCode, expiresAt + 1), 400, 'expired_token');
  });
});

describe('time', () => {
  it('decision 20: at the very millisecond of its expiry a code is expired', async () => {
    const { device_code: deviceCode } = await codes();
    const { createdAt, expiresAt } = await stored(deviceCode);
    expect(expiresAt - createdAt).toBe(900_000);
    await expectPending(deviceCode, expiresAt - 1);
    expectJsonError(await pollAt(deviceCode, expiresAt), 400, 'expired_token');
  });

  it('decision 22: an approved code gives its tokens at a first poll after its expiry', async () => {
    const { device_code: deviceCode } = await approvedCodes(service, phone);
    const { expiresAt } = await stored(deviceCode);
    service.clock.set(expiresAt + 899_999);
    const tokens = await pollTokens(service, hosts.a, deviceCode);
    expect((await refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token)).status).toBe(200);
  });

  it.each(['pending', 'denied', 'approved'] as const)(
    'decision 22: 900 s after its expiry a %s code is unknown',
    async (state) => {
      const { device_code: deviceCode, user_code: userCode } = await codes();
      if (state === 'denied') await phone.reject(userCode);
      if (state === 'approved') await phone.approve(userCode);
      const { expiresAt } = await stored(deviceCode);
      if (state !== 'approved') {
        const error = state === 'denied' ? 'access_denied' : 'expired_token';
        expectJsonError(await pollAt(deviceCode, expiresAt + 899_999), 400, error);
      }
      expectJsonError(await pollAt(deviceCode, expiresAt + 900_000), 400, 'invalid_grant');
    },
  );

  it('decision 23: a used code is remembered as long as its sign-in lives', async () => {
    const { device_code: deviceCode, tokens } = await usedCodes(service, phone);
    const { expiresAt } = await stored(deviceCode);
    service.clock.set(expiresAt + 80 * 24 * 60 * 60 * 1_000);
    // Whatever sweeps old codes runs with each new one.
    for (const _ of Array(20)) await codes();
    const refreshed = await refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token);
    expect(refreshed.status, refreshed.text).toBe(200);
    expectJsonError(await poll(service, hosts.a, deviceCode), 400, 'invalid_grant');
    await expectEndedSignIn(service, hosts.a, refreshed.json<Tokens & Record<string, unknown>>());
  });
});
