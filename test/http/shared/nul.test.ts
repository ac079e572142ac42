import { afterEach, describe, expect, it } from 'vitest';
import { askForCode, poll } from '../../support/device.ts';
import { hosts } from '../../support/fixtures.ts';
import { sharedDatabase } from '../../support/run/test-store.ts';
import { startTestService } from '../../support/service.ts';
import { apps, expectError, revoke } from '../../support/tokens.ts';
import { useStarted } from '../../support/use-service.ts';

const service = useStarted(async () =>
  startTestService({ data: 'security', database: await sharedDatabase() }),
);
const nul = 'a\u0000b';
const app = { ...apps.pub1, clientId: nul };

/** PostgreSQL holds no NUL in a text. What a stranger sends must be no failure of the service for that. */
describe('a client_id with a NUL, on PostgreSQL', () => {
  afterEach(() => {
    expect(service.logLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
  });

  it('is an unknown one at every endpoint that takes it', async () => {
    expectError(await poll(service, hosts.a, 'x', app), 401, 'invalid_client');
    expectError(await askForCode(service, hosts.a, app), 401, 'invalid_client');
    expectError(await revoke(service, hosts.a, { client_id: nul, token: 'x' }), 401, 'invalid_client');
    const query = 'client_id=a%00b&response_type=code&scope=openid';
    expect((await service.http(hosts.a, `/api/oidc/auth?${query}`)).status).toBe(400);
    expect((await service.http(hosts.a, `/api/oidc/session/end?${query}`)).status).toBe(200);
  });

  it('is an unknown one in a Basic header', async () => {
    const authorization = `Basic ${Buffer.from(`${nul}:secret`).toString('base64')}`;
    const body = { grant_type: 'refresh_token', refresh_token: 'x' };
    const answer = await service.http(hosts.a, '/api/oidc/token', { body, headers: { authorization } });
    expectError(answer, 401, 'invalid_client');
  });
});
