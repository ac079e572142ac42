import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type AuditEvent,
  auditEvent,
  auditEventNames,
  serviceSource,
} from '../../src/core/operators/audit-event.ts';
import { meaningOf } from '../../src/core/operators/audited-write.ts';
import { beginSession } from '../../src/core/session.ts';
import { auditServiceEvent, oldAuditEvents } from '../../src/operations/audit/audit.ts';
import { dueMembers } from '../../src/operations/member/member.ts';
import { apply } from '../../src/storage/apply.ts';
import { insertMember } from '../../src/storage/members/member.ts';
import { insertAuditEvent } from '../../src/storage/operators/audit-event.ts';
import { listAuditEvents } from '../../src/storage/operators/audit-list.ts';
import { actingAs, auditedStore } from '../../src/storage/operators/audited.ts';
import type { Store } from '../../src/storage/store.ts';
import { sweepThrough } from '../../src/storage/sweep/sweep.ts';
import { tenantOf } from '../support/device.ts';
import { memberOf } from '../support/fixtures.ts';
import { useService } from '../support/use-service.ts';

const service = useService({ data: 'security' });
let store: Store;
const told: AuditEvent[] = [];
beforeAll(() => {
  store = auditedStore(service.store, service.clock.now, (event) => told.push(event));
});

const rows = () => service.store.transaction((tx) => listAuditEvents(tx, {}, 10_000));
const source = serviceSource(1);

function session(kind: 'member' | 'admin' = 'member') {
  const facts = {
    id: service.deps.random.id(1),
    tenantId: tenantOf(service, 'a.test').id,
    memberId: 'nobody',
    kind,
    secretHash: service.deps.random.secret(),
    userAgent: '',
    ipAddress: '192.0.2.1',
    amr: 'pwd',
    strongAt: null,
  };
  return beginSession(null, facts, 1).writes;
}

describe('the audit of a transaction', () => {
  it('is told once it is committed, with the actor of the transaction', async () => {
    const { id } = tenantOf(service, 'a.test');
    const member = memberOf(id, 'audited@example.test', 900, 1);
    await service.store.transaction((tx) => insertMember(tx, member, ''));
    const [write] = session();
    if (write?.write !== 'insertSession') throw new Error('no session');
    const writes = [{ ...write, session: { ...write.session, memberId: member.id } }];
    await store.transaction(async (tx) => {
      await apply(
        actingAs(tx, () => ({ ...source, actorKind: 'nobody', address: '192.0.2.7' })),
        writes,
      );
      expect(told).toEqual([]);
    });
    const event = { event: 'sign_in', actorKind: 'member', actorId: member.id, address: '192.0.2.7' };
    expect(told).toMatchObject([event]);
    expect(await rows()).toMatchObject([event]);
    expect(write.session.id).toBe(told[0]?.target);
  });

  it('is gone with everything else when the work fails, and beside it others are told', async () => {
    told.length = 0;
    const before = await rows();
    const write = (target: string) => auditEvent(source, { event: 'admin_acted', target });
    const [failed] = await Promise.allSettled([
      store.transaction(async (tx) => {
        await insertAuditEvent(tx, write('rolled back'));
        throw new Error('it does not work');
      }),
      store.transaction((tx) => insertAuditEvent(tx, write('kept'))),
    ]);
    expect(failed?.status).toBe('rejected');
    expect(told.map(({ target }) => target)).toEqual(['kept']);
    expect((await rows()).slice(0, -before.length).map(({ target }) => target)).toEqual(['kept']);
  });

  it('of a job says that the service did it, and on which tenant', async () => {
    told.length = 0;
    const { id } = tenantOf(service, 'b.test');
    const leaving = { ...memberOf(id, 'leaving@example.test', 901, 1), deletionDueAt: 5 };
    await service.store.transaction((tx) => insertMember(tx, leaving, ''));
    await sweepThrough(store, dueMembers(10));
    const deleted = { event: 'member_deleted', tenantId: id, actorKind: 'service', actorId: null };
    expect(told).toMatchObject([{ ...deleted, target: leaving.id, address: null }]);
    await auditServiceEvent(store, 'service_started', 12);
    expect(told.at(-1)).toMatchObject({
      event: 'service_started',
      tenantId: null,
      actorKind: 'service',
      at: 12,
    });
  });
});

describe('what a write means', () => {
  it('the portal tells of its own sessions, and the mere use of a session is not told', () => {
    const [begun] = session();
    const [ofAdmin] = session('admin');
    if (begun?.write !== 'insertSession' || ofAdmin === undefined) throw new Error('no session');
    expect(meaningOf(begun)).toMatchObject({ event: 'sign_in' });
    expect(meaningOf(ofAdmin)).toBeNull();
    const used = { ...begun.session, lastUsedAt: begun.session.lastUsedAt + 1 };
    expect(meaningOf({ write: 'moveSession', id: used.id, from: 'active', session: used })).toBeNull();
  });
});

describe('events that are too old', () => {
  it('are swept, refreshes after a time of their own, and younger ones stay', async () => {
    const eventsAt = (event: 'code_issued' | 'token_refreshed', times: readonly number[]) =>
      times.map((at) => ({ ...auditEvent(source, { event }), at }));
    await service.store.transaction(async (tx) => {
      await tx.deleteFrom('auditEvents').execute();
      const all = [
        ...eventsAt('code_issued', [9, 10, 98]),
        ...eventsAt('token_refreshed', [9, 10, 98, 99, 100]),
      ];
      for (const event of all) await insertAuditEvent(tx, event);
    });
    const memory = { auditRetention: 100, auditRefreshRetention: 11 };
    const deleted: number[] = [];
    for (const sweep of oldAuditEvents(memory, 110)) deleted.push(await sweepThrough(store, sweep));
    expect(deleted).toEqual([1, 3]);
    const kept = (await rows()).map(({ event, at }) => `${event} ${at}`);
    expect(kept).toEqual(['token_refreshed 100', 'token_refreshed 99', 'code_issued 98', 'code_issued 10']);
  });
});

describe('docs/operators.md', () => {
  it('has every event of the audit in its table, in the order of the list', () => {
    const text = readFileSync('docs/operators.md', 'utf8');
    const section = text.slice(text.indexOf('## Audit'), text.indexOf('## Personal data'));
    expect([...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)).toEqual(auditEventNames);
  });
});
