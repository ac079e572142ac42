import { beforeAll, describe, expect, it } from 'vitest';
import { registerClient } from '../../../../src/operations/client/client.ts';
import {
  apiStatus,
  approvedCodes,
  askForCode,
  codesFor,
  deviceGrant,
  type Phone,
  phoneOf,
  poll,
  pollTokens,
  startUnlimited,
  tenantOf,
  usedCodes,
} from '../../../support/device.ts';
import { expectJsonError } from '../../../support/expected/expectations.ts';
import { hosts } from '../../../support/fixtures.ts';
import { allRows } from '../../../support/records/rows.ts';
import { apps, profile, refreshAs } from '../../../support/tokens.ts';
import { useStarted } from '../../../support/use-service.ts';
import { token } from '../../../support/visitor.ts';

const service = useStarted(startUnlimited);
let phone: Phone;

beforeAll(async () => {
  phone = await phoneOf(service, hosts.a);
});

const codes = () => codesFor(service, hosts.a);
const approved = () => approvedCodes(service, phone);
const used = () => usedCodes(service, phone);
const pollAs = (deviceCode: string) => poll(service, hosts.a, deviceCode);

describe('what is no poll', () => {
  it.each([
    ['unknown', () => 'A'.repeat(43)],
    ['10 KB long', () => 'x'.repeat(10 * 1_024)],
    ['truncated', (deviceCode: string) => deviceCode.slice(0, -1)],
    ['written in another case', (deviceCode: string) => deviceCode.replace(/[a-z]/g, (c) => c.toUpperCase())],
    ['the user code', (_: string, userCode: string) => userCode],
    ['the digits of the user code', (_: string, userCode: string) => userCode.replace(' ', '')],
  ])('P19: a device_code that is %s is invalid_grant', async (_what, change) => {
    const { device_code: deviceCode, user_code: userCode } = await approved();
    const before = await allRows(service);
    expectJsonError(await pollAs(change(deviceCode, userCode)), 400, 'invalid_grant');
    expect(await allRows(service)).toEqual(before);
    expect((await pollAs(deviceCode)).status).toBe(200);
  });

  it.each([
    { client_id: 'pub1' },
    { client_id: 'pub1', device_code: '' },
    { device_code: 'A'.repeat(43) },
    { client_id: '', device_code: 'A'.repeat(43) },
  ])('P20: a poll without device_code or client_id is invalid_request: %o', async (body) => {
    const answer = await token(service, hosts.a, { grant_type: deviceGrant, ...body });
    expectJsonError(answer, 400, 'invalid_request');
  });

  it('P22: a device_code in the address is invalid_request, and in no log', async () => {
    const { device_code: deviceCode } = await approved();
    const path = `/api/oidc/token?${new URLSearchParams({ device_code: deviceCode })}`;
    const body = { grant_type: deviceGrant, client_id: 'pub1' };
    expectJsonError(await service.http(hosts.a, path, { body }), 400, 'invalid_request');
    expect(service.logLines.join('')).not.toContain(deviceCode);
    expect((await pollAs(deviceCode)).status).toBe(200);
  });

  it('W7: no log line has a device code, a user code or a token', async () => {
    const { device_code: deviceCode, user_code: userCode, tokens } = await used();
    await phone.open(userCode);
    await pollAs(deviceCode);
    const log = service.logLines.join('');
    expect(log).toContain('"route":"/device"');
    const secrets = [deviceCode, userCode, userCode.replace(' ', ''), encodeURIComponent(userCode)];
    for (const secret of [...secrets, tokens.access_token, tokens.refresh_token, tokens.id_token]) {
      // Six digits may stand in a time; a code would stand alone.
      expect(log).not.toMatch(new RegExp(`(?<![\\w.:])${secret}(?![\\w.:])`));
    }
  });
});

describe('without offline_access', () => {
  const openid = async () => {
    const answer = await askForCode(service, hosts.a, apps.pub1, { scope: 'openid' });
    return answer.json<{ device_code: string; user_code: string } & Record<string, unknown>>();
  };

  it('P24, I44: the access token works until the member signs out on the phone', async () => {
    const own = await phoneOf(service, hosts.a);
    const { device_code: deviceCode, user_code: userCode } = await openid();
    await own.approve(userCode);
    const tokens = await pollTokens(service, hosts.a, deviceCode);
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(tokens.scope).toBe('openid');
    expect(await apiStatus(service, hosts.a, tokens)).toBe(200);
    await own.signOut();
    const answer = await profile(service, hosts.a, tokens.access_token);
    expectJsonError(answer, 401, 'invalid_token');
  });

  it('P24: the access token never works if the member signed out on the phone before the first poll', async () => {
    // The same member's other phone stays signed in, which does not help.
    const own = await phoneOf(service, hosts.a);
    const { device_code: deviceCode, user_code: userCode } = await openid();
    await own.approve(userCode);
    await own.signOut();
    const tokens = await pollTokens(service, hosts.a, deviceCode);
    expect(await apiStatus(service, hosts.a, tokens)).toBe(401);
  });

  it('P25, I44: with offline_access the tokens go on working after the member signed out on the phone', async () => {
    const own = await phoneOf(service, hosts.a);
    const { device_code: deviceCode, user_code: userCode } = await codes();
    await own.approve(userCode);
    const tokens = await pollTokens(service, hosts.a, deviceCode);
    await own.signOut();
    expect(await apiStatus(service, hosts.a, tokens)).toBe(200);
    const answer = await refreshAs(service, hosts.a, apps.pub1, tokens.refresh_token);
    expect(answer.status, answer.text).toBe(200);
  });
});

it('D5: a client can be registered for the device flow without any redirect_uri', async () => {
  const registration = { clientId: 'tv', name: 'TV', type: 'public', deviceFlow: true } as const;
  const { id } = tenantOf(service, hosts.a);
  await service.store.transaction((tx) => registerClient(tx, id, registration, service.clock.now()));
  expect((await askForCode(service, hosts.a, { clientId: 'tv' })).status).toBe(200);
});
