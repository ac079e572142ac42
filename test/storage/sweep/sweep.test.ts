import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { AuthorizationCode } from '../../../src/core/grants/authorization-code.ts';
import type { DeviceCode } from '../../../src/core/grants/device-code.ts';
import type { SignIn } from '../../../src/core/grants/sign-in.ts';
import {
  browserCookieLifetime,
  deviceCodeLifetime,
  deviceCodeMemory,
  sessionLife,
  signInLimit,
  userCodeRest,
  wrongUserCodes,
} from '../../../src/core/limits.ts';
import { wrongSecondFactors } from '../../../src/core/members/limits.ts';
import { hashSecondFactor } from '../../../src/core/members/second-factor.ts';
import {
  emailProofMemory,
  mailMemory,
  sessionMemory,
  unusedCodeMemory,
  usedCodeMemory,
} from '../../../src/core/operators/limits.ts';
import { insertAuthorizationCode } from '../../../src/storage/grants/authorization-code.ts';
import { insertDeviceCode } from '../../../src/storage/grants/device-code.ts';
import { insertSession } from '../../../src/storage/grants/session.ts';
import { insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import { insertEmailProof } from '../../../src/storage/members/email-proof.ts';
import { saveSignInFailures } from '../../../src/storage/members/guesses/sign-in-failure.ts';
import { insertWrongUserCode } from '../../../src/storage/members/guesses/wrong-user-code.ts';
import { saveKnownBrowser } from '../../../src/storage/members/known-browser.ts';
import { insertMail, mailFailed, mailSent } from '../../../src/storage/members/mail.ts';
import type { Store, Tx } from '../../../src/storage/store.ts';
import { forgottenByTime, forgottenWithOthers } from '../../../src/storage/sweep/forgotten.ts';
import { sweepThrough } from '../../../src/storage/sweep/sweep.ts';
import { byMember1, deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { emailProofRecord } from '../../support/records/email-proof-record.ts';
import {
  clientRecord,
  codeRecord,
  day,
  hour,
  now,
  sessionRecord,
  signInRecord,
} from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const memory = 200 * day;
const { refreshTokenIdle, refreshTokenAbsolute, accessTokenSeconds } = clientRecord();

async function sweepAll(store: Store, at = now): Promise<Record<string, number>> {
  const deleted: Record<string, number> = {};
  for (const sweep of [
    ...forgottenByTime(['tenant-a', 'tenant-b'], at),
    ...forgottenWithOthers(memory, at),
  ]) {
    const count = await sweepThrough(store, sweep);
    if (count > 0) deleted[sweep.rows] = (deleted[sweep.rows] ?? 0) + count;
  }
  return deleted;
}

type Table = 'authorizationCodes' | 'deviceCodes' | 'sessions' | 'signIns';

/** The keys of a table's rows, in order. */
function keysOf(store: Store, table: Table): Promise<readonly string[]> {
  const key = table === 'authorizationCodes' ? 'hash' : 'id';
  return store.transaction(async (tx) => {
    const { rows } = await sql<{ key: string }>`
      select ${sql.ref(key)} as key from ${sql.table(table)} order by key`.execute(tx);
    return rows.map((row) => row.key);
  });
}

/** Member-1 with a session that is in use, and what else the test puts there. */
async function storeWith(insert: (tx: Tx) => Promise<unknown>): Promise<Store> {
  const store = await storeWithMember();
  await store.transaction(insert);
  return store;
}

const code = (changes: Partial<AuthorizationCode>) => (tx: Tx) =>
  insertAuthorizationCode(tx, codeRecord(changes));
const deviceCode = (changes: Partial<DeviceCode>) => (tx: Tx) =>
  insertDeviceCode(tx, deviceCodeRecord(changes));

/** A sign-in with the two codes that could have begun it, named after it. */
async function insertFamily(tx: Tx, id: string, changes: Partial<SignIn>): Promise<void> {
  await insertSignIn(tx, signInRecord({ id, ...changes }));
  const used = { state: 'used', signInId: id, expiresAt: 1 } as const;
  await code({ ...used, hash: `code of ${id}` })(tx);
  await deviceCode({ ...used, ...byMember1, id: `TV code of ${id}`, hash: id })(tx);
}

describe('sign-ins that are over', () => {
  it.each<[string, (over: number) => Partial<SignIn>]>([
    ['ended', (over) => ({ state: 'ended', endedAt: over, endReason: 'revoked', rotatedAt: now })],
    [
      'unused for too long',
      (over) => ({
        rotatedAt: over - refreshTokenIdle,
        createdAt: over - refreshTokenIdle,
      }),
    ],
    [
      'too old, however lately they were used',
      (over) => ({ createdAt: over - refreshTokenAbsolute, rotatedAt: over - 1 }),
    ],
    [
      'without offline_access, whose access token is over',
      (over) => ({ scope: 'openid', createdAt: over - accessTokenSeconds * 1_000, rotatedAt: over }),
    ],
  ])(
    '%s are kept as long as the audit, and their codes until no notice names them',
    async (_how, changesAt) => {
      const store = await storeWith(async (tx) => {
        await insertFamily(tx, '1 forgotten', changesAt(now - memory));
        await insertFamily(tx, '2 named by the audit', changesAt(now - memory + 1));
        await insertFamily(tx, '3 codes forgotten', changesAt(now - usedCodeMemory));
        await insertFamily(tx, '4 codes named by a notice', changesAt(now - usedCodeMemory + 1));
      });
      await sweepAll(store);
      const kept = ['2 named by the audit', '3 codes forgotten', '4 codes named by a notice'];
      expect(await keysOf(store, 'signIns')).toEqual(kept);
      expect(await keysOf(store, 'authorizationCodes')).toEqual(['code of 4 codes named by a notice']);
      expect(await keysOf(store, 'deviceCodes')).toEqual(['TV code of 4 codes named by a notice']);
      expect(await sweepAll(store)).toEqual({});
    },
  );

  it('T23, decisions 18, 23, 25: one that could live is kept whole, so that what comes back is known as reuse', async () => {
    const store = await storeWith((tx) =>
      insertFamily(tx, 'lives', {
        createdAt: now - refreshTokenAbsolute + hour,
        rotatedAt: now - refreshTokenIdle + hour,
      }),
    );
    expect(await sweepAll(store)).toEqual({});
    expect(await sweepAll(store, now + 2 * hour)).toEqual({});
    expect(await sweepAll(store, now + hour + memory)).toEqual({
      signIns: 3,
      sessions: 1,
    });
  });
});

describe('codes that were not used', () => {
  it.each(['issued', 'burned', 'expired'] as const)(
    'of the web flow, %s, go a day after their time was over',
    async (state) => {
      const expired = now - unusedCodeMemory;
      const store = await storeWith(async (tx) => {
        await code({ hash: 'over', state, expiresAt: expired })(tx);
        await code({ hash: 'still kept', state, expiresAt: expired + 1 })(tx);
      });
      expect(await sweepAll(store)).toEqual({ authorizationCodes: 1 });
      expect(await keysOf(store, 'authorizationCodes')).toEqual(['still kept']);
    },
  );

  it.each(['pending', 'approved', 'denied', 'expired', 'withdrawn'] as const)(
    'decisions 22 and 31: of the device flow, %s, go when poll and user code are forgotten',
    async (state) => {
      const expired = now - Math.max(deviceCodeMemory, userCodeRest);
      const store = await storeWith(async (tx) => {
        await deviceCode({ id: 'over', hash: '1', state, expiresAt: expired })(tx);
        await deviceCode({ id: 'still kept', hash: '2', state, expiresAt: expired + 1 })(tx);
      });
      expect(await sweepAll(store)).toEqual({ deviceCodes: 1 });
      expect(await keysOf(store, 'deviceCodes')).toEqual(['still kept']);
    },
  );
});

describe('sessions that are over', () => {
  it('are kept until no notice names them, and as long as a sign-in or a code was begun in them', async () => {
    expect(sessionMemory).toBeGreaterThan(sessionLife.member.idle);
    const old = { lastUsedAt: now - sessionMemory, createdAt: now - 90 * day };
    const store = await storeWith(async (tx) => {
      for (const [id, changes] of Object.entries({
        '1 ended': { state: 'ended' } as const,
        '2 expired': { state: 'expired' } as const,
        '3 idle': {},
        '4 of a portal': { kind: 'admin' } as const,
        '5 named by a notice': { lastUsedAt: old.lastUsedAt + 1, state: 'ended' } as const,
        '6 of a TV that lives': {},
        '7 of a code': {},
        '8 of a TV that waits': {},
      })) {
        await insertSession(tx, sessionRecord({ id, secretHash: id, ...old, ...changes }));
      }
      await insertSignIn(tx, signInRecord({ sessionId: '6 of a TV that lives' }));
      await code({ sessionId: '7 of a code' })(tx);
      await deviceCode({ ...byMember1, sessionId: '8 of a TV that waits', state: 'approved' })(tx);
    });
    expect(await sweepAll(store)).toEqual({ sessions: 4 });
    expect(await keysOf(store, 'sessions')).toEqual([
      '5 named by a notice',
      '6 of a TV that lives',
      '7 of a code',
      '8 of a TV that waits',
      'session-1',
    ]);
  });
});

/** What processes share: one of its rows is over then. */
async function insertShared(
  tx: Tx,
  id: string,
  { over, polledAt }: { readonly over: number; readonly polledAt: number },
): Promise<void> {
  await tx.insertInto('counters').values({ key: id, count: 1, endsAt: over }).execute();
  await tx.insertInto('pollTimes').values({ deviceCodeId: id, polledAt }).execute();
  const entry = { memberId: 'member-1', address: '', network: '', isKnown: 0, isRight: 0, overAt: over };
  await tx
    .insertInto('slowedEntries')
    .values({ ...entry, tenantId: id === '0' ? 'tenant-a' : 'tenant-b' })
    .execute();
}

describe('what is forgotten by its time alone', () => {
  it('goes at its time, and not before', async () => {
    const store = await storeWith(async (tx) => {
      for (const late of [0, 1]) {
        const id = `${late}`;
        await insertEmailProof(
          tx,
          emailProofRecord({ id, linkHash: id, expiresAt: now - emailProofMemory - 1 + late }),
        );
        const failed = { failures: 3, lastFailedAt: now - signInLimit.memory - 1 + late };
        await saveSignInFailures(tx, 'tenant-a', id, failed);
        // SF24: guesses at a second factor are remembered for longer.
        const guessed = { failures: 3, lastFailedAt: now - wrongSecondFactors.memory - 1 + late };
        await saveSignInFailures(tx, 'tenant-a', hashSecondFactor(id), guessed);
        await saveKnownBrowser(tx, 'member-1', id, now - browserCookieLifetime - 1 + late);
        const guess = { tenantId: 'tenant-b', memberId: 'member-1', address: '' };
        await insertWrongUserCode(tx, guess, 0, now - wrongUserCodes.window + late);
        await insertShared(tx, id, { over: now - 1 + late, polledAt: now - deviceCodeLifetime - 1 + late });
        for (const _state of ['waiting', 'sent', 'failed']) {
          const mail = { tenantId: 'tenant-a', name: 'late', recipientHash: null, message: Buffer.from('') };
          await insertMail(tx, mail, now - mailMemory - 1 + late);
        }
        await mailSent(tx, 3 * late + 2, now);
        await mailFailed(tx, 3 * late + 3, { attempts: 9, error: 'EAUTH', retryAt: null });
      }
    });
    const all = {
      emailProofs: 1,
      signInFailures: 2,
      knownBrowsers: 1,
      mails: 2,
      counters: 1,
      pollTimes: 1,
      slowedEntries: 1,
      wrongUserCodes: 1,
    };
    expect(await sweepAll(store)).toEqual(all);
    expect(await sweepAll(store)).toEqual({});
    const waiting = await store.transaction((tx) =>
      tx.selectFrom('mails').select(['id', 'state']).orderBy('id').execute(),
    );
    expect(waiting).toEqual([
      { id: 1, state: 'waiting' },
      { id: 4, state: 'waiting' },
      { id: 5, state: 'sent' },
      { id: 6, state: 'failed' },
    ]);
    expect(await sweepAll(store, now + 1)).toEqual(all);
  });
});
