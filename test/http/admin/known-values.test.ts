import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalSocket, openSocket } from '../../../src/http/admin/socket.ts';
import { operations } from '../../../src/operations/admin/index.ts';
import { languages } from '../../../src/text/language.ts';
import { hosts } from '../../support/fixtures.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { command } from '../../support/operators/command.ts';
import { run } from '../../support/operators/desk.ts';
import { newAdmin, type PortalVisitor, plain } from '../../support/operators/portal.ts';
import { allRows } from '../../support/records/rows.ts';
import { useService } from '../../support/use-service.ts';

const service = useService({ data: 'security' });
let socket: LocalSocket | null;
let token: string;
let portal: PortalVisitor;
let packageId: number;

const tenant = hosts.a;
const known = languages.join(', ');
const facts = {
  tenant,
  name: 'Platinum',
  price: { amount: 9_900, currency: 'NOK' },
  period: { unit: 'month', count: 1 },
  payment: 'invoice',
  productIds: [],
};

beforeAll(async () => {
  socket = await openSocket(service.folder, operations, service.deps, service.app.log);
  token = await adminToken(service);
  portal = await newAdmin(service, tenant, 'tina@example.test');
  packageId = (await run<{ id: number }>(service, 'packages.create', facts)).id;
});
afterAll(async () => {
  await socket?.close();
});

/** The problem that a page of the portal tells. */
const told = (text: string) => plain(text).replaceAll(/\s+/g, ' ');

describe('a language that the service does not have is refused, and those it has are listed', () => {
  it('by the admin API', async () => {
    const call = { method: 'PATCH', path: `/tenants/${tenant}`, token, body: { languages: ['nb', 'tlh'] } };
    const answer = await callApi(service, call);
    expect(answer.status).toBe(400);
    expect(answer.json().problems).toEqual([
      {
        path: ['languages', 1],
        code: 'not_one_of',
        values: { allowed: known.split(', ') },
        message: `languages.1 must be one of ${known}`,
      },
    ]);
  });

  it('by the command', async () => {
    const words = ['tenants', 'change', '--tenant', tenant, '--languages', 'tlh'];
    const said = await command(service.folder, words);
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain(`--languages.0 must be one of ${known}`);
  });

  it('by the portal, with the number of the line', async () => {
    const form = `/admin/tenants/${tenant}/+change`;
    const answer = await portal.submit(form, { languages: 'nb\ntlh' });
    expect(answer.status).toBe(422);
    expect(told(answer.text)).toContain(`Languages, line 2, must be one of ${known}.`);
  });

  it('and the order of those that are taken stays: the first is the one to fall back on', async () => {
    const answer = await portal.submit(`/admin/tenants/${tenant}/+change`, { languages: 'nb\nda\nen' });
    expect(answer.status).toBe(303);
    expect(service.tenants.byHost(tenant)?.languages).toEqual(['nb', 'da', 'en']);
  });
});

describe('a payment method that the service does not have is refused, and those it has are listed', () => {
  it('by the admin API, of a new package and of one that is changed', async () => {
    const message = 'payment must be one of free, invoice';
    const { tenant: _, ...body } = { ...facts, payment: 'seashells' };
    const path = `/tenants/${tenant}/packages`;
    const before = await allRows(service, ['auditEvents']);
    const made = await callApi(service, { path, token, body });
    const one = { method: 'PATCH', path: `${path}/${packageId}`, token, body: { payment: 'seashells' } };
    const changed = await callApi(service, one);
    for (const answer of [made, changed]) {
      expect(answer.status).toBe(400);
      expect(answer.json().problems).toMatchObject([{ path: ['payment'], message }]);
    }
    expect(await allRows(service, ['auditEvents'])).toEqual(before);
  });

  it('by the command', async () => {
    const words = ['packages', 'change', '--tenant', tenant, '--package-id', String(packageId)];
    const said = await command(service.folder, [...words, '--payment', 'seashells']);
    expect(said).toMatchObject({ code: 1, out: '' });
    expect(said.err).toContain('--payment must be one of free, invoice');
  });

  it('by the portal', async () => {
    const form = `/admin/tenants/${tenant}/packages/${packageId}/+change`;
    const answer = await portal.submit(form, { payment: 'seashells' });
    expect(answer.status).toBe(422);
    expect(told(answer.text)).toContain('Choose Payment from the list.');
    for (const method of ['free', 'invoice'])
      expect(answer.text).toMatch(new RegExp(`<[^>]*value="${method}"`));
  });

  it('and a package of one that the service had once is shown, and changed in all else', async () => {
    await service.store.transaction((tx) =>
      tx.updateTable('packages').set({ payment: 'seashells' }).where('id', '=', packageId).execute(),
    );
    const form = `/admin/tenants/${tenant}/packages/${packageId}/+change`;
    expect((await portal.submit(form, { name: 'Golden' })).status).toBe(303);
    const { packages } = await run<{ packages: object[] }>(service, 'packages.list', { tenant });
    expect(packages).toContainEqual(expect.objectContaining({ name: 'Golden', payment: 'seashells' }));
  });
});

describe('a currency that is none is refused', () => {
  it('by the admin API', async () => {
    const path = `/tenants/${tenant}/packages/${packageId}`;
    const body = { price: { amount: 9_900, currency: 'QQQ' } };
    const answer = await callApi(service, { method: 'PATCH', path, token, body });
    expect(answer.status).toBe(400);
    expect(answer.json().problems).toMatchObject([
      { path: ['price', 'currency'], code: 'not_in_list', message: 'price.currency must be one of ISO 4217' },
    ]);
  });

  it('and a package of one that was one once is given another by its operator alone', async () => {
    await service.store.transaction((tx) =>
      tx
        .updateTable('packages')
        .set({ payment: 'invoice', currency: 'BGN' })
        .where('id', '=', packageId)
        .execute(),
    );
    const form = `/admin/tenants/${tenant}/packages/${packageId}/+change`;
    const { status } = await portal.submit(form, { name: 'Leva' });
    expect(status).toBe(422);
    const { packages } = await run<{ packages: { id: number }[] }>(service, 'packages.list', { tenant });
    expect(packages).toContainEqual(expect.objectContaining({ price: { amount: 9_900, currency: 'BGN' } }));
  });
});
