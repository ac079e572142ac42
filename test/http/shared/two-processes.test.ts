import { describe, expect, it } from 'vitest';
import type { Client } from '../../../src/core/client.ts';
import { prepareSigningKey, replaceKeys } from '../../../src/operations/tenant/keys.ts';
import { findRegisteredClient, updateClient } from '../../../src/storage/clients/client.ts';
import { findTenant, listSigningKeys, updateTenant } from '../../../src/storage/tenant.ts';
import { hosts } from '../../support/fixtures.ts';
import { adminToken, callApi } from '../../support/operators/api.ts';
import { filledIn, newAdmin } from '../../support/operators/portal.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { apps, expectError, headerOf, profilePath, refreshAs, tokensOf } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';
import type { Tokens } from '../../support/visitor.ts';

/** Two processes of one service, as far as one process can hold two: each with its own memory and connections. */
const pair = useStarted(async () => {
  const database = await sharedDatabase();
  const one = await startTestService({ data: 'security', database });
  const other = await startTestService({ data: 'security', database });
  return { one, other, stop: () => Promise.all([one.stop(), other.stop()]) };
});

const tenantAt = ({ tenants }: TestService, host: string) => {
  const tenant = tenants.all().find((known) => known.host === host);
  if (tenant === undefined) throw new Error(`no tenant at ${host}`);
  return tenant;
};

/** Changes a client as an operator would, in the one process. */
async function changeClient(clientId: string, change: Partial<Client>): Promise<void> {
  const { one } = pair;
  await one.store.transaction(async (tx) => {
    const client = await findRegisteredClient(tx, tenantAt(one, hosts.a).id, clientId);
    if (client === null) throw new Error('no client');
    await updateClient(tx, { ...client, ...change });
    await one.tenants.reload(tx);
  });
}

const profileAt = ({ http }: TestService, host: string, accessToken: string) =>
  http(host, profilePath, { headers: { authorization: `Bearer ${accessToken}` } });

describe('two processes on one database', () => {
  it('decision 51: serve one sign-in together, and a used token is used for both', async () => {
    const { one, other } = pair;
    const first = await tokensOf(one, hosts.a, apps.pub1);
    const second = (await refreshAs(other, hosts.a, apps.pub1, first.refresh_token)).json<Tokens>();
    const third = (await refreshAs(one, hosts.a, apps.pub1, second.refresh_token)).json<Tokens>();
    for (const dead of [first.refresh_token, third.refresh_token]) {
      expectError(await refreshAs(other, hosts.a, apps.pub1, dead), 400, 'invalid_grant');
    }
  });

  it('MC11: 200 calls at once with one idempotency key, at both of them, do it once', async () => {
    const { one, other } = pair;
    const token = await adminToken(one, { host: hosts.a });
    const path = `/tenants/${hosts.a}/products`;
    const headers = { 'idempotency-key': 'of-both' };
    const add = (service: TestService) => callApi(service, { path, body: { name: 'Once' }, headers, token });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => add(index % 2 === 0 ? one : other)),
    );
    const done = answers.filter(({ status }) => status === 200).map(({ text }) => text);
    const others = answers.filter(({ status }) => status !== 200);
    expect(new Set(done).size).toBe(1);
    expect(new Set(others.map(({ status }) => status))).toEqual(new Set([409]));
    const { products } = (await callApi(one, { path, token })).json<{ products: { name: string }[] }>();
    expect(products.filter(({ name }) => name === 'Once')).toHaveLength(1);
  });

  it('decision 51: a client that one disables is refused by the other at once', async () => {
    const { one, other } = pair;
    const { refresh_token } = await tokensOf(other, hosts.a, apps.conf1);
    await changeClient('conf1', { disabledAt: one.clock.now() });
    expectError(await refreshAs(other, hosts.a, apps.conf1, refresh_token), 401, 'invalid_client');
    await changeClient('conf1', { disabledAt: null });
    expect((await refreshAs(other, hosts.a, apps.conf1, refresh_token)).status).toBe(200);
  });

  it('decision 51: a tenant that one disables is unknown to the other at once, whatever is asked of it', async () => {
    const { one, other } = pair;
    const { refresh_token, access_token } = await tokensOf(other, hosts.b, apps.pub2);
    const { id } = tenantAt(one, hosts.b);
    const change = (disabledAt: number | null) =>
      one.store.transaction(async (tx) => {
        const tenant = await findTenant(tx, id);
        if (tenant === null) throw new Error('no tenant');
        await updateTenant(tx, { ...tenant, disabledAt });
        await one.tenants.reload(tx);
      });
    // What the other process does by itself once a second: a tenant that it does not know begins no transaction.
    const enable = async () => {
      await change(null);
      await other.store.transaction(other.tenants.follow);
    };
    const profile = () => profileAt(other, hosts.b, access_token);
    expect((await profile()).status).toBe(200);

    await change(one.clock.now());
    expect((await profile()).status).toBe(404);
    await enable();
    expect((await profile()).status).toBe(200);
    await change(one.clock.now());
    expect((await refreshAs(other, hosts.b, apps.pub2, refresh_token)).status).toBe(404);
    await enable();
    expect((await refreshAs(other, hosts.b, apps.pub2, refresh_token)).status).toBe(200);
  });

  it('decision 51: what a key signed that one retires, the other refuses at once', async () => {
    const { one, other } = pair;
    const { access_token } = await tokensOf(other, hosts.a, apps.pub1);
    expect((await profileAt(other, hosts.a, access_token)).status).toBe(200);
    const { id } = tenantAt(one, hosts.a);
    const now = one.clock.now();
    const key = await prepareSigningKey(id, 'ES256', one.vault, now, now);
    await one.store.transaction(async (tx) => {
      await replaceKeys(tx, key, now);
      await one.tenants.reload(tx);
    });
    expect((await profileAt(other, hosts.a, access_token)).status).toBe(401);
    const next = await tokensOf(other, hosts.a, apps.pub1);
    expect((await profileAt(one, hosts.a, next.access_token)).status).toBe(200);
  });

  it('decision 51: a request with a long body meets a change of the other process as every request does', async () => {
    const { one, other } = pair;
    const token = await adminToken(one);
    const browser = await newAdmin(other, hosts.a, 'long@example.test');
    const path = `/admin/tenants/${hosts.a}/+change/look`;
    const body = filledIn(await browser.send(path));
    await changeClient('conf2', { name: 'Changed once' });
    expect((await callApi(other, { path: '/tenants', token })).status).toBe(200);
    await changeClient('conf2', { name: 'Changed again' });
    expect((await browser.send(path, { body })).status).toBe(303);
  });

  it('I57: the first key of an algorithm that one made signs at the other at once', async () => {
    const { one, other } = pair;
    await tokensOf(other, hosts.a, apps.conf2);
    await changeClient('conf2', { idTokenAlgorithm: 'EdDSA' });
    const made = await Promise.all([one, other].map((process) => tokensOf(process, hosts.a, apps.conf2)));
    const again = await Promise.all([one, other].map((process) => tokensOf(process, hosts.a, apps.conf2)));
    const keys = await one.store.transaction((tx) => listSigningKeys(tx, tenantAt(one, hosts.a).id));
    const kids = keys.filter(({ algorithm }) => algorithm === 'EdDSA').map(({ kid }) => kid);
    for (const { id_token: idToken } of [...made, ...again]) expect(kids).toContain(headerOf(idToken).kid);
    expect(new Set(again.map(({ id_token: idToken }) => headerOf(idToken).kid)).size).toBe(1);
  });
});
