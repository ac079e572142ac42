import { describe, expect, it } from 'vitest';
import { forgottenClients } from '../../../../src/storage/sweep/clients.ts';
import { sweepThrough } from '../../../../src/storage/sweep/sweep.ts';
import { expectErrorPage, expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { day, hour } from '../../../support/records/records.ts';
import { allowClients, manageAt, metadata, registeredAt } from '../../../support/requests/registration.ts';
import { useFreshService } from '../../../support/use-service.ts';
import { authorizationParameters, pkce, visitor } from '../../../support/visitor.ts';

const service = useFreshService({ data: 'security' });

const open = () => allowClients(service, hosts.a, { clientRegistration: 'open' });
const tenantId = () => service.deps.tenants.byHost(hosts.a)?.id ?? '';

const countClients = async () =>
  (await service.store.transaction((tx) => tx.selectFrom('clients').select('clientId').execute())).length;

describe('a registration', () => {
  it('I63: it is read, changed and ended with its own token', async () => {
    await open();
    const made = await registeredAt(service, hosts.a);
    const { client_id: clientId, registration_access_token: token } = made;
    const read = await manageAt(service, hosts.a, clientId, { token });
    expect(read.json()).toEqual(made);
    const body = {
      ...metadata,
      client_id: clientId,
      redirect_uris: ['https://new.test/cb'],
      client_name: 'New',
    };
    const changed = await manageAt(service, hosts.a, clientId, { method: 'PUT', token, body });
    expect(changed.json()).toEqual({ ...made, redirect_uris: ['https://new.test/cb'], client_name: 'New' });
    const ended = await manageAt(service, hosts.a, clientId, { method: 'DELETE', token });
    expect(ended.status).toBe(204);
    expectJsonError(await manageAt(service, hosts.a, clientId, { token }), 401, 'invalid_token');
    const parameters = authorizationParameters(clientId, 'https://new.test/cb', pkce());
    expectErrorPage(await visitor(service, hosts.a).authorize(parameters));
  });

  it.each(['GET', 'PUT', 'DELETE'])(
    'UR16: %s with the token of another client changes nothing',
    async (method) => {
      await open();
      const [one, other] = [await registeredAt(service, hosts.a), await registeredAt(service, hosts.a)];
      const { client_id: clientId } = one;
      const body = method === 'PUT' ? { body: { ...metadata, client_id: clientId } } : {};
      for (const token of [other.registration_access_token, 'x', '']) {
        const answer = await manageAt(service, hosts.a, clientId, { method, token, ...body });
        expectJsonError(answer, 401, 'invalid_token');
      }
      for (const named of ['pub1', 'nothing']) {
        const token = other.registration_access_token;
        expectJsonError(
          await manageAt(service, hosts.a, named, { method, token, ...body }),
          401,
          'invalid_token',
        );
      }
      const own = await manageAt(service, hosts.a, clientId, { token: one.registration_access_token });
      expect(own.json()).toEqual(one);
    },
  );

  it('UR17: guesses at registration access tokens are limited', async () => {
    await open();
    const { client_id: clientId } = await registeredAt(service, hosts.a);
    const statuses = [];
    for (let guesses = 0; guesses < 32; guesses += 1) {
      statuses.push((await manageAt(service, hosts.a, clientId, { token: `guess${guesses}` })).status);
    }
    expect(statuses.slice(0, 30).every((status) => status === 401)).toBe(true);
    expect(statuses.slice(30)).toEqual([429, 429]);
  });

  it('UR18: a change says all anew, of the same client and in the same way', async () => {
    await open();
    const { client_id: clientId, registration_access_token: token } = await registeredAt(service, hosts.a);
    const put = (body: object) => manageAt(service, hosts.a, clientId, { method: 'PUT', token, body });
    expectJsonError(await put(metadata), 400, 'invalid_client_metadata');
    expectJsonError(await put({ ...metadata, client_id: 'pub1' }), 400, 'invalid_client_metadata');
    expectJsonError(await put({ client_id: clientId }), 400, 'invalid_redirect_uri');
    const bad = { ...metadata, client_id: clientId, redirect_uris: ['javascript:x'] };
    expectJsonError(await put(bad), 400, 'invalid_redirect_uri');
  });

  it('I63: one that no member has used is forgotten after 30 days', async () => {
    await open();
    const before = await countClients();
    await registeredAt(service, hosts.a);
    const sweep = async () => {
      for (const one of forgottenClients([tenantId()], service.clock.now()))
        await sweepThrough(service.store, one);
      return (await countClients()) - before;
    };
    service.clock.advance(30 * day - hour);
    expect(await sweep()).toBe(1);
    service.clock.advance(hour);
    expect(await sweep()).toBe(0);
  });
});
