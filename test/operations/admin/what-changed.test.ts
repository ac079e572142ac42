import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemUser } from '../../../src/cli/connection.ts';
import { type LocalSocket, openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { newPassword } from '../../support/members/sign-up.ts';
import { command } from '../../support/operators/command.ts';
import { run, tokenOf } from '../../support/operators/desk.ts';
import { mainOf, newAdmin, plain } from '../../support/operators/portal.ts';
import { applied } from '../../support/operators/tenant-file.ts';
import { useService } from '../../support/use-service.ts';

const tenant = 'a.test';

const service = useService({ data: 'security' });
let socket: LocalSocket | null;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
});
afterAll(async () => {
  await socket?.close();
});

interface Event {
  readonly reason: string;
  readonly actorId: string | null;
  readonly target: string;
  readonly changes: readonly { readonly field: string; readonly from: string | null; readonly to: string }[];
}

/** The newest event of the tenant that an operation caused. */
async function lastOf(reason: string): Promise<Event | undefined> {
  const { events } = await run<{ events: readonly Event[] }>(service, 'audit.list', {
    tenant,
    event: 'admin_acted',
    limit: 20,
  });
  return events.find((event) => event.reason.startsWith(reason));
}

const auditLine = (reason: string) =>
  service.logLines
    .filter((line) => line.includes('"msg":"audit"') && line.includes(`"reason":"${reason}"`))
    .at(-1) ?? '';

