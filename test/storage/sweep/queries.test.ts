import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { staleCheckouts } from '../../../src/operations/access/checkout.ts';
import { paymentMethods } from '../../../src/operations/access/payment.ts';
import { oldAuditEvents } from '../../../src/operations/audit/audit.ts';
import { insertAuthorizationCode } from '../../../src/storage/grants/authorization-code.ts';
import { hasEnteredDeviceCode, insertDeviceCode } from '../../../src/storage/grants/device-code.ts';
import { insertSession } from '../../../src/storage/grants/session.ts';
import { insertSignIn } from '../../../src/storage/grants/sign-in.ts';
import { listDueMembers } from '../../../src/storage/members/member.ts';
import { eraseAuditAddresses, insertAuditEvent } from '../../../src/storage/operators/audit-event.ts';
import { type AuditFilter, listAuditEvents } from '../../../src/storage/operators/audit-list.ts';
import { forgottenByTime, forgottenWithOthers } from '../../../src/storage/sweep/forgotten.ts';
import type { Sweep } from '../../../src/storage/sweep/sweep.ts';
import { planOf } from '../../support/queries/query-plan.ts';
import { deviceCodeRecord } from '../../support/records/device-code-record.ts';
import { codeRecord, now, sessionRecord, signInRecord } from '../../support/records/records.ts';
import { storeWithMember } from '../../support/records/store.ts';

const later = now * 2;

const sweeps: readonly Sweep[] = [
  ...staleCheckouts(paymentMethods, later),
  ...forgottenByTime(['tenant-a'], later),
  ...oldAuditEvents({ auditRetention: 1, auditRefreshRetention: 1 }, later),
  ...forgottenWithOthers(1, later),
];

/** Steps that read a table from its beginning to its end. */
const scans = (plan: readonly string[]) => plan.filter((step) => step.startsWith('SCAN'));

describe('what is over', () => {
  it.each(sweeps.map((sweep, index) => [`${index} ${sweep.rows}`, sweep] as const))(
    'is found and deleted by an index: %s',
    async (_name, sweep) => {
      const store = await storeWithMember();
      const plan = await store.transaction(async (tx) => {
        await insertSession(tx, sessionRecord({ id: 'session-2', secretHash: 'old' }));
        await insertSignIn(tx, signInRecord());
        await insertAuthorizationCode(tx, codeRecord());
        await insertDeviceCode(tx, deviceCodeRecord());
        return planOf(tx, (listening) => sweep.bite(listening, ''));
      });
      expect(plan.some((step) => step.startsWith('SEARCH'))).toBe(true);
      expect(scans(plan)).toEqual([]);
    },
  );

  it('is found by an index: members whose deletion is due', async () => {
    const store = await storeWithMember();
    const plan = await store.transaction((tx) =>
      planOf(tx, (listening) => listDueMembers(listening, now, 1)),
    );
    expect(scans(plan)).toEqual([]);
  });

  it('is not looked for from the beginning by SQLite itself: an index leads to each row that refers to it', async () => {
    const store = await storeWithMember();
    const without = await store.transaction(async (tx) => {
      const { rows } = await sql<{ child: string; column: string }>`
        select child.name as child, foreign_key."from" as "column"
        from sqlite_schema as child, pragma_foreign_key_list(child.name) as foreign_key
        where child.type = 'table' and foreign_key."table" in
          ('authorizationCodes', 'deviceCodes', 'sessions', 'signIns', 'checkouts', 'emailProofs', 'mails')
        and not exists (
          select 1 from pragma_index_list(child.name) as "index", pragma_index_info("index".name) as part
          where part.seqno = 0 and part.name = foreign_key."from"
        )`.execute(tx);
      return rows;
    });
    expect(without).toEqual([]);
  });
});

