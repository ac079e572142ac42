import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalSocket, openSocket } from '../../../../src/http/admin/socket.ts';
import { operations } from '../../../../src/operations/admin/index.ts';
import { misshapenIn } from '../../../../src/operations/tenant-file/read.ts';
import { told } from '../../../support/expected/told.ts';
import { accountOf } from '../../../support/members/account.ts';
import { auditEvents } from '../../../support/operators/api.ts';
import { command } from '../../../support/operators/command.ts';
import { refusal, run } from '../../../support/operators/desk.ts';
import { filledIn, newAdmin } from '../../../support/operators/portal.ts';
import { apps, expectError, refreshAs, tokensOf } from '../../../support/tokens.ts';
import { useService } from '../../../support/use-service.ts';
import { visitor } from '../../../support/visitor.ts';

const tenant = 'a.test';
const password = 'a long password for tests';
const known = 'line1, city, postCode, postOffice, country, name, email';

const service = useService({ data: 'security' });
let socket: LocalSocket | null;

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
});
afterAll(async () => {
  await socket?.close();
});

describe('a postal address', () => {
  it('with a field that is not known is refused with those that are, in an operation and in a file', async () => {
    const input = { tenant, fullName: 'A', email: 'a@one.test', address: { street: 'Storgata 1' } };
    expect((await refusal(service, 'members.create', input)).problems).toEqual([
      `address.street is not known. Known are ${known}`,
    ]);
    const member = { email: 'a@one.test', fullName: 'A', address: { street: 'Storgata 1' } };
    const file = { tenants: [{ issuer: 'https://one.test', name: 'One', members: [member] }] };
    expect(told(misshapenIn(file))).toEqual([
      `tenants.0.members.0.address.street is not known. Known are ${known}`,
    ]);
  });
});

describe('a member for testing', () => {
  const email = 'tester@one.test';
  const words = ['--tenant', tenant, '--email', email, '--phone', '+4791234567'];

  it('is made in one step: proven, and with a password from the standard input', async () => {
    const options = [...words, '--full-name', 'Tess Tester', '--email-verified', '--phone-verified'];
    const made = await command(
      service.folder,
      ['members', 'create', ...options, '--password-file', '-', '--json'],
      { input: `${password}\n` },
    );
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(made.out)).toMatchObject({ email, emailVerified: true, phoneVerified: true });
    await accountOf(service, tenant, email, { password });
    await service.delivered();
    expect(service.outbox.sent.filter(({ to }) => to === email)).toEqual([]);
  });

  it('is proven or not as a change says, and as before where it says nothing', async () => {
    const change = (input: object) => run(service, 'members.change', { tenant, memberId: email, ...input });
    expect(await change({ emailVerified: false, phoneVerified: false })).toMatchObject({
      emailVerified: false,
      phoneVerified: false,
    });
    expect(await change({ emailVerified: true, phoneVerified: true })).toMatchObject({
      emailVerified: true,
      phoneVerified: true,
    });
    expect(await change({ nickName: 'Tess', emailVerified: null })).toMatchObject({ emailVerified: true });
    expect(await change({ phone: '+4791234568' })).toMatchObject({ phoneVerified: false });
    const none = { tenant, memberId: email, phone: '', phoneVerified: true };
    expect((await refusal(service, 'members.change', none)).problems).toEqual([
      'phoneVerified needs a phone',
    ]);
  });

  it('gets another password by a change, which ends every sign-in, is audited and is told by mail', async () => {
    const browser = await accountOf(service, tenant, email, { password });
    const tokens = await tokensOf(service, tenant, apps.pub1, { browser });
    const another = 'another password for tests';
    const said = await command(
      service.folder,
      ['members', 'change', '--tenant', tenant, '--member-id', email, '--password-file', '-', '--json'],
      { input: another },
    );
    expect(said).toMatchObject({ code: 0, err: '' });
    expectError(await refreshAs(service, tenant, apps.pub1, tokens.refresh_token), 400, 'invalid_grant');
    expect((await browser.send('/account')).status).toBe(303);
    await accountOf(service, tenant, email, { password: another });
    const { id } = JSON.parse(said.out) as { id: string };
    expect((await auditEvents(service)).filter(({ event }) => event === 'password_changed')).toMatchObject([
      { actorKind: 'operator', target: id, reason: 'by an operator' },
    ]);
    await service.delivered();
    expect(service.outbox.last(email).name).toBe('passwordChanged');
  });

  it('has no password that is short, common, or the address that the change brings', async () => {
    const change = async (input: object) =>
      (await refusal(service, 'members.change', { tenant, memberId: email, ...input })).problems;
    expect(await change({ password: 'short' })).toEqual(['password has fewer than 12 characters']);
    expect(await change({ password: 'password1234' })).toEqual([
      'password is too easy to guess: add another word or two',
    ]);
    expect(await change({ password: email })).toEqual(['password is the address']);
  });

  it('keeps the password and what is proven when the portal changes a name', async () => {
    const tina = await newAdmin(service, tenant, 'tina@one.test');
    const { id } = await run<{ id: string }>(service, 'members.change', {
      tenant,
      memberId: email,
      emailVerified: true,
    });
    const path = `/admin/tenants/${tenant}/members/${id}/+change`;
    const form = filledIn(await tina.send(path));
    expect(form.get('emailVerified')).toBe('');
    expect(form.get('password')).toBe('');
    await tina.submit(path, { fullName: 'Tess Changed' });
    expect(await run(service, 'members.read', { tenant, memberId: id })).toMatchObject({
      fullName: 'Tess Changed',
      emailVerified: true,
    });
    await tina.submit(path, { email: 'moved@one.test' });
    expect(await run(service, 'members.read', { tenant, memberId: id })).toMatchObject({
      emailVerified: false,
    });
    await tina.submit(path, { emailVerified: 'true', password: 'set in the portal 1' });
    expect(await run(service, 'members.read', { tenant, memberId: id })).toMatchObject({
      emailVerified: true,
    });
    await accountOf(service, tenant, 'moved@one.test', { password: 'set in the portal 1' });
    expect((await visitor(service, tenant).send('/account')).status).toBe(303);
  });
});