describe('the audit of a change', () => {
  it('says what each changed field was and is, of whatever was changed', async () => {
    await run(service, 'tenants.change', { tenant, languages: ['nb', 'da'], passwordLength: 20 });
    expect(await lastOf('tenants.change')).toMatchObject({
      changes: [
        { field: 'languages', from: expect.stringMatching(/^\[/), to: '["nb","da"]' },
        { field: 'passwordLength', from: '12', to: '20' },
      ],
    });
    await run(service, 'tenants.change', { tenant, passwordLength: 12 });
    await run(service, 'clients.disable', { tenant, clientId: 'pub2' });
    expect(await lastOf('clients.disable')).toMatchObject({
      changes: [{ field: 'disabledAt', from: 'null', to: expect.stringMatching(/^"20/) }],
    });
    await run(service, 'consents.define', { tenant, consentId: 'mail', name: 'Mail' });
    expect(await lastOf('consents.define')).toMatchObject({ target: 'mail', changes: [] });
    await run(service, 'consents.define', { tenant, consentId: 'mail', name: 'Mails', atSignUp: true });
    expect(await lastOf('consents.define')).toMatchObject({
      changes: [
        { field: 'name', from: '"Mail"', to: '"Mails"' },
        { field: 'atSignUp', from: 'false', to: 'true' },
      ],
    });
  });

  it.each([
    ['products', 'change', 'productId', { name: 'Chess' }, { name: 'Chess and go' }, 'name'],
    ['channels', 'define', 'channelId', { name: 'Live' }, { name: 'Alive' }, 'name'],
  ])('says it of %s, whose list has pages', async (noun, verb, key, first, second, field) => {
    const shared = noun === 'channels' ? { productIds: [] } : {};
    const made =
      verb === 'change' ? await run<{ id: number }>(service, `${noun}.create`, { tenant, ...first }) : null;
    const own = { tenant, [key]: made?.id ?? 'changed', ...shared };
    if (made === null) await run(service, `${noun}.${verb}`, { ...own, ...first });
    await run(service, `${noun}.${verb}`, { ...own, ...second });
    const [from] = Object.values(first);
    const [to] = Object.values(second);
    expect((await lastOf(`${noun}.${verb}`))?.changes).toEqual([
      { field, from: JSON.stringify(from), to: JSON.stringify(to) },
    ]);
  });

  it('says nothing where nothing is another', async () => {
    await run(service, 'tenants.change', { tenant, passwordLength: 12 });
    expect(await lastOf('tenants.change')).toMatchObject({ changes: [] });
  });

  it('says of a secret that it changed, and nothing more', async () => {
    const { id: memberId } = await run<{ id: string }>(service, 'members.create', {
      tenant,
      fullName: 'Secretive',
      email: 'secretive@change.test',
      password: newPassword,
    });
    await run(service, 'members.change', {
      tenant,
      memberId,
      nickName: 'S',
      password: 'another long password',
    });
    const changed = await lastOf('members.change');
    expect(changed?.changes).toEqual([
      { field: 'nickName', from: '""', to: '"S"' },
      { field: 'password', from: null, to: 'changed' },
    ]);
    const { secret } = await run<{ secret: string }>(service, 'clients.addSecret', {
      tenant,
      clientId: 'conf1',
    });
    const added = await lastOf('clients.addSecret');
    expect(JSON.stringify(added)).not.toContain(secret);
    for (const { field, from, to } of added?.changes ?? []) {
      if (field === 'secrets') expect({ from, to }).toEqual({ from: null, to: 'changed' });
    }
    await applied(
      service.folder,
      `tenants:\n  - issuer: https://${tenant}\n    name: Tenant A\n    clients:\n` +
        '      - { clientId: conf2, name: Changed name, type: confidential, secretEnv: NEW }\n',
      ['--yes'],
      { NEW: 'a-secret-that-is-long-enough-1' },
    );
    const named = await lastOf('serviceTenantFiles.apply: clients.change');
    expect(named?.changes).toEqual([{ field: 'name', from: expect.any(String), to: '"Changed name"' }]);
    const secrets = await lastOf('serviceTenantFiles.apply: clients.setSecrets');
    expect(secrets?.changes).toEqual([{ field: 'secrets', from: null, to: 'changed' }]);
  });

  it('is forgotten with a member, and never stands in the log beyond the names of fields', async () => {
    const email = 'before@change.test';
    const { id: memberId } = await run<{ id: string }>(service, 'members.create', {
      tenant,
      fullName: 'Forgotten Name',
      email,
      password: newPassword,
    });
    const change = ['members', 'change', '--tenant', tenant, '--member-id', email];
    const options = ['--email', 'after@change.test', '--full-name', 'Other Name'];
    expect((await command(service.folder, [...change, ...options])).code).toBe(0);
    expect((await lastOf('members.change'))?.changes).toEqual([
      { field: 'email', from: '"before@change.test"', to: '"after@change.test"' },
      { field: 'fullName', from: '"Forgotten Name"', to: '"Other Name"' },
    ]);
    expect(auditLine('members.change')).toContain('"changed":["email","fullName"]');
    const { id: packageId } = await run<{ id: number }>(service, 'packages.create', {
      tenant,
      name: 'Change',
      price: { amount: 9_900, currency: 'NOK' },
      period: { unit: 'month', count: 1 },
      payment: 'invoice',
      productIds: [],
    });
    const { subscriptionId } = await run<{ subscriptionId: number }>(service, 'subscriptions.create', {
      tenant,
      memberId,
      packageId,
    });
    await run(service, 'properties.define', { tenant, key: 'note', type: 'string' });
    const values = { note: 'Forgotten Street 1' };
    await run(service, 'subscriptions.setProperties', { tenant, subscriptionId, values });
    expect((await lastOf('subscriptions.setProperties'))?.changes).toEqual([
      { field: 'customPropertyValues.note', from: null, to: '"Forgotten Street 1"' },
    ]);
    await run(service, 'members.delete', { tenant, memberId });
    const rows = JSON.stringify(
      await service.store.transaction((tx) => tx.selectFrom('auditEvents').selectAll().execute()),
    );
    for (const text of ['before@change', 'after@change', 'Forgotten', 'Other Name']) {
      expect(rows).not.toContain(text);
      expect(service.logLines.join('\n')).not.toContain(text);
    }
    expect(await lastOf('members.change')).toMatchObject({ target: memberId, changes: [] });
  });

  it('tells a token that may not read members or subscriptions the names of their fields alone', async () => {
    const { id: memberId } = await run<{ id: string }>(service, 'members.create', {
      tenant,
      fullName: 'Private Name',
      email: 'private@change.test',
      password: newPassword,
    });
    await run(service, 'members.change', { tenant, memberId, phone: '+4790011223' });
    const { id: packageId } = await run<{ id: number }>(service, 'packages.create', {
      tenant,
      name: 'Private',
      price: { amount: 0, currency: 'NOK' },
      period: { unit: 'month', count: 1 },
      payment: 'free',
      productIds: [],
    });
    const subscribed = { tenant, memberId, packageId };
    const { subscriptionId } = await run<{ subscriptionId: number }>(
      service,
      'subscriptions.create',
      subscribed,
    );
    await run(service, 'properties.define', { tenant, key: 'seat', type: 'string' });
    await run(service, 'subscriptions.setProperties', { tenant, subscriptionId, values: { seat: 'Row 9' } });
    await applied(
      service.folder,
      `tenants:\n  - issuer: https://${tenant}\n    name: Tenant A\n    members:\n` +
        '      - { email: private@change.test, fullName: Filed Name }\n',
      ['--yes'],
    );
    const member = ['+4790011223', 'Private Name', 'Filed Name'];
    const subscription = ['Row 9'];
    for (const [granted, told] of [
      [[], []],
      [['members:read'], member],
      [['subscriptions:read'], subscription],
      [
        ['members:read', 'subscriptions:read'],
        [...member, ...subscription],
      ],
    ] as const) {
      const own = tokenOf(service, tenant, ['audit:read', ...granted]);
      const all = tokenOf(service, null, ['audit:read', ...granted]);
      const asked = { tenant, event: 'admin_acted', limit: 20 };
      for (const [name, actor] of [
        ['audit.list', own],
        ['audit.export', own],
        ['serviceAudit.list', all],
        ['serviceAudit.export', all],
      ] as const) {
        const answer = await run(service, name, asked, actor);
        const text = 'text' in answer ? String(answer.text) : JSON.stringify(answer);
        const said = [...member, ...subscription].filter((value) => text.includes(value));
        expect(said, `${name} with ${granted.join(' ')}`).toEqual(told);
        for (const field of ['phone', 'fullName', 'customPropertyValues.seat']) {
          expect(text).toContain(`"field":"${field}"`);
        }
      }
    }
  });

  it('is read in the portal and at the command', async () => {
    await run(service, 'tenants.change', { tenant, passwordLength: 15 });
    const tina = await newAdmin(service, tenant, 'tina@change.test');
    const page = plain(mainOf(await tina.send(`/admin/tenants/${tenant}/audit?event=admin_acted`)));
    expect(page).toContain('passwordLength: 12 → 15');
    const said = await command(service.folder, [
      'audit',
      'list',
      '--tenant',
      tenant,
      '--event',
      'admin_acted',
    ]);
    expect(said.out).toContain('passwordLength: 12 -> 15');
  });
});

describe('the audit of a command', () => {
  it('says which user of the system ran it', async () => {
    await command(service.folder, ['tenants', 'change', '--tenant', tenant, '--password-length', '16']);
    expect(await lastOf('tenants.change')).toMatchObject({ actorId: 'olga' });
    const said = await command(service.folder, [
      'audit',
      'list',
      '--tenant',
      tenant,
      '--actor-id',
      'olga',
      '--json',
    ]);
    expect(JSON.parse(said.out).events[0]).toMatchObject({ actorKind: 'operator', reason: 'tenants.change' });
  });

  it('who is the one that sudo was run by, or that logged in, or owns the process', () => {
    expect(systemUser({ SUDO_USER: 'olga', LOGNAME: 'root' })).toBe('olga');
    expect(systemUser({ LOGNAME: 'root' })).toBe('root');
    expect(systemUser({ SUDO_USER: '' })).not.toBe('');
  });
});
