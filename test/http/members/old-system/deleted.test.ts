import { describe, expect, it } from 'vitest';
import { day } from '../../../../src/core/limits.ts';
import { deleteMember } from '../../../../src/operations/member/member.ts';
import { choresOf } from '../../../../src/operations/upkeep/chores.ts';
import { tenantOf } from '../../../support/device.ts';
import { tenant, useAsking } from '../../../support/members/moving-in/asking.ts';
import { oldSystemOf, says } from '../../../support/members/moving-in/old-system.ts';
import { run } from '../../../support/operators/desk.ts';

const { hand, memberOf, reasons, service, signIn } = useAsking();

/** Does what the running service does each hour. */
async function doChore(name: string): Promise<void> {
  const config = { auditRetention: day, auditRefreshRetention: day, dataFolder: service.folder };
  const deps = { ...service.deps, config, outbox: null, schedule: hand.schedule, tell: () => {} };
  const chore = choresOf(deps).find((one) => one.name === name);
  await chore?.run({ pause: async () => {}, isOver: () => false });
}

describe('a member who was here before', () => {
  it('LM8: an address that moved in is not asked for again, once its member was deleted', async () => {
    const system = await oldSystemOf(service, tenant, { answer: says(200, {}) });
    expect((await signIn('tom@old.test')).status).toBe(303);
    const found = await memberOf('tom@old.test');
    const now = service.clock.now();
    await service.store.transaction((tx) =>
      deleteMember(tx, tenantOf(service, tenant).id, String(found?.member.id), now),
    );
    expect((await signIn('tom@old.test')).status).toBe(422);
    expect((await reasons()).at(-1)).toContain('whose member was here before');
    expect(system.received).toHaveLength(1);
  });

  it('LM12: a member of any origin who was deleted is not asked for, at no address, for as long as a system is named', async () => {
    const system = await oldSystemOf(service, tenant, { answer: says(200, {}) });
    const host = { tenant };
    const made = async (email: string) =>
      (await run<{ id: string }>(service, 'members.create', { ...host, email, fullName: 'Tess' })).id;
    // One is deleted by an operator and had another address before, one by herself.
    const tess = await made('tess@old.test');
    await run(service, 'members.change', { ...host, memberId: tess, email: 'tess@new.test' });
    await run(service, 'members.delete', { ...host, memberId: tess });
    const uma = await made('uma@old.test');
    await service.store.transaction((tx) =>
      tx.updateTable('members').set({ deletionDueAt: service.clock.now() }).where('id', '=', uma).execute(),
    );
    const deleted = ['tess@old.test', 'TESS@new.test', 'uma@old.test'];
    for (const email of deleted) expect((await signIn(email)).status, email).toBe(422);
    await doChore('erase deleted members');
    for (const email of deleted) expect((await signIn(email)).status, email).toBe(422);
    expect((await reasons()).at(-1)).toContain('whose member was here before');
    expect(system.received).toEqual([]);
    // What is remembered names no one, and goes when no system is asked any more.
    const kept = () =>
      service.store.transaction((tx) => tx.selectFrom('movedAddresses').selectAll().execute());
    expect(JSON.stringify(await kept())).not.toMatch(/tess|uma/i);
    await run(service, 'tenants.change', { ...host, oldSystemUrl: null });
    await doChore('delete what is over');
    expect(await kept()).toEqual([]);
  });

  it('LM14: no answer brings back a member who was deleted while it was under way', async () => {
    const late = Promise.withResolvers<void>();
    const isAsked = Promise.withResolvers<void>();
    let questions = 0;
    await oldSystemOf(service, tenant, {
      answer: async (request, reply, received) => {
        questions += 1;
        if (questions === 1) {
          isAsked.resolve();
          await late.promise;
        }
        says(200, {})(request, reply, received);
      },
    });
    const first = signIn('una@old.test');
    await isAsked.promise;
    expect((await signIn('una@old.test')).status).toBe(303);
    const memberId = (await memberOf('una@old.test'))?.member.id;
    await run(service, 'members.delete', { tenant, memberId });
    late.resolve();
    expect((await first).status).toBe(422);
    expect(await memberOf('una@old.test')).toBe(null);
  });
});
