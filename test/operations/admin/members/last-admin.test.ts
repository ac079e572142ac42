import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/core/operators/permission.ts';
import { type LocalSocket, openSocket } from '../../../../src/http/admin/socket.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import { textOf } from '../../../support/device.ts';
import { hosts } from '../../../support/fixtures.ts';
import { accountOf, expectLeadsTo } from '../../../support/members/account.ts';
import { command } from '../../../support/operators/command.ts';
import { operator, refusal, run, tenantIdOf, tokenOf } from '../../../support/operators/desk.ts';
import { adminPassword, makeAdmin, plain, portalOf } from '../../../support/operators/portal.ts';
import { nameTyped } from '../../../support/operators/portal-forms.ts';
import { allRows } from '../../../support/records/rows.ts';
import { useFreshService } from '../../../support/use-service.ts';

const { a, b } = hosts;
const sam = 'sam@example.test';

const service = useFreshService({ data: 'security' });
let memberId: string;

beforeEach(async () => {
  memberId = await makeAdmin(service, a, sam, 'system_admin');
});

const self = (): Actor => ({ kind: 'admin', memberId, tenantId: tenantIdOf(service, a), isSystem: true });

/** What would leave no administrator of everything, and the actors who are refused it for that reason. */
const ends: readonly (readonly [string, string, () => object])[] = [
  ['the tenant that the last one signs in on is disabled', 'tenants.disable', () => ({ tenant: a })],
  ['the last one is disabled', 'members.disable', () => ({ tenant: a, memberId })],
  ['the last one is deleted', 'members.delete', () => ({ tenant: a, memberId })],
  [
    'the last one becomes an administrator of a tenant',
    'members.change',
    () => ({ tenant: a, memberId, userType: 'tenant_admin' }),
  ],
];

const words = /^no one would be left who can sign in and administer everything: make another/;

describe('an administrator of everything who can sign in is always left', () => {
  it.each(ends)('so it is refused that %s', async (_what, name, input) => {
    const before = await allRows(service, ['auditEvents']);
    for (const actor of [operator, tokenOf(service, null)]) {
      const { kind, problems } = await refusal(service, name, input(), actor);
      expect(kind).toBe('conflict');
      expect(problems).toEqual([expect.stringMatching(words)]);
    }
    expect(await allRows(service, ['auditEvents'])).toEqual(before);
  });

  it('so an administrator does not disable the tenant of the own sign-in', async () => {
    expect((await refusal(service, 'tenants.disable', { tenant: a }, self())).kind).toBe('conflict');
    await run(service, 'tenants.disable', { tenant: b }, self());
    expect(service.tenants.byHost(a)?.disabledAt).toBeNull();
  });

  it.each(ends)(
    'unless another enabled tenant has one: then it may be that %s',
    async (_what, name, input) => {
      const other = await makeAdmin(service, b, 'olga@example.test', 'system_admin');
      // An administrator who is disabled, or whose tenant is, cannot sign in.
      await run(service, 'members.disable', { tenant: b, memberId: other });
      expect((await refusal(service, name, input())).kind).toBe('conflict');
      await run(service, 'members.enable', { tenant: b, memberId: other });
      await run(service, 'tenants.disable', { tenant: b });
      expect((await refusal(service, name, input())).kind).toBe('conflict');
      await run(service, 'tenants.enable', { tenant: b });
      await run(service, name, input());
    },
  );

  it.each(ends)('unless the command forces it: it alone may, that %s', async (_what, name, input) => {
    const forced = { ...input(), force: true };
    for (const actor of [self(), tokenOf(service, null)]) {
      expect((await refusal(service, name, forced, actor)).kind, actor.kind).toBe('conflict');
    }
    await run(service, name, forced);
  });

  it('an administrator who is about to be deleted does not count', async () => {
    const email = 'olga@example.test';
    await makeAdmin(service, b, email, 'system_admin');
    const account = await accountOf(service, b, email, { password: adminPassword });
    expectLeadsTo(await account.submit('/account/delete', { currentPassword: adminPassword }), '/account');
    expect((await refusal(service, 'tenants.disable', { tenant: a })).kind).toBe('conflict');
  });

  it('the last one does not delete the own account either, and the page says why', async () => {
    const account = await accountOf(service, a, sam, { password: adminPassword });
    const before = await allRows(service, ['auditEvents', 'sessions']);
    const answer = await account.submit('/account/delete', { currentPassword: adminPassword });
    expect(answer.status).toBe(422);
    expect(textOf(answer)).toContain('You are the only system administrator.');
    expect(await allRows(service, ['auditEvents', 'sessions'])).toEqual(before);
  });

  it('a tenant file is held to it too', async () => {
    const file = `tenants:\n  - issuer: https://${a}\n    name: A\n    disabled: true\n`;
    const refused = await refusal(service, 'serviceTenantFiles.apply', { file });
    expect(refused).toEqual({ kind: 'conflict', problems: [expect.stringMatching(words)] });
    expect(service.tenants.byHost(a)?.disabledAt).toBeNull();
    await run(service, 'serviceTenantFiles.apply', { file, force: true });
  });

  it('nothing else is held up where there never was one', async () => {
    await run(service, 'members.disable', { tenant: a, memberId, force: true });
    await run(service, 'tenants.disable', { tenant: b });
  });
});

describe('every face says so', () => {
  let socket: LocalSocket | null;
  beforeEach(async () => {
    socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  });
  afterEach(() => socket?.close());

  it('the portal above its form, which has no field to force it', async () => {
    const portal = await portalOf(service, a, sam);
    const form = `/admin/tenants/${a}/+disable`;
    expect((await portal.send(form)).text).not.toContain('name="force"');
    const answer = await portal.submit(form, nameTyped(await portal.send(form)));
    expect(answer.status).toBe(422);
    expect(plain(answer.text)).toContain('No one would be left who can sign in and administer everything');
    expect((await portal.send('/admin')).status).toBe(303);
  });

  it('the command with the option that does it all the same', async () => {
    const disable = ['tenants', 'disable', '--tenant', a];
    const refused = await command(service.folder, disable);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.err).toContain('--force');
    expect((await command(service.folder, [...disable, '--force'])).code).toBe(0);
  });
});
