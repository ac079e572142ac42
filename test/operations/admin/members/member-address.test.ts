import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalSocket, openSocket } from '../../../../src/http/admin/socket.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import { newPassword } from '../../../support/members/sign-up.ts';
import { adminToken, auditEvents, callApi } from '../../../support/operators/api.ts';
import { command } from '../../../support/operators/command.ts';
import { refusal, run, tokenOf } from '../../../support/operators/desk.ts';
import { newAdmin } from '../../../support/operators/portal.ts';
import { useService } from '../../../support/use-service.ts';

const tenant = 'a.test';
const email = 'Ada.Address@example.test';

const service = useService({ data: 'security' });
let socket: LocalSocket | null;
let memberId: string;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  const input = { tenant, fullName: 'Ada Address', email, password: newPassword };
  ({ id: memberId } = await run<{ id: string }>(service, 'members.create', input));
  // Another tenant has a member of this address, too.
  await run(service, 'members.create', { ...input, tenant: 'b.test' });
});
afterAll(async () => {
  await socket?.close();
});

const memberdoor = (...words: string[]) => command(service.folder, [...words, '--tenant', tenant]);

describe('a member is named by the address to sign in with', () => {
  it('in commands, however it is written, and the audit has the id', async () => {
    const done = await memberdoor('members', 'disable', '--member-id', 'ADA.address@EXAMPLE.test');
    expect(done).toMatchObject({ code: 0, err: '' });
    expect(done.out).toContain(memberId);
    expect((await auditEvents(service)).at(-1)).toMatchObject({
      reason: 'members.disable',
      target: memberId,
    });
    await memberdoor('members', 'enable', '--member-id', email);
    const subscriptions = await memberdoor('subscriptions', 'list', '--member-id', email);
    expect(subscriptions).toMatchObject({ code: 0, err: '' });
  });

  it('in lists that an id narrows', async () => {
    for (const option of ['--target', '--actor-id']) {
      const named = await memberdoor('audit', 'list', option, email, '--json');
      expect(named.out).toBe((await memberdoor('audit', 'list', option, memberId, '--json')).out);
    }
    expect((await memberdoor('invoices', 'list', '--member-id', email)).code).toBe(0);
  });

  it('in the API and the portal as well', async () => {
    const token = await adminToken(service);
    const path = `/tenants/${tenant}/members/${encodeURIComponent(email)}`;
    expect((await callApi(service, { path, token })).json()).toMatchObject({ id: memberId });
    const tina = await newAdmin(service, tenant, 'tina@address.test');
    expect((await tina.send(`/admin${path}`)).text).toContain('Ada Address');
  });

  it('and an address that no member has is told as such, and kept nowhere', async () => {
    const nobody = 'nobody.at.all@example.test';
    const read = await memberdoor('members', 'read', '--member-id', nobody);
    expect(read).toMatchObject({ code: 1, err: 'memberdoor: there is no such member\n' });
    const narrowed = await memberdoor('audit', 'list', '--target', nobody);
    expect(narrowed.err).toBe('memberdoor: --target is an address that no member has\n');
    const onAll = await refusal(service, 'serviceAudit.list', { target: email });
    expect(onAll.problems).toEqual(['target is an address: its tenant must be given too']);
    const reader = tokenOf(service, tenant, ['subscriptions:write']);
    const input = { tenant, memberId: nobody, packageId: 1 };
    expect((await refusal(service, 'subscriptions.create', input, reader)).problems).toEqual([
      'to name a member by address needs the permission members:read',
    ]);
    await refusal(service, 'members.delete', { tenant, memberId: nobody }, reader);
    expect(JSON.stringify(await auditEvents(service))).not.toContain(nobody);
  });
});
