import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Permission, permissions } from '../../../src/core/operators/permission.ts';
import { callApi } from '../../support/operators/api.ts';
import { adminOf, refusal, run, tenantIdOf, tokenOf } from '../../support/operators/desk.ts';
import { makeAdmin } from '../../support/operators/portal.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });

const tenant = 'a.test';

interface Made {
  readonly id: string;
  readonly secret: string;
}

const asked = (granted: readonly Permission[], more: object = {}) => ({
  tenant,
  name: 'deployment',
  permissions: granted,
  ...more,
});

describe('a token of the admin API', () => {
  it('A18: stands in the answer that made it and nowhere else', async () => {
    const { secret } = await run<Made>(service, 'tokens.create', asked(['clients:read']));
    expect(secret).toMatch(/^mda_[A-Za-z0-9_-]{43}$/);
    const shown = [
      await run(service, 'tokens.list', { tenant }),
      await run(service, 'audit.list', { tenant }),
      await allRows(service, []),
      service.logLines,
    ];
    expect(JSON.stringify(shown)).not.toContain(secret.slice(4));
    for (const name of readdirSync(service.folder).filter((file) => file.startsWith('memberdoor.db'))) {
      expect(readFileSync(join(service.folder, name), 'latin1')).not.toContain(secret.slice(4));
    }
  });

  it.each([
    ['turns the text around it', 'deploy\u202e'],
    ['steers a terminal', 'deploy\u001b[31m'],
    ['is longer than 60 characters', 'x'.repeat(61)],
  ])('a name that %s is refused', async (_what, name) => {
    const asking = { ...asked(['clients:read']), name };
    expect((await refusal(service, 'tokens.create', asking)).kind).toBe('invalid');
  });

  it('may do what it was given until it is revoked, on its tenant alone', async () => {
    const { id, secret } = await run<Made>(service, 'tokens.create', asked(['clients:read']));
    const status = async (path: string) => (await callApi(service, { path, token: secret })).status;
    expect(await status('/tenants/a.test/clients')).toBe(200);
    expect(await status('/tenants/a.test/members')).toBe(403);
    expect(await status('/tenants/b.test/clients')).toBe(404);
    expect((await refusal(service, 'serviceTokens.revoke', { tokenId: id })).kind).toBe('unknown');
    expect(await status('/tenants/a.test/clients')).toBe(200);
    const revoked = await run(service, 'tokens.revoke', { tenant, tokenId: id });
    expect(revoked).toMatchObject({ id, revokedAt: expect.stringMatching(/Z$/) });
    expect(await run(service, 'tokens.revoke', { tenant, tokenId: id })).toEqual(revoked);
    expect(await status('/tenants/a.test/clients')).toBe(401);
  });

  it('of every tenant is made, listed and revoked apart', async () => {
    const input = { name: 'all', permissions: ['tenants:read'] };
    const { id, secret } = await run<Made>(service, 'serviceTokens.create', input);
    expect((await callApi(service, { path: '/tenants/b.test', token: secret })).status).toBe(200);
    expect(await run(service, 'serviceTokens.list')).toMatchObject({ tokens: [{ id, name: 'all' }] });
    expect(JSON.stringify(await run(service, 'tokens.list', { tenant }))).not.toContain(id);
    await run(service, 'serviceTokens.revoke', { tokenId: id });
    expect((await callApi(service, { path: '/tenants/b.test', token: secret })).status).toBe(401);
  });

  it('is given nothing that its maker has not, and lasts no longer', async () => {
    const own = ['tokens:write', 'clients:read'] as const;
    const maker = await run<Made>(
      service,
      'tokens.create',
      asked(own, { expiresAt: '2026-02-01T00:00:00Z' }),
    );
    const tenantId = tenantIdOf(service, tenant);
    const actor = { kind: 'token', tokenId: maker.id, tenantId, permissions: own } as const;
    const kind = async (input: object) => (await refusal(service, 'tokens.create', input, actor)).kind;
    const inTime = { expiresAt: '2026-01-31T23:59:59Z' };
    expect(await kind(asked(['clients:read', 'clients:write'], inTime))).toBe('denied');
    expect(await kind(asked(['clients:read']))).toBe('denied');
    expect(await kind(asked(['clients:read'], { expiresAt: '2026-02-01T00:00:01Z' }))).toBe('denied');
    await run(service, 'tokens.create', asked(['clients:read'], inTime), actor);
  });

  it('revokes none that can do more than itself, and people revoke every one of their tenant', async () => {
    const strong = await run<Made>(service, 'tokens.create', asked(['tokens:write', 'keys:write']));
    const weak = tokenOf(service, tenant, ['tokens:write', 'keys:read']);
    const input = { tenant, tokenId: strong.id };
    expect(await refusal(service, 'tokens.revoke', input, weak)).toEqual({
      kind: 'denied',
      problems: ['a token revokes no token that can do more'],
    });
    expect((await callApi(service, { path: '/tenants/a.test/keys', token: strong.secret })).status).toBe(403);
    const own = await run<Made>(service, 'tokens.create', asked(['keys:read']));
    await run(service, 'tokens.revoke', { tenant, tokenId: own.id }, weak);
    await run(service, 'tokens.revoke', input, adminOf(service, tenant));
    expect((await callApi(service, { path: '/tenants/a.test/keys', token: strong.secret })).status).toBe(401);
  });

  it('takes all that it made along, and all that those made, when it is revoked', async () => {
    const granted = ['tokens:write', 'clients:read'] as const;
    const first = await run<Made>(service, 'serviceTokens.create', { name: 'x', permissions: granted });
    const by = async (maker: Made) => {
      const body = { name: 'below', permissions: granted };
      const answer = await callApi(service, { path: '/tenants/a.test/tokens', token: maker.secret, body });
      expect(answer.status, answer.text).toBe(200);
      return answer.json<Made & { parentId: string }>();
    };
    const second = await by(first);
    const [third, sister] = [await by(second), await by(first)];
    const niece = await by(sister);
    const apart = await run<Made>(service, 'tokens.create', asked(granted));
    expect([second.parentId, third.parentId, sister.parentId]).toEqual([first.id, second.id, first.id]);
    const works = async ({ secret }: Made) =>
      (await callApi(service, { path: '/tenants/a.test/clients', token: secret })).status;
    await run(service, 'tokens.revoke', { tenant, tokenId: second.id });
    expect([await works(first), await works(second), await works(third), await works(sister)]).toEqual([
      200, 401, 401, 200,
    ]);
    await run(service, 'serviceTokens.revoke', { tokenId: first.id });
    expect([await works(first), await works(sister), await works(niece), await works(apart)]).toEqual([
      401, 401, 401, 200,
    ]);
    const { events } = await run<{ events: object[] }>(service, 'audit.list', { tenant, target: sister.id });
    const reason = `tokens.revoke: made by ${first.id}`;
    expect(events[0]).toMatchObject({ event: 'admin_acted', reason });
  });

  it('that was revoked a moment ago makes none', async () => {
    const { id } = await run<Made>(service, 'tokens.create', asked(['tokens:write']));
    const tenantId = tenantIdOf(service, tenant);
    const actor = { kind: 'token', tokenId: id, tenantId, permissions: ['tokens:write'] } as const;
    await run(service, 'tokens.revoke', { tenant, tokenId: id });
    const refused = await refusal(service, 'tokens.create', asked(['tokens:write']), actor);
    expect(refused.kind).toBe('denied');
  });

  it('works while the administrator behind it may do the same, and so does what it made', async () => {
    const memberId = await makeAdmin(service, tenant, 'maker@example.test');
    const admin = { ...adminOf(service, tenant), memberId } as ReturnType<typeof adminOf>;
    const made = await run<Made>(service, 'tokens.create', asked(['tokens:write']), admin);
    const body = { name: 'below', permissions: ['tokens:write'] };
    const path = '/tenants/a.test/tokens';
    const below = (await callApi(service, { path, token: made.secret, body })).json<Made>();
    const work = async () => {
      const permissions = ['tokens:write'];
      const statuses = [];
      for (const { secret } of [made, below]) {
        const again = { path, token: secret, body: { name: 'again', permissions } };
        statuses.push((await callApi(service, again)).status);
      }
      return statuses;
    };
    expect(await work()).toEqual([200, 200]);
    const named = { tenant, memberId };
    await run(service, 'members.disable', named);
    expect(await work()).toEqual([401, 401]);
    await run(service, 'members.enable', named);
    expect(await work()).toEqual([200, 200]);
    await run(service, 'members.change', { ...named, userType: 'member' });
    expect(await work()).toEqual([401, 401]);
    const { tokens } = await run<{ tokens: object[] }>(service, 'tokens.list', { tenant });
    expect(tokens).toContainEqual(
      expect.objectContaining({ id: below.id, parentId: made.id, makerId: memberId, revokedAt: null }),
    );
  });

  it('A17: of the whole service rests while the tenant of the administrator who made it is disabled', async () => {
    await makeAdmin(service, tenant, 'other@example.test', 'system_admin');
    const memberId = await makeAdmin(service, 'b.test', 'chief@example.test', 'system_admin');
    const admin = { ...adminOf(service, 'b.test', true), memberId } as ReturnType<typeof adminOf>;
    const given = { name: 'deployment', permissions: ['clients:read'] };
    const { secret } = await run<Made>(service, 'serviceTokens.create', given, admin);
    const status = async () =>
      (await callApi(service, { path: '/tenants/a.test/clients', token: secret })).status;
    expect(await status()).toBe(200);
    await run(service, 'tenants.disable', { tenant: 'b.test' });
    expect(await status()).toBe(401);
    await run(service, 'tenants.enable', { tenant: 'b.test' });
    expect(await status()).toBe(200);
  });

  it('may be given every permission by an administrator, for the own tenant', async () => {
    await run(service, 'tokens.create', asked(permissions), adminOf(service, tenant));
    const all = { name: 'x', permissions };
    const refused = await refusal(service, 'serviceTokens.create', all, adminOf(service, tenant));
    expect(refused.kind).toBe('denied');
    const token = tokenOf(service, tenant, permissions);
    expect((await refusal(service, 'serviceTokens.create', all, token)).kind).toBe('denied');
  });

  it.each([
    ['no permission', { permissions: [] }],
    ['a permission that there is not', { permissions: ['everything'] }],
    ['a permission twice', { permissions: ['keys:read', 'keys:read'] }],
    ['no name', { name: ' ' }],
    ['an end that is over', { expiresAt: '2026-01-01T00:00:00Z' }],
  ])('is not made with %s', async (_what, wrong) => {
    const input = { ...asked(['keys:read']), ...wrong };
    expect((await refusal(service, 'tokens.create', input)).kind).toBe('invalid');
  });
});
