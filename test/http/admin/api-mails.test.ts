import { beforeAll, expect, it } from 'vitest';
import { operatorMailsPerHour } from '../../../src/core/members/limits.ts';
import { addPackage, addProduct } from '../../../src/operations/access/package.ts';
import { tenantOf } from '../../support/device.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { run } from '../../support/operators/desk.ts';
import { packageRecord } from '../../support/records/access-records.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security', apiHost: 'api.test' });
const tenant = 'a.test';
let tokens: readonly string[];

beforeAll(async () => {
  tokens = [await adminToken(service, { host: tenant }), await adminToken(service)];
});

const asks = (memberId: string) =>
  Array.from({ length: 200 }, (_, index) => {
    const mail = index % 3 === 0 ? 'invitation' : 'password-reset';
    const path = `/tenants/${tenant}/members/${memberId}/${mail}`;
    return callApi(service, { method: 'POST', path, token: tokens[index % tokens.length] ?? '' });
  });
const mailsTo = (email: string) => service.outbox.sent.filter(({ to }) => to === email).length;

it('GA17: two hundred mails with a link to one address at once, with two tokens, are five', async () => {
  const { id } = await run<{ id: string }>(service, 'members.read', { tenant, memberId: 'u2@example.test' });
  const answers = await Promise.all(asks(id));
  await service.delivered();
  expect(mailsTo('u2@example.test')).toBe(operatorMailsPerHour);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(operatorMailsPerHour);
  const refused = answers.filter(({ status }) => status !== 200);
  for (const answer of refused) {
    expect(answer.status).toBe(429);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.json()).toMatchObject({
      error: 'temporarily_unavailable',
      error_description: expect.stringContaining('wait before the next one'),
    });
  }
  // Another address is not kept from its own, and the hour ends.
  const other = await run<{ email: string }>(service, 'members.sendPasswordReset', {
    tenant,
    memberId: 'u1@example.test',
  });
  expect(other.email).toBe('u1@example.test');
  service.clock.advance(3_600_000);
  await run(service, 'members.sendInvitation', { tenant, memberId: 'u2@example.test' });
  await service.delivered();
  expect(mailsTo('u2@example.test')).toBe(operatorMailsPerHour + 1);
});

it('GA17: nor does it get more for accounts that are made and deleted for it', async () => {
  const email = 'victim@example.net';
  const made = async () => {
    const path = `/tenants/${tenant}/members`;
    const body = { fullName: 'Victim', email };
    const answer = await callApi(service, { method: 'POST', path, body, token: tokens[0] ?? '' });
    if (answer.status !== 200) return answer.status;
    // What is not sent yet goes with the account.
    await service.delivered();
    await run(service, 'members.delete', { tenant, memberId: String(answer.json().id) });
    return answer.status;
  };
  const statuses: number[] = [];
  for (let i = 0; i < operatorMailsPerHour + 2; i += 1) statuses.push(await made());
  expect(statuses).toEqual([...Array.from({ length: operatorMailsPerHour }, () => 200), 429, 429]);
  expect(mailsTo(email)).toBe(operatorMailsPerHour);
});

it('GA17: nor for accounts that are imported and deleted again and again: they come in without an invitation', async () => {
  const [email, other] = ['imported@example.net', 'other-imported@example.net'];
  const content = Buffer.from(`${JSON.stringify({ email })}\n`).toString('base64');
  const moveIn = async (file: string) => {
    const { importId } = await run<{ importId: string }>(service, 'imports.create', { tenant, mail: true });
    await run(service, 'imports.upload', { tenant, importId, start: 0, content: file, last: true });
    await service.imported();
    // What is only tried mails no one, and counts nothing.
    expect(await run(service, 'imports.read', { tenant, importId })).toMatchObject({ invited: 0 });
    await run(service, 'imports.start', { tenant, importId });
    await service.imported();
    await service.delivered();
    return run<{ added: number; invited: number }>(service, 'imports.read', { tenant, importId });
  };
  const told: (readonly number[])[] = [];
  for (let i = 0; i < operatorMailsPerHour + 2; i += 1) {
    const { added, invited } = await moveIn(content);
    told.push([added, invited]);
    await run(service, 'members.delete', { tenant, memberId: email });
  }
  const once = Array.from({ length: operatorMailsPerHour }, () => [1, 1]);
  expect(told).toEqual([...once, [1, 0], [1, 0]]);
  expect(mailsTo(email)).toBe(operatorMailsPerHour);
  const both = Buffer.from(`${JSON.stringify({ email })}\n${JSON.stringify({ email: other })}\n`);
  expect(await moveIn(both.toString('base64'))).toMatchObject({ added: 2, invited: 1 });
  const audit = await run<{ events: readonly { reason: string }[] }>(service, 'audit.list', { tenant });
  expect(audit.events.map(({ reason }) => reason)).toContain(
    'imports.end: 2 added, 0 changed, 0 skipped, 0 refused, 1 invited',
  );
});

it('GA14: an invitation to a seat beyond those of a day is 429, and says when the next may be sent', async () => {
  const input = { tenant, memberId: 'u1@example.test', packageId: await packageOf() };
  const { subscriptionId } = await run<{ subscriptionId: number }>(service, 'subscriptions.create', input);
  await run(service, 'groups.create', { tenant, subscriptionId, seats: 200 });
  const path = `/tenants/${tenant}/groups/${subscriptionId}/seats`;
  const invite = () =>
    callApi(service, { method: 'POST', path, body: { email: 'one@example.net' }, token: tokens[0] ?? '' });
  const statuses: number[] = [];
  for (let i = 0; i < 4; i += 1) {
    const answer = await invite();
    statuses.push(answer.status);
    if (answer.status !== 200) {
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(3_600);
      expect(answer.text).toContain('tomorrow');
    } else {
      await run(service, 'seats.remove', { tenant, subscriptionId, seatId: answer.json().seatId });
    }
  }
  expect(statuses).toEqual([200, 200, 200, 429]);
});

const packageOf = () =>
  service.store.transaction(async (tx) => {
    const { id } = tenantOf(service, tenant);
    const { id: _, tenantId, products, ...facts } = packageRecord({ name: 'Shelf' });
    return addPackage(tx, id, facts, [await addProduct(tx, id, 'Books')]);
  });
