import { describe, expect, it } from 'vitest';
import type { SessionKind } from '../../../../src/core/session.ts';
import { insertSession } from '../../../../src/storage/grants/session.ts';
import { newPassword } from '../../../support/members/sign-up.ts';
import { adminOf, refusal, run, tenantIdOf, tokenOf } from '../../../support/operators/desk.ts';
import { sessionRecord } from '../../../support/records/records.ts';
import { useService } from '../../../support/use-service.ts';

const service = useService({ data: 'security' });

const tenant = 'a.test';

interface Made {
  readonly id: string;
}

interface Read {
  readonly sessions: readonly { readonly id: string }[];
}

describe('administrators', () => {
  const asked = (userType: string, email: string) => ({
    tenant,
    fullName: 'Admin',
    email,
    password: newPassword,
    userType,
  });

  it('of a tenant make administrators of the tenant, and none of the service', async () => {
    const admin = adminOf(service, tenant);
    const made = await run<Made>(service, 'members.create', asked('tenant_admin', 'ta@admin.test'), admin);
    const system = asked('system_admin', 'sa@admin.test');
    expect((await refusal(service, 'members.create', system, admin)).kind).toBe('denied');
    const raised = { tenant, memberId: made.id, userType: 'system_admin' };
    expect((await refusal(service, 'members.change', raised, admin)).kind).toBe('denied');
    expect(await run(service, 'members.change', raised, adminOf(service, 'b.test', true))).toMatchObject({
      userType: 'system_admin',
    });
  });

  it('of the service are not changed, disabled, deleted or signed out by those of a tenant', async () => {
    const { id: memberId } = await run<Made>(
      service,
      'members.create',
      asked('system_admin', 'boss@admin.test'),
    );
    const admin = adminOf(service, tenant);
    const partial = tokenOf(service, null, ['members:read', 'members:write']);
    for (const name of ['change', 'disable', 'enable', 'delete', 'signOutEverywhere']) {
      const input = { tenant, memberId, ...(name === 'change' ? { email: 'mine@admin.test' } : {}) };
      for (const actor of [admin, partial]) {
        expect((await refusal(service, `members.${name}`, input, actor)).kind, name).toBe('denied');
      }
    }
    expect(await run(service, 'members.read', { tenant, memberId }, admin)).toMatchObject({
      email: 'boss@admin.test',
      status: 'active',
    });
  });

  it('are not made or changed by a token that cannot do all that they can', async () => {
    const partial = tokenOf(service, tenant, ['members:read', 'members:write']);
    const input = asked('tenant_admin', 'partial@admin.test');
    expect((await refusal(service, 'members.create', input, partial)).kind).toBe('denied');
    const { events } = await run<{ events: object[] }>(service, 'audit.list', { tenant, limit: 1 });
    expect(events).toMatchObject([{ event: 'admin_denied', actorKind: 'token', result: 'refused' }]);
    await run(service, 'members.create', input, tokenOf(service, tenant));
  });

  it('who become something else sign in to the portal anew, and stay signed in as members', async () => {
    const made = await run<Made>(service, 'members.create', asked('tenant_admin', 'down@admin.test'));
    const facts = {
      tenantId: tenantIdOf(service, tenant),
      memberId: made.id,
      createdAt: service.clock.now(),
    };
    const session = (kind: SessionKind) =>
      sessionRecord({ ...facts, kind, id: `down ${kind}`, secretHash: kind, lastUsedAt: facts.createdAt });
    await service.store.transaction(async (tx) => {
      for (const kind of ['admin', 'member'] as const) await insertSession(tx, session(kind));
    });
    await run(service, 'members.change', { tenant, memberId: made.id, userType: 'member' });
    const { sessions } = await run<Read>(service, 'members.read', { tenant, memberId: made.id });
    expect(sessions.map(({ id }) => id)).toEqual(['down member']);
  });

  it('do not lock themselves out', async () => {
    const { id: memberId } = await run<Made>(
      service,
      'members.create',
      asked('tenant_admin', 'me@admin.test'),
    );
    const self = { ...adminOf(service, tenant), memberId } as ReturnType<typeof adminOf>;
    const kind = async (name: string, more: object = {}) =>
      (await refusal(service, name, { tenant, memberId, ...more }, self)).kind;
    expect(await kind('members.disable')).toBe('conflict');
    expect(await kind('members.delete')).toBe('conflict');
    expect(await kind('members.change', { userType: 'member' })).toBe('conflict');
    await run(service, 'members.change', { tenant, memberId, nickName: 'Me' }, self);
  });
});