describe('the audit', () => {
  const filters: Readonly<Record<string, AuditFilter>> = {
    'of a tenant': { tenantId: 'tenant-a' },
    'of all tenants': {},
    'of a tenant, one event': { tenantId: 'tenant-a', event: 'token_refreshed' },
    'of what a member did': { tenantId: 'tenant-a', actorId: 'member-1' },
    'of what a client did': { tenantId: 'tenant-a', actorId: 'client-1' },
    'of what was done to a member or sign-in': { tenantId: 'tenant-a', target: 'sign-in-1' },
    'of what a client was refused': { tenantId: 'tenant-a', clientId: 'client-1', result: 'refused' },
    'from where a page ended': { tenantId: 'tenant-a', before: 1 },
  };

  it.each(Object.entries(filters))('%s is read by an index, in its order', async (_name, filter) => {
    const store = await storeWithMember();
    const plan = await store.transaction((tx) =>
      planOf(tx, (listening) => listAuditEvents(listening, filter, 20)),
    );
    for (const step of plan.filter((step) => step.startsWith('SCAN'))) {
      // In the order of the index, as far as the page goes; a handful of clients.
      expect(step).toMatch(/USING (INDEX audit(Events|Refreshes)ByTime|.*clients)|SCAN clients/);
    }
    // The refreshes of one sign-in are few, and sorted.
    if (filter.target === undefined) expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
    else expect(plan.join()).toContain('USING INDEX auditRefreshesByTarget (target=?)');
  });

  it('tells by indexes of the code alone whether a member entered it', async () => {
    const store = await storeWithMember();
    const entry = { tenantId: 'tenant-a', memberId: 'member-1', userCodeHash: 'hash' };
    const plan = await store.transaction((tx) =>
      planOf(tx, (listening) => hasEnteredDeviceCode(listening, entry, now)),
    );
    expect(plan).toHaveLength(2);
    expect(plan[0]).toContain('USING INDEX deviceCodesByUserCode (tenantId=? AND userCodeHash=?)');
    expect(plan[1]).toContain('USING INDEX auditEventsByTarget (tenantId=? AND target=?)');
  });

  it('forgets the addresses of a member by indexes', async () => {
    const store = await storeWithMember();
    const plan = await store.transaction((tx) =>
      planOf(tx, (listening) => eraseAuditAddresses(listening, 'tenant-a', 'member-1')),
    );
    expect(scans(plan).filter((step) => step.includes('audit'))).toEqual([]);
    for (const step of plan.filter((step) => /SEARCH (auditEvents|own)/.test(step))) {
      expect(step).toMatch(/By(Actor|Target|Address) \(/);
    }
  });

  const at = (id: number, facts: object) => ({
    at: now + id,
    tenantId: 'tenant-a',
    event: 'token_refreshed' as const,
    actorKind: 'client' as const,
    actorId: 'client-1',
    target: 'sign-in-1',
    clientId: 'client-1',
    address: '192.0.2.1',
    result: 'done' as const,
    reason: null,
    ...facts,
  });

  it('lists refreshes among the other events, by whatever it is narrowed', async () => {
    const store = await storeWithMember();
    const idsOf = (filter: AuditFilter, limit = 10) =>
      store.transaction(async (tx) => (await listAuditEvents(tx, filter, limit)).map(({ id }) => id));
    await store.transaction(async (tx) => {
      await insertAuditEvent(tx, at(1, { event: 'code_redeemed' }));
      await insertAuditEvent(tx, at(2, {}));
      await insertAuditEvent(tx, at(3, { event: 'refresh_refused', result: 'refused' }));
      await insertAuditEvent(tx, at(4, { target: 'sign-in-2' }));
      await insertAuditEvent(tx, at(5, { tenantId: 'tenant-b' }));
      await insertAuditEvent(
        tx,
        at(6, { event: 'sign_in', actorId: 'member-1', actorKind: 'member', target: 'session-1' }),
      );
    });
    const tenantId = 'tenant-a';
    expect(await idsOf({})).toEqual([6, 5, 4, 3, 2, 1]);
    expect(await idsOf({ tenantId })).toEqual([6, 4, 3, 2, 1]);
    expect(await idsOf({ tenantId }, 2)).toEqual([6, 4]);
    expect(await idsOf({ tenantId, before: 4 }, 2)).toEqual([3, 2]);
    expect(await idsOf({ tenantId, target: 'sign-in-1' })).toEqual([3, 2, 1]);
    expect(await idsOf({ tenantId: 'tenant-b', target: 'sign-in-1' })).toEqual([5]);
    expect(await idsOf({ tenantId, actorId: 'client-1' })).toEqual([4, 3, 2, 1]);
    expect(await idsOf({ tenantId, actorId: 'member-1' })).toEqual([6]);
    expect(await idsOf({ tenantId, event: 'token_refreshed' })).toEqual([4, 2]);
    expect(await idsOf({ tenantId, result: 'refused' })).toEqual([3]);
    expect(await idsOf({ tenantId, result: 'done', clientId: 'client-1' })).toEqual([6, 4, 2, 1]);
  });

  it('forgets the address of a refresh with its member, and of no other member', async () => {
    const store = await storeWithMember();
    const addresses = await store.transaction(async (tx) => {
      await insertSignIn(tx, signInRecord());
      await insertAuditEvent(tx, at(1, {}));
      await insertAuditEvent(tx, at(2, { target: 'sign-in-2' }));
      await eraseAuditAddresses(tx, 'tenant-a', 'member-1');
      return (await listAuditEvents(tx, {}, 10)).map(({ address }) => address);
    });
    expect(addresses).toEqual(['192.0.2.1', null]);
  });
});
